// SPDX-License-Identifier: MIT
// Tests robots: link poses against another program's, and the peculiarities of real files.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "loaded.h"
#include "near.h"

// ------------------------------------------------------------------------- forward kinematics

// Returns the motion that joint angles give the body, from its pose with every joint at 0.
static PoisePose motion_of(const PoiseScene* scene, const double* angles, int body) {
    int index = scene->bodies[body].joint;
    if (index < 0) {
        return poise_pose_identity();
    }
    const PoiseSceneJoint* joint = &scene->joints[index];
    PoisePose own = poise_pose_identity();
    if (joint->kind == POISE_NODE_SLIDER) {
        own.p = poise_scale(angles[index], joint->axis);
    } else {
        own.q = poise_quat_from_axis_angle(joint->axis, angles[index]);
        own.p = poise_sub(joint->anchor, poise_quat_rotate(own.q, joint->anchor));
    }
    return joint->parent.index < 0
               ? own
               : poise_pose_mul(motion_of(scene, angles, joint->parent.index), own);
}

static void compare_pose(const PoiseScene* scene, const char* robot, const Element* joints,
                         const Element* pose) {
    double angles[64] = {0.0};
    const Element* q = poise__element_find(pose, "q");
    for (int i = 0; i < joints->child_count; i++) {
        const char* name = poise__element_find(joints->children[i], "name")->text;
        int joint = poise_scene_find_joint(scene, name);
        cr_assert(joint >= 0 && joint < 64, "%s: no joint %s", robot, name);
        angles[joint] = json_number_at(q, i);
    }
    const Element* links = poise__element_find(pose, "links");
    for (int i = 0; i < links->child_count; i++) {
        const Element* link = links->children[i];
        PoiseVec3 place = json_vec3(json_member(link, "p"));
        const Element* turn = poise__element_find(link, "q");
        int frame = poise_scene_find_frame(scene, link->key);
        cr_assert(frame >= 0, "no link %s", link->key);
        int body = scene->frames[frame].body;
        PoisePose actual =
            poise_pose_mul(motion_of(scene, angles, body),
                           poise_pose_mul(scene->bodies[body].pose, scene->frames[frame].in_body));
        PoiseQuat rotation = poise_quat(json_number_at(turn, 0), json_number_at(turn, 1),
                                        json_number_at(turn, 2), json_number_at(turn, 3));
        cr_expect(poise_length(poise_sub(actual.p, place)) < 1e-9, "%s: %s", robot, link->key);
        EXPECT_NEAR_QUAT(actual.q, rotation, 1e-7);
    }
}

static void compare_robot(const char* robot) {
    char path[400];
    snprintf(path, sizeof path, "%s/robots/golden/%s.json", POISE_TEST_DATA, robot);
    const Element* golden = json_read(path);
    snprintf(path, sizeof path, "%s/robots/%s.urdf", POISE_TEST_DATA, robot);
    Loaded loaded = required(load_file(path));
    const Element* poses = json_member(golden, "poses");
    cr_assert(poses && poses->child_count == 3);
    for (int i = 0; i < poses->child_count; i++) {
        compare_pose(loaded.scene, robot, json_member(golden, "joints"), poses->children[i]);
    }
}

Test(urdf, link_poses_are_those_of_mujoco) {
    static const char* const robots[] = {"allegro_right",   "double_pendulum", "iiwa14",
                                         "panda_collision", "simple_humanoid", "ur5e"};
    FILE* file = fopen(POISE_TEST_DATA "/robots/golden/ur5e.json", "r");
    if (!file) {
        cr_skip("POISE_TEST_DATA has no robots/golden");
    }
    fclose(file);
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
        compare_robot(robots[i]);
    }
}

// --------------------------------------------------------------------------------------- quirks

#define BOX "<collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision>"
#define INERTIAL(mass)                                                                             \
    "<inertial><mass value='" mass "'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' "      \
    "izz='0.1'/></inertial>"

