// SPDX-License-Identifier: MIT
// Tests refusals that depend on earlier calls, on destroyed objects, or on several values at once,
// and the values that mean "none".
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "fixture_test.h"
#include "poise/forecast.h"
#include "shared/node_numbers.h"
#include "stage.h"
#include "works.h"

/// A test with its own stage.
#define STAGE_TEST(name)                                                                           \
    FIXTURE_TEST(orders, name, (Stage * stage), static Stage made_;                                \
                 stage_init(&made_), (&made_), stage_finish(&made_))

/// The call must return the status.
#define GIVES(expected, call)                                                                      \
    do {                                                                                           \
        const PoiseStatus given_ = (call);                                                         \
        cr_expect_eq(given_, expected, "%s gave '%s', not '%s'", #call, poise_status_name(given_), \
                     poise_status_name(expected));                                                 \
    } while (0)

static void* no_memory(size_t size, size_t alignment, void* user) {
    (void)size, (void)alignment, (void)user;
    return NULL;
}

STAGE_TEST(a_tree_without_memory) {
    PoiseTreeDef def = stage->tree_def;
    def.host.allocate = no_memory;
    cr_expect_null(poise_tree_create(&def));
}

// The ball axes of a tree are constant.
STAGE_TEST(a_copy_between_trees_of_other_ball_axes) {
    PoiseTreeDef def = poise_default_tree_def();
    def.ball_axes =
        def.ball_axes == POISE_BALL_REDUCED ? POISE_BALL_THREE_AXES : POISE_BALL_REDUCED;
    PoiseTree* other = poise_tree_create(&def);
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_tree_copy(other, stage->tree));
    cr_expect(strstr(poise_tree_message(other), "other ball axes"), "%s",
              poise_tree_message(other));
    cr_expect_eq(poise_tree_node_count(other), 0);
    poise_tree_destroy(other);
}

STAGE_TEST(the_first_error_is_kept) {
    PoiseTree* tree = stage->tree;
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_node_set_bias(tree, stage->hinge, -1.0));
    char first[256];
    snprintf(first, sizeof first, "%s", poise_tree_message(tree));
    GIVES(POISE_ERROR_WRONG_KIND, poise_node_set_angle(tree, stage->ball, 0.5));
    cr_expect_eq(poise_tree_status(tree), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_str_eq(poise_tree_message(tree), first);
    poise_tree_clear_status(tree);
    cr_expect_eq(poise_tree_status(tree), POISE_OK);
    cr_expect_str_eq(poise_tree_message(tree), "");
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_update(stage->rig, -1.0, NULL));
    GIVES(POISE_ERROR_INVALID_HANDLE, poise_rig_set_ik(stage->rig, stage->unbound, stage->gains));
    cr_expect_eq(poise_rig_status(stage->rig), POISE_ERROR_INVALID_ARGUMENT);
}

STAGE_TEST(numbers_of_no_nodes) {
    const PoiseTreeDef def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&def);
    cr_expect_null(poise_tree_numbers(NULL).posture);
    cr_expect_null(poise_tree_numbers(tree).posture);
    cr_expect_eq(poise_tree_piece(tree, 3).count, 0);
    cr_assert_neq(poise_node_create(tree, &stage->hinge_def).index1, 0);
    cr_expect_not_null(poise_tree_numbers(tree).posture);
    // the tree has the pieces that k says; k = -1: there is no tree
    for (int k = -1; k < 2 * POISE_TREE_PIECES; k++) {
        const PoisePiece piece = poise_tree_piece(tree, k);
        cr_expect_eq(piece.from == NULL, piece.count == 0, "piece %d", k);
        cr_expect_eq(piece.count, k == 0 || k == 3 || k == 5 || k == 6, "piece %d", k);
        cr_expect_eq(poise_tree_piece(NULL, k).count, 0, "piece %d", k);
    }
    cr_expect_eq(poise_tree_status(tree), POISE_OK);
    poise_tree_destroy(tree);
}

