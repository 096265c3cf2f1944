// SPDX-License-Identifier: MIT
// Tests direction, look-at and centre-of-mass points, points in another link's frame and row masks
// (rows 0.2, 0.6, 2.9 of DOCUMENTS.md). Checks J against central differences, the sets, and that
// goals are met.
#include <criterion/criterion.h>
#include <string.h>

#include "models.h"
#include "near.h"
#include "works.h"

static const double h = 1e-6;

static PoisePose frame_of(const Model* model, PoisePointId point) {
    PoiseNodeId frame = poise_point_frame(model->tree, point);
    return frame.index1 != 0 ? poise_node_link_world(model->tree, frame) : poise_pose_identity();
}

// The values whose derivatives are a point's rows, in the goal's frame.
typedef struct Seen {
    PoisePose pose;
    PoiseVec3 axis;
    PoiseVec3 sight;
} Seen;

static Seen look(const Model* model, PoisePointId point) {
    PoisePose back = poise_pose_inverse(frame_of(model, point));
    Seen seen;
    seen.pose = poise_pose_mul(back, poise_point_planned_pose(model->tree, point));
    seen.axis = poise_quat_rotate(back.q, poise_point_axis(model->tree, point));
    PoiseVec3 way = poise_sub(poise_point_goal(model->tree, point).p, seen.pose.p);
    seen.sight = poise_scale(1.0 / poise_length(way), way);
    return seen;
}

// Velocities of a point per unit of a degree of freedom, world axes.
typedef struct Motion {
    PoiseVec3 linear;
    PoiseVec3 angular;
} Motion;

// Returns the central differences of a point over one degree of freedom.
static Motion difference(Model* model, PoisePointId point, PoiseNodeId node, int dof) {
    double numbers[POISE_MAX_POSTURE];
    int count = poise_node_posture(model->tree, node, numbers);
    PoiseQuat frame = frame_of(model, point).q;
    Seen now = look(model, point), ends[2];
    for (int side = 0; side < 2; side++) {
        model_nudge(model, node, dof, side == 0 ? -h : h);
        ends[side] = look(model, point);
        cr_assert(poise_node_set_posture(model->tree, node, numbers, count) == POISE_OK);
        cr_assert(poise_forward(model->tree) == POISE_OK);
    }
    PoisePointKind kind = poise_point_kind(model->tree, point);
    const PoiseVec3 p = poise_sub(ends[1].pose.p, ends[0].pose.p);
    PoiseVec3 r;
    if (kind == POISE_POINT_DIRECTION || kind == POISE_POINT_LOOK_AT) {
        r = poise_cross(now.axis, poise_sub(ends[1].axis, ends[0].axis));
        PoiseVec3 aim = poise_cross(now.sight, poise_sub(ends[1].sight, ends[0].sight));
        r = kind == POISE_POINT_LOOK_AT ? poise_sub(r, aim) : r;
    } else {
        r = poise_quat_log(poise_quat_mul(ends[1].pose.q, poise_quat_conjugate(ends[0].pose.q)));
    }
    return (Motion){poise_scale(0.5 / h, poise_quat_rotate(frame, p)),
                    poise_scale(0.5 / h, poise_quat_rotate(frame, r))};
}

// Fills the active rows along the point's row axes; returns their number.
static int expected_rows(const Model* model, const PoisePointDef* def, PoisePointId point,
                         Motion by, double out[6]) {
    PoiseQuat q = poise_quat_identity();
    if (def->row_axes == POISE_ROW_AXES_POINT) {
        q = poise_point_planned_pose(model->tree, point).q;
    } else if (def->row_axes == POISE_ROW_AXES_GOAL) {
        q = poise_quat_mul(frame_of(model, point).q, poise_point_goal(model->tree, point).q);
    }
    const PoiseVec3 p = poise_quat_unrotate(q, by.linear);
    const PoiseVec3 r = poise_quat_unrotate(q, by.angular);
    const double both[6] = {p.x, p.y, p.z, r.x, r.y, r.z};
    bool place = def->kind == POISE_POINT_POSITION || def->kind == POISE_POINT_POSE ||
                 def->kind == POISE_POINT_COM;
    bool turn = def->kind != POISE_POINT_POSITION && def->kind != POISE_POINT_COM;
    int rows = 0;
    for (int i = 0; i < 6; i++) {
        if ((def->rows >> i & 1) != 0 && (i < 3 ? place : turn)) {
            out[rows++] = both[i];
        }
    }
    return rows;
}

