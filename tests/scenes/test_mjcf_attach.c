// SPDX-License-Identifier: MIT
// Reads models that attach others by <model> and <attach>.
#include <criterion/criterion.h>

#include "loaded.h"
#include "near.h"

#define MODELS POISE_SOURCE_DIR "/tests/scenes/models/"

static PoisePose place_of(const Loaded* loaded, const char* name) {
    const int frame = poise_scene_find_frame(loaded->scene, name);
    cr_assert(frame >= 0, "no frame %s", name);
    return poise_pose_mul(loaded_body(loaded, name)->pose, loaded->scene->frames[frame].in_body);
}

#define HEAD                                                                                       \
    "<mujoco><compiler angle='radian'/><default><joint damping='2'/><default class='thin'>"        \
    "<geom size='0.3'/></default></default><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 "   \
    "1'/>"                                                                                         \
    "<model name='f' file='parts/finger.xml'/></asset>"

Test(mjcf_attach, each_copy_has_its_prefix_and_the_settings_of_its_own_model) {
    Loaded loaded =
        load_text(MODELS "hand.xml", HEAD
                  "<worldbody><body name='palm'><joint name='wrist' range='-1 1'/>"
                  "<geom class='thin'/><frame pos='0.1 0 0' euler='0 0 1.5707963267948966'>"
                  "<attach model='f' prefix='l_'/></frame><attach model='f' prefix='r_'/></body>"
                  "</worldbody></mujoco>");
    required(loaded);
    cr_expect_eq(loaded.scene->joint_count, 5);
    const double degree = 1.7453292519943295e-2;
    for (int i = 0; i < 2; i++) {
        const PoiseSceneJoint* j = loaded_joint(&loaded, i ? "r_j" : "l_j");
        const PoiseSceneJoint* k = loaded_joint(&loaded, i ? "r_k" : "l_k");
        EXPECT_NEAR(j->limits.lower[0], -10.0 * degree, 1e-15);
        EXPECT_NEAR(j->bind.original.damping, 0.5, 0.0);
        EXPECT_NEAR(j->bind.torque_limit, 6.0, 1e-15);
        cr_expect(k->mimics == (int)(j - loaded.scene->joints) && k->multiplier == 0.5);
        // the geom of class thin of the finger, and a mesh of its folder
        const PoiseSceneBody* finger = loaded_body(&loaded, i ? "r_finger" : "l_finger");
        cr_assert_eq(finger->shape_count, has_meshes() ? 2 : 1);
        EXPECT_NEAR3(finger->shapes[0].size, poise_vec3(0.01, 0.2, 0.0), 1e-15);
    }
    EXPECT_NEAR(loaded_joint(&loaded, "wrist")->limits.lower[0], -1.0, 0.0);
    EXPECT_NEAR(loaded_joint(&loaded, "wrist")->bind.original.damping, 2.0, 0.0);
    EXPECT_NEAR3(place_of(&loaded, "l_end").p, poise_vec3(0.1, 0.0, 0.4), 1e-15);
    EXPECT_NEAR3(place_of(&loaded, "r_end").p, poise_vec3(0.0, 0.0, 0.4), 1e-15);
    // 90 degrees of the finger, and of the frame of the left one
    EXPECT_NEAR3(loaded_joint(&loaded, "l_j")->axis, poise_vec3(0.0, -1.0, 0.0), 1e-15);
    EXPECT_NEAR3(loaded_joint(&loaded, "r_j")->axis, poise_vec3(-1.0, 0.0, 0.0), 1e-15);
    // the ball of the palm and the sockets of both fingers
    cr_expect_eq(loaded_body(&loaded, "palm")->shape_count, 3);
}

Test(mjcf_attach, an_attached_body_brings_its_actuators_and_sites) {
    Loaded loaded = required(load_text(
        MODELS "hand.xml", HEAD "<worldbody><body name='palm'><joint name='j'/><geom size='0.1'/>"
                                "<attach model='f' body='nail' prefix='n_'/></body></worldbody>"
                                "</mujoco>"));
    cr_expect_eq(loaded.scene->joint_count, 2);
    EXPECT_NEAR(loaded_joint(&loaded, "n_k")->bind.torque_limit, 1.0, 0.0);
    cr_expect_eq(loaded_joint(&loaded, "n_k")->mimics, -1);
    cr_expect(isinf(loaded_joint(&loaded, "j")->bind.torque_limit));
    EXPECT_NEAR3(place_of(&loaded, "n_end").p, poise_vec3(0.0, 0.0, 0.3), 1e-15);
    char text[2000];
    cr_expect_eq(poise_diagnostics_count(loaded.diagnostics, POISE_WARNING), 0, "%s",
                 findings(&loaded, text, sizeof text));
}

Test(mjcf_attach, a_copy_of_a_copy_has_both_prefixes) {
    Loaded loaded =
        required(load_text(MODELS "parts/hand.xml",
                           "<mujoco><asset><model name='h' file='two_fingers.xml'/></asset>"
                           "<worldbody><attach model='h' prefix='a-'/></worldbody></mujoco>"));
    cr_expect(poise_scene_find_joint(loaded.scene, "a-1-j") >= 0);
    cr_expect(poise_scene_find_joint(loaded.scene, "a-2-k") >= 0);
}
