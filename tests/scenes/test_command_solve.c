// SPDX-License-Identifier: MIT
// Tests the output of `poise solve` for a pose, and for a target that is not reached.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "program.h"

ARMS_TEST(command_solve, says_how_near_without_noise) {
    run_program(outcome, "solve arm.yaml --point b:0,0,0.5 --target 0.8,0.3,1.1");
    char line[200];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(outcome->out, "\n"), outcome->out);
    // the target has no rotation
    cr_expect(strstr(line, " nm after ") && !strstr(line, "rad") && !strstr(line, "e-"), "%s",
              line);
    run_program(outcome, "solve arm.yaml --point b --target 0,0,1.5,1,0,0,0");
    cr_expect(strncmp(outcome->out, "reached: off by < 1 nm and < 1e-09 rad after", 44) == 0, "%s",
              outcome->out);
}

ARMS_TEST(command_solve, says_which_joints_hold_it_back) {
    run_program(outcome, "solve bent.urdf --point lower:1,0,0 --target 0.3,-1.5,0");
    cr_expect(outcome->code == 1, "%d", outcome->code);
    cr_expect(strstr(outcome->out, "held back by limits") &&
                  strstr(outcome->out, "shoulder at its lower limit, -0.5 rad"),
              "%s", outcome->out);
    run_program(outcome, "solve bent.urdf --point lower:1,0,0 --target 0.3,-1.5,0 --json");
    const Element* json = json_parse(outcome->out);
    cr_expect_str_eq(json_member(json, "reason")->text, "at_limits");
    const Element* limits = json_member(json, "at_limits");
    cr_expect_str_eq(json_member(limits, "shoulder")->text, "lower");
    // the nearest place is the best of a fine grid over both ranges
    double least = HUGE_VAL;
    for (int i = 0; i <= 900; i++) {
        for (int j = 0; j <= 2400; j++) {
            double first = -0.5 + 1e-3 * i;
            double both = first + 0.1 + 1e-3 * j;
            least = fmin(least, hypot(cos(first) + cos(both) - 0.3, sin(first) + sin(both) + 1.5));
        }
    }
    double error = json_number(json, "error");
    cr_expect(error <= least + 1e-9 && error > least - 2e-3, "%g, the grid's %g", error, least);
}

static const char bone[] =
    "poise: 1\nworld: {gravity: [0, 0, 0]}\n"
    "bodies: {post: {box: [0.1, 0.1, 0.1], at: [0, 0, 0], fixed: true}, "
    "bone: {box: [0.1, 0.1, 1], at: [0, 0, 0.5]}}\n"
    "joints: {hip: {ball: [0, 0, 0], between: [post, bone], limits: {swing: 0.2, twist: 0.1}}}\n";

// Such a name was once printed without escapes.
ARMS_TEST(command_solve, a_name_with_a_quote_is_a_string_of_json) {
    write_scratch(
        "odd.urdf",
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><mass value=\"1\"/>"
        "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link><joint name='j\"\\k' "
        "type=\"revolute\"><limit lower=\"0\" upper=\"1\" effort=\"1\" velocity=\"1\"/>"
        "<parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 0 1\"/></joint></robot>\n");
    run_program(outcome, "solve odd.urdf --point b:1,0,0 --target 0,-1,0 --json");
    const Element* json = json_parse(outcome->out);
    cr_expect(json_member(json_member(json, "joints"), "j\"\\k"), "%s", outcome->out);
    cr_expect(json_member(json_member(json, "at_limits"), "j\"\\k"), "%s", outcome->out);
}

// Models for MuJoCo call a link robot0:gripper_link.
ARMS_TEST(command_solve, a_name_with_a_colon_is_the_name_of_a_link) {
    // clang-format off
    static const CallRow calls[] = {
        {"> colon.xml", 0, {"<mujoco><worldbody><body name='robot0:upper'><joint axis='0 1 0'/>"
                            "<geom size='0.1'/></body></worldbody></mujoco>"}},
        {"solve colon.xml --point robot0:upper:1,0,0 --target 0,0,1", 0, {"reached"}},
        {"solve colon.xml --point robot0:upper --target 0,0,0", 0, {"reached"}},
    };
    // clang-format on
    EXPECT_CALLS(outcome, calls);
}

ARMS_TEST(command_solve, says_that_a_cone_holds_it_back) {
    write_scratch("bone.yaml", bone);
    run_program(outcome, "solve bone.yaml --point bone:0,0,0.5 --target 1,0,0");
    cr_expect(outcome->code == 1 && strstr(outcome->out, "hip at the edge of its cone"), "%s",
              outcome->out);
    run_program(outcome, "solve bone.yaml --point bone:0,0,0.5 --target 1,0,0 --json");
    const Element* json = json_parse(outcome->out);
    cr_expect_str_eq(json_member(json, "reason")->text, "at_limits");
    const Element* limits = json_member(json, "at_limits");
    cr_expect_str_eq(json_member(limits, "hip")->text, "cone");
}

// A floating base that no stance holds takes no part in the solve.
ARMS_TEST(command_solve, does_not_reach_what_no_joint_moves) {
    // clang-format off
    static const CallRow calls[] = {
        {"> base.yaml", 0, {
            "poise: 1\nworld: {gravity: [0, 0, 0]}\n"
            "bodies: {pelvis: {sphere: 0.1}, bone: {sphere: 0.1, at: [0, 0, 1]}}\n"
            "joints: {base: {floating: on, between: [world, pelvis]}, "
            "hip: {ball: [0, 0, 0], between: [pelvis, bone]}}\n"}},
        {"solve base.yaml --point pelvis --target 1,0,0", 1,
         {"missed: off by 1 m", "no joint that takes part moves it"}},
        {"solve base.yaml --point pelvis --target 1,0,0 --json", 1, {"\"reason\": \"idle\""}},
        {"solve base.yaml --point pelvis --target 0,0,0", 0, {"reached"}},
    };
    // clang-format on
    EXPECT_CALLS(outcome, calls);
}

