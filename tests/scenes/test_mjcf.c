// SPDX-License-Identifier: MIT
// Reads MJCF robots. The scene must have the values of the file. test_mjcf_oracle.c compares the
// same files with MuJoCo; files with a fault: bad/mjcf.
#include <criterion/criterion.h>
#include <math.h>

#include "loaded.h"
#include "near.h"

#define DEGREE (3.14159265358979323846 / 180.0)

Test(mjcf, joints_have_the_values_of_their_classes_and_their_own) {
    Loaded loaded = required(load_file(POISE_SOURCE_DIR "/tests/scenes/figure.xml"));
    cr_expect(loaded.scene->joint_count == 6);
    cr_expect_str_eq(loaded.scene->title, "figure");
    const PoiseSceneJoint* pitch = loaded_joint(&loaded, "arm_pitch");
    EXPECT_NEAR(pitch->limits.lower[0], -100.0 * DEGREE, 1e-12);
    EXPECT_NEAR(pitch->limits.upper[0], 40.0 * DEGREE, 1e-12);
    EXPECT_NEAR(pitch->file_stiffness, 3.0, 0.0);
    EXPECT_NEAR(pitch->bind.original.damping, 0.5, 0.0);
    EXPECT_NEAR(pitch->bind.natural[0], -10.0 * DEGREE, 1e-12);
    const PoiseSceneJoint* yaw = loaded_joint(&loaded, "arm_yaw");
    cr_expect(isinf(yaw->limits.lower[0]) && isinf(yaw->limits.upper[0]));
    // angles count from the posture of the file
    const PoiseSceneJoint* elbow = loaded_joint(&loaded, "elbow");
    EXPECT_NEAR(elbow->limits.lower[0], -15.0 * DEGREE, 1e-12);
    EXPECT_NEAR(elbow->limits.upper[0], 115.0 * DEGREE, 1e-12);
    EXPECT_NEAR(elbow->bind.natural[0], -15.0 * DEGREE, 1e-12);
    const PoiseSceneJoint* wrist = loaded_joint(&loaded, "wrist");
    cr_expect(wrist->kind == POISE_NODE_BALL);
    EXPECT_NEAR(wrist->limits.upper[0], 60.0 * DEGREE, 1e-12);
    const PoiseSceneJoint* slide = loaded_joint(&loaded, "slide");
    cr_expect(slide->kind == POISE_NODE_SLIDER);
    EXPECT_NEAR(slide->limits.upper[0], 0.3, 0.0);
    EXPECT_NEAR(slide->bind.original.damping, 0.5, 0.0);
}

Test(mjcf, bodies_weigh_what_their_geoms_or_their_inertial_say) {
    Loaded loaded = required(load_file(POISE_SOURCE_DIR "/tests/scenes/figure.xml"));
    const double pi = 3.14159265358979323846;
    // a capsule of class limb: 800 kg/m^3, 0.05 m radius, `length` between its ends
    double length = sqrt(0.1 * 0.1 + 0.05 * 0.05 + 0.3 * 0.3);
    double arm = 800.0 * pi * (0.05 * 0.05 * length + 4.0 / 3.0 * 0.05 * 0.05 * 0.05);
    EXPECT_NEAR(loaded_body(&loaded, "arm")->mass, arm, 1e-12);
    EXPECT_NEAR3(loaded_body(&loaded, "arm")->com, poise_vec3(0.05, 0.025, -0.15), 1e-12);
    EXPECT_NEAR(loaded_body(&loaded, "forearm")->mass, 0.4, 1e-15);
    double cylinder = 800.0 * pi * 0.05 * 0.05 * 0.2;
    double ball = 2000.0 * 4.0 / 3.0 * pi * 0.03 * 0.03 * 0.03;
    EXPECT_NEAR(loaded_body(&loaded, "drawer")->mass, cylinder + ball, 1e-12);
    EXPECT_NEAR(loaded_body(&loaded, "drawer")->com.z, 0.1 * ball / (cylinder + ball), 1e-12);
    // the trunk is part of the world, with the block
    const PoiseSceneBody* world = loaded_body(&loaded, "trunk");
    cr_expect(world->fixed && world->shape_count == 2);
}