// Fills the unit motion of a column in the numbers of omega: along or about an axis. False if the
// node has fewer columns.
static bool column_in_omega(const Model* model, PoiseNodeId node, int column, double e[6]) {
    memset(e, 0, 6 * sizeof *e);
    const int numbers = poise_node_omega(model->tree, node, NULL);
    const unsigned axes = poise_node_free_axes(model->tree, node);
    const unsigned all = numbers == 6 ? POISE_AXES_ALL : POISE_AXES_LINEAR;
    const PoiseJointType* type = poise_joint_type(poise_node_kind(model->tree, node));
    if (type->linear != 7 || (axes & all) == all) {
        e[column % 6] = 1.0;
        return column < numbers;
    }
    for (int axis = 0, left = column; axis < numbers; axis++) {
        if ((axes >> axis & 1) != 0 && left-- == 0) {
            const PoiseVec3 v =
                poise_quat_rotate(poise_node_joint_world(model->tree, node).q,
                                  poise_vec3(axis % 3 == 0, axis % 3 == 1, axis % 3 == 2));
            double* at = &e[axis < 3 ? 0 : 3];
            at[0] = v.x;
            at[1] = v.y;
            at[2] = v.z;
            return true;
        }
    }
    return false;
}

/// The blocks that were compared, by the kind of their point and of their node.
typedef struct Tally {
    int of_points[7];
    int of_nodes[16];
    double worst;
} Tally;

static void check_point(Model* model, const PoisePointDef* def, PoisePointId point, Tally* tally) {
    for (int n = 0; n < model->node_count; n++) {
        double block[POISE_MAX_ROWS * POISE_MAX_DOF], moved[POISE_MAX_DOF][6], e[6];
        const PoiseNodeId node = model->nodes[n];
        const PoiseNodeKind kind = poise_node_kind(model->tree, node);
        const int size = poise_jacobian(model->tree, point, node, block);
        const int numbers = poise_node_omega(model->tree, node, NULL);
        int rows = 0, columns = 0;
        for (int i = 0; i < numbers; i++) {
            rows = expected_rows(model, def, point, difference(model, point, node, i), moved[i]);
        }
        while (column_in_omega(model, node, columns, e)) {
            columns++;
        }
        cr_expect(size == 0 || size == rows * columns);
        for (int d = 0; column_in_omega(model, node, d, e); d++) {
            for (int r = 0; r < rows; r++) {
                // no block: the node does not move the point
                const double found = size > 0 ? block[r * columns + d] : 0.0;
                double expected = 0.0;
                for (int i = 0; i < numbers; i++) {
                    expected += e[i] * moved[i][r];
                }
                tally->worst = fmax(tally->worst, fabs(found - expected));
                cr_expect(fabs(found - expected) < 1e-8,
                          "point kind %d, node kind %d, row %d, dof %d: %g, expected %g",
                          (int)def->kind, (int)kind, r, d, found, expected);
            }
        }
        tally->of_points[def->kind] += size > 0;
        tally->of_nodes[kind] += size > 0;
    }
}

static Model random_model(Random* random) {
    RandomTree kinds = {8, 0, true, true, true, true, true, POISE_BALL_THREE_AXES};
    Model model = model_random_kinds(random, &kinds);
    for (int n = 0; n < model.node_count; n++) {
        if (poise_joint_type(poise_node_kind(model.tree, model.nodes[n]))->linear == 7) {
            cr_assert(poise_node_set_free_axes(model.tree, model.nodes[n], POISE_AXES_ALL) ==
                      POISE_OK);
        }
        if (n % 3 == 1) {
            cr_assert(poise_node_set_mass(model.tree, model.nodes[n], 0.0,
                                          poise_vec3(0.0, 0.0, 0.0)) == POISE_OK);
        }
    }
    return model;
}

