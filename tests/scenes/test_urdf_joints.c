// SPDX-License-Identifier: MIT
// Tests joints of robots: kinds other than hinges and sliders, unusual limits, and joints that
// mimic others.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "loaded.h"
#include "near.h"
#include "poise/simulation.h"
#include "program.h"
#include "running.h"

#define INERTIAL(mass)                                                                             \
    "<inertial><mass value='" mass "'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' "      \
    "izz='0.1'/></inertial>"

// Some programs write an infinite number for "none", or an empty attribute.
Test(urdf_joints, infinite_limits_and_empty_attributes_mean_none) {
    Loaded loaded =
        load_joint("<link name='a'>" INERTIAL("1") "</link>",
                   "<origin xyz='0 0 1' rpy=''/><axis/><limit lower='-inf' upper='1' effort='inf' "
                   "velocity='Infinity'/>");
    required(loaded);
    const PoiseSceneJoint* joint = &loaded.scene->joints[0];
    cr_expect(isinf(joint->limits.lower[0]) && joint->limits.lower[0] < 0.0 &&
              joint->limits.upper[0] == 1.0);
    cr_expect(isinf(joint->bind.torque_limit) && isinf(joint->bind.speed_limit));
    EXPECT_NEAR3(joint->axis, poise_vec3(1.0, 0.0, 0.0), 0.0);
    EXPECT_NEAR3(loaded.scene->bodies[1].pose.p, poise_vec3(0.0, 0.0, 1.0), 0.0);
    loaded = load_joint("<link name='a'>" INERTIAL("1") "</link>", "<limit upper='nan'/>");
    cr_expect_null(loaded.scene);
}

Test(urdf_joints, a_spherical_joint_is_a_ball) {
    static const char* const words[] = {"ball", "spherical"};
    for (int i = 0; i < 2; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "<robot name='r'><link name='base'/><link name='a'>" INERTIAL(
                     "1") "</link><joint name='j' type='%s'><parent link='base'/><child link='a'/>"
                          "</joint></robot>",
                 words[i]);
        Loaded loaded = required(load_text("r.urdf", text));
        cr_expect(loaded.scene->joints[0].kind == POISE_NODE_BALL);
    }
}

Test(urdf_joints, a_planar_joint_slides_twice_and_turns) {
    Loaded loaded = required(load_text(
        "r.urdf", "<robot name='r'><link name='odom'/><link name='car'>" INERTIAL(
                      "9") "</link><joint name='drive' type='planar'><parent link='odom'/>"
                           "<child link='car'/><origin xyz='1 2 3'/><axis xyz='0 0 1'/>"
                           "<limit effort='70' velocity='2'/></joint></robot>"));
    const PoiseScene* scene = loaded.scene;
    cr_assert(scene->joint_count == 3);
    static const char* const names[] = {"drive_TX", "drive_TY", "drive_RZ"};
    for (int i = 0; i < 3; i++) {
        const PoiseSceneJoint* joint = &scene->joints[poise_scene_find_joint(scene, names[i])];
        cr_expect(joint->kind == (i < 2 ? POISE_NODE_SLIDER : POISE_NODE_HINGE));
        EXPECT_NEAR3(joint->axis, poise_vec3(i == 0, i == 1, i == 2), 1e-15);
        cr_expect(i < 2 ? joint->bind.torque_limit == 70.0 : isinf(joint->bind.torque_limit));
    }
    const PoiseSceneFrame* car = &scene->frames[poise_scene_find_frame(scene, "car")];
    EXPECT_NEAR3(scene->bodies[car->body].pose.p, poise_vec3(1.0, 2.0, 3.0), 0.0);
    EXPECT_NEAR(scene->bodies[car->body].mass, 9.0, 0.0);
}

#define FINGER(name, axis, more)                                                                   \
    "<link name='" name                                                                            \
    "_link'>" INERTIAL("0.1") "</link>\n"                                                          \
                              "<joint name='" name                                                 \
                              "' type='revolute'><parent link='base'/><child link='" name          \
                              "_link'/>"                                                           \
                              "<axis xyz='" axis                                                   \
                              "'/><limit lower='-2' upper='0.8' effort='100' velocity='9'/>" more  \
                              "</joint>\n"

