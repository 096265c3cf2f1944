// SPDX-License-Identifier: MIT
// `poise solve --targets`: reads files of chains and targets, writes answers, and refuses faulty
// files.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define HEAD "name,type,px,py,pz,roll,pitch,yaw,ax,ay,az,lower,upper\n"

// two hinges of 1 m in the plane, then a lift from 0 to 0.5 m
static const char chain[] = HEAD "shoulder,revolute,0,0,0,0,0,0,0,0,1,-3,3\n"
                                 "elbow,revolute,1,0,0,0,0,0,0,0,1,-2.5,2.5\n"
                                 "lift,prismatic,1,0,0,0,0,0,0,0,1,0,0.5\n"
                                 "tool,fixed,0,0,0.1,0,0,0,,,,,\n";
static const char targets[] = "id,px,py,pz\nfirst,1.2,0.5,0.3\nsecond,-0.4,1.1,0.6\n";

static Outcome* folder_with(const char* chain_text, const char* targets_text) {
    Outcome* outcome = outcome_create();
    write_scratch("chain.csv", chain_text);
    write_scratch("targets.csv", targets_text);
    return outcome;
}

#define SOLVE(...)                                                                                 \
    RUN_PROGRAM(outcome, "solve", "--chain", "chain.csv", "--targets", "targets.csv", "--out",     \
                "out.csv", __VA_ARGS__)

// Checks the tip with the arm's plane geometry.
static void expect_row(const char* row, const char* id, double x, double y, double z) {
    char name[32];
    double time;
    double q[3];
    cr_assert_eq(sscanf(row, "%31[^,],%lf,%lf,%lf,%lf", name, &time, &q[0], &q[1], &q[2]), 5, "%s",
                 row);
    cr_expect_str_eq(name, id);
    cr_expect_gt(time, 0.0);
    const double off[3] = {cos(q[0]) + cos(q[0] + q[1]) - x, sin(q[0]) + sin(q[0] + q[1]) - y,
                           q[2] + 0.1 - z};
    for (int k = 0; k < 3; k++) {
        cr_expect_leq(fabs(off[k]), 1e-8, "%s: off by %g", row, off[k]);
    }
}

OUTCOME_TEST(cli_targets, answers_stand_in_a_file_in_the_order_of_the_targets,
             folder_with(chain, targets)) {
    static const char* const paths[] = {"exact", "plain"};
    for (int p = 0; p < 2; p++) {
        SOLVE("--path", paths[p]);
        expect_calm(outcome, "good files");
        cr_expect_eq(outcome->code, 0, "%s", outcome->err);
        cr_expect_str_empty(outcome->err);
        EXPECT_HAS(outcome->out, "2 targets, 2 met (at most ");
        char* out = read_scratch("out.csv");
        char* rows[4] = {NULL};
        char* at = out;
        for (int i = 0; i < 4; i++) {
            rows[i] = at;
            at = strchr(at, '\n');
            cr_assert(i == 3 ? !at : at != NULL, "%s", out);
            at = at ? at + 1 : NULL;
        }
        cr_expect_eq(strncmp(rows[0], "id,time_ns,q1,q2,q3\n", 20), 0, "%s", out);
        expect_row(rows[1], "first", 1.2, 0.5, 0.3);
        expect_row(rows[2], "second", -0.4, 1.1, 0.6);
    }
}

// Compares all cells except the times.
static void expect_same_answers(const char* a, const char* b) {
    while (*a && *b) {
        cr_assert_eq(*a, *b, "%s\nis not\n%s", a, b);
        if (*a == ',') {
            a = strchr(a + 1, ',');
            b = strchr(b + 1, ',');
            cr_assert(a && b);
            const char* line_a = strchr(a, '\n');
            const char* line_b = strchr(b, '\n');
            cr_assert_eq(line_a - a, line_b - b);
            cr_assert_eq(memcmp(a, b, (size_t)(line_a - a)), 0);
            a = line_a;
            b = line_b;
        }
        a++;
        b++;
    }
    cr_expect_eq(*a, *b);
}

OUTCOME_TEST(cli_targets, threads_do_not_change_the_answers, folder_with(chain, targets)) {
    SOLVE("--threads", "2");
    cr_expect_eq(outcome->code, 0, "%s", outcome->err);
    char* two = read_scratch("out.csv");
    SOLVE("--threads", "5");
    char* five = read_scratch("out.csv");
    expect_same_answers(two, five);
}

