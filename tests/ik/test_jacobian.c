// SPDX-License-Identifier: MIT
// Compares J of every kind of node and point with central differences of forward kinematics and
// with the printed numbers (eqs. 2-11; rows 0.1-0.4).
#include <criterion/criterion.h>

#include "models.h"
#include "near.h"

static const double h = 1e-6;

// Returns a point's velocity for one unit of a degree of freedom by central differences.
static PoiseVec3 difference(Model* model, PoisePointId point, PoiseNodeId node, int dof) {
    ModelPosture posture = model_posture(model, node);
    model_nudge(model, node, dof, h);
    PoisePose after = poise_point_planned_pose(model->tree, point);
    model_put_back(model, node, posture);
    model_nudge(model, node, dof, -h);
    PoisePose before = poise_point_planned_pose(model->tree, point);
    model_put_back(model, node, posture);
    return poise_scale(0.5 / h, poise_sub(after.p, before.p));
}

// Row 0.3 of DOCUMENTS.md: the tip's place and its rows
Test(jacobian, planar_arm_gives_the_printed_rows) {
    Model model = model_chain(POISE_NODE_HINGE, 3, 1.0, POISE_POINT_POSITION);
    static const double q[3] = {0.3, 0.4, 0.5};
    static const double expected[3][3] = {
        {-1.871776979866257, -1.5762567732049173, -0.9320390859672263},
        {2.082536430886768, 1.1271999417611622, 0.36235775447667384},
        {0.0, 0.0, 0.0}};
    for (int i = 0; i < 3; i++) {
        cr_assert(poise_node_set_angle(model.tree, model.nodes[i], q[i]) == POISE_OK);
    }
    cr_assert(poise_forward(model.tree) == POISE_OK);
    EXPECT_NEAR3(poise_point_planned_pose(model.tree, model.points[0]).p,
                 poise_vec3(2.082536430886768, 1.871776979866257, 0.0), 1e-14);
    cr_assert(poise_stage_jacobians(model.tree) == POISE_OK);
    double j[9];
    int columns;
    cr_assert(model_jacobian(&model, j, &columns) == 3 && columns == 3);
    for (int i = 0; i < 9; i++) {
        EXPECT_NEAR(j[i], expected[i / 3][i % 3], 1e-14);
    }
    model_finish(&model);
}

// Makes a ball at the origin with one position point at `place` and reduced axes.
static Model lone_ball(PoiseVec3 place, double block[POISE_MAX_ROWS * POISE_MAX_DOF]) {
    Model model = model_empty(POISE_BALL_REDUCED);
    PoiseNodeDef def = poise_default_ball_def();
    (void)model_add_node(&model, &def);
    model_add_tip(&model, model.nodes[0], place);
    cr_assert(poise_forward(model.tree) == POISE_OK);
    cr_assert(poise_stage_jacobians(model.tree) == POISE_OK);
    cr_assert(poise_stage_blocks(model.tree) == POISE_OK);
    cr_assert(poise_jacobian(model.tree, model.points[0], model.nodes[0], block) == 6);
    return model;
}

static PoiseVec3 column_of(const double* block, int d) {
    return poise_vec3(block[d], block[2 + d], block[4 + d]);
}

// Row 0.4 of DOCUMENTS.md
Test(jacobian, reduced_ball_has_orthogonal_columns_of_length_r) {
    double block[POISE_MAX_ROWS * POISE_MAX_DOF];
    PoiseVec3 r = poise_vec3(0.6, 0.2, 0.1);
    Model model = lone_ball(r, block);
    double alpha[POISE_MAX_DOF], gamma[POISE_MAX_DOF * POISE_MAX_DOF];
    cr_assert(poise_block_alpha(model.tree, model.nodes[0], alpha) == 2);
    EXPECT_NEAR(alpha[0], 0.41, 1e-15);
    EXPECT_NEAR(alpha[1], 0.41, 1e-15);
    cr_assert(poise_block_gamma(model.tree, model.nodes[0], model.nodes[0], gamma) == 4);
    EXPECT_NEAR(gamma[1], 0.0, 1e-15);
    EXPECT_NEAR(gamma[2], 0.0, 1e-15);
    EXPECT_NEAR(poise_dot(column_of(block, 0), r), 0.0, 1e-15);
    EXPECT_NEAR(poise_dot(column_of(block, 1), r), 0.0, 1e-15);
    // eqs. 9 and 10: each column belongs to a rotation about an axis normal to r, the point's place
    for (int d = 0; d < 2; d++) {
        PoiseVec3 column = column_of(block, d);
        PoiseVec3 axis = poise_scale(1.0 / 0.41, poise_cross(r, column));
        EXPECT_NEAR(poise_length(axis), 1.0, 1e-14);
        PoiseVec3 before = poise_quat_rotate(poise_quat_from_axis_angle(axis, -h), r);
        PoiseVec3 after = poise_quat_rotate(poise_quat_from_axis_angle(axis, h), r);
        EXPECT_NEAR3(poise_scale(0.5 / h, poise_sub(after, before)), column, 1e-9);
    }
    model_finish(&model);
}