SCRATCH_TEST(urdf_joints, a_joint_that_mimics_follows_its_leader) {
    static const char robot[] = "<robot name='r'>\n<link name='base'>" INERTIAL(
        "1") "</link>\n" FINGER("first", "0 0 1", "")
        FINGER("second", "0 1 0", "<mimic joint='first' multiplier='-1.5' offset='0.2'/>")
            FINGER("third", "1 0 0", "<mimic joint='second'/>") "</robot>\n";
    write_scratch("mimic.urdf", robot);
    // The leader moves from -.2 toward -1 and stops at -.4, where its follower has its limit.
    write_scratch("mimic.yaml",
                  "poise: 1\nworld: {gravity: [0, 0, 0], step: 0.002}\n"
                  "robots: {r: {urdf: mimic.urdf, pose: {first: -0.2}, "
                  "joints: {'*': {ik: {spring: 50, damper: 2}}}}}\n"
                  "control_points: {tip: {body: r/first_link, at: [1, 0, 0], max_speed: 0.4, "
                  "position: [0.5403, -0.8415, 0]}}\n");
    Running running = running_open("mimic.yaml");
    const PoiseScene* scene = running.loaded.scene;
    const PoiseSimulation* simulation = running.simulation;
    int second = poise_scene_find_joint(scene, "r/second");
    int third = poise_scene_find_joint(scene, "r/third");
    // -1.5 * -.2 + .2
    EXPECT_NEAR(scene->joints[second].start[0], 0.5, 1e-15);
    EXPECT_NEAR(scene->joints[third].start[0], 0.5, 1e-15);
    EXPECT_NEAR(scene->joints[second].bind.ik.stiffness, 50.0, 0.0);
    for (int i = 0; i < 2000; i++) {
        running_steps(&running, 0.002);
        double leader = poise_simulation_joint(simulation, 0).q[0];
        double angle = poise_simulation_joint(simulation, second).q[0];
        cr_expect(fabs(angle - (-1.5 * leader + 0.2)) < 0.02, "step %d: %g at %g", i, angle,
                  leader);
    }
    EXPECT_NEAR(poise_simulation_joint(simulation, 0).q[0], -0.4, 1e-3);
    EXPECT_NEAR(poise_simulation_joint(simulation, second).q[0], 0.8, 1e-3);
    EXPECT_NEAR(poise_simulation_joint(simulation, third).q[0], 0.8, 1e-3);
}

Test(urdf_joints, a_friction_above_the_effort_is_a_warning) {
    static const char says[] = "joint 'j' does not move: it has a dry friction of 0.8 N m, and a "
                               "motor of at most 0.7 N m";
    const char* const efforts[] = {"0.7", "0.9", "inf"};
    for (int i = 0; i < 3; i++) {
        char joint[200];
        snprintf(joint, sizeof joint,
                 "<axis xyz='0 1 0'/><limit effort='%s' velocity='1'/><dynamics friction='0.8'/>",
                 efforts[i]);
        Loaded loaded = required(load_joint("<link name='a'>" INERTIAL("1") "</link>", joint));
        cr_expect_eq(found(&loaded, POISE_WARNING, 0, 0, says), i == 0, "row %d", i);
    }
}

// Dry friction of a slide holds a smaller weight, and slows a larger one: a = g - F / m.
SCRATCH_TEST(urdf_joints, dry_friction_of_a_slide_holds_or_slows) {
    static const double frictions[] = {0.0, 5.0, 30.0};
    for (int i = 0; i < 3; i++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "<robot name='r'><link name='rail'/><link name='cart'>" INERTIAL(
                "2") "</link>"
                     "<joint name='j' type='prismatic'><parent link='rail'/><child link='cart'/>"
                     "<axis xyz='0 0 1'/><limit lower='-100' upper='100' effort='9' "
                     "velocity='100'/>"
                     "<dynamics friction='%g'/></joint></robot>",
            frictions[i]);
        write_scratch("r.urdf", text);
        Running running =
            running_text("s.yaml", "poise: 1\nrobots: {r: {urdf: r.urdf, joints: {'*': {ik: "
                                   "{spring: 0, damper: 0}}}}}\n");
        running_steps(&running, 1.0);
        // each step of h moves by the speed at the step's end
        const double fall = fmax(0.0, 9.81 - frictions[i] / 2.0);
        EXPECT_NEAR(poise_simulation_joint(running.simulation, 0).q[0], -0.5 * fall * 1.01, 1e-3);
    }
}
