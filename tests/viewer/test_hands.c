// SPDX-License-Identifier: MIT
// Tests what a person can do to a scene: grab, pin, pull, add; and the table of parameters.
#include "panels_fixture.h"

static const double DEGREE = 3.14159265358979323846 / 180.0;

static PoiseVec3 place_of(const PoiseApp* app, const char* body) {
    return poise_simulation_body(app->session.simulation,
                                 poise__find(app->session.simulation, POISE_OWNER_LINK, body))
        .com_world;
}

APP_TEST(hands, a_dragged_link_follows_and_its_point_is_removed) {
    int points = poise_simulation_point_count(app->session.simulation);
    // disable the targets of the scene, so that only the hand acts
    run(app, "set control_points.right_tip.enabled 0\nset control_points.left_tip.enabled 0\n");
    PoiseVec3 before = place_of(app, "left_arm");
    run(app, "drag link:left_arm by 0 0 0.2\n");
    cr_expect_gt(place_of(app, "left_arm").z, before.z + 0.1);
    cr_expect_eq(app->hand.grip, POISE_GRIP_NONE);
    cr_expect(poise_simulation_point(app->session.simulation, points).removed);
    cr_expect_eq(poise_tree_point_count(poise_simulation_tree(app->session.simulation)), points);
}

APP_TEST(hands, with_shift_the_point_stays_and_can_be_undone) {
    int points = poise_simulation_point_count(app->session.simulation);
    run(app, "drag link:left_arm by 0 0 0.1 shift\nwait 0.3\n");
    PoisePointView point = poise_simulation_point(app->session.simulation, points);
    cr_assert(point.added && !point.removed && point.held);
    cr_expect_eq(app->highlight.selected, points);
    cr_expect_str_eq(point.name, "added_1");
    run(app, "key Ctrl+Z\n");
    cr_expect_eq(poise_simulation_point_count(app->session.simulation), points);
    cr_expect_eq(app->highlight.selected, -1);
    run(app, "key Ctrl+Y\n");
    cr_expect_geq(poise__find(app->session.simulation, POISE_OWNER_TARGET, "added_1"), 0);
}

APP_TEST(hands, a_point_is_added_by_a_press_after_A_and_deleted_by_its_key) {
    run(app, "key A\npress link:right_arm\n");
    int added = poise__find(app->session.simulation, POISE_OWNER_TARGET, "added_1");
    cr_assert_geq(added, 0);
    cr_expect_eq(app->highlight.selected, added);
    run(app, "key Delete\n");
    cr_expect_lt(poise__find(app->session.simulation, POISE_OWNER_TARGET, "added_1"), 0);
    // a body without joints gets no control point, and nothing changes
    run(app, "key A\npress link:globe\n");
    cr_expect_lt(poise__find(app->session.simulation, POISE_OWNER_TARGET, "added_2"), 0);
}

APP_TEST(hands, with_ctrl_a_spring_pulls_and_lets_go) {
    run(app, "set control_points.right_tip.enabled 0\nset control_points.left_tip.enabled 0\n"
             "wait 0.2\n");
    PoiseVec3 before = place_of(app, "left_arm");
    run(app, "drag link:left_arm by 0 0 0.3 ctrl\n");
    // the arm moves, and no point was added
    cr_expect_gt(poise_length(poise_sub(place_of(app, "left_arm"), before)), 1e-4);
    cr_expect_eq(poise_simulation_point_count(app->session.simulation), 2);
    PoiseVec3 from;
    PoiseVec3 to;
    PoiseVec3 force;
    cr_expect_not(poise_simulation_pulled(app->session.simulation, &from, &to, &force));
}

APP_TEST(hands, a_drag_that_holds_keeps_its_body_until_it_is_lifted) {
    run(app, "drag link:left_arm by 0 0 0.2 ctrl hold\nwait 0.2\n");
    cr_expect_eq(app->hand.grip, POISE_GRIP_PULL);
    run(app, "lift\n");
    cr_expect_eq(app->hand.grip, POISE_GRIP_NONE);
    cr_expect_lt(app->pointer_x, 0.0);
}

/// A point that is added has no trail from before it was added.
APP_TEST(hands, a_new_point_begins_its_trail_where_it_is) {
    int point = poise_simulation_point_count(app->session.simulation);
    app->highlight.parts = POISE_SHOW_TRAILS;
    run(app, "wait 0.5\ndrag link:left_arm by 0 0 0.2 hold\nwait 0.2\n");
    poise__screen_draw(app);
    int lines = 0;
    for (int i = 0; i < app->list.instance_count; i++) {
        PoiseLine line;
        if (line_at(&app->list, i, &line) && line.id == poise__draw_id(POISE_DRAW_TRAIL, point)) {
            lines++;
            cr_expect_lt((double)glms_vec3_distance(line.from, line.to), 0.1);
        }
    }
    cr_expect_gt(lines, 10, "%d", lines);
}