STAGE_TEST(lists_without_room) {
    // the result is the full number for any capacity, and nothing is written past the capacity
    PoiseNodeId nodes[2] = {{7, 7, 7}, {7, 7, 7}};
    cr_expect_eq(poise_point_nodes(stage->tree, stage->place, nodes, 1), 4);
    cr_expect_eq(poise_node_neighbours(stage->tree, stage->ball, nodes, 1), 4);
    cr_expect_eq(nodes[1].index1, 7u);
    PoiseVec3 velocity = {1.0, 1.0, 1.0}, angular = velocity;
    poise_point_goal_velocity(NULL, stage->place, &velocity, &angular);
    cr_expect(poise_length(velocity) == 0.0 && poise_length(angular) == 0.0);
}

STAGE_TEST(nothing_presses_unasked) {
    PoiseTree* tree = stage->tree;
    cr_expect_not(poise_tree_presses(tree));
    WORKS(poise_point_set_torque(tree, stage->place, poise_vec3(0.0, 0.0, 1.0)));
    cr_expect(poise_tree_presses(tree));
    WORKS(poise_point_set_torque(tree, stage->place, poise_vec3(0.0, 0.0, 0.0)));
    cr_expect_not(poise_tree_presses(tree));
    WORKS(poise_point_set_yield(tree, stage->place, POISE_YIELD_ROWS, 1u));
    cr_expect(poise_tree_presses(tree));
}

STAGE_TEST(manipulability_of_stale_frames) {
    WORKS(poise_node_set_angle(stage->tree, stage->hinge, 0.3));
    cr_expect_eq(poise_manipulability(stage->tree, stage->place), 0.0);
    cr_expect_eq(poise_tree_status(stage->tree), POISE_ERROR_STALE);
}

STAGE_TEST(saved_states_that_were_changed) {
    const size_t size = stage->tree_size;
    stage->saved_tree[0] ^= 1;
    cr_expect_not_null(poise_tree_restore_problem(stage->tree, stage->saved_tree, size));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_tree_restore(stage->tree, stage->saved_tree, size));
    stage->saved_tree[0] ^= 1;
    cr_expect_null(poise_tree_restore_problem(stage->tree, stage->saved_tree, size));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_tree_save(stage->tree, stage->memory, size - 1));
    // even an empty snapshot has a size
    const PoiseSnapshotDef def = poise_default_snapshot_def();
    const size_t least = poise_snapshot_size(&def);
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_snapshot_save(&def, stage->memory, least - 1));
    GIVES(POISE_OK, poise_snapshot_save(&def, stage->memory, least));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_snapshot_restore(&def, stage->memory, least - 1));
    stage->memory[0] ^= 1;
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_snapshot_restore(&def, stage->memory, least));
    stage->memory[0] ^= 1;
    GIVES(POISE_OK, poise_snapshot_restore(&def, stage->memory, least));
    const dBodyID no_body[1] = {NULL};
    stage->snapshot_def.bodies = no_body;
    stage->snapshot_def.body_count = 1;
    cr_expect_eq(poise_snapshot_size(&stage->snapshot_def), 0u);
}

