// SPDX-License-Identifier: MIT
// Runs scenes and compares their physics with the text of the scene.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "near.h"
#include "running.h"

Test(simulation, a_free_body_falls_and_lands) {
    Running running = running_start("poise: 1\nworld: {step: 0.005, ground: {height: 0.5}}\n"
                                    "bodies: {a: {box: [1, 1, 1], at: [0, 0, 2]}}\n");
    running_steps(&running, 0.2);
    PoiseShapeView shape = poise_simulation_shape(running.simulation, 0);
    // symplectic Euler: g h^2 n (n + 1) / 2
    EXPECT_NEAR(shape.pose_world.p.z, 2.0 - 9.81 * 0.005 * 0.005 * 40 * 41 / 2, 1e-9);
    running_steps(&running, 3.0);
    shape = poise_simulation_shape(running.simulation, 0);
    EXPECT_NEAR(shape.pose_world.p.z, 1.0, 0.01);
    cr_expect_str_eq(shape.body, "a");
    double height = 0.0;
    cr_expect(poise_simulation_ground(running.simulation, &height) && height == 0.5);
}

Test(simulation, a_hinge_holds_its_load_as_its_springs_say) {
    // 10 kg at 1 m without gravity compensation: 98.1 N m against 1000 N m/rad, natural angle 0.1
    // rad
    Running running =
        running_start("poise: 1\nworld: {step: 0.002}\nik: {gravity: off}\n"
                      "bodies: {a: {sphere: 0.1, mass: 10, at: [1, 0, 0]}}\n"
                      "joints: {j: {hinge: [0, 0, 0], axis: [0, -1, 0], between: [world, a], "
                      "natural: 0.1, ik: off, "
                      "original: {spring: 1000, damper: 200}}}\n");
    running_steps(&running, 8.0);
    PoiseJointView joint = poise_simulation_joint(running.simulation, 0);
    EXPECT_NEAR(1000.0 * (0.1 - joint.q[0]), 98.1 * cos(joint.q[0]), 1e-3);
    EXPECT_NEAR(joint.torque.x, 98.1 * cos(joint.q[0]), 1e-3);
}

Test(simulation, gravity_is_fed_forward_unless_told_otherwise) {
    Running running = running_start(
        "poise: 1\nworld: {step: 0.002}\nbodies: {a: {sphere: 0.1, mass: 10, at: [1, 0, 0]}}\n"
        "joints: {j: {hinge: [0, 0, 0], axis: [0, -1, 0], between: [world, a], original: {spring: "
        "10, "
        "damper: 10}}}\n");
    running_steps(&running, 3.0);
    EXPECT_NEAR(poise_simulation_joint(running.simulation, 0).q[0], 0.0, 1e-4);
}

Test(simulation, joint_angles_are_counted_from_where_the_bodies_stand) {
    Running running = running_start(
        "poise: 1\nworld: {gravity: [0, 0, 0]}\n"
        "bodies: {a: {capsule: 0.1, mass: 1, from: [0, 0, 0], to: [1, 1, 1]}, b: {box: [0.2, 0.2, "
        "0.2], "
        "mass: 1, at: [1, 1, 1], rotation: {axis: [1, 2, 3], angle: 1}}}\n"
        "joints: {j: {ball: [0, 0, 0], between: [world, a], natural: {axis: [0, 0, 1], angle: "
        "0.5}, ik: "
        "off, original: {spring: 500, damper: 50}}, k: {ball: [1, 1, 1], between: [a, b], natural: "
        "{axis: [0, 1, 0], angle: -0.3}, ik: off, original: {spring: 500, damper: 50}}}\n");
    PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < 2; i++) {
        const PoiseJointView joint = poise_simulation_joint(running.simulation, i);
        EXPECT_NEAR3(poise_joint_vector(joint.kind, joint.q), none, 1e-12);
    }
    running_steps(&running, 8.0);
    // world axes of the starting pose: the first child has turned about z by 0.5 rad
    PoiseShapeView a = poise_simulation_shape(running.simulation, 0);
    PoiseQuat then = running.loaded.scene->bodies[0].pose.q;
    EXPECT_NEAR3(poise_quat_log(poise_quat_mul(a.pose_world.q, poise_quat_conjugate(then))),
                 poise_vec3(0.0, 0.0, 0.5), 1e-6);
    const PoiseJointView second = poise_simulation_joint(running.simulation, 1);
    const PoiseVec3 turned = poise_joint_vector(second.kind, second.q);
    EXPECT_NEAR(poise_length(turned), 0.3, 1e-6);
    EXPECT_NEAR3(turned, poise_joint_vector(second.kind, second.q_target), 1e-6);
}

