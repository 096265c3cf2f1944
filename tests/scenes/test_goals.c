// SPDX-License-Identifier: MIT
// Tests goals of control points and settings of joints beyond positions and rotations, measured on
// the bodies of the running scene.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "near.h"
#include "running.h"

static double angle_between(PoiseVec3 a, PoiseVec3 b) {
    return atan2(poise_length(poise_cross(a, b)), poise_dot(a, b));
}

static PoiseVec3 z_of(PoisePose pose) {
    return poise_quat_rotate(pose.q, poise_vec3(0.0, 0.0, 1.0));
}

#define STIFF "defaults: {joint: {ik: {spring: 5000, damper: 300}}}\n"
// two links of 1 m in line, z up
#define TWO                                                                                        \
    "poise: 1\nworld: {gravity: [0, 0, 0]}\n" STIFF "bodies:\n"                                    \
    "  a: {capsule: 0.05, mass: 1, from: [0, 0, 0], to: [0, 0, 1]}\n"                              \
    "  b: {capsule: 0.05, mass: 3, from: [0, 0, 1], to: [0, 0, 2]}\n"                              \
    "  g: {sphere: 0.1, at: [9, 0, 0], fixed: on}\n"                                               \
    "joints:\n"                                                                                    \
    "  j: {ball: [0, 0, 0], between: [world, a]}\n"                                                \
    "  k: {ball: [0, 0, 1], between: [a, b]}\n"
// an arm of two balls, and a head on a neck next to the arm
#define ARM_AND_HEAD                                                                               \
    "poise: 1\nworld: {gravity: [0, 0, 0]}\n" STIFF "bodies:\n"                                    \
    "  a: {capsule: 0.05, mass: 1, from: [1, 0, 0], to: [1, 0, 1]}\n"                              \
    "  b: {capsule: 0.05, mass: 1, from: [1, 0, 1], to: [1, 0, 2]}\n"                              \
    "  head: {sphere: 0.1, mass: 1, at: [0, 0, 1]}\n"                                              \
    "joints:\n"                                                                                    \
    "  j: {ball: [1, 0, 0], between: [world, a]}\n"                                                \
    "  k: {ball: [1, 0, 1], between: [a, b]}\n"                                                    \
    "  neck: {ball: [0, 0, 0.8], between: [world, head]}\n"

// ------------------------------------------------------------------------------------------ aims

Test(goals, an_axis_turns_along_a_direction_from_behind) {
    Running running =
        running_start(TWO "control_points: {p: {body: b, orientation: {point: [0, 0, 1], "
                          "along: [0, 0, -2]}}}\n");
    PoisePointView view = point_named(&running, "p");
    cr_expect(view.has_orientation && !view.has_position);
    EXPECT_NEAR(view.reading.angle_miss, 3.14159265358979323846, 1e-9);
    running_steps(&running, 4.0);
    EXPECT_NEAR(z_of(body_pose(&running, "b")).z, -1.0, 1e-6);
    cr_expect(point_named(&running, "p").reading.angle_miss < 1e-3);
}

Test(goals, a_gaze_follows_where_another_point_is) {
    Running running = running_start(
        ARM_AND_HEAD
        "control_points:\n"
        "  tip: {body: b, at: [0, 0, 0.5], position: {circle: {centre: [1, 0.3, 1.2], normal: [1, "
        "0, 0], radius: 0.3, period: 4}}}\n"
        "  gaze: {body: head, at: [0, 0, 0.1], orientation: {point: [1, 0, 0], at: tip}}\n");
    running_steps(&running, 2.0);
    for (int i = 0; i < 10; i++) {
        running_steps(&running, 0.2);
        PoisePose head = body_pose(&running, "head");
        PoiseVec3 eye = poise_pose_apply(head, poise_vec3(0.0, 0.0, 0.1));
        PoiseVec3 tip = poise_pose_apply(body_pose(&running, "b"), poise_vec3(0.0, 0.0, 0.5));
        PoiseVec3 axis = poise_quat_rotate(head.q, poise_vec3(1.0, 0.0, 0.0));
        double off = angle_between(axis, poise_sub(tip, eye));
        cr_expect(off < 0.02, "off by %g rad", off);
        EXPECT_NEAR(point_named(&running, "gaze").reading.angle_miss, off, 1e-9);
    }
}