STAGE_TEST(bodies_that_have_no_program) {
    const PoiseNodeId nodes[] = {stage->base, stage->hinge, stage->slider, stage->ball};
    for (int i = 0; i < 4; i++) {
        WORKS(poise_node_set_enabled(stage->tree, nodes[i], false));
    }
    PoiseBodyTip tip = {.link = stage->ball, .in_link = poise_pose_identity()};
    PoiseBodyDef def = poise_default_body_def();
    def.tips = &tip;
    def.tip_count = 1;
    cr_expect_null(poise_body_compile(stage->tree, &def));
    stage->free_def.free_axes = POISE_AXIS_X | POISE_AXIS_TURN_Z;
    tip.link = poise_node_create(stage->tree, &stage->free_def);
    cr_expect_null(poise_body_compile(stage->tree, &def));
    // there is one degree of freedom more than allowed: hinges, balls, and balls with a cone
    for (int kind = 0; kind < 3; kind++) {
        enum { MOST = 64 };
        const int dof = kind == 0 ? 1 : 3;
        PoiseNodeDef node = kind == 0 ? stage->hinge_def : stage->ball_def;
        for (int i = 0; i < MOST / dof + 1; i++) {
            tip.link = node.parent;
            node.parent = poise_node_create(stage->other_tree, &node);
            if (kind == 2) {
                WORKS(poise_node_set_limits(stage->other_tree, node.parent,
                                            poise_cone(0.5, -0.1, 0.1)));
            }
        }
        PoiseBody* longest = poise_body_compile(stage->other_tree, &def);
        cr_expect_eq(poise_body_dof(longest), MOST / dof * dof, "kind %d", kind);
        poise_body_destroy(longest);
        tip.link = node.parent;
        cr_expect_null(poise_body_compile(stage->other_tree, &def));
        cr_expect(strstr(poise_tree_message(stage->other_tree), "65th"), "kind %d: %s", kind,
                  poise_tree_message(stage->other_tree));
        poise_tree_clear_status(stage->other_tree);
    }
}

// A goal whose squared distance overflows.
Test(orders, places_past_all_numbers) {
    const PoisePose goal = poise_pose(poise_vec3(1e300, 0.0, 0.0), poise_quat_identity());
    const PoiseLegDef leg = poise_default_leg_def();
    const PoiseArmDef arm = poise_default_arm_def();
    double angles[POISE_ARM_JOINTS];
    PoiseLimbReport report;
    GIVES(POISE_NOT_CONVERGED, poise_leg_solve(&leg, goal, NULL, angles, &report));
    cr_expect(report.reason == POISE_LIMB_TOO_FAR);
    cr_expect(poise_leg_forward(&leg, angles).p.x > 0.8 - 1e-12);
    GIVES(POISE_NOT_CONVERGED, poise_arm_solve(&arm, goal, NULL, angles, &report));
    cr_expect(report.reason == POISE_LIMB_TOO_FAR);
    cr_expect(poise_arm_forward(&arm, angles).p.x > 0.6 - 1e-12);
}

// ODE joints that no kind of node represents, and the reasons.
STAGE_TEST(joints_that_are_none_of_a_trees) {
    static const struct {
        dJointID (*make)(dWorldID world, dJointGroupID group);
        bool second; ///< True if the link is ODE's second body
        const char* why;
    } rows[] = {{dJointCreateDBall, false, "keeps a distance"},
                {dJointCreateDHinge, false, "keeps a distance"},
                {dJointCreatePR, false, "must be ODE's second body"},
                {dJointCreatePU, false, "must be ODE's second body"},
                {dJointCreateFixed, false, "passes through"},
                {dJointCreatePlane2D, false, "no motions of its own"},
                {dJointCreateAMotor, false, "no motions of its own"},
                {dJointCreatePR, true, "attach it (body, 0)"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        dBodyID body = dBodyCreate(stage->world);
        dJointID joint = rows[i].make(stage->world, NULL);
        dJointAttach(joint, rows[i].second ? NULL : body, rows[i].second ? body : NULL);
        poise_rig_clear_status(stage->rig);
        cr_expect_eq(poise_rig_add(stage->rig, joint, body, &stage->bind_like).index1, 0u,
                     "row %zu", i);
        cr_expect(strstr(poise_rig_message(stage->rig), rows[i].why), "row %zu: %s", i,
                  poise_rig_message(stage->rig));
    }
}

STAGE_TEST(joints_and_bodies_that_cannot_be_bound) {
    // a body without a finite position
    PoiseBindDef def = stage->bind_like;
    def.node = poise_node_create(stage->tree, &stage->free_def);
    def.body = dBodyCreate(stage->world);
    ((dReal*)dBodyGetPosition(def.body))[0] = (dReal)NAN;
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_bind(stage->rig, &def));
    poise_rig_clear_status(stage->rig);
    // a joint that this rig has, or another
    const int count = poise_tree_node_count(stage->tree);
    dJointID joint = stage->joints[0];
    cr_expect_eq(poise_rig_add(stage->rig, joint, stage->bodies[1], &stage->bind_like).index1, 0u);
    cr_expect_eq(poise_rig_status(stage->rig), POISE_ERROR_ALREADY_BOUND);
    cr_expect_eq(poise_tree_node_count(stage->tree), count);
    PoiseRigDef rig_def = stage->rig_def;
    rig_def.tree = stage->other_tree;
    PoiseRig* other = poise_rig_create(&rig_def);
    def.node = stage->wrong.foreign_node;
    def.joint = joint;
    def.body = stage->bodies[1];
    GIVES(POISE_ERROR_ALREADY_BOUND, poise_rig_bind(other, &def));
    poise_rig_destroy(other);
}