Test(simulation, bodies_of_one_structure_do_not_touch_others_do) {
    // a and b overlap, held by joints to one base; c falls onto a
    Running running = running_start(
        "poise: 1\nbodies: {base: {box: [1, 1, 0.1], fixed: true}, a: {box: [1, 1, 1], at: "
        "[0, 0, 1]}, "
        "b: {box: [1, 1, 1], at: [0.5, 0, 1]}, c: {sphere: 0.2, at: [-0.3, 0, 2.2]}}\n"
        "joints: {j: {ball: [0, 0, 0], between: [base, a], original: {spring: 1e5, damper: "
        "1e4}}, k: "
        "{ball: [0, 0, 0], between: [base, b], original: {spring: 1e5, damper: 1e4}}}\n");
    running_steps(&running, 0.05);
    cr_expect(poise_world_contact_count(poise_simulation_world(running.simulation)) == 0);
    running_steps(&running, 1.5);
    cr_expect(poise_world_contact_count(poise_simulation_world(running.simulation)) > 0);
    cr_expect(poise_simulation_shape(running.simulation, 3).pose_world.p.z > 1.0);
}

Test(simulation, a_goal_ends_at_its_until) {
    Running running = running_start(
        "poise: 1\nworld: {gravity: [0, 0, 0]}\nbodies: {a: {capsule: 0.1, mass: 1, from: "
        "[0, 0, 0], "
        "to: [0, 0, 1]}}\n"
        "joints: {j: {ball: [0, 0, 0], between: [world, a]}}\n"
        "control_points: {p: {body: a, at: [0, 0, 0.5], position: {at: [0, 1, 0], until: 1}, "
        "orientation: {quaternion: [1, 0, 0, 0]}}, q: {body: a, position: {at: [0, 1, 0], "
        "until: 0.5}}}\n");
    running_steps(&running, 0.5);
    PoisePointView p = poise_simulation_point(running.simulation, 0);
    cr_expect(p.has_position && p.has_orientation && p.enabled);
    running_steps(&running, 1.0);
    p = poise_simulation_point(running.simulation, 0);
    cr_expect(!p.has_position && p.has_orientation && p.enabled);
    PoisePointView q = poise_simulation_point(running.simulation, 1);
    cr_expect(!q.has_position && !q.enabled);
    running_steps(&running, 3.0);
    // only the orientation pulls now
    EXPECT_NEAR(poise_simulation_point(running.simulation, 0).reading.angle_miss, 0.0, 1e-3);
}

Test(simulation, a_goal_in_the_hand_stays_there) {
    Running running = running_start(
        "poise: 1\nbodies: {a: {capsule: 0.1, from: [0, 0, 0], to: [0, 0, 1]}}\n"
        "joints: {j: {ball: [0, 0, 0], between: [world, a]}}\n"
        "control_points: {p: {body: a, at: [0, 0, 0.5], position: {circle: {centre: [0, 0, "
        "1], radius: "
        "0.1, period: 1}}}}\n");
    PoiseVec3 place = poise_vec3(0.0, 0.7, 0.7);
    cr_expect(poise_simulation_hold_goal(running.simulation, 0, place) == POISE_OK);
    running_steps(&running, 0.1);
    EXPECT_NEAR3(poise_simulation_point(running.simulation, 0).goal_world.p, place, 0.0);
    cr_expect(poise_simulation_release_goal(running.simulation, 0) == POISE_OK);
    EXPECT_NEAR(poise_simulation_point(running.simulation, 0).goal_world.p.z, 1.0, 1e-12);
    cr_expect(poise_simulation_hold_goal(running.simulation, 1, place) < 0);
    cr_expect(poise_simulation_hold_goal(running.simulation, 0, poise_vec3((double)NAN, 0.0, 0.0)) <
              0);
}