OUTCOME_TEST(cli_targets, a_target_out_of_reach_is_exit_1_and_says_why,
             folder_with(chain, "px,py,pz\n1.2,0.5,0.3\n9,0,0.2\n")) {
    SOLVE("--json");
    expect_calm(outcome, "out of reach");
    cr_expect_eq(outcome->code, 1, "%s", outcome->err);
    EXPECT_HAS(outcome->out, "\"targets\": 2, \"met\": 1");
    EXPECT_HAS(outcome->out, "\"out_of_reach\": 1");
    char* out = read_scratch("out.csv");
    cr_expect_eq(count_of(out, "\n"), 3, "%s", out);
    EXPECT_HAS(outcome->err, "poise: 1 of 2 targets not met: 1 (out of reach, off by 7 m");
}

PROGRAM_TEST(cli_targets, targets_not_met_are_named_up_to_ten) {
    char many[400] = "id,px,py,pz\nnear,1.2,0.5,0.3\n";
    for (int i = 1; i <= 11; i++) {
        snprintf(many + strlen(many), sizeof many - strlen(many), "far%d,%d,0,0.2\n", i, 4 + i);
    }
    write_scratch("chain.csv", chain);
    write_scratch("targets.csv", many);
    SOLVE("--threads", "2");
    cr_expect_eq(outcome->code, 1, "%s", outcome->err);
    EXPECT_HAS(outcome->err, "11 of 12 targets not met: far1 (out of reach, off by 3");
    cr_expect(strstr(outcome->err, "far10 (") && !strstr(outcome->err, "far11 (") &&
                  strstr(outcome->err, "), ...; --errors marks them in the answers\n"),
              "%s", outcome->err);
}

OUTCOME_TEST(cli_targets, errors_are_columns_behind_the_angles,
             folder_with(chain, "id,px,py,pz\ngood,1.2,0.5,0.3\nfar,9,0,0.3\n")) {
    SOLVE("--errors");
    cr_expect_eq(outcome->code, 1, "%s", outcome->err);
    char* out = read_scratch("out.csv");
    cr_expect_eq(strncmp(out, "id,time_ns,q1,q2,q3,met,error,angle_error\n", 42), 0, "%s", out);
    int met[2] = {-1, -1};
    double error[2] = {-1.0, -1.0};
    cr_assert_eq(sscanf(strstr(out, "good,"), "good,%*f,%*f,%*f,%*f,%d,%lf", &met[0], &error[0]),
                 2);
    cr_assert_eq(sscanf(strstr(out, "far,"), "far,%*f,%*f,%*f,%*f,%d,%lf", &met[1], &error[1]), 2);
    cr_expect(met[0] == 1 && error[0] >= 0.0 && error[0] < 1e-8, "%s", out);
    // the arm is 2 m long
    cr_expect(met[1] == 0 && fabs(error[1] - 7.0) < 1e-6, "%s", out);
    // no rotation is a target: the last cell is empty
    cr_expect_eq(count_of(out, ",\n"), 2, "%s", out);
}

OUTCOME_TEST(cli_targets, starts_of_a_file_are_used,
             folder_with(chain, "id,px,py,pz,qstart1,qstart2,qstart3\n"
                                "up,1.2,0.5,0.3,1.0,-1.5,0.2\n"
                                "down,1.2,0.5,0.3,-0.5,1.5,0.2\n")) {
    // the elbow stays on the side of its start if an answer is near
    SOLVE("--nearest", "8");
    cr_expect_eq(outcome->code, 0, "%s", outcome->err);
    char* out = read_scratch("out.csv");
    double elbow[2];
    cr_assert_eq(sscanf(strstr(out, "up,"), "up,%*f,%*f,%lf", &elbow[0]), 1);
    cr_assert_eq(sscanf(strstr(out, "down,"), "down,%*f,%*f,%lf", &elbow[1]), 1);
    cr_expect_lt(elbow[0], 0.0);
    cr_expect_gt(elbow[1], 0.0);
}