Test(goals, a_gaze_looks_at_a_goal_that_is_out_of_reach_and_at_a_place) {
    Running running = running_start(
        ARM_AND_HEAD "control_points:\n"
                     "  tip: {body: b, at: [0, 0, 0.5], position: [1, 9, 0.9]}\n"
                     "  gaze: {body: head, orientation: {point: [1, 0, 0], at: tip.goal}}\n"
                     "  back: {body: a, orientation: {point: [0, 1, 0], at: [1, 3, 3]}}\n");
    running_steps(&running, 6.0);
    PoisePose head = body_pose(&running, "head");
    PoiseVec3 axis = poise_quat_rotate(head.q, poise_vec3(1.0, 0.0, 0.0));
    cr_expect(angle_between(axis, poise_sub(poise_vec3(1.0, 9.0, 0.9), head.p)) < 1e-3);
    cr_expect(point_named(&running, "gaze").reading.angle_miss < 1e-3);
}

Test(goals, a_point_with_a_place_drops_its_aim_at_a_time) {
    Running running =
        running_start(TWO "control_points: {p: {body: b, at: [0, 0, 0.5], position: [0.5, "
                          "0.4, 1.2], orientation: {point: [1, 0, 0], along: [0, 1, 0], "
                          "until: 3}}}\n");
    running_steps(&running, 2.9);
    PoisePointView view = point_named(&running, "p");
    cr_expect(view.reading.miss < 1e-3 && view.reading.angle_miss < 1e-3, "%g m, %g rad",
              view.reading.miss, view.reading.angle_miss);
    cr_expect(view.aim.index1 != 0 && view.aim.index1 != view.point.index1);
    EXPECT_NEAR(poise_quat_rotate(body_pose(&running, "b").q, poise_vec3(1.0, 0.0, 0.0)).y, 1.0,
                1e-5);
    running_steps(&running, 0.2);
    view = point_named(&running, "p");
    cr_expect(view.has_position && !view.has_orientation);
    cr_expect(!poise_point_enabled(poise_simulation_tree(running.simulation), view.aim));
}

// ------------------------------------------------------------------- centres of mass, frames, rows

Test(goals, a_centre_of_mass_comes_to_its_goal) {
    Running running =
        running_start(TWO "control_points: {c: {body: a, com: on, position: [0.4, 0.3, "
                          "0.9]}}\n");
    EXPECT_NEAR3(point_named(&running, "c").pose_world.p, poise_vec3(0.0, 0.0, 0.25 * 5.0), 1e-12);
    running_steps(&running, 5.0);
    // the links weigh 1 kg and 3 kg
    PoiseVec3 a = body_pose(&running, "a").p;
    PoiseVec3 b = body_pose(&running, "b").p;
    PoiseVec3 com = poise_add(poise_scale(0.25, a), poise_scale(0.75, b));
    EXPECT_NEAR3(com, poise_vec3(0.4, 0.3, 0.9), 1e-4);
    EXPECT_NEAR3(point_named(&running, "c").pose_world.p, com, 1e-12);
    // both joints serve the point, also the outer joint
    cr_expect(running.loaded.scene->points[0].joint_count == 2);
}

static PoiseVec3 turn_of(const Running* running, const char* name) {
    const PoiseJointView joint = joint_named(running, name);
    return poise_joint_vector(joint.kind, joint.q);
}