Test(simulation, a_scene_that_blows_up_says_where) {
    // 1e12 N m on one gram without a limit
    Running running = running_start(
        "poise: 1\nworld: {step: 0.1, gravity: [0, 0, -1e6]}\n"
        "bodies: {a: {sphere: 0.01, at: [1, 0, 0]}, b: {sphere: 0.5, at: [5, 0, 0]}}\n"
        "joints: {wild: {hinge: [0, 0, 0], axis: [0, 1, 0], between: [world, a], ik: off}}\n");
    PoiseStatus status = POISE_OK;
    for (int i = 0; i < 100 && status >= 0; i++) {
        status = poise_simulation_step(running.simulation);
    }
    cr_expect(status < 0);
    const char* trouble = poise_simulation_trouble(running.simulation);
    cr_expect(strstr(trouble, "joint wild blew up at") || strstr(trouble, "body b blew up at"),
              "%s", trouble);
    cr_expect(poise_simulation_step(running.simulation) < 0);
}

// an arm of 1 m on a hinge, its end above a block
#define ARM_OVER_A_BLOCK                                                                           \
    "poise: 1\nworld: {step: 0.005}\n"                                                             \
    "bodies: {a: {capsule: 0.05, from: [0, 0, 0], to: [1, 0, 0]},\n"                               \
    "         block: {box: [0.2, 1, 0.2], at: [1, 0, -0.16], fixed: true}}\n"                      \
    "joints: {j: {hinge: [0, 0, 0], axis: [0, -1, 0], between: [world, a],\n"                      \
    "             ik: {spring: 500, damper: 20}}}\n"

static PoisePointView tip_after(const char* point, double seconds) {
    char text[2000];
    snprintf(text, sizeof text, "%scontrol_points: {tip: {body: a, at: [0, 0, 0.5], %s}}\n",
             ARM_OVER_A_BLOCK, point);
    Running running = running_start(text);
    running_steps(&running, seconds);
    PoisePointView view = poise_simulation_point(running.simulation, 0);
    return view;
}

Test(simulation, a_force_presses_from_its_time_on) {
    // the goal holds the tip 10 mm above the block until 2 s
    PoisePointView before =
        tip_after("position: [1, 0, 0], force: {push: [0, 0, -30], after: 2}", 1.9);
    cr_expect_not(before.presses);
    EXPECT_NEAR(before.pose_world.p.z, 0.0, 1e-6);
    PoisePointView after =
        tip_after("position: [1, 0, 0], force: {push: [0, 0, -30], after: 2}", 6.0);
    cr_expect(after.presses);
    EXPECT_NEAR(after.force.z, -30.0, 0.0);
    EXPECT_NEAR(after.force_measured.z, -30.0, 0.3);
    EXPECT_NEAR(after.pose_world.p.z, -0.01, 1e-3);
}

Test(simulation, a_point_without_a_goal_only_presses) {
    PoisePointView tip = tip_after("force: {push: [0, 0, -30]}", 6.0);
    cr_expect(tip.presses);
    cr_expect_not(tip.has_position);
    EXPECT_NEAR(tip.force_measured.z, -30.0, 0.3);
}

Test(simulation, a_goal_that_holds_keeps_its_place_under_a_force) {
    // 500 N m/rad at 1 m: 2 N move the tip by 4 mm, and it touches nothing
    PoisePointView tip =
        tip_after("position: [1, 0, 0], force: {push: [0, 0, -2], goal: holds}", 6.0);
    EXPECT_NEAR(tip.pose_world.p.z, -0.004, 1e-6);
    EXPECT_NEAR(tip.reading.miss, 0.004, 1e-5);
    EXPECT_NEAR(tip.force_measured.z, 0.0, 1e-6);
}