APP_TEST(hands, a_body_without_joints_follows_a_pull) {
    PoiseVec3 before = place_of(app, "globe");
    run(app, "drag link:globe by 0 0.2 0.3\n");
    cr_expect_gt(poise_length(poise_sub(place_of(app, "globe"), before)), 0.1);
}

APP_TEST(hands, a_pull_is_stable_however_light_the_body_and_long_the_step) {
    PoiseSimulation* simulation = app->session.simulation;
    int body = poise__find(simulation, POISE_OWNER_LINK, "globe");
    PoiseVec3 to = poise_vec3(1.0, 0.5, 1.0);
    cr_assert_eq(poise_simulation_pull(simulation, body, poise_vec3(0.0, 0.0, 0.0), to), POISE_OK);
    cr_assert(poise__app_run_to(app, 5.0));
    EXPECT_NEAR3(place_of(app, "globe"), to, 1e-3);
}

APP_TEST(hands, ctrl_while_dragging_snaps_to_five_centimetres) {
    int left = known_point(app, "left_tip");
    PoiseVec3 start = poise_simulation_point(app->session.simulation, left).goal_world.p;
    run(app, "drag target:left_tip axis:z 0.113 ctrl\n");
    PoiseVec3 goal = poise_simulation_point(app->session.simulation, left).goal_world.p;
    EXPECT_NEAR3(goal, poise_add(start, poise_vec3(0.0, 0.0, 0.10)), 1e-12);
}

APP_TEST(hands, a_ring_turns_an_oriented_target) {
    int right = known_point(app, "right_tip");
    run(app, "key Space\ndrag target:right_tip ring:z 40\n");
    PoisePointView point = poise_simulation_point(app->session.simulation, right);
    PoiseVec3 turn = poise_quat_log(point.goal_world.q);
    EXPECT_NEAR3(turn, poise_vec3(0.0, 0.0, 40.0 / 57.29577951308232), 1e-3);
    cr_expect(point.turn_held);
    cr_expect_not(point.held);
    run(app, "key R\n");
    point = poise_simulation_point(app->session.simulation, right);
    cr_expect_not(point.turn_held);
}

APP_TEST(hands, arrows_and_rings_along_the_targets_own_axes) {
    int right = known_point(app, "right_tip");
    PoiseVec3 start = poise_simulation_point(app->session.simulation, right).goal_world.p;
    // rotate about y, then move along the present x, then rotate about it
    run(app, "key Space\ndrag target:right_tip ring:y 30\nkey X\n"
             "drag target:right_tip axis:x 0.1\ndrag target:right_tip ring:x 20\n");
    PoisePose goal = poise_simulation_point(app->session.simulation, right).goal_world;
    PoiseQuat tilt = poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), 30.0 * DEGREE);
    PoiseQuat roll = poise_quat_from_axis_angle(poise_vec3(1.0, 0.0, 0.0), 20.0 * DEGREE);
    PoiseVec3 along = poise_quat_rotate(tilt, poise_vec3(0.1, 0.0, 0.0));
    EXPECT_NEAR3(goal.p, poise_add(start, along), 2e-3);
    PoiseQuat off = poise_quat_mul(goal.q, poise_quat_conjugate(poise_quat_mul(tilt, roll)));
    EXPECT_NEAR3(poise_quat_log(off), poise_vec3(0.0, 0.0, 0.0), 2e-3);
}

APP_TEST(hands, nudges_move_the_chosen_target_a_centimetre) {
    run(app, "key Space\nkey N\n");
    int chosen = app->highlight.selected;
    cr_assert_geq(chosen, 0);
    PoiseVec3 start = poise_simulation_point(app->session.simulation, chosen).goal_world.p;
    run(app, "key L\nkey L\nkey J\nkey I\nkey U\nkey U\nkey O\n");
    EXPECT_NEAR3(poise_simulation_point(app->session.simulation, chosen).goal_world.p,
                 poise_add(start, poise_vec3(0.01, 0.01, 0.01)), 1e-12);
}

APP_TEST(hands, a_dragged_target_moves_its_joints_in_the_very_next_step) {
    int joint = poise_scene_find_joint(app->session.scene, "left_shoulder");
    run(app, "wait 2\nkey Space\n");
    double target = poise_simulation_joint(app->session.simulation, joint).q_target[0];
    run(app, "drag target:left_tip axis:z -0.2\nkey Right\n");
    cr_expect_gt(fabs(poise_simulation_joint(app->session.simulation, joint).q_target[0] - target),
                 1e-3);
}

