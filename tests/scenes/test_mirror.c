// SPDX-License-Identifier: MIT
// Tests `mirror`: places are reflected as vectors, rotations and axes as pseudovectors.
#include <criterion/criterion.h>
#include <math.h>

#include "loaded.h"
#include "near.h"

static const char arm[] =
    "poise: 1\nangles: degrees\n"
    "bodies:\n"
    "  chest: {box: [1, 1, 1], fixed: true}\n"
    "  left_arm: {capsule: 0.1, from: [0, 1, 2], to: [0.5, 1, 1]}\n"
    "  left_hand: {box: [0.1, 0.2, 0.3], at: [1, 2, 3], rotation: {axis: [1, 0, 0], angle: 30}}\n"
    "joints:\n"
    "  left_shoulder: {ball: [0, 1, 2], between: [chest, left_arm], natural: {axis: [0, 0, 1], "
    "angle: 20}}\n"
    "  left_elbow: {hinge: [0.5, 1, 1], axis: [0.6, -0.8, 0], between: [left_arm, left_hand], "
    "limits: "
    "[0, 145], natural: 30}\n"
    "mirror: {from: left_, to: right_, across: y}\n"
    "control_points:\n"
    "  left_palm: {body: left_hand, at: [0.1, 0.2, 0.3], uses: [left_shoulder, left_elbow], "
    "position: "
    "[1, 2, 3]}\n";

Test(mirror, the_other_side_is_the_image) {
    Loaded loaded = required(load_text("t.yaml", arm));
    const PoiseScene* scene = loaded.scene;
    const PoiseSceneBody* hand =
        &scene->bodies[scene->frames[poise_scene_find_frame(scene, "right_hand")].body];
    EXPECT_NEAR3(hand->pose.p, poise_vec3(1.0, -2.0, 3.0), 1e-12);
    // the rotation about x changes its sign
    EXPECT_NEAR_QUAT(hand->pose.q,
                     poise_quat_from_axis_angle(poise_vec3(1.0, 0.0, 0.0), -0.52359877559829882),
                     1e-12);
    const PoiseSceneJoint* elbow = &scene->joints[poise_scene_find_joint(scene, "right_elbow")];
    EXPECT_NEAR3(elbow->anchor, poise_vec3(0.5, -1.0, 1.0), 1e-12);
    // the part of an axis along the mirrored direction stays; the parts across change their sign
    EXPECT_NEAR3(elbow->axis, poise_vec3(-0.6, -0.8, 0.0), 1e-12);
    EXPECT_NEAR(elbow->limits.upper[0], 2.5307274153917776, 1e-12);
    cr_expect(scene->bodies[elbow->child.index].name == hand->name);
    int palm = poise_scene_find_point(scene, "right_palm");
    cr_assert(palm >= 0);
    const PoiseScenePoint* point = &scene->points[palm];
    cr_expect(point->joint_count == 2);
    EXPECT_NEAR3(point->position.places[0], poise_vec3(1.0, -2.0, 3.0), 1e-12);
}

// A place on the bent left arm is the mirror image of the same place on the bent right arm.
Test(mirror, equal_angles_give_mirrored_postures) {
    Loaded loaded = required(load_text("t.yaml", arm));
    const PoiseScene* scene = loaded.scene;
    PoiseVec3 places[2];
    for (int side = 0; side < 2; side++) {
        const char* joint_name = side == 0 ? "left_elbow" : "right_elbow";
        const char* point_name = side == 0 ? "left_palm" : "right_palm";
        const PoiseSceneJoint* elbow = &scene->joints[poise_scene_find_joint(scene, joint_name)];
        const PoiseScenePoint* palm = &scene->points[poise_scene_find_point(scene, point_name)];
        PoisePose body = scene->bodies[palm->body.index].pose;
        PoiseVec3 start = poise_pose_apply(body, palm->in_body.p);
        PoiseQuat turn = poise_quat_from_axis_angle(elbow->axis, 0.7);
        places[side] =
            poise_add(elbow->anchor, poise_quat_rotate(turn, poise_sub(start, elbow->anchor)));
    }
    EXPECT_NEAR3(places[1], poise_vec3(places[0].x, -places[0].y, places[0].z), 1e-12);
}

Test(mirror, written_parts_are_kept_instead_of_images) {
    char text[2000];
    snprintf(text, sizeof text, "%s  right_palm: {body: chest, position: [9, 9, 9]}\n", arm);
    Loaded loaded = load_text("t.yaml", text);
    // The chest is fixed: the point as written is refused, and no image replaces it.
    cr_expect_null(loaded.scene);
    cr_expect(found(&loaded, POISE_ERROR, 13, 3, "no joint can move"));
}

Test(mirror, a_slider_s_axis_is_a_direction) {
    Loaded loaded =
        required(load_text("t.yaml", "poise: 1\nbodies: {l_a: {sphere: 1}}\n"
                                     "joints: {l_j: {slider: [0, 0, 0], axis: [0.6, 0.8, 0], "
                                     "between: [world, l_a]}}\n"
                                     "mirror: [{from: l_, to: r_, across: y}]\n"));
    cr_assert(loaded.scene->joint_count == 2);
    EXPECT_NEAR3(loaded.scene->joints[1].axis, poise_vec3(0.6, -0.8, 0.0), 1e-12);
}

// A second mirror also reflects the image that the first mirror made.
Test(mirror, a_second_mirror_reflects_images) {
    Loaded loaded =
        load_text("t.yaml", "poise: 1\n"
                            "mirror: [{from: fl_, to: fr_}, {from: f, to: r, across: x}]\n"
                            "bodies: {fl_leg: {box: [1, 1, 1], at: [1, 2, 3]}}\n"
                            "joints: {fl_hip: {hinge: [1, 2, 4], axis: [1, 1, 1], "
                            "between: [world, fl_leg]}}\n");
    required(loaded);
    static const struct {
        const char* body;
        const char* joint;
        double x, y;
    } rows[] = {{"fl_leg", "fl_hip", 1.0, 1.0},
                {"fr_leg", "fr_hip", 1.0, -1.0},
                {"rl_leg", "rl_hip", -1.0, 1.0},
                {"rr_leg", "rr_hip", -1.0, -1.0}};
    cr_assert(loaded.scene->joint_count == 4);
    for (int i = 0; i < 4; i++) {
        const double x = rows[i].x, y = rows[i].y;
        const PoiseSceneJoint* hip = loaded_joint(&loaded, rows[i].joint);
        const PoiseSceneBody* leg = loaded_body(&loaded, rows[i].body);
        EXPECT_NEAR3(leg->pose.p, poise_vec3(x, 2.0 * y, 3.0), 0.0);
        EXPECT_NEAR3(hip->anchor, poise_vec3(x, 2.0 * y, 4.0), 0.0);
        // A mirror changes the sign of one component of the axis, as of each direction. Because
        // rotations change their sense, it also changes the sign of the whole axis.
        EXPECT_NEAR3(hip->axis, poise_scale(x * y / sqrt(3.0), poise_vec3(x, y, 1.0)), 1e-12);
        cr_expect_str_eq(hip->child.name, rows[i].body);
    }
}
