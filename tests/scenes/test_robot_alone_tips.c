// SPDX-License-Identifier: MIT
// Tests the points that a robot alone gets: its ends, and one point for a gripper.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "near.h"
#include "program.h"
#include "running.h"

enum { TEXT = 12000 };

typedef struct Text {
    char text[TEXT];
    size_t used;
} Text;

static void add_link(Text* text, const char* name) {
    text->used += (size_t)snprintf(
        text->text + text->used, TEXT - text->used,
        "<link name='%s'><inertial><origin xyz='0 0 0.02'/><mass value='0.2'/><inertia ixx='0.001' "
        "ixy='0' ixz='0' iyy='0.001' iyz='0' izz='0.001'/></inertial></link>",
        name);
}

// Adds a link and the joint to its parent. `more` has the joint's kind, axis and limit.
static void add_part(Text* text, const char* parent, const char* child, const char* origin,
                     const char* more) {
    add_link(text, child);
    text->used += (size_t)snprintf(
        text->text + text->used, TEXT - text->used,
        "<joint name='to_%s' %s<parent link='%s'/><child link='%s'/><origin xyz='%s'/></joint>",
        child, more, parent, child, origin);
}

#define HINGE(axis) "type='continuous'><axis xyz='" axis "'/>"
#define SLIDE(axis)                                                                                \
    "type='prismatic'><axis xyz='" axis "'/><limit lower='0' upper='0.04' effort='50' "            \
    "velocity='1'/>"
#define FIXED "type='fixed'>"

// Writes an arm that ends with the link 'hand'. Its joints are 0.3 m apart.
static void add_arm(Text* text, int joints) {
    char parent[16] = "base";
    text->used = (size_t)snprintf(text->text, TEXT, "<robot name='r'>");
    add_link(text, "base");
    for (int i = 0; i < joints; i++) {
        char child[16];
        snprintf(child, sizeof child, i + 1 < joints ? "arm%d" : "flange", i);
        add_part(text, parent, child, "0 0 0.3", i % 2 ? HINGE("0 0 1") : HINGE("0 1 0"));
        snprintf(parent, sizeof parent, "%s", child);
    }
    add_part(text, parent, "hand", "0 0 0.1", FIXED);
}

static void end_robot(Text* text) {
    snprintf(text->text + text->used, TEXT - text->used, "</robot>");
}

static Loaded load_robot(Text* text) {
    end_robot(text);
    return load_text("r.urdf", text->text);
}

static void expect_points(Text* text, const char* what, const char* names) {
    Loaded loaded = required(load_robot(text));
    char all[400] = "";
    for (int i = 0; i < loaded.scene->point_count; i++) {
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? " " : "",
                 loaded.scene->points[i].name);
    }
    cr_expect_str_eq(all, names, "%s: '%s', not '%s'", what, all, names);
}

Test(robot_alone_tips, jaws_are_one_point_between_them) {
    Text text;
    add_arm(&text, 6);
    add_part(&text, "hand", "left", "0 0.02 0.06", SLIDE("0 1 0"));
    add_part(&text, "hand", "right", "0 -0.02 0.06", SLIDE("0 -1 0"));
    Loaded loaded = required(load_robot(&text));
    cr_assert(loaded.scene->point_count == 1);
    cr_expect_str_eq(loaded.scene->points[0].name, "hand");
    // the hand's frame is 0.1 m beyond the flange; the point is 0.06 m farther
    EXPECT_NEAR3(loaded.scene->points[0].in_body.p, poise_vec3(0.0, 0.0, 0.16), 1e-12);
}

Test(robot_alone_tips, a_frame_between_the_fingers_is_the_makers_own_tip) {
    Text text;
    add_arm(&text, 6);
    add_part(&text, "hand", "left", "0 0.02 0.06", SLIDE("0 1 0"));
    add_part(&text, "hand", "right", "0 -0.02 0.06", SLIDE("0 -1 0"));
    Text beside = text;
    add_part(&text, "hand", "tool", "0 0 0.1", FIXED);
    expect_points(&text, "a frame beyond the fingers", "tool");
    add_part(&beside, "hand", "camera", "0.05 0 0.1", FIXED);
    expect_points(&beside, "a frame beside them", "hand");
}