Test(goals, a_goal_in_another_bodys_frame_moves_both_branches) {
    Running running = running_start(
        "poise: 1\nworld: {gravity: [0, 0, 0]}\n" STIFF "bodies:\n"
        "  trunk: {capsule: 0.05, from: [0, 0, 0], to: [0, 0, 1]}\n"
        "  left: {capsule: 0.05, from: [0, 0, 1], to: [0, 1, 1]}\n"
        "  right: {capsule: 0.05, from: [0, 0, 1], to: [0, -1, 1]}\n"
        "joints:\n"
        "  waist: {ball: [0, 0, 0], between: [world, trunk]}\n"
        "  l: {ball: [0, 0, 1], between: [trunk, left]}\n"
        "  r: {ball: [0, 0, 1], between: [trunk, right]}\n"
        "control_points:\n"
        "  hands: {body: right, at: [0, 0, 0.5], frame: left, position: [0.3, 0, 0.6]}\n");
    const PoiseScenePoint* point = &running.loaded.scene->points[0];
    // the waist carries both hands and cannot help
    cr_expect(point->joint_count == 2);
    running_steps(&running, 5.0);
    PoisePose left = body_pose(&running, "left");
    PoiseVec3 tip = poise_pose_apply(body_pose(&running, "right"), poise_vec3(0.0, 0.0, 0.5));
    PoiseVec3 seen = poise_pose_apply(poise_pose_inverse(left), tip);
    // the tip is at most 1 m from the joint, the goal 1.1 m: the nearest place is expected
    PoiseVec3 wanted = poise_vec3(0.3, 0.0, 0.6);
    PoiseVec3 joint = poise_vec3(0.0, 0.0, -0.5);
    PoiseVec3 way = poise_sub(wanted, joint);
    PoiseVec3 nearest = poise_add_scaled(joint, 1.0 / poise_length(way), way);
    EXPECT_NEAR3(seen, nearest, 2e-3);
    EXPECT_NEAR(point_named(&running, "hands").reading.miss, poise_length(way) - 1.0, 2e-3);
    cr_expect(poise_length(turn_of(&running, "l")) > 0.3);
    cr_expect(poise_length(turn_of(&running, "r")) > 0.3);
    // a held goal is in the world frame
    PoiseVec3 there = poise_pose_apply(left, poise_vec3(0.2, 0.3, 0.2));
    cr_expect(poise_simulation_hold_goal(running.simulation, 0, there) == POISE_OK);
    EXPECT_NEAR3(point_named(&running, "hands").goal_world.p, there, 1e-12);
}

// The rig moves the goal of a foot that stands toward the foot, but not while a hand holds it.
Test(goals, the_goal_of_a_stance_stays_where_it_is_held) {
    Running running = running_open("stand_and_reach.yaml");
    running_steps(&running, 0.5);
    const int foot = poise_scene_find_point(running.loaded.scene, "right_foot");
    const PoisePointView before = poise_simulation_point(running.simulation, foot);
    const PoiseVec3 place = poise_add(before.goal_world.p, poise_vec3(0.0, -0.05, 0.0));
    cr_assert_eq(poise_simulation_hold_goal(running.simulation, foot, place), POISE_OK);
    running_steps(&running, 0.5);
    EXPECT_NEAR3(poise_simulation_point(running.simulation, foot).goal_world.p, place, 1e-12);
    cr_assert_eq(poise_simulation_release_goal(running.simulation, foot), POISE_OK);
    running_steps(&running, 0.5);
    const PoisePointView after = poise_simulation_point(running.simulation, foot);
    cr_expect_gt(poise_length(poise_sub(after.goal_world.p, place)), 0.01);
}

Test(goals, a_goal_in_a_fixed_bodys_frame_is_one_of_the_world) {
    Running running = running_start(
        "poise: 1\nworld: {gravity: [0, 0, 0]}\n" STIFF "bodies:\n"
        "  desk: {box: [1, 1, 0.1], at: [1, 2, 3], rotation: {axis: [0, 0, 1], angle: 0.5}, fixed: "
        "on}\n"
        "  a: {capsule: 0.05, from: [1, 2, 3.5], to: [1, 2, 4.5]}\n"
        "  b: {capsule: 0.05, from: [1, 2, 4.5], to: [1, 2, 5.5]}\n"
        "joints:\n"
        "  j: {ball: [1, 2, 3.5], between: [desk, a]}\n"
        "  k: {ball: [1, 2, 4.5], between: [a, b]}\n"
        "control_points: {p: {body: b, at: [0, 0, 0.5], frame: desk, position: [0.7, 0.2, 1]}}\n");
    running_steps(&running, 4.0);
    PoiseVec3 tip = poise_pose_apply(body_pose(&running, "b"), poise_vec3(0.0, 0.0, 0.5));
    PoisePose desk = body_pose(&running, "desk");
    EXPECT_NEAR3(tip, poise_pose_apply(desk, poise_vec3(0.7, 0.2, 1.0)), 1e-4);
    EXPECT_NEAR3(point_named(&running, "p").goal_world.p, tip, 1e-4);
}