Test(urdf, fixed_joints_weld_links_into_one_body) {
    Loaded loaded =
        load_text("r.urdf", "<robot name='r'><link name='base'/><link name='a'>" INERTIAL("2") BOX
                  "</link>"
                  "<link name='b'>" INERTIAL("6") BOX
                  "</link><link name='c'/>"
                  "<joint name='j' type='revolute'><parent link='base'/><child link='a'/>"
                  "<axis xyz='0 0 1'/><limit lower='-1' upper='2' effort='87' velocity='2'/>"
                  "<dynamics damping='0.3'/></joint>"
                  "<joint name='w' type='fixed'><parent link='a'/><child link='b'/>"
                  "<origin xyz='0 0 4' rpy='0 0 1.5707963267948966'/></joint>"
                  "<joint name='v' type='fixed'><parent link='b'/><child link='c'/>"
                  "<origin xyz='1 0 0'/></joint></robot>");
    required(loaded);
    const PoiseScene* scene = loaded.scene;
    cr_expect(scene->body_count == 2 && scene->joint_count == 1 && scene->frame_count == 4);
    const PoiseSceneBody* body = &scene->bodies[1];
    EXPECT_NEAR(body->mass, 8.0, 1e-12);
    EXPECT_NEAR3(body->com, poise_vec3(0.0, 0.0, 3.0), 1e-12);
    // 0.1 + 0.1 about the own centres, and 2 * 3^2 + 6 * 1^2 by Steiner's theorem
    EXPECT_NEAR(body->inertia[0], 0.2 + 18.0 + 6.0, 1e-12);
    EXPECT_NEAR(body->inertia[2], 0.2, 1e-12);
    cr_expect(body->shape_count == 2);
    EXPECT_NEAR3(body->shapes[1].in_body.p, poise_vec3(0.0, 0.0, 4.0), 1e-12);
    const PoiseSceneFrame* c = &scene->frames[poise_scene_find_frame(scene, "c")];
    EXPECT_NEAR3(c->in_body.p, poise_vec3(0.0, 1.0, 4.0), 1e-12);
    const PoiseSceneJoint* joint = &scene->joints[0];
    EXPECT_NEAR(joint->bind.torque_limit, 87.0, 0.0);
    EXPECT_NEAR(joint->bind.original.damping, 0.3, 0.0);
    EXPECT_NEAR(joint->bind.speed_limit, 2.0, 0.0);
    EXPECT_NEAR(joint->limits.upper[0], 2.0, 0.0);
}

Test(urdf, an_inertia_below_a_millimetre_is_that_of_the_shapes) {
    Loaded loaded = required(load_joint("<link name='a'><inertial><mass value='6'/>"
                                        "<inertia ixx='1e-35' iyy='1e-35' izz='1e-35'/></inertial>"
                                        "<collision><geometry><box size='0.1 0.2 0.3'/></geometry>"
                                        "</collision></link>",
                                        ""));
    EXPECT_NEAR(loaded.scene->bodies[1].mass, 6.0, 0.0);
    EXPECT_NEAR(loaded.scene->bodies[1].inertia[0], 6.0 * (0.04 + 0.09) / 12.0, 1e-15);
    EXPECT_NEAR(loaded.scene->bodies[1].inertia[2], 6.0 * (0.01 + 0.04) / 12.0, 1e-15);
}

Test(urdf, the_least_mass_is_relative_to_the_robot) {
    Loaded loaded = required(load_text(
        "r.urdf",
        "<robot name='r'><link name='base'>" INERTIAL(
            "100") "</link>"
                   "<link name='dust'><inertial><mass value='1e-10'/><inertia ixx='1e-20' "
                   "iyy='1e-20' izz='1e-20'/></inertial></link>"
                   "<joint name='j' type='continuous'><parent link='base'/>"
                   "<child link='dust'/></joint></robot>"));
    cr_expect(found(&loaded, POISE_WARNING, 1, 0, "link 'dust' moves and weighs 1e-10 kg"));
    EXPECT_NEAR(loaded.scene->bodies[1].mass, 1e-4, 1e-12);
    cr_expect(loaded.scene->bodies[1].inertia[0] > 1e-8);
}

Test(urdf, limits_of_swapped_ends_and_an_effort_of_none) {
    Loaded loaded = required(load_joint("<link name='a'>" INERTIAL("1") "</link>",
                                        "<limit lower='2' upper='1' effort='-1' velocity='-1'/>"));
    const PoiseSceneJoint* joint = &loaded.scene->joints[0];
    cr_expect(joint->limits.lower[0] == 1.0 && joint->limits.upper[0] == 2.0);
    cr_expect(isinf(joint->bind.torque_limit) && isinf(joint->bind.speed_limit));
}

Test(urdf, a_floating_link_is_separate_from_its_robot) {
    Loaded loaded = required(load_text(
        "r.urdf",
        "<robot name='r'><link name='base'>" INERTIAL(
            "9") "</link>"
                 "<link name='tray'>" INERTIAL(
                     "1") "</link>"
                          "<link name='cup'>" INERTIAL(
                              "0.5") "</link>"
                                     "<joint name='j' type='continuous'><parent link='base'/>"
                                     "<child link='tray'/><origin xyz='0 0 1'/></joint>"
                                     "<joint name='k' type='floating'><parent link='tray'/>"
                                     "<child link='cup'/><origin xyz='0 0 0.5'/></joint></robot>"));
    cr_expect(found(&loaded, POISE_NOTE, 1, 0, "link 'cup' is free of 'tray'"));
    cr_expect(loaded.scene->body_count == 3 && loaded.scene->joint_count == 1);
    const PoiseSceneBody* cup = &loaded.scene->bodies[2];
    cr_expect(loaded.scene->bodies[0].fixed && !cup->fixed && cup->group == -1);
    EXPECT_NEAR(cup->pose.p.z, 1.5, 0.0);
}