OUTCOME_TEST(cli_targets, solves_for_a_link_of_a_robot, folder_with(chain, targets)) {
    static const char robot[] = POISE_SOURCE_DIR "/tests/scenes/good.urdf";
    RUN_PROGRAM(outcome, "solve", robot, "--point", "nowhere", "--targets", "targets.csv", "--out",
                "out.csv");
    expect_calm(outcome, "no such link");
    cr_expect_eq(outcome->code, 3);
    EXPECT_HAS(outcome->err, "there is no link 'nowhere'");
    // shoulder to elbow is 0.4 m, elbow to tool 0.3 m; y is the common axis of both
    write_scratch("targets.csv", "id,px,py,pz\nbent,0.25,0,0.6\n");
    RUN_PROGRAM(outcome, "solve", robot, "--point", "tool", "--targets", "targets.csv", "--out",
                "out.csv");
    cr_expect_eq(outcome->code, 0, "%s%s", outcome->out, outcome->err);
    char* out = read_scratch("out.csv");
    double q[2];
    cr_assert_eq(sscanf(strstr(out, "bent,"), "bent,%*f,%lf,%lf", &q[0], &q[1]), 2);
    const double x = 0.4 * sin(q[0]) + 0.3 * sin(q[0] + q[1]);
    const double z = 0.1 + 0.4 * cos(q[0]) + 0.3 * cos(q[0] + q[1]);
    cr_expect_leq(fabs(x - 0.25) + fabs(z - 0.6), 1e-8, "at %g %g", x, z);
}

// ------------------------------------------------------------------------------ files with a fault

#define JOINT  "a,revolute,0,0,0,0,0,0,0,0,1,-1,1\n"
#define BASE   "solve --chain chain.csv --targets targets.csv"
#define SOLVED BASE " --out out.csv --quiet"

OUTCOME_TEST(cli_targets, faults_are_shown_with_their_place, folder_with(chain, targets)) {
    // clang-format off
    static const CallRow calls[] = {
        {"> chain.csv", 0, {HEAD "a,revolut,0,0,0,0,0,0,0,0,1,-1,1\n"}},
        {SOLVED, 3, {"chain.csv:2:3: error: type: revolute, continuous, prismatic, ball or fixed "
                     "is due, not 'revolut'; did you mean 'revolute'?"}},
        {"> chain.csv", 0, {HEAD "a,hinge,0,0,0,0,0,0,0,0,1,-1,1\n"}},
        {SOLVED, 3, {"not 'hinge'; here it is called 'revolute'"}},
        {"> chain.csv", 0, {HEAD JOINT "b,revolute,0,0, x,0,0,0,0,0,1,-1,1\n"}},
        {SOLVED, 3, {"chain.csv:3:17: error: pz: a number is due, not 'x'"}},
        {"> chain.csv", 0, {HEAD "a,revolute,0,inf,0,0,0,0,0,0,1,-1,1\n"}},
        {SOLVED, 3, {"chain.csv:2:14: error: py: a finite number is due"}},
        {"> chain.csv", 0, {HEAD "a,revolute,0,0,0,0,0,0,0,0,0,-1,1\n"}},
        {SOLVED, 3, {"chain.csv:2:24: error: the axis is 0"}},
        {"> chain.csv", 0, {HEAD "a,prismatic,0,0,0,0,0,0,0,0,1,2,1\n"}},
        {SOLVED, 3, {"chain.csv:2:31: error: lower 2 is above upper 1"}},
        {"> chain.csv", 0, {HEAD "a,ball,0,0\n"}},
        {SOLVED, 3, {"chain.csv:2:1: error: the row has 4 cells, the head has 13"}},
        {"> chain.csv", 0, {"name,type,px\n"}},
        {SOLVED, 3, {"chain.csv:1:1: error: the head has no column 'py'"}},
        {"> chain.csv", 0, {HEAD "a,fixed,0,0,0,0,0,0,,,,,\n"}},
        {SOLVED, 3, {"no joint of the chain moves"}},
        {"> chain.csv", 0, {""}},
        {SOLVED, 3, {"chain.csv:1:1: error: is empty"}},
        {"> chain.csv", 0, {chain}},
        {"> targets.csv", 0, {"px,py,pz\n"}},
        {SOLVED, 3, {"there is no target below the head"}},
        {"> targets.csv", 0, {"px,py,pz\n1,2,nan\n"}},
        {SOLVED, 3, {"targets.csv:2:5: error: pz: a number is due"}},
        {"> targets.csv", 0, {"px,py,pz,qw,qx,qy,qz\n1,2,3,0,0,0,0\n"}},
        {SOLVED, 3, {"targets.csv:2:7: error: the quaternion is 0"}},
        {"> targets.csv", 0, {"px,py,pz,qw\n1,2,3,1\n"}},
        {SOLVED, 3, {"the head has no column 'qx'"}},
        {"> targets.csv", 0, {"px,py,pz,qstart1\n1,2,3,0\n"}},
        {SOLVED, 3, {"targets.csv:1:1: error: the head has 1 columns qstart1.., a posture has 3 "
                     "numbers"}},
        {"> targets.csv", 0, {"px,py,pz,qstart1,qstart2,qstart3\n1,2,3,0,0,0\n\n1,2,3,1e7,0,0\n"}},
        {SOLVED, 3, {"targets.csv:4:1: error: an angle of the start is beyond 1e5 rad"}},
        {"> targets.csv", 0, {"id,px,py,pz\n\xc3\xa4\xc3\xb6,1,x,0\n"}},
        {SOLVED, 3, {"targets.csv:2:6: error: py: a number is due, not 'x'"}},
    };
    // clang-format on
    EXPECT_CALLS(outcome, calls);
}