static PoisePointDef random_point(const Model* model, Random* random, PoisePointKind kind,
                                  bool plain) {
    PoisePointDef def = model_point_def(kind);
    def.link = model->nodes[random_index(random, model->node_count)];
    if (kind == POISE_POINT_COM) {
        // a link that has a mass
        def.link = model->nodes[3 * random_index(random, 2)];
    }
    def.in_link = random_pose(random, 0.3, 3.0);
    def.axis = poise_scale(2.0, random_direction(random));
    def.direction = random_direction(random);
    def.has_goal = true;
    def.goal = random_pose(random, 3.0, 3.0);
    if (kind != POISE_POINT_COM && random_index(random, 2) == 0) {
        def.frame = model->nodes[random_index(random, model->node_count)];
    }
    if (!plain) {
        def.row_axes = (PoiseRowAxes)random_index(random, 3);
        unsigned mask = (unsigned)random_index(random, 63);
        def.rows = mask | (kind == POISE_POINT_POSITION || kind == POISE_POINT_COM ? 2u : 16u);
    }
    return def;
}

// rows 0.1, 0.2; in every second tree some axes are switched off
Test(points, jacobian_matches_central_differences) {
    Tally tally = {{0}, {0}, 0.0};
    for (uint64_t seed = 0; seed < 60; seed++) {
        Random random = random_from(5100 + seed);
        Model model = random_model(&random);
        PoisePointDef defs[12];
        PoisePointId points[12];
        for (int n = 0; n < model.node_count && seed % 2 == 1; n++) {
            const unsigned axes = (unsigned)random_index(&random, 64);
            MAY_FAIL(poise_node_set_free_axes(model.tree, model.nodes[n], axes));
        }
        poise_tree_clear_status(model.tree);
        for (int p = 0; p < 12; p++) {
            defs[p] = random_point(&model, &random, (PoisePointKind)(1 + p % 6), p < 6);
            points[p] = poise_point_create(model.tree, &defs[p]);
            cr_assert(poise_register_all(model.tree, points[p]) == POISE_OK);
        }
        cr_assert(poise_stage_jacobians(model.tree) == POISE_OK);
        for (int p = 0; p < 12; p++) {
            check_point(&model, &defs[p], points[p], &tally);
        }
        cr_expect(poise_solve(model.tree, NULL, NULL) == POISE_OK);
        model_finish(&model);
    }
    for (int kind = POISE_POINT_POSITION; kind <= POISE_POINT_COM; kind++) {
        cr_expect(tally.of_points[kind] >= 100, "point kind %d: %d", kind, tally.of_points[kind]);
    }
    for (int kind = POISE_NODE_HINGE; poise_joint_type((PoiseNodeKind)kind); kind++) {
        cr_expect(tally.of_nodes[kind] >= 20, "node kind %d: %d", kind, tally.of_nodes[kind]);
    }
    cr_log_info("worst difference %g", tally.worst);
}

// Row 0.6 of DOCUMENTS.md: a node that cannot move a point has no block and is refused by name;
// neither has a massless part
Test(points, nodes_that_cannot_move_a_point_have_no_block) {
    Random random = random_from(52);
    for (int i = 0; i < 40; i++) {
        Model model = random_model(&random);
        for (int kind = POISE_POINT_POSITION; kind <= POISE_POINT_COM; kind++) {
            PoisePointDef def = random_point(&model, &random, (PoisePointKind)kind, true);
            PoisePointId point = poise_point_create(model.tree, &def);
            cr_assert(poise_register_all(model.tree, point) == POISE_OK);
            PoiseNodeId nodes[16];
            int count = poise_point_nodes(model.tree, point, nodes, 16);
            for (int n = 0; n < model.node_count; n++) {
                bool listed = false;
                for (int k = 0; k < count; k++) {
                    listed = listed || nodes[k].index1 == model.nodes[n].index1;
                }
                PoiseStatus status = poise_register(model.tree, point, model.nodes[n]);
                cr_expect(status == (listed ? POISE_OK : POISE_ERROR_CANNOT_MOVE));
            }
            cr_expect(poise_point_nodes(model.tree, point, NULL, 0) == count);
        }
        model_finish(&model);
    }
}