Test(urdf, a_joint_may_name_the_world_as_its_parent) {
    Loaded loaded =
        load_text("r", "\n<robot name='r'><link name='a'>" INERTIAL(
                           "1") "</link>"
                                "<joint name='j' type='continuous'><parent link='world'/>"
                                "<child link='a'/><origin xyz='1 0 0'/></joint></robot>");
    required(loaded);
    cr_expect(loaded.scene->body_count == 2 && loaded.scene->bodies[0].fixed);
    EXPECT_NEAR(loaded.scene->bodies[1].pose.p.x, 1.0, 0.0);
}

Test(urdf, findings_of_one_kind_are_one_line_with_their_number) {
    Loaded loaded =
        required(load_text("r.urdf", "<robot name='r'><link name='a'/><gazebo/><gazebo/>"
                                     "<gazebo/></robot>"));
    cr_expect(found(&loaded, POISE_NOTE, 1, 0, "<gazebo> in a robot is not used (3 of these)"));
    cr_expect(poise_diagnostics_size(loaded.diagnostics) == 1);
}

Test(urdf, a_robot_of_no_masses_at_all_is_usable) {
    Loaded loaded = required(load_joint("<link name='a'/>", ""));
    double* inertia = (double[6]){0.0};
    memcpy(inertia, loaded.scene->bodies[1].inertia, 6 * sizeof(double));
    cr_expect(inertia[0] > 0.0 && inertia[1] > 0.0 && inertia[2] > 0.0);
}

// Loads a scene as if it were in the folder of the project's own robot.
static Loaded load_panda(const char* robot) {
    char path[300];
    char text[2000];
    snprintf(path, sizeof path, "%s/scenes/t.yaml", POISE_SOURCE_DIR);
    snprintf(text, sizeof text, "poise: 1\nrobots:\n  panda:\n    urdf: robots/panda.urdf\n%s",
             robot);
    return load_text(path, text);
}

Test(urdf, a_later_override_replaces_an_earlier_one) {
    Loaded loaded = required(load_panda("    joints:\n"
                                        "      '*': {ik: {spring: 10, damper: 1}, max_torque: 5}\n"
                                        "      panda_joint?: {ik: {spring: 20}}\n"
                                        "      panda_joint3: {bias: 4}\n"
                                        "      panda_finger_*: {ik: off}\n"));
    const PoiseScene* scene = loaded.scene;
    const PoiseSceneJoint* third =
        &scene->joints[poise_scene_find_joint(scene, "panda/panda_joint3")];
    EXPECT_NEAR(third->bind.ik.stiffness, 20.0, 0.0);
    EXPECT_NEAR(third->bind.ik.damping, 1.0, 0.0);
    EXPECT_NEAR(third->bias, 4.0, 0.0);
    EXPECT_NEAR(third->bind.torque_limit, 5.0, 0.0);
    int finger = poise_scene_find_joint(scene, "panda/panda_finger_joint1");
    EXPECT_NEAR(scene->joints[finger].bind.ik.stiffness, 0.0, 0.0);
    cr_expect(found(&loaded, POISE_NOTE, 0, 0, "has no spring to follow it with"));
}

Test(urdf, a_robot_starts_at_its_pose_and_rests_there) {
    Loaded loaded =
        required(load_panda("    at: [1, 2, 3]\n    rotation: {axis: [0, 0, 1], angle: 0.5}\n"
                            "    pose: {panda_joint2: -0.6, panda_joint4: -2.2}\n"));
    const PoiseScene* scene = loaded.scene;
    const PoiseSceneJoint* second =
        &scene->joints[poise_scene_find_joint(scene, "panda/panda_joint2")];
    EXPECT_NEAR(second->start[0], -0.6, 0.0);
    EXPECT_NEAR(second->bind.natural[0], -0.6, 0.0);
    // No file gives the angle of joint 6: it is 0, or the limit nearest to 0.
    const PoiseSceneJoint* sixth =
        &scene->joints[poise_scene_find_joint(scene, "panda/panda_joint6")];
    cr_expect(sixth->start[0] >= sixth->limits.lower[0] &&
              sixth->start[0] <= sixth->limits.upper[0]);
    EXPECT_NEAR3(scene->bodies[0].pose.p, poise_vec3(1.0, 2.0, 3.0), 0.0);
    cr_expect(scene->bodies[0].fixed);
}

Test(urdf, a_free_base_moves) {
    Loaded loaded = required(load_panda("    base: free\n"));
    cr_expect(!loaded.scene->bodies[0].fixed && loaded.scene->bodies[0].mass > 0.0);
}

Test(urdf, the_kind_of_a_file_is_seen_from_its_content) {
    static const char* const names[] = {"ROBOT.URDF", "robot", "robot.txt", "robot.yaml",
                                        "robot.xml"};
    static const char* const texts[] = {
        "<robot name='r'><link name='a'>" INERTIAL("1") "</link></robot>",
        "<!-- first --><mujoco><worldbody><body name='a'><geom "
        "size='0.1'/></body></worldbody></mujoco>"};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 2; k++) {
            Loaded loaded = required(load_text(names[i], texts[k]));
            cr_expect_str_eq(loaded.scene->robot, k == 0 ? "urdf" : "mjcf", "%s", names[i]);
        }
    }
}