Test(robot_alone_tips, fingers_with_further_links_have_a_point_each) {
    static const char* const mimic = "type='revolute'><axis xyz='1 0 0'/><limit lower='0' "
                                     "upper='0.8'/><mimic joint='to_left'/>";
    Text text;
    add_arm(&text, 6);
    add_part(&text, "hand", "left", "0 0.02 0.06", HINGE("1 0 0"));
    add_part(&text, "hand", "right", "0 -0.02 0.06", mimic);
    add_part(&text, "left", "left_tip", "0 0 0.04", mimic);
    add_part(&text, "right", "right_tip", "0 0 0.04", mimic);
    expect_points(&text, "a linkage of one motor", "hand");

    add_arm(&text, 6);
    add_part(&text, "hand", "a", "0 0.02 0.06", HINGE("1 0 0"));
    add_part(&text, "hand", "b", "0 -0.02 0.06", HINGE("1 0 0"));
    add_part(&text, "a", "a_tip", "0 0 0.04", HINGE("1 0 0"));
    add_part(&text, "b", "b_tip", "0 0 0.04", HINGE("1 0 0"));
    expect_points(&text, "fingers of two joints", "a_tip b_tip");

    add_arm(&text, 2);
    add_part(&text, "hand", "left", "0 0.02 0.06", SLIDE("0 1 0"));
    add_part(&text, "hand", "right", "0 -0.02 0.06", SLIDE("0 -1 0"));
    expect_points(&text, "an arm too short to lead the hand", "left right");

    add_arm(&text, 3);
    add_part(&text, "hand", "left", "0 0.2 0", HINGE("1 0 0"));
    add_part(&text, "hand", "right", "0 -0.2 0", HINGE("1 0 0"));
    add_part(&text, "left", "left_end", "0 0.8 0", FIXED);
    add_part(&text, "right", "right_end", "0 -0.8 0", FIXED);
    expect_points(&text, "arms of one joint", "left_end right_end");
}

// two fingers with closed loops: each has a driver, a rod and a follower, which touches the object
#define LOOP(name, side, mirror)                                                                   \
    "<body name='" name "_driver' pos='0 " side "0.03 0.05' " mirror "><joint name='" name         \
    "_driver' range='0 0.8'/><geom size='0.005' mass='0.02'/>"                                     \
    "<body name='" name "_rod' pos='0 0.03 0'><joint name='" name "_rod'/>"                        \
    "<geom size='0.005' mass='0.02'/></body></body><body name='" name "_link' pos='0 " side        \
    "0.015 0.06' " mirror "><joint name='" name "_link'/><geom size='0.005' mass='0.02'/>"         \
    "<body name='" name "_follower' pos='0 0.04 0.04'><joint name='" name "_follower'/>"           \
    "<geom size='0.005' mass='0.02'/><body name='" name "_pad' pos='0 0 0.02'/></body></body>"

// A cart with an arm of two joints: its wheel and its caster turn without end, about their middles.
// A gear at the arm drives the arm's last joint.
Test(robot_alone_tips, wheels_casters_and_gears_are_no_tips) {
    Loaded loaded = required(load_text(
        "cart.xml",
        "<mujoco><worldbody><body name='cart'><geom type='box' size='0.3 0.2 0.1'/>"
        "<body name='wheel' pos='0.2 0.2 -0.1'><joint name='w' axis='0 1 0'/>"
        "<geom type='cylinder' size='0.1 0.02' euler='90 0 0'/></body>"
        "<body name='swivel' pos='-0.2 0 -0.1'><joint name='s' axis='0 0 1'/>"
        "<geom type='box' size='0.03 0.01 0.03' pos='-0.03 0 0'/>"
        "<body name='caster' pos='-0.05 0 -0.05'><joint name='c' axis='0 1 0'/>"
        "<geom size='0.05'/></body></body>"
        "<body name='upper' pos='0 0 0.1'><joint name='a' axis='0 1 0' range='-90 90'/>"
        "<geom type='capsule' size='0.02' fromto='0 0 0 0 0 0.3'/>"
        "<body name='gear' pos='0 0.03 0.25'><joint name='g' axis='0 1 0' range='-90 90'/>"
        "<geom type='cylinder' size='0.02 0.005' euler='90 0 0'/></body>"
        "<body name='fore' pos='0 0 0.3'><joint name='f' axis='0 1 0' range='-90 90'/>"
        "<geom type='capsule' size='0.02' fromto='0 0 0 0 0 0.3'/></body></body></body></worldbody>"
        "<equality><joint joint1='f' joint2='g' polycoef='0 -1 0 0 0'/></equality></mujoco>"));
    cr_assert_eq(loaded.scene->point_count, 1, "%d points", loaded.scene->point_count);
    cr_expect_str_eq(loaded.scene->points[0].name, "fore");
}

