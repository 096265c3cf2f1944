// SPDX-License-Identifier: MIT
// Tests points that yield to a force: the goal has no effect along the force, and the step does
// not move the point there (J_force omega = 0). Tests the whole Jacobian by central differences.
#include <criterion/criterion.h>

#include "models.h"
#include "near.h"
#include "works.h"

static const double h = 1e-6;

Test(yield, whole_jacobian_matches_central_differences) {
    int blocks = 0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        Random random = random_from(4000 + seed);
        RandomTree kinds = {8, 6, true, true, true, true, true, POISE_BALL_THREE_AXES};
        Model model =
            seed % 2 == 0 ? model_random(&random, &kinds) : model_random_kinds(&random, &kinds);
        // A part's centre of mass is moved by the nodes that carry the part and by those in the
        // part.
        PoisePointDef com = poise_default_com_def();
        com.link = model.nodes[seed % 8];
        model.points[model.point_count++] = poise_point_create(model.tree, &com);
        cr_assert(poise_register_all(model.tree, model.points[model.point_count - 1]) == POISE_OK);
        for (int n = 0; n < model.node_count; n++) {
            for (int p = 0; p < model.point_count; p++) {
                double j[6 * POISE_MAX_DOF];
                const int dof =
                    poise_point_jacobian(model.tree, model.points[p], model.nodes[n], j);
                for (int d = 0; d < dof; d++) {
                    PoiseTree* copy = poise_tree_clone(model.tree);
                    PoisePose pose[2];
                    for (int side = 0; side < 2; side++) {
                        double omega[POISE_MAX_DOF] = {0.0};
                        omega[d] = side == 0 ? -h : 2.0 * h;
                        cr_assert(poise_node_shift(copy, model.nodes[n], omega, dof) == POISE_OK);
                        cr_assert(poise_forward(copy) == POISE_OK);
                        pose[side] = poise_point_planned_pose(copy, model.points[p]);
                    }
                    PoiseVec3 moved = poise_scale(0.5 / h, poise_sub(pose[1].p, pose[0].p));
                    PoiseVec3 turned = poise_scale(
                        0.5 / h,
                        poise_quat_log(poise_quat_mul(pose[1].q, poise_quat_conjugate(pose[0].q))));
                    EXPECT_NEAR3(poise_vec3(j[d], j[dof + d], j[2 * dof + d]), moved, 1e-8);
                    if (poise_point_kind(model.tree, model.points[p]) != POISE_POINT_COM) {
                        EXPECT_NEAR3(poise_vec3(j[3 * dof + d], j[4 * dof + d], j[5 * dof + d]),
                                     turned, 1e-8);
                    }
                    poise_tree_destroy(copy);
                    blocks++;
                }
            }
        }
        model_finish(&model);
    }
    cr_expect_gt(blocks, 500);
}

// Returns how far a step moves the point along a direction, to first order.
static double moved_along(const Model* model, const double row[6]) {
    double sum = 0.0;
    for (int n = 0; n < model->node_count; n++) {
        double j[6 * POISE_MAX_DOF];
        double omega[POISE_MAX_DOF] = {0.0};
        const int dof = poise_point_jacobian(model->tree, model->points[0], model->nodes[n], j);
        GETS(poise_node_omega(model->tree, model->nodes[n], omega));
        for (int d = 0; d < dof; d++) {
            for (int r = 0; r < 6; r++) {
                sum += row[r] * j[r * dof + d] * omega[d];
            }
        }
    }
    return sum;
}