Test(mjcf, bodies_and_sites_are_frames_one_can_name) {
    static const char scene[] =
        "poise: 1\nrobots: {r: {mjcf: figure.xml, at: [5, 0, 0], pose: {elbow: 0.5}}}\n"
        "control_points:\n"
        "  palm: {body: r/palm, position: [5, 0.5, 0.5]}\n"
        "  badge: {body: r/hand, frame: r/badge, uses: [r/arm_*, r/elbow], position: [0, 0, "
        "0.3]}\n";
    Loaded loaded = required(load_text(POISE_SOURCE_DIR "/tests/scenes/s.yaml", scene));
    int palm = poise_scene_find_frame(loaded.scene, "r/palm");
    int hand = poise_scene_find_frame(loaded.scene, "r/hand");
    cr_assert(palm >= 0 && hand >= 0);
    cr_expect(loaded.scene->frames[palm].body == loaded.scene->frames[hand].body);
    EXPECT_NEAR3(loaded.scene->frames[palm].in_body.p, poise_vec3(0.0, 0.0, -0.06), 1e-12);
    EXPECT_NEAR(loaded_joint(&loaded, "r/elbow")->start[0], 0.5, 0.0);
    // all joints between the palm and the base serve the point, also two joints of one body
    cr_expect(loaded.scene->points[0].joint_count == 5);
}

Test(mjcf, a_free_joint_parts_the_robot_from_the_world) {
    static const char model[] =
        "<mujoco><worldbody><geom type='box' size='1 1 1'/>\n"
        "<body name='b' pos='1 2 3'><freejoint name='f'/><geom size='0.1'/>\n"
        "<body name='c' pos='0 0 1'><joint axis='1 0 0'/><geom size='0.1'/></body></body>\n"
        "</worldbody></mujoco>\n";
    Loaded loaded = required(load_text("m.xml", model));
    cr_expect(found(&loaded, POISE_NOTE, 2, 0, "said by the scene's 'base'"));
    const PoiseSceneBody* world = loaded_body(&loaded, "world");
    const PoiseSceneBody* base = loaded_body(&loaded, "b");
    cr_expect(world != base && world->fixed && world->shape_count == 1 && base->fixed);
    EXPECT_NEAR3(base->pose.p, poise_vec3(1.0, 2.0, 3.0), 0.0);
    cr_expect_str_eq(loaded.scene->joints[0].name, "c.joint1");
}

Test(mjcf, options_are_read_and_unsupported_elements_noted_once) {
    Loaded loaded = required(load_file(POISE_SOURCE_DIR "/tests/scenes/figure.xml"));
    cr_expect(loaded.scene->world.step == 0.002);
    cr_expect(loaded.scene->world.ground && loaded.scene->world.ground_height == 0.0);
    cr_expect(found(&loaded, POISE_NOTE, 0, 0, "has a 'ref'"));
    cr_expect(found(&loaded, POISE_WARNING, 0, 0, "moves and weighs nothing"));
    cr_expect(poise_diagnostics_size(loaded.diagnostics) == 2);
}

Test(mjcf, a_geom_without_a_size_is_left_out) {
    Loaded loaded =
        required(load_text("m.xml", "<mujoco><worldbody><body name='a'><joint name='j'/>\n"
                                    "<geom type='box' size='0.1 0 0.1'/>\n"
                                    "<geom size='0.1' mass='2'/></body></worldbody></mujoco>"));
    cr_expect(found(&loaded, POISE_NOTE, 2, 0, "without a size is left out: it has no volume"));
    const PoiseSceneBody* body = &loaded.scene->bodies[loaded.scene->joints[0].child.index];
    cr_expect(body->shape_count == 1 && body->mass == 2.0);
}