// A forearm whose only frame is at its elbow ends at its hand; a flange ends at its frame.
Test(robot_alone_tips, a_limb_ends_where_its_shapes_do) {
    static const struct {
        const char* geom;
        PoiseVec3 end;
    } rows[] = {{"<geom type='capsule' size='0.03' fromto='0 0 0 0.2 0 0'/>", {0.2, 0.0, 0.0}},
                {"<geom size='0.04' pos='0.1 0.2 0'/>", {0.1, 0.2, 0.0}},
                {"<geom type='box' size='0.1 0.02 0.02' pos='0.1 0 0'/>", {0.2, 0.0, 0.0}},
                {"<geom type='cylinder' size='0.03 0.02'/>", {0.0, 0.0, 0.0}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[700];
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body name='upper'><joint axis='0 0 1'/>"
                 "<geom type='capsule' size='0.03' fromto='0 0 0 0.3 0 0'/>"
                 "<body name='fore' pos='0.3 0 0'><joint axis='0 0 1' range='-90 "
                 "90'/>%s</body></body></worldbody>"
                 "</mujoco>",
                 rows[i].geom);
        Loaded loaded = required(load_text("arm.xml", text));
        cr_assert_eq(loaded.scene->point_count, 1);
        const PoiseVec3 at = loaded.scene->points[0].in_body.p;
        cr_expect(poise_length(poise_sub(at, rows[i].end)) < 1e-9, "row %zu: %g %g %g", i, at.x,
                  at.y, at.z);
    }
}

// Three legs hold a platform that floats in the file: the platform gets a point, the legs get none.
Test(robot_alone_tips, a_platform_on_legs_is_one_point) {
    Loaded loaded = required(load_text(
        "delta.xml",
        "<mujoco><default><joint axis='0 1 0'/><geom size='0.01' mass='0.05'/></default><worldbody>"
        "<body name='a' pos='0.3 0 0'><joint name='a'/><geom/><site name='ea' pos='-0.1 0 "
        "0.3'/></body>"
        "<body name='b' pos='-0.3 0.1 0'><joint name='b'/><geom/><site name='eb' pos='0.1 0 "
        "0.3'/></body><body name='c' pos='-0.3 -0.1 0'><joint name='c'/><geom/>"
        "<site name='ec' pos='0.1 0 0.3'/></body>"
        "<body name='top' pos='0 0 0.3'><freejoint/><geom size='0.1' mass='1'/>"
        "<site name='ta' pos='0.2 0 0'/><site name='tb' pos='-0.2 0.1 0'/>"
        "<site name='tc' pos='-0.2 -0.1 0'/></body></worldbody><equality>"
        "<connect site1='ea' site2='ta'/><connect site1='eb' site2='tb'/>"
        "<connect site1='ec' site2='tc'/></equality><actuator><position joint='a' kp='9'/>"
        "<position joint='b' kp='9'/><position joint='c' kp='9'/></actuator></mujoco>"));
    cr_assert_eq(loaded.scene->point_count, 1, "%d points", loaded.scene->point_count);
    const int top = poise_scene_find_frame(loaded.scene, "top");
    cr_expect_eq(loaded.scene->points[0].body.index, loaded.scene->frames[top].body);
}

Test(robot_alone_tips, a_gripper_of_loops_at_an_arm_is_one_point) {
    static const char model[] =
        "<mujoco><compiler angle='radian' autolimits='true'/><option gravity='0 0 0'/>"
        "<default><joint axis='1 0 0'/></default><worldbody>"
        "<body name='a'><joint name='a'/><geom type='capsule' size='0.04' fromto='0 0 0 0 0 0.4'/>"
        "<body name='b' pos='0 0 0.4'><joint name='b' axis='0 1 0'/><geom type='capsule' "
        "size='0.04' "
        "fromto='0 0 0 0 0 0.4'/><body name='c' pos='0 0 0.4'><joint name='c'/><geom size='0.05'/>"
        "<body name='hand' pos='0 0 0.1'><site name='pinch' pos='0 0 0.2'/>" //
        LOOP("right", "", "") LOOP(
            "left", "-",
            "quat='0 0 0 1'") "</body></body></body></body></worldbody><equality>"
                              "<connect body1='right_follower' body2='right_rod' anchor='0 0 0'/>"
                              "<connect body1='left_follower' body2='left_rod' anchor='0 0 0'/>"
                              "<joint joint1='right_driver' "
                              "joint2='left_driver'/></equality><actuator>"
                              "<position joint='a' kp='9'/><position joint='b' kp='9'/><position "
                              "joint='c' kp='9'/>"
                              "<position joint='left_driver' kp='9'/></actuator></mujoco>";
    Loaded loaded = required(load_text("r.xml", model));
    cr_assert(loaded.scene->point_count == 1, "%d points", loaded.scene->point_count);
    cr_expect_str_eq(loaded.scene->points[0].name, "pinch");
}