Test(yield, a_step_does_not_move_the_point_along_the_force) {
    static const PoisePointKind kinds[] = {POISE_POINT_POSITION, POISE_POINT_ORIENTATION,
                                           POISE_POINT_POSE};
    for (int k = 0; k < 3; k++) {
        Model model = model_chain(POISE_NODE_BALL, 4, 1.0, kinds[k]);
        PoiseTree* tree = model.tree;
        Random random = random_from(5);
        model_scatter(&model, &random, 1.0);
        model_reachable_goals(&model, &random, 0.2);
        const PoiseVec3 f = poise_vec3(1.0, -2.0, 2.0);
        const PoiseVec3 t = poise_vec3(0.0, 3.0, 4.0);
        const bool place = kinds[k] != POISE_POINT_ORIENTATION;
        const bool turn = kinds[k] != POISE_POINT_POSITION;
        const double whole = poise_point_planned_error(tree, model.points[0]);
        cr_assert(!place || poise_point_set_force(tree, model.points[0], f) == POISE_OK);
        cr_assert(!turn || poise_point_set_torque(tree, model.points[0], t) == POISE_OK);
        double rows[36];
        cr_assert(poise_point_yield_rows(tree, model.points[0], rows) == place + turn);
        cr_expect(!place || poise_point_planned_error(tree, model.points[0]) < whole);
        PoiseSolveDef def = model_plain_def(POISE_SOLVER_DUAL, 1e-12);
        // The point meets its goal in all other directions.
        for (int i = 0; i < 30; i++) {
            cr_assert(poise_solve(tree, &def, NULL) == POISE_OK);
            for (int r = 0; r < place + turn; r++) {
                EXPECT_NEAR(moved_along(&model, &rows[6 * r]), 0.0, 1e-9);
            }
            cr_assert(poise_advance(tree) == POISE_OK);
            cr_assert(poise_forward(tree) == POISE_OK);
        }
        EXPECT_NEAR(poise_point_planned_error(tree, model.points[0]), 0.0, 1e-9);
        EXPECT_NEAR(poise_point_planned_angle_error(tree, model.points[0]), 0.0, 1e-9);
        // The error is that of all rows if none yields.
        cr_assert(poise_point_set_yield(tree, model.points[0], POISE_YIELD_NONE, 0) == POISE_OK);
        cr_expect(poise_point_yield_rows(tree, model.points[0], rows) == 0);
        cr_expect(poise_point_planned_error(tree, model.points[0]) +
                      poise_point_planned_angle_error(tree, model.points[0]) >
                  1e-3);
        model_finish(&model);
    }
}

// Rows yield without a force, along the point's own axes.
Test(yield, chosen_rows_yield_without_a_force) {
    Model model = model_chain(POISE_NODE_BALL, 4, 1.0, POISE_POINT_POSITION);
    PoiseTree* tree = model.tree;
    PoisePointId point = model.points[0];
    Random random = random_from(6);
    model_scatter(&model, &random, 1.0);
    model_reachable_goals(&model, &random, 0.2);
    cr_assert(poise_point_set_rows(tree, point, POISE_ROWS_ALL, POISE_ROW_AXES_POINT) == POISE_OK);
    cr_assert(poise_point_set_yield(tree, point, POISE_YIELD_ROWS, POISE_ROW_X | POISE_ROW_Z) ==
              POISE_OK);
    double rows[36];
    cr_assert(poise_point_goal_rows(tree, point, rows) == 3);
    cr_assert(poise_point_yield_rows(tree, point, rows) == 2);
    PoiseQuat q = poise_point_planned_pose(tree, point).q;
    EXPECT_NEAR3(poise_vec3(rows[0], rows[1], rows[2]),
                 poise_quat_rotate(q, poise_vec3(1.0, 0.0, 0.0)), 1e-15);
    EXPECT_NEAR3(poise_vec3(rows[6], rows[7], rows[8]),
                 poise_quat_rotate(q, poise_vec3(0.0, 0.0, 1.0)), 1e-15);
    // The remaining error is the part along y.
    PoiseVec3 error =
        poise_sub(poise_point_goal(tree, point).p, poise_point_planned_pose(tree, point).p);
    EXPECT_NEAR(poise_point_planned_error(tree, point),
                fabs(poise_dot(poise_quat_rotate(q, poise_vec3(0.0, 1.0, 0.0)), error)), 1e-14);
    PoiseSolveDef def = model_plain_def(POISE_SOLVER_DUAL, 1e-12);
    cr_assert(poise_solve(tree, &def, NULL) == POISE_OK);
    EXPECT_NEAR(moved_along(&model, rows), 0.0, 1e-9);
    EXPECT_NEAR(moved_along(&model, &rows[6]), 0.0, 1e-9);
    // Invalid calls change nothing.
    cr_expect(poise_point_set_yield(tree, point, (PoiseYield)3, 0) == POISE_ERROR_INVALID_ARGUMENT);
    cr_expect(poise_point_set_yield(tree, point, POISE_YIELD_ROWS, 64) ==
              POISE_ERROR_INVALID_ARGUMENT);
    cr_expect(poise_point_set_yield(tree, poise_null_point(), POISE_YIELD_NONE, 0) ==
              POISE_ERROR_INVALID_HANDLE);
    cr_expect(poise_point_yield_rows(tree, point, rows) == 2);
    model_finish(&model);
}