STAGE_TEST(updates_of_many) {
    PoiseStatus statuses[3];
    PoiseRig* const rigs[] = {stage->rig, NULL, stage->rig};
    // the rigs that exist are updated
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rigs_update(rigs, 3, 0.01, statuses));
    cr_expect_geq((int)statuses[0], 0);
    cr_expect_eq(statuses[1], POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_geq((int)statuses[2], 0);
}

STAGE_TEST(settings_are_kept) {
    const PoiseRigSettings fresh = poise_default_rig_def().settings;
    PoiseRigSettings settings = poise_rig_settings(stage->rig);
    cr_expect_eq(settings.integral_most, fresh.integral_most);
    cr_expect_eq(settings.solve.sweeps, fresh.solve.sweeps);
    cr_expect(settings.posture_rate == 0.0 && settings.integral == 0.0);
    settings.reference = POISE_REFERENCE_MEASURED;
    settings.gravity = false;
    settings.posture_rate = settings.integral = 0.5;
    settings.integral_most = 0.1;
    GIVES(POISE_OK, poise_rig_set_settings(stage->rig, &settings));
    const PoiseRigSettings read = poise_rig_settings(stage->rig);
    cr_expect_eq(read.reference, POISE_REFERENCE_MEASURED);
    cr_expect_not(read.gravity);
    cr_expect(read.posture_rate == 0.5 && read.integral == 0.5 && read.integral_most == 0.1);
    cr_expect_eq(poise_rig_settings(NULL).integral_most, fresh.integral_most);
}

STAGE_TEST(values_of_rigs_that_did_nothing) {
    const PoiseForecast forecast = {.compliance = {1e-3}};
    const PoiseVec3 force = poise_vec3(0.0, 0.0, -10.0);
    cr_expect_leq(fabs(poise_forecast_friction_band(&forecast, force, 0.5) - 5e-3), 1e-12);
    const PoiseNodeNames nobody = {NULL, NULL, NULL};
    PoisePointReading reading = {.why = POISE_WHY_LIMIT, .joint_count = 2};
    reading.joints[0].index1 = 3;
    reading.joints[1].index1 = 5;
    char text[POISE_WHY_TEXT];
    cr_expect_str_eq(poise_point_why_name((PoisePointWhy)77), "?");
    cr_expect_str_eq(poise_point_why_name((PoisePointWhy)-1), "?");
    cr_expect_str_eq(poise_point_why_text(&reading, &nobody, text, sizeof text),
                     "held by joint 3, joint 5: limit");
    cr_expect_str_eq(poise_point_why_text(&reading, &nobody, text, 8), "held by");
    cr_expect_str_eq(poise_point_why_text(&reading, &nobody, text, 1), "");
    reading.joint_count = 0;
    reading.why = (PoisePointWhy)77;
    cr_expect_str_eq(poise_point_why_text(&reading, &nobody, text, sizeof text), "?");
    cr_expect_str_eq(poise_point_why_text(NULL, NULL, text, sizeof text), "");
    cr_expect_str_eq(poise_point_why_text(&reading, NULL, NULL, 8), "");
    cr_expect_str_eq(poise_point_why_text(&reading, &nobody, text, 0), "");
    for (int i = 0; i < poise_tree_point_count(stage->tree); i++) {
        WORKS(poise_point_set_enabled(stage->tree, poise_tree_point(stage->tree, i), false));
    }
    cr_expect(strstr(poise_rig_problem(stage->rig), "no control point is enabled"));
    PoiseRig* rig = poise_rig_create(&stage->rig_def);
    double error = -1.0;
    PoiseNodeId node;
    GIVES(POISE_OK, poise_rig_step_error(rig, &error, &node));
    cr_expect(error == 0.0 && node.index1 == 0, "nothing was driven");
    poise_rig_destroy(rig);
}