// No point moves the fingers: their spring to IK's posture holds them, with the file's damping.
PROGRAM_TEST(robot_alone_tips, fingers_that_no_point_moves_keep_the_damping_of_the_file) {
    static const char* const joints[] = {
        "type='revolute'><axis xyz='1 0 0'/><dynamics damping='2'/><limit lower='0' upper='0.8'/>",
        "type='revolute'><axis xyz='1 0 0'/><dynamics damping='2'/><limit lower='0' upper='0.8'/>"
        "<mimic joint='to_left'/>"};
    Text text;
    add_arm(&text, 6);
    add_part(&text, "hand", "left", "0 0.02 0.06", joints[0]);
    add_part(&text, "hand", "right", "0 -0.02 0.06", joints[1]);
    snprintf(text.text + text.used, TEXT - text.used, "</robot>");
    write_scratch("fingers.urdf", text.text);
    run_program(outcome, "check fingers.urdf");
    cr_expect(!strstr(outcome->err, "the springs of") && !strstr(outcome->out, "the springs of"),
              "%s%s", outcome->out, outcome->err);
}

// No point moves the jaws. They keep their opening while the hand moves.
Test(robot_alone_tips, jaws_keep_their_opening_while_the_hand_moves) {
    Text text;
    add_arm(&text, 6);
    add_part(&text, "hand", "left", "0 0.02 0.06", SLIDE("0 1 0"));
    add_part(&text, "hand", "right", "0 -0.02 0.06",
             "type='prismatic'><axis xyz='0 -1 0'/><limit lower='0' upper='0.04' effort='50' "
             "velocity='1'/><mimic joint='to_left'/>");
    end_robot(&text);
    Running arm = running_text("r.urdf", text.text);
    cr_assert(poise_simulation_point_count(arm.simulation) == 1);
    const double open = joint_named(&arm, "to_left").q[0];
    const PoiseVec3 goal = poise_simulation_point(arm.simulation, 0).goal_world.p;
    cr_assert(poise_simulation_hold_goal(arm.simulation, 0,
                                         poise_add(goal, poise_vec3(0.1, 0.1, -0.1))) == POISE_OK);
    running_steps(&arm, 4.0);
    // the hand is tilted now, and the jaws' weight pulls them
    const double left = joint_named(&arm, "to_left").q[0];
    const double right = joint_named(&arm, "to_right").q[0];
    cr_expect(fabs(left - open) < 0.001, "from %g to %g m", open, left);
    cr_expect(fabs(right - open) < 0.001, "from %g to %g m", open, right);
    cr_expect(poise_simulation_point(arm.simulation, 0).reading.miss < 0.001);
}

// Two bodies float in one file. The first stands or is fixed. The second stays free, without a
// point.
Test(robot_alone_tips, a_second_robot_that_floats_is_loose) {
#define WALKER(name, x)                                                                            \
    "<body name='" name "' pos='" x " 0 1'><freejoint/><geom size='0.1'/><body name='" name        \
    "_arm'><joint name='" name "_joint' axis='0 1 0'/><geom type='capsule' size='0.03' "           \
    "fromto='0 0 0 0.3 0 0'/></body></body>"
    Loaded loaded =
        required(load_text("r.xml", "<mujoco><worldbody>" WALKER("a", "0") WALKER("b", "2") //
                           "</worldbody></mujoco>"));
    cr_assert(loaded.scene->point_count == 1);
    cr_expect_str_eq(loaded.scene->points[0].name, "a_arm");
    cr_expect(loaded.scene->bodies[poise_scene_find_frame(loaded.scene, "a")].fixed);
    cr_expect(!loaded.scene->bodies[poise_scene_find_frame(loaded.scene, "b")].fixed);
}