// a base on one foot, and a robot whose trunk has its centre of mass off its frame
ARMS_TEST(command_solve, a_base_stands_unless_it_is_free_and_is_in_the_answer) {
    write_scratch("stand.yaml",
                  "poise: 1\nworld: {gravity: [0, 0, -10], ground: {height: 0}}\n"
                  "bodies: {pelvis: {box: [0.4, 0.4, 0.2], at: [0.1, 0, 0.3]}, "
                  "bone: {sphere: 0.1, at: [0.1, 0, 1.3]}}\n"
                  "joints: {base: {floating: on, between: [world, pelvis]}, "
                  "hip: {ball: [0.1, 0, 0.3], between: [pelvis, bone]}}\n"
                  "control_points: {foot: {body: pelvis, at: [0, 0, -0.3], position: [0.1, 0, 0], "
                  "stance: 1}}\n");
    run_program(outcome, "solve stand.yaml --point bone --target=5,5,5 --base free --json");
    for (int i = 0; i < 2; i++) {
        const Element* json = json_parse(outcome->out);
        double n[7], t[3];
        const char* base = strstr(outcome->out, "\"base\": [");
        const char* hip = strstr(outcome->out, "\"hip\": [");
        cr_assert(base && hip &&
                      sscanf(base, "\"base\": [%lf, %lf, %lf, %lf, %lf, %lf, %lf]", &n[0], &n[1],
                             &n[2], &n[3], &n[4], &n[5], &n[6]) == 7 &&
                      sscanf(hip, "\"hip\": [%lf, %lf, %lf]", &t[0], &t[1], &t[2]) == 3,
                  "%s", outcome->out);
        // the end of the bone, computed from the printed numbers
        const PoiseQuat turn = poise_quat_mul(poise_quat(n[3], n[4], n[5], n[6]),
                                              poise_quat_exp(poise_vec3(t[0], t[1], t[2])));
        const PoiseVec3 tip = poise_add(poise_vec3(n[0], n[1], n[2]),
                                        poise_quat_rotate(turn, poise_vec3(0.0, 0.0, 1.0)));
        const double error = poise_length(poise_sub(tip, poise_vec3(5.0, 5.0, 5.0)));
        cr_expect_float_eq(error, json_number(json, "error"), 1e-6, "%s", outcome->out);
        cr_expect_str_eq(json_member(json, "status")->text, i == 0 ? "ok" : "missed");
        cr_expect(i == 0 ||
                  (n[0] == 0.1 && n[1] == 0.0 && fabs(n[2] - 0.3) < 1e-12 && n[3] == 1.0));
        run_program(outcome, "solve stand.yaml --point bone --target=5,5,5 --json");
    }
    // clang-format off
    static const CallRow calls[] = {
        {"solve stand.yaml --point bone --target=5,5,5 --base fixed", 1,
         {"missed: off by ", "base: at (0.100000000 0.000000000 0.300000000) m, turned (1."}},
        {"> trunk.xml", 0, {
            "<mujoco><worldbody><body name='trunk' pos='0.1 0 0.5'><freejoint name='free'/>"
            "<inertial pos='0 0 0.1' mass='1' diaginertia='0.1 0.1 0.1'/>"
            "<geom type='box' size='0.2 0.2 0.1'/>"
            "<body name='left' pos='0 0.1 -0.1'><joint axis='0 1 0'/>"
            "<geom type='box' size='0.05 0.05 0.2' pos='0 0 -0.2'/></body>"
            "<body name='right' pos='0 -0.1 -0.1'><joint axis='0 1 0'/>"
            "<geom type='box' size='0.05 0.05 0.2' pos='0 0 -0.2'/></body>"
            "</body></worldbody></mujoco>"}},
        {"solve trunk.xml --point left --target=5,5,5", 1,
         {": at (0.100000000 0.000000000 0.500000000) m, turned (1.0"}},
        {"solve stand.yaml --point bone --target=5,5,5 --base up", 2,
         {"fixed or free is due, not 'up'"}},
    };
    // clang-format on
    EXPECT_CALLS(outcome, calls);
}

ARMS_TEST(command_solve, what_solve_prints_is_a_pose) {
    run_program(outcome, "solve bent.urdf --point lower:1,0,0 --target 1.3,1.2,0");
    cr_assert(outcome->code == 0, "%s", outcome->out);
    char* pose = strstr(outcome->out, "pose: {");
    cr_assert_not_null(pose, "%s", outcome->out);
    pose[strcspn(pose, "\n")] = '\0';
    char scene[1000];
    snprintf(
        scene, sizeof scene,
        "poise: 1\nseconds: 0.01\nworld: {gravity: [0, 0, 0]}\nrobots:\n  r:\n    urdf: bent.urdf\n"
        "    %s\ncontrol_points: {tip: {body: r/lower, at: [1, 0, 0], position: [1.3, 1.2, "
        "0]}}\nexpect: {tip.error: 1e-6}\n",
        pose);
    write_scratch("posed.yaml", scene);
    run_program(outcome, "run posed.yaml --expect --quiet");
    cr_expect(outcome->code == 0, "%s", outcome->err);
}