// A node gets a block when it gets a mass, and loses the block with the mass.
Test(points, a_massless_part_has_no_block_with_the_centre_of_mass) {
    Model model = model_springhead(3, 1.0);
    PoisePointDef def = poise_default_com_def();
    def.link = model.nodes[0];
    PoisePointId com = poise_point_create(model.tree, &def);
    cr_assert(poise_register_all(model.tree, com) == POISE_OK);
    cr_assert(poise_node_set_mass(model.tree, model.nodes[2], 0.0, def.in_link.p) == POISE_OK);
    cr_assert(poise_stage_jacobians(model.tree) == POISE_OK);
    cr_expect(poise_jacobian(model.tree, com, model.nodes[1], NULL) == 9);
    cr_expect(poise_jacobian(model.tree, com, model.nodes[2], NULL) == 0);
    // A massless node does not move the centre of mass.
    double block[6 * POISE_MAX_DOF];
    const double omega[3] = {0.3, -0.2, 0.1};
    const PoiseVec3 before = poise_point_planned_pose(model.tree, com).p;
    cr_assert(poise_node_shift(model.tree, model.nodes[2], omega, 3) == POISE_OK);
    cr_assert(poise_forward(model.tree) == POISE_OK);
    EXPECT_NEAR3(poise_point_planned_pose(model.tree, com).p, before, 0.0);
    cr_expect(poise_point_jacobian(model.tree, com, model.nodes[2], block) == 0);
    cr_expect(poise_point_jacobian(model.tree, com, model.nodes[1], block) == 3);
    cr_assert(poise_node_set_mass(model.tree, model.nodes[2], 1.0, def.in_link.p) == POISE_OK);
    cr_assert(poise_stage_jacobians(model.tree) == POISE_OK);
    cr_expect(poise_jacobian(model.tree, com, model.nodes[2], NULL) == 9);
    // An inner node is destroyed and leaves the point's list.
    cr_assert(poise_node_destroy(model.tree, model.nodes[2]) == POISE_OK);
    cr_expect(poise_point_nodes(model.tree, com, NULL, 0) == 2);
    cr_assert(poise_forward(model.tree) == POISE_OK);
    cr_expect(poise_solve(model.tree, NULL, NULL) == POISE_OK);
    model_finish(&model);
}

// Row 2.9 of DOCUMENTS.md: the centre of mass meets its goal while the hand stays
Test(points, centre_of_mass_and_hand_are_both_met) {
    Model model = model_springhead(5, 0.4);
    Random random = random_from(9);
    model_scatter(&model, &random, 1.2);
    // Sets the goals to the places in another posture, so that both can be met.
    PoiseVec3 hand = poise_point_planned_pose(model.tree, model.points[0]).p;
    cr_assert(poise_point_set_position(model.tree, model.points[0], hand) == POISE_OK);
    PoisePointDef def = poise_default_com_def();
    def.link = model.nodes[0];
    PoisePointId com = model_add_point(&model, &def);
    cr_assert(poise_register_all(model.tree, com) == POISE_OK);
    EXPECT_NEAR(poise_point_planned_error(model.tree, com), 0.0, 1e-15);
    model_scatter(&model, &random, 0.4);
    cr_expect(poise_point_planned_error(model.tree, com) > 0.02);
    for (int step = 0; step < 40; step++) {
        cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
    }
    EXPECT_NEAR(poise_point_planned_error(model.tree, com), 0.0, 1e-9);
    EXPECT_NEAR(poise_point_planned_error(model.tree, model.points[0]), 0.0, 1e-9);
    model_finish(&model);
}

// A hinge and a chain turn their axis to the opposite direction.
Test(points, direction_is_reached_from_half_a_turn) {
    static const PoiseNodeKind kinds[] = {POISE_NODE_HINGE, POISE_NODE_BALL};
    for (int k = 0; k < 2; k++) {
        for (int count = 1; count <= 3; count++) {
            Model model = model_chain(kinds[k], count, 0.5, POISE_POINT_DIRECTION);
            cr_assert(poise_point_destroy(model.tree, model.points[0]) == POISE_OK);
            PoisePointDef def = poise_default_direction_def();
            def.link = model.nodes[count - 1];
            def.axis = poise_vec3(3.0, 0.0, 0.0);
            def.has_goal = true;
            def.direction = poise_vec3(-2.0, 0.0, 0.0);
            PoisePointId point = model_add_point(&model, &def);
            EXPECT_NEAR(poise_point_planned_angle_error(model.tree, point), 3.14159265358979312,
                        1e-15);
            for (int step = 0; step < 40; step++) {
                cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
            }
            EXPECT_NEAR3(poise_point_axis(model.tree, point), poise_vec3(-1.0, 0.0, 0.0), 1e-9);
            model_finish(&model);
        }
    }
}