Test(goals, rows_that_are_not_listed_stay_free) {
    Running running = running_start(TWO "control_points: {p: {body: b, at: [0, 0, 0.5], rows: [x, "
                                        "y], position: [0.5, 0.6, 9]}}\n");
    running_steps(&running, 4.0);
    PoiseVec3 tip = poise_pose_apply(body_pose(&running, "b"), poise_vec3(0.0, 0.0, 0.5));
    EXPECT_NEAR3(tip, poise_vec3(0.5, 0.6, tip.z), 1e-4);
    cr_expect(tip.z <= 2.0);
    // metres off where no row looks
    cr_expect(point_named(&running, "p").reading.miss < 1e-4);
}

// -------------------------------------------------------------------------- limits, speeds, order

Test(goals, the_references_of_a_ball_stay_in_its_cone) {
    Running running = running_start(
        "poise: 1\nworld: {gravity: [0, 0, 0]}\n" STIFF "bodies:\n"
        "  a: {capsule: 0.05, from: [0, 0, 0], to: [0.6, 0, 0.8]}\n"
        "  b: {capsule: 0.05, from: [0.6, 0, 0.8], to: [0.6, 0, 1.8]}\n"
        "joints:\n"
        "  j: {ball: [0, 0, 0], between: [world, a], limits: {swing: 0.4, twist: 0.2}}\n"
        "  k: {ball: [0.6, 0, 0.8], between: [a, b], axis: [0, 1, 0], limits: {swing: 0.5, twist: "
        "1}}\n"
        "control_points: {p: {body: b, at: [0, 0, 0.5], position: [-1, 0.5, 0.5], orientation: "
        "{quaternion: [0.8, 0, 0, 0.6]}}}\n");
    PoiseTree* tree = poise_simulation_tree(running.simulation);
    double swung = 0.0;
    for (int i = 0; i < 300; i++) {
        running_steps(&running, 0.01);
        // link a lies along (0.6, 0, 0.8), the axis of its cone; the scene sets k's axis to y
        PoiseVec3 axes[] = {poise_vec3(0.6, 0.0, 0.8), poise_vec3(0.0, 1.0, 0.0)};
        static const double most_swing[] = {0.4, 0.5};
        static const double most_twist[] = {0.2, 1.0};
        for (int j = 0; j < 2; j++) {
            PoiseJointView joint = poise_simulation_joint(running.simulation, j);
            PoiseQuat q = poise_quat_exp(poise_quat_log(poise_node_pose(tree, joint.node).q));
            // the joint frame has the rotation of the parent's body
            PoiseQuat frame =
                j == 0 ? poise_quat_identity() : running.loaded.scene->bodies[0].pose.q;
            PoiseVec3 axis = poise_quat_unrotate(frame, axes[j]);
            double swing = angle_between(axis, poise_quat_rotate(q, axis));
            double twist = 2.0 * atan2(poise_dot(axis, poise_vec3(q.x, q.y, q.z)), q.w);
            cr_expect(swing <= most_swing[j] + 1e-9, "swing %.12g", swing);
            cr_expect(fabs(twist) <= most_twist[j] + 1e-9, "twist %.12g", twist);
            swung = fmax(swung, j == 0 ? swing : 0.0);
        }
    }
    // the arm reached the edge of the cone
    cr_expect(swung > 0.4 - 1e-6);
}

#define PULLED_APART                                                                               \
    TWO "control_points:\n"                                                                        \
        "  p: {body: b, at: [0, 0, 0.5], position: [0, 1, 1], priority: %d}\n"                     \
        "  q: {body: b, at: [0, 0, 0.3], position: [0, -1, 1], priority: %d}\n"

Test(goals, the_point_of_the_first_priority_is_met) {
    for (int first = 0; first < 2; first++) {
        char text[1200];
        snprintf(text, sizeof text, PULLED_APART, first, 1 - first);
        Running running = running_start(text);
        running_steps(&running, 6.0);
        const char* met = first == 0 ? "p" : "q";
        const char* other = first == 0 ? "q" : "p";
        cr_expect(point_named(&running, met).reading.miss < 1e-3, "%g",
                  point_named(&running, met).reading.miss);
        cr_expect(point_named(&running, other).reading.miss > 1.0);
    }
}