STAGE_TEST(bodies_that_the_caller_destroys) {
    // the rig skips this link from now on
    dBodyDestroy(stage->bodies[6]);
    stage->bodies[6] = NULL;
    PoiseRigReport report;
    GIVES(POISE_DEGRADED, poise_rig_update(stage->rig, 0.01, &report));
    cr_expect_eq(report.skipped, 1);
    dWorldStep(stage->world, 0.01);
    // a disabled body and a kinematic one
    dBodyDisable(stage->bodies[1]);
    dBodySetKinematic(stage->bodies[2]);
    cr_expect_geq((int)poise_rig_update(stage->rig, 0.01, &report), 0);
    dWorldStep(stage->world, 0.01);
    // a node of the tree
    GIVES(POISE_OK, poise_node_destroy(stage->tree, stage->slider));
    MAY_FAIL(poise_rig_update(stage->rig, 0.01, &report));
    dWorldStep(stage->world, 0.01);
}

STAGE_TEST(bodies_that_are_not_finite) {
    // the position is written past ODE's checks, as a divergence of the simulation would
    ((dReal*)dBodyGetPosition(stage->bodies[3]))[0] = (dReal)NAN;
    PoiseRigReport report;
    GIVES(POISE_DEGRADED, poise_rig_update(stage->rig, 0.01, &report));
    PoiseJointReading reading;
    GIVES(POISE_OK, poise_rig_read_joint(stage->rig, stage->hinge, &reading));
    cr_expect(isfinite(reading.q_target[0]) && isfinite(reading.q[0]));
}

STAGE_TEST(springs_of_joints_that_change) {
    PoiseJointSpring* spring = stage->ball_spring;
    // only a changed drive wakes a resting body
    const PoiseBallDrive good = {{1, 1}, {1, 0, 0, 0}, {0, 0, 0}};
    GIVES(POISE_OK, poise_joint_spring_set_ball(spring, good));
    GIVES(POISE_OK, poise_joint_spring_update(spring, 0.01));
    dBodyDisable(stage->own_body);
    GIVES(POISE_OK, poise_joint_spring_set_ball(spring, good));
    GIVES(POISE_OK, poise_joint_spring_update(spring, 0.01));
    cr_expect_not(dBodyIsEnabled(stage->own_body));
    const PoiseBallDrive other = {{2, 1}, {1, 0, 0, 0}, {0, 0, 0}};
    GIVES(POISE_OK, poise_joint_spring_set_ball(spring, other));
    GIVES(POISE_OK, poise_joint_spring_update(spring, 0.01));
    cr_expect(dBodyIsEnabled(stage->own_body));
    // a disabled joint exerts no torque
    dJointDisable(stage->joints[5]);
    GIVES(POISE_DEGRADED, poise_joint_spring_update(spring, 0.01));
    double given[3] = {7, 7, 7};
    cr_expect_eq(poise_joint_spring_given(spring, given), 3);
    cr_expect(given[0] == 0.0 && given[1] == 0.0 && given[2] == 0.0);
    // the joint is destroyed before its spring
    dJointDestroy(stage->joints[5]);
    GIVES(POISE_ERROR_GONE, poise_joint_spring_update(spring, 0.01));
    given[0] = 7.0;
    cr_expect_eq(poise_joint_spring_given(spring, given), 3);
    cr_expect(given[0] == 0.0);
}