// Tests length and sense of the rotation vector, from 1e-12 rad to just below half a turn.
Test(points, direction_error_is_exact_at_both_ends) {
    static const double pi = 3.14159265358979323846;
    static const double angles[] = {1e-12, 1e-8, 1e-3, 1.0, 1.5707963, 3.0, 3.14, 3.1415925};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
        Model model = model_chain(POISE_NODE_BALL, 1, 0.5, POISE_POINT_DIRECTION);
        double angle = angles[i];
        // cos and sin of the angle to half a turn, so that the direction is exact
        PoiseVec3 way = angle > 2.0 ? poise_vec3(-cos(pi - angle), 0.0, -sin(pi - angle))
                                    : poise_vec3(cos(angle), 0.0, -sin(angle));
        PoisePointDef def = poise_default_direction_def();
        def.link = model.nodes[0];
        def.axis = poise_vec3(1.0, 0.0, 0.0);
        def.has_goal = true;
        def.direction = way;
        PoisePointId point = model_add_point(&model, &def);
        EXPECT_NEAR(poise_point_planned_angle_error(model.tree, point), angle,
                    1e-15 * (1.0 + angle));
        PoiseSolveDef plain = model_plain_def(POISE_SOLVER_DUAL, 0.0);
        cr_assert(poise_point_set_enabled(model.tree, model.points[0], false) == POISE_OK);
        cr_assert(poise_solve(model.tree, &plain, NULL) == POISE_OK);
        double omega[POISE_MAX_DOF];
        GETS(poise_node_omega(model.tree, model.nodes[0], omega));
        EXPECT_NEAR(omega[0], 0.0, 1e-12);
        EXPECT_NEAR(omega[1], angle, 1e-12);
        EXPECT_NEAR(omega[2], 0.0, 1e-12);
        model_finish(&model);
    }
}

// Gaze: the axis through the eye meets the place at any distance.
Test(points, look_at_aims_at_its_place) {
    Random random = random_from(77);
    for (int i = 0; i < 30; i++) {
        Model model = model_chain(POISE_NODE_BALL, 3, 0.4, POISE_POINT_LOOK_AT);
        const PoiseVec3 direction = random_direction(&random);
        PoiseVec3 place = poise_scale(2.0 + 10.0 * random_unit(&random), direction);
        cr_assert(poise_point_set_position(model.tree, model.points[0], place) == POISE_OK);
        for (int step = 0; step < 60; step++) {
            cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
        }
        PoiseVec3 eye = poise_point_planned_pose(model.tree, model.points[0]).p;
        PoiseVec3 axis = poise_point_axis(model.tree, model.points[0]);
        PoiseVec3 way = poise_sub(place, eye);
        EXPECT_NEAR3(axis, poise_scale(1.0 / poise_length(way), way), 1e-9);
        model_finish(&model);
    }
}

// The first hand of two arms on a trunk has a goal in the frame of the second. The trunk moves both
// hands as one, so J has no block for it.
Test(points, relative_point_moves_both_branches) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef ball = poise_default_ball_def();
    PoiseNodeId trunk = model_add_node(&model, &ball);
    PoiseNodeId hands[2];
    for (int side = 0; side < 2; side++) {
        ball.parent = trunk;
        ball.joint_in_parent.p = poise_vec3(0.0, side == 0 ? -0.2 : 0.2, 0.5);
        ball.parent = model_add_node(&model, &ball);
        ball.joint_in_parent.p = poise_vec3(0.3, 0.0, 0.0);
        hands[side] = model_add_node(&model, &ball);
    }
    PoisePointDef def = poise_default_pose_def();
    def.link = hands[0];
    def.frame = hands[1];
    def.has_goal = true;
    def.goal.p = poise_vec3(0.1, -0.1, 0.05);
    PoisePointId point = poise_point_create(model.tree, &def);
    cr_assert(poise_register_all(model.tree, point) == POISE_OK);
    cr_expect(poise_point_nodes(model.tree, point, NULL, 0) == 4);
    cr_expect(poise_register(model.tree, point, trunk) == POISE_ERROR_CANNOT_MOVE);
    for (int step = 0; step < 40; step++) {
        cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
    }
    PoisePose back = poise_pose_inverse(poise_node_link_world(model.tree, hands[1]));
    PoisePose seen = poise_pose_mul(back, poise_node_link_world(model.tree, hands[0]));
    EXPECT_NEAR3(seen.p, def.goal.p, 1e-9);
    EXPECT_NEAR_QUAT(seen.q, def.goal.q, 1e-9);
    EXPECT_NEAR(poise_length(poise_quat_log(poise_node_pose(model.tree, trunk).q)), 0.0, 1e-15);
    cr_assert(poise_node_destroy(model.tree, hands[1]) == POISE_OK);
    cr_expect(!poise_point_is_valid(model.tree, point));
    model_finish(&model);
}

