// SPDX-License-Identifier: MIT
// Simulates grippers: fingers that follow each other, and loops held at sites.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "near.h"
#include "running.h"

// Points of their own move both fingers inward. The fingers have one coordinate.
Test(grippers, points_on_both_fingers_move_them_as_one) {
    Running hand = running_open(POISE_SOURCE_DIR "/tests/scenes/models/public/mimics.urdf");
    running_steps(&hand, 0.5);
    const int left = poise_scene_find_point(hand.loaded.scene, "left");
    const int tip = poise_scene_find_point(hand.loaded.scene, "tip");
    cr_assert(left >= 0 && tip >= 0, "%d %d", left, tip);
    double worst = 0.0;
    for (int i = 0; i < 100; i++) {
        // 2 cm to and fro along y, the right finger in the opposite direction
        const double way = 0.0002 * (i < 50 ? 1.0 : -1.0);
        const PoiseVec3 a = poise_simulation_point(hand.simulation, left).goal_world.p;
        const PoiseVec3 b = poise_simulation_point(hand.simulation, tip).goal_world.p;
        cr_assert(poise_simulation_hold_goal(hand.simulation, left,
                                             poise_vec3(a.x, a.y - way, a.z)) == POISE_OK);
        cr_assert(poise_simulation_hold_goal(hand.simulation, tip,
                                             poise_vec3(b.x, b.y + way, b.z)) == POISE_OK);
        running_steps(&hand, 0.02);
        const double leader = joint_named(&hand, "left").q[0];
        const double follower = joint_named(&hand, "right").q[0];
        const double second = joint_named(&hand, "tip").q[0];
        worst = fmax(worst, fabs(follower + leader));
        worst = fmax(worst, fabs(second - 0.5 * follower - 0.1));
    }
    cr_expect(worst < 0.02, "off by %g rad", worst);
}

// two bars whose sites are held at one place
static const char sites[] =
    "<mujoco><compiler angle='radian' autolimits='true'/><option gravity='0 0 0'/><worldbody>"
    "<body name='a'><joint name='a' axis='0 1 0'/><geom type='capsule' size='0.02' "
    "fromto='0 0 0 0.3 0 0'/><site name='end' pos='0.3 0 0'/></body>"
    "<body name='b' pos='0.3 0 0.3'><joint name='b1' axis='0 1 0'/><geom type='capsule' "
    "size='0.02' fromto='0 0 0 0.2 0 0'/><body name='c' pos='0.2 0 0'><joint name='c' "
    "axis='0 1 0'/><geom type='capsule' size='0.02' fromto='0 0 0 -0.2 0 -0.3'/>"
    "<site name='foot' pos='-0.2 0 -0.3'/></body></body>"
    "</worldbody><equality><connect site1='end' site2='foot'/></equality>"
    "<actuator><motor joint='a' gear='20'/></actuator></mujoco>";

// The bars without the motor. No actuator says which joints drive the loop, so all have springs.
Test(grippers, a_loop_without_a_motor_is_held_by_springs_at_all_of_its_joints) {
    char text[sizeof sites + sizeof "</mujoco>"];
    const char* motor = strstr(sites, "<actuator>");
    cr_assert_not_null(motor);
    snprintf(text, sizeof text, "%.*s</mujoco>", (int)(motor - sites), sites);
    Running bars = running_text("s.xml", text);
    const PoiseScene* scene = bars.loaded.scene;
    for (int i = 0; i < scene->driven_count; i++) {
        const PoiseSceneJoint* joint = &scene->joints[scene->joint_order[i]];
        cr_expect(joint->bind.ik.stiffness > 0.0, "%s", joint->name);
    }
    // the end of the first bar after a turn of 0.2 rad
    const PoiseVec3 goal = poise_vec3(0.3 * cos(0.2), 0.0, -0.3 * sin(0.2));
    for (int i = 0; i < scene->point_count; i++) {
        cr_assert(poise_simulation_hold_goal(bars.simulation, i, goal) == POISE_OK);
    }
    running_steps(&bars, 3.0);
    EXPECT_NEAR(joint_named(&bars, "a").q[0], 0.2, 1e-3);
}

Test(grippers, a_loop_is_closed_where_its_sites_are) {
    Running bars = running_text("s.xml", sites);
    const PoiseScene* scene = bars.loaded.scene;
    cr_expect(!scene->world.ground, "there is a ground where nothing falls");
    int closing = -1;
    for (int i = 0; i < scene->joint_count; i++) {
        closing = scene->joints[i].driven ? closing : i;
    }
    cr_assert(closing >= 0);
    EXPECT_NEAR3(scene->joints[closing].anchor, poise_vec3(0.3, 0.0, 0.0), 1e-12);
    running_steps(&bars, 1.0);
    EXPECT_NEAR(joint_named(&bars, "a").q[0], joint_named(&bars, "a").q_target[0], 1e-3);
}