Test(goals, the_point_of_lower_weight_yields) {
    double errors[2];
    for (int i = 0; i < 2; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 TWO "control_points:\n"
                     "  p: {body: b, at: [0, 0, 0.5], position: [0, 1, 1], weight: %d}\n"
                     "  q: {body: b, at: [0, 0, 0.3], position: [0, -1, 1]}\n",
                 i == 0 ? 1 : 9);
        Running running = running_start(text);
        running_steps(&running, 6.0);
        errors[i] = point_named(&running, "p").reading.miss;
    }
    // a weight of 9 times reduces the error several times
    cr_expect(errors[1] < 0.4 * errors[0], "%g and %g", errors[0], errors[1]);
}

Test(goals, a_joint_and_a_point_keep_their_speeds) {
    Running running = running_start(
        "poise: 1\nangles: degrees\nworld: {gravity: [0, 0, 0]}\n" STIFF
        "bodies: {a: {capsule: 0.05, from: [0, 0, 0], to: [1, 0, 0]}}\n"
        "joints: {j: {hinge: [0, 0, 0], axis: [0, 0, 1], between: [world, a], max_speed: 30}}\n"
        "control_points: {p: {body: a, at: [0, 0, 0.5], position: [0, 1, 0]}}\n");
    running_steps(&running, 1.0);
    // 30 of 90 degrees in the first second
    double target = poise_node_angle(poise_simulation_tree(running.simulation),
                                     poise_simulation_joint(running.simulation, 0).node);
    EXPECT_NEAR(target, 3.14159265358979323846 / 6.0, 1e-9);
    running =
        running_start("poise: 1\nworld: {gravity: [0, 0, 0]}\n" STIFF
                      "bodies: {a: {box: [0.1, 0.1, 0.1], mass: 1}}\n"
                      "joints: {j: {slider: [0, 0, 0], axis: [1, 0, 0], between: [world, a]}}\n"
                      "control_points: {p: {body: a, position: [1, 0, 0], max_speed: 0.25}}\n");
    running_steps(&running, 2.0);
    target = poise_node_angle(poise_simulation_tree(running.simulation),
                              poise_simulation_joint(running.simulation, 0).node);
    // at most 0.25 m in a second, and nearly that
    cr_expect(target <= 0.5 + 1e-9 && target > 0.45, "%g", target);
}

// ------------------------------------------------------------------------------------ bad scenes

Test(goals, priorities_under_a_solver_without_them_are_a_warning) {
    Loaded loaded =
        required(load_text("t.yaml", TWO "ik: {solver: box}\n"
                                         "control_points: {p: {body: b, priority: 1, position: "
                                         "[0, 0, 1]}}\n"));
    cr_expect(found(&loaded, POISE_WARNING, 12, 41, "priorities need auto or dual"));
}

// The point is 0.3, 0.4 and 0.5 m off. Its error is the component along the first axis of the rows'
// frame.
Test(goals, an_error_is_seen_along_the_axes_of_its_rows) {
    static const struct {
        const char* axes;
        double turn;
    } rows[] = {{"world", 0.0}, {"point", 0.6}, {"goal", 1.0}};
    for (int i = 0; i < 3; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "poise: 1\nworld: {gravity: [0, 0, 0]}\nbodies:\n"
                 "  a: {box: [0.1, 0.1, 0.1], at: [1, 0, 0], rotation: {axis: [0, 0, 1], angle: "
                 "0.6}}\n"
                 "joints: {j: {ball: [0, 0, 0], between: [world, a]}}\n"
                 "control_points: {p: {body: a, rows: [x, turn_x, turn_y, turn_z], row_axes: %s, "
                 "position: [1.3, 0.4, 0.5], orientation: {quaternion: [%.17g, 0, 0, %.17g]}}}\n",
                 rows[i].axes, cos(0.5), sin(0.5));
        Running running = running_start(text);
        const double along = 0.3 * cos(rows[i].turn) + 0.4 * sin(rows[i].turn);
        EXPECT_NEAR(point_named(&running, "p").reading.miss, along, 1e-12);
        EXPECT_NEAR(point_named(&running, "p").reading.angle_miss, 0.4, 1e-12);
    }
}