// A step moves the point by at most max_speed * step.
Test(points, max_speed_bounds_a_step) {
    Model model = model_chain(POISE_NODE_TRANSLATION, 1, 0.0, POISE_POINT_POSITION);
    cr_assert(poise_point_set_position(model.tree, model.points[0], poise_vec3(3.0, 0.0, 4.0)) ==
              POISE_OK);
    cr_assert(poise_point_set_max_speed(model.tree, model.points[0], 0.5, 1.0) == POISE_OK);
    PoiseSolveDef def = model_plain_def(POISE_SOLVER_DUAL, 0.0);
    def.step = 0.01;
    cr_assert(model_step(&model, &def, NULL) == POISE_OK);
    EXPECT_NEAR3(poise_point_planned_pose(model.tree, model.points[0]).p,
                 poise_vec3(0.003, 0.0, 0.004), 1e-15);
    def.step = 0.0;
    cr_assert(model_step(&model, &def, NULL) == POISE_OK);
    EXPECT_NEAR3(poise_point_planned_pose(model.tree, model.points[0]).p, poise_vec3(3.0, 0.0, 4.0),
                 1e-14);
    model_finish(&model);
}

// J^T F of every kind equals the work of the force.
Test(points, torques_of_every_kind_of_point_do_the_work_of_its_force) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        Random random = random_from(5800 + seed);
        Model model = random_model(&random);
        PoisePointKind kind = seed % 2 == 0 ? POISE_POINT_COM : POISE_POINT_POSE;
        PoisePointDef def = random_point(&model, &random, kind, true);
        PoisePointId point = poise_point_create(model.tree, &def);
        cr_assert(poise_register_all(model.tree, point) == POISE_OK);
        PoiseVec3 force = poise_vec3(2.0, -3.0, 5.0);
        cr_assert(poise_point_set_force(model.tree, point, force) == POISE_OK);
        cr_assert(poise_forces(model.tree) == POISE_OK);
        for (int n = 0; n < model.node_count; n++) {
            double torque[POISE_MAX_DOF];
            int dof = poise_node_force_torque(model.tree, model.nodes[n], torque);
            for (int d = 0; d < dof; d++) {
                const PoiseVec3 p = difference(&model, point, model.nodes[n], d).linear;
                EXPECT_NEAR(torque[d], poise_dot(p, force), 1e-7);
            }
        }
        model_finish(&model);
    }
}

// Two arms stand on moving bases. The first hand has its goal on the second, so it follows both
// bases.
Test(points, a_goal_in_a_frame_moves_with_the_base_of_the_frame) {
    for (int moving = 0; moving < 2; moving++) {
        Model model = model_empty(POISE_BALL_THREE_AXES);
        PoiseTree* tree = model.tree;
        PoiseNodeDef slider = poise_default_slider_def();
        slider.axis = poise_vec3(1.0, 0.0, 0.0);
        const PoiseNodeId bases[2] = {model_add_node(&model, &slider),
                                      model_add_node(&model, &slider)};
        PoisePointDef def = poise_default_position_def();
        def.link = bases[0];
        def.frame = bases[1];
        const PoisePointId hand = poise_point_create(tree, &def);
        // Only the first arm is registered; the other stays in its base.
        cr_assert(poise_register(tree, hand, bases[0]) == POISE_OK);
        cr_assert(poise_node_set_base_velocity(tree, bases[moving], poise_vec3(0.7, 0.0, 0.0),
                                               poise_vec3(0.0, 0.0, 0.0)) == POISE_OK);
        cr_assert(poise_forward(tree) == POISE_OK);
        PoiseSolveDef solve = poise_default_solve_def();
        solve.step = 0.01;
        cr_assert(poise_solve(tree, &solve, NULL) >= POISE_OK);
        double rate[POISE_MAX_DOF];
        cr_assert(poise_node_velocity(tree, bases[0], rate) == 1);
        EXPECT_NEAR(rate[0], moving == 0 ? -0.7 : 0.7, 1e-6);
        model_finish(&model);
    }
}