OUTCOME_TEST(cli_targets, wrong_calls_are_refused_with_advice, folder_with(chain, targets)) {
    // clang-format off
    static const CallRow calls[] = {
        {BASE, 2, {"poise: --targets needs --out"}},
        {"solve --chain chain.csv --out out.csv", 2, {"poise: --chain needs --targets"}},
        {"solve --targets targets.csv --out out.csv", 2, {"which file?"}},
        {BASE " --out out.csv more.urdf", 2, {"one file at a time"}},
        {BASE " --out out.csv --point a", 2, {"--point excludes --chain"}},
        {BASE " --out out.csv --starts 2", 2, {"--starts excludes --targets"}},
        {BASE " --out out.csv --leap", 2, {"--leap needs --follow"}},
        {"solve a.urdf --follow", 2, {"--follow needs --targets"}},
        {BASE " --out out.csv --goal place", 2, {"pose, position or orientation is due"}},
        {BASE " --out out.csv --goal pose", 3, {"the targets have no rotations"}},
        {BASE " --out out.csv --path sse", 2, {"fused, exact or plain is due"}},
        {BASE " --out out.csv --threads 0", 2, {"a whole number from 1 to 256"}},
        {BASE " --out out.csv --nearest 1.5", 2, {"a whole number from 1"}},
        {BASE " --out out.csv --iterations 0", 2, {"--iterations"}},
        {BASE " --out out.csv --threads 2 --follow", 2, {"from row to row: one thread"}},
        {"solve a.urdf b.urdf --point a --targets t --out o", 2, {"poise: one file at a time"}},
        {"solve a.urdf --point a:1 --targets t --out o", 2, {"3 numbers"}},
        {"solve a.urdf --point :1,2,3 --targets t --out o", 2, {"LINK or LINK:x"}},
        {"solve a.urdf --targets t --out o", 2, {"--targets needs --point or --chain"}},
        {"solve none.urdf --point a --targets t --out o", 3, {"none.urdf: error: cannot be read"}},
        {BASE " --out nowhere/out.csv", 3, {"nowhere/out.csv: cannot be written"}},
        {"solve --chain none.csv --targets t --out o", 3, {"none.csv: error: cannot be read"}},
    };
    // clang-format on
    EXPECT_CALLS(outcome, calls);
}

// The targets are a circle. Each answer starts at the one before. The answers go to stdout with the
// joints' names.
OUTCOME_TEST(cli_targets, a_row_may_start_at_the_answer_before, folder_with(chain, targets)) {
    char* text = calloc(101, 64);
    cr_assert_not_null(text);
    size_t length = (size_t)snprintf(text, 64, "px,py,pz\n");
    for (int i = 0; i < 100; i++) {
        const double angle = 2.0 * 3.14159265358979323846 * i / 99.0;
        length += (size_t)snprintf(text + length, 64, "%.9g,%.9g,0.3\n", 1.0 + 0.3 * cos(angle),
                                   0.3 * sin(angle));
    }
    write_scratch_bytes("circle.csv", text, length);
    free(text);
    RUN_PROGRAM(outcome, "solve", "--chain", "chain.csv", "--targets", "circle.csv", "--out", "-",
                "--follow");
    cr_expect_eq(outcome->code, 0, "%s", outcome->err);
    // stdout has the answers, so the summary is on stderr
    cr_expect_eq(strncmp(outcome->out, "id,time_ns,q1,q2,q3\n", 20), 0, "%s", outcome->out);
    const char* said = strstr(outcome->err, "the largest step of a joint: ");
    cr_assert_not_null(said, "%s", outcome->err);
    double last[3] = {0.0};
    double largest = 0.0;
    const char* row = strchr(outcome->out, '\n') + 1;
    for (int i = 0; i < 100; i++) {
        int id = -1;
        double time;
        double q[3];
        cr_assert(sscanf(row, "%d,%lf,%lf,%lf,%lf", &id, &time, &q[0], &q[1], &q[2]) == 5);
        for (int k = 0; k < 3; k++) {
            largest = i > 0 ? fmax(largest, fabs(q[k] - last[k])) : 0.0;
            last[k] = q[k];
        }
        row = strchr(row, '\n') + 1;
    }
    cr_expect(largest < 0.1, "a step of %g rad", largest);
    cr_expect(fabs(strtod(said + strlen("the largest step of a joint: "), NULL) - largest) <
              0.01 * largest);
}