// Row 0.4 of DOCUMENTS.md: eq. 7 as printed gives NaN for the first place, and loses all digits for
// the third
Test(jacobian, reduced_ball_is_finite_in_every_direction) {
    static const PoiseVec3 places[] = {
        {1.0, 0.0, 0.0},  {-1.0, 0.0, 0.0},     {1.0, 1e-12, 0.0}, {1.0, 0.0, -1e-12},
        {0.0, 1.0, 0.0},  {0.0, 0.0, -1.0},     {0.5, 0.5, 0.5},   {1e-9, 1.0, 1.0},
        {1e-150, 0.0, 0}, {3e5, 2e-12, -4e-13}, {0.0, 0.0, 0.0},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        double block[POISE_MAX_ROWS * POISE_MAX_DOF];
        Model model = lone_ball(places[i], block);
        double length = poise_length(places[i]);
        PoiseVec3 a = column_of(block, 0), b = column_of(block, 1);
        cr_expect(poise_is_finite3(a) && poise_is_finite3(b), "place %zu", i);
        EXPECT_NEAR(poise_length(a), length, 1e-14 * length);
        EXPECT_NEAR(poise_length(b), length, 1e-14 * length);
        EXPECT_NEAR(poise_dot(a, b), 0.0, 1e-14 * length * length);
        EXPECT_NEAR(poise_dot(a, places[i]), 0.0, 1e-14 * length * length);
        cr_expect(poise_solve(model.tree, NULL, NULL) == POISE_OK);
        double omega[POISE_MAX_DOF];
        cr_assert(poise_node_omega(model.tree, model.nodes[0], omega) == 3);
        cr_expect(isfinite(omega[0]) && isfinite(omega[1]) && isfinite(omega[2]));
        model_finish(&model);
    }
}

// row 0.4 in a chain: two axes give the point the velocities that three give
Test(jacobian, reduced_ball_columns_span_what_three_span) {
    for (uint64_t seed = 0; seed < 30; seed++) {
        RandomTree kinds = {5, 0, true, true, true, false, false, POISE_BALL_REDUCED};
        Random random = random_from(800 + seed);
        Model model = model_random(&random, &kinds);
        model_add_tip(&model, model.nodes[4], random_vec3(&random, 0.4));
        cr_assert(poise_forward(model.tree) == POISE_OK);
        cr_assert(poise_stage_jacobians(model.tree) == POISE_OK);
        for (int n = 0; n < 5; n++) {
            if (model_dof(&model, n) != 3) {
                continue;
            }
            double block[POISE_MAX_ROWS * POISE_MAX_DOF];
            cr_assert(poise_jacobian(model.tree, model.points[0], model.nodes[n], block) == 6);
            PoiseVec3 a = column_of(block, 0), b = column_of(block, 1);
            for (int d = 0; d < 3; d++) {
                const PoiseVec3 linear = difference(&model, model.points[0], model.nodes[n], d);
                double along_a = poise_dot(linear, a) / poise_dot(a, a);
                double along_b = poise_dot(linear, b) / poise_dot(b, b);
                PoiseVec3 made = poise_add(poise_scale(along_a, a), poise_scale(along_b, b));
                EXPECT_NEAR3(made, linear, 1e-8);
            }
        }
        model_finish(&model);
    }
}

// The calls return the size if the array is NULL.
Test(jacobian, returns_the_size_without_writing) {
    Model model = model_chain(POISE_NODE_BALL, 2, 1.0, POISE_POINT_POSE);
    cr_assert(poise_stage_jacobians(model.tree) == POISE_OK);
    cr_expect(poise_jacobian(model.tree, model.points[0], model.nodes[0], NULL) == 18);
    cr_expect(poise_jacobian(model.tree, model.points[0], poise_null_node(), NULL) == 0);
    cr_expect(poise_jacobian(model.tree, poise_null_point(), model.nodes[0], NULL) == 0);
    cr_expect(poise_jacobian(NULL, model.points[0], model.nodes[0], NULL) == 0);
    model_finish(&model);
}

// A layout that was made for a size holds no Jacobian yet.
Test(jacobian, is_not_read_before_it_was_filled) {
    Model model = model_chain(POISE_NODE_HINGE, 2, 1.0, POISE_POINT_POSITION);
    cr_expect(poise_node_dof(model.tree, model.nodes[0]) == 1);
    cr_expect(poise_stage_blocks(model.tree) == POISE_ERROR_STALE);
    cr_expect(poise_stage_sweep(model.tree, 0.0, NULL) == POISE_ERROR_STALE);
    double block[POISE_MAX_ROWS * POISE_MAX_DOF];
    cr_expect(poise_jacobian(model.tree, model.points[0], model.nodes[0], block) == 0);
    cr_assert(poise_stage_jacobians(model.tree) == POISE_OK);
    cr_expect(poise_jacobian(model.tree, model.points[0], model.nodes[0], block) == 3);
    cr_expect(poise_stage_blocks(model.tree) == POISE_OK);
    // A change of the sets discards the filled Jacobian.
    cr_assert(poise_node_set_enabled(model.tree, model.nodes[1], false) == POISE_OK);
    cr_expect(poise_stage_blocks(model.tree) == POISE_ERROR_STALE);
    cr_expect(poise_stage_sweep(model.tree, 0.0, NULL) == POISE_ERROR_STALE);
    cr_expect(poise_jacobian(model.tree, model.points[0], model.nodes[0], block) == 0);
    // The layout is made again, but not filled.
    cr_expect(poise_node_dof(model.tree, model.nodes[0]) == 1);
    cr_expect(poise_stage_blocks(model.tree) == POISE_ERROR_STALE);
    cr_expect(poise_jacobian(model.tree, model.points[0], model.nodes[0], block) == 0);
    model_finish(&model);
}