// -------------------------------------------------------------------------------------- parameters

APP_TEST(hands, every_parameter_has_its_own_key_and_accepts_its_value) {
    PoiseSimulation* simulation = app->session.simulation;
    int count = poise_simulation_parameter_count(simulation);
    cr_assert_geq(count, 14 + 2 * 7 + 2 * 5, "%d", count);
    int named = 0;
    int unnamed = 0;
    for (int i = 0; i < count; i++) {
        PoiseParameter parameter;
        cr_assert(poise_simulation_parameter(simulation, i, &parameter));
        if (parameter.key[0] == '\0') {
            unnamed++; // a ball has no natural angle, a scene without a motion no blend
            continue;
        }
        named++;
        cr_expect_eq(poise_simulation_find_parameter(simulation, parameter.key), i);
        cr_expect_eq(poise_simulation_set_parameter(simulation, i, parameter.value), POISE_OK,
                     "%s does not take %g", parameter.key, parameter.value);
        cr_expect_lt(poise_simulation_set_parameter(simulation, i, (double)NAN), 0);
        cr_expect_lt(poise_simulation_set_parameter(simulation, i, parameter.lower - 1.0), 0, "%s",
                     parameter.key);
    }
    cr_expect_leq(unnamed, 4, "%d", unnamed);
    cr_expect_eq(named + unnamed, count);
    PoiseParameter past;
    cr_expect_not(poise_simulation_parameter(simulation, count, &past));
    cr_expect_eq(poise_simulation_find_parameter(simulation, "ik.nonsense"), -1);
}

APP_TEST(hands, set_values_reach_the_rig) {
    PoiseSimulation* simulation = app->session.simulation;
    int joint = poise_scene_find_joint(app->session.scene, "left_shoulder");
    run(app, "set joints.left_shoulder.ik.spring 321\nset joints.left_shoulder.original.spring 79\n"
             "set joints.left_shoulder.natural 0.4\nset ik.sweeps 7\nset ik.solver 1\nwait 0.1\n");
    PoiseJointSprings springs = poise_simulation_joint_springs(simulation, joint);
    EXPECT_NEAR(springs.blended.stiffness, 400.0, 1e-9);
    EXPECT_NEAR(springs.q_natural[0], 0.4, 0.0);
    cr_expect_eq(poise_simulation_report(simulation)->solve.solver, POISE_SOLVER_GAUSS_SEIDEL);
    cr_expect_leq(poise_simulation_report(simulation)->solve.sweeps, 7);
}

APP_TEST(hands, switching_ik_off_and_on_is_one_key) {
    run(app, "key F\nexpect control_points.left_tip.enabled < 0.5\n"
             "expect control_points.right_tip.enabled < 0.5\nkey F\n"
             "expect control_points.left_tip.enabled > 0.5\n");
    run(app, "key G\nexpect world.gravity.z < -9\nkey G\nexpect world.gravity.z > -1\n");
}

/// Returns the number of instances of ghosts in the picture.
static int count_ghosts(PoiseApp* app) {
    int count = 0;
    poise__screen_draw(app);
    for (int i = 0; i < app->list.instance_count; i++) {
        count += poise__draw_id_kind(app->list.instances[i].id) == POISE_DRAW_GHOST;
    }
    return count;
}

APP_TEST(hands, a_drag_while_paused_shows_the_plan_and_the_arm_follows_on_run) {
    run(app, "wait 2\nkey Space\n");
    cr_expect_eq(count_ghosts(app), 0);
    run(app, "drag target:left_tip by 0.15 0 -0.2\n");
    cr_expect_gt(count_ghosts(app), 0);
    cr_assert(app->view.plans);
    const int body = poise__find(app->session.simulation, POISE_OWNER_LINK, "left_arm");
    PoisePose planned;
    cr_assert(poise__ghosts_body(&app->view.ghosts, app->session.simulation, body, &planned));
    const int tip = known_point(app, "left_tip");
    PoisePointView point = poise_simulation_point(app->session.simulation, tip);
    const double miss = poise__ghosts_miss(&app->view.ghosts, &point);
    run(app, "key Space\nwait 3\n");
    // the plan of the step takes over, and the arm is where the ghost was
    const PoisePose there = poise_simulation_body(app->session.simulation, body).pose_world;
    EXPECT_NEAR3(there.p, planned.p, 2e-3);
    point = poise_simulation_point(app->session.simulation, tip);
    EXPECT_NEAR(point.reading.miss, miss, 2e-3);
    cr_expect_eq(count_ghosts(app), 0);
}