OUTCOME_TEST(cli_targets, a_path_stops_where_a_joint_would_leap, folder_with(chain, targets)) {
    write_scratch("there.csv", "px,py,pz\n1.3,0,0.3\n1.3,0.001,0.3\n-1.3,0.3,0.3\n1.3,0.001,0.3\n");
    static const char* const calls[][2] = {{"--follow", "--json"}, {"--follow", "--leap"}};
    for (int i = 0; i < 2; i++) {
        RUN_PROGRAM(outcome, "solve", "--chain", "chain.csv", "--targets", "there.csv", "--out",
                    "out.csv", calls[i][0], calls[i][1]);
        cr_expect_eq(outcome->code, i == 0 ? 1 : 0, "%s", outcome->err);
        cr_expect_not_null(strstr(outcome->out, i == 0 ? "\"leap\": 2" : "4 targets, 4 met"), "%s",
                           outcome->out);
    }
    RUN_PROGRAM(outcome, "solve", "--chain", "chain.csv", "--targets", "there.csv", "--out",
                "out.csv", "--follow");
    EXPECT_HAS(outcome->out, "2 leap\n");
    EXPECT_HAS(outcome->out, "stopped at row 3: a joint would leap by more than 0.5; ");
}

OUTCOME_TEST(cli_targets, answers_of_a_robot_have_its_joints_names, folder_with(chain, targets)) {
    write_scratch("arm.csv", "px,py,pz\n0.5,0,0.5\n");
    RUN_PROGRAM(outcome, "solve", "panda", "--point", "panda_hand", "--targets", "arm.csv", "--out",
                "out.csv", "--json");
    cr_expect_eq(outcome->code, 0, "%s", outcome->err);
    EXPECT_HAS(outcome->out, "\"max_us\": ");
    char* out = read_scratch("out.csv");
    cr_expect_eq(strncmp(out, "id,time_ns,panda_joint1,panda_joint2,", 37), 0, "%s", out);
}

// the same rotation as a quaternion, in radians and in degrees has the same answer
Test(cli_targets, rotations_may_be_roll_pitch_and_yaw_in_degrees) {
    static const char* const files[] = {
        "px,py,pz,qw,qx,qy,qz\n1.2,0.5,0.3,0.9689124217106447,0,0,0.24740395925452294\n",
        "px,py,pz,roll,pitch,yaw\n1.2,0.5,0.3,0,0,0.5\n",
        "px,py,pz,roll,pitch,yaw\n1.2,0.5,0.3,0,0,28.64788975654116\n"};
    double answers[3][3];
    for (int f = 0; f < 3; f++) {
        Outcome* outcome = folder_with(chain, files[f]);
        // the arm cannot reach the rotation there; the nearest answer is the same
        SOLVE("--path", "exact", f == 2 ? "--degrees" : "--quiet");
        cr_expect_eq(outcome->code, 1, "%s", outcome->err);
        char* out = read_scratch("out.csv");
        const char* row = strchr(out, '\n');
        cr_assert_not_null(row);
        cr_assert_eq(
            sscanf(row + 1, "%*d,%*f,%lf,%lf,%lf", &answers[f][0], &answers[f][1], &answers[f][2]),
            3, "%s", out);
        outcome_destroy(outcome);
    }
    const double degree = acos(-1.0) / 180.0;
    for (int k = 0; k < 3; k++) {
        cr_expect_leq(fabs(answers[1][k] - answers[0][k]), 1e-9);
        // the lift's number is a length, which --degrees does not change
        cr_expect_leq(fabs((k < 2 ? degree : 1.0) * answers[2][k] - answers[0][k]), 1e-9);
    }
    Outcome* outcome = folder_with(chain, "px,py,pz,qw,roll\n1,0,0,1,0\n");
    SOLVE("--quiet");
    cr_expect_eq(outcome->code, 3);
    EXPECT_HAS(outcome->err, "qw,qx,qy,qz or roll,pitch,yaw, not both");
    outcome_destroy(outcome);
}
