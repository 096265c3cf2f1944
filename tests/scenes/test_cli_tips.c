// SPDX-License-Identifier: MIT
// `poise solve --targets` with several points.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

// A trunk that turns about z carries two arms of two hinges each, all in one plane.
static const char both_arms[] =
    "<robot name='b'><link name='base'/><link name='trunk'/><link name='l1'/><link name='l2'/>"
    "<link name='left'/><link name='r1'/><link name='r2'/><link name='right'/>"
#define HINGE(name, type, parent, child, x, y)                                                     \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>"  \
    "<origin xyz='" x " " y " 0'/><axis xyz='0 0 1'/></joint>"
    HINGE("waist", "continuous", "base", "trunk", "0", "0")
        HINGE("ls", "continuous", "trunk", "l1", "0", "0.2")
            HINGE("le", "continuous", "l1", "l2", "0.5", "0")
                HINGE("lt", "fixed", "l2", "left", "0.4", "0")
                    HINGE("rs", "continuous", "trunk", "r1", "0", "-0.2")
                        HINGE("re", "continuous", "r1", "r2", "0.5", "0")
                            HINGE("rt", "fixed", "r2", "right", "0.4", "0") "</robot>";

// Computes the tip of the arm with plane geometry.
static void tip_of(double waist, double side, double shoulder, double elbow, double tip[2]) {
    const double a = waist + shoulder;
    tip[0] = -side * sin(waist) + 0.5 * cos(a) + 0.4 * cos(a + elbow);
    tip[1] = side * cos(waist) + 0.5 * sin(a) + 0.4 * sin(a + elbow);
}

static const char rows[] = "id,left.px,left.py,left.pz,right.px,right.py,right.pz\n"
                           "a,0.3,0.6,0,0.4,-0.5,0\nb,0.35,0.6,0,0.4,-0.45,0\n"
                           "far,0.3,0.6,0,3,0,0\n";

PROGRAM_TEST(cli_tips, several_tips_are_met_at_once) {
    write_scratch("b.urdf", both_arms);
    write_scratch("t.csv", rows);
    RUN_PROGRAM(outcome, "solve", "b.urdf", "--point", "left", "--point", "right", "--targets",
                "t.csv", "--out", "out.csv", "--errors", "--follow");
    cr_expect_eq(outcome->code, 1, "%s", outcome->err);
    EXPECT_HAS(outcome->out, "stopped at row 3: a joint would leap");
    EXPECT_HAS(outcome->err, "1 of 3 targets not met: far (leap, off by ");
    EXPECT_HAS(outcome->out, "3 targets of 2 tips, 2 met");
    EXPECT_HAS(outcome->out, "the largest step of a joint");
    char* answers = read_scratch("out.csv");
    static const double wanted[2][4] = {{0.3, 0.6, 0.4, -0.5}, {0.35, 0.6, 0.4, -0.45}};
    const char* row = strchr(answers, '\n');
    cr_expect(
        strncmp(answers, "id,time_ns,waist,ls,le,rs,re,met,left.error,left.angle_error,", 61) == 0,
        "%s", answers);
    for (int i = 0; i < 2; i++) {
        double q[5];
        double left[2];
        double right[2];
        cr_assert(row && sscanf(row + 1, "%*[^,],%*[^,],%lf,%lf,%lf,%lf,%lf,1", &q[0], &q[1], &q[2],
                                &q[3], &q[4]) == 5,
                  "%s", answers);
        tip_of(q[0], 0.2, q[1], q[2], left);
        tip_of(q[0], -0.2, q[3], q[4], right);
        const double off = hypot(hypot(left[0] - wanted[i][0], left[1] - wanted[i][1]),
                                 hypot(right[0] - wanted[i][2], right[1] - wanted[i][3]));
        cr_expect_lt(off, 1e-8, "row %d: %g m", i, off);
        row = strchr(row + 1, '\n');
    }
}

// all columns that a file of targets may have for two tips: rotations and starts, without ids
static const char turned_head[] = "left.px,left.py,left.pz,left.qw,left.qx,left.qy,left.qz,"
                                  "right.px,right.py,right.pz,right.qw,right.qx,right.qy,right.qz";

// Writes the targets of the tips for these joint angles.
static void write_turned_row(char* text, size_t size, const double q[5]) {
    double left[2];
    double right[2];
    tip_of(q[0], 0.2, q[1], q[2], left);
    tip_of(q[0], -0.2, q[3], q[4], right);
    const double l = 0.5 * (q[0] + q[1] + q[2]);
    const double r = 0.5 * (q[0] + q[3] + q[4]);
    snprintf(text, size, "%.17g,%.17g,0,%.17g,0,0,%.17g,%.17g,%.17g,0,%.17g,0,0,%.17g", left[0],
             left[1], cos(l), sin(l), right[0], right[1], cos(r), sin(r));
}

PROGRAM_TEST(cli_tips, rotations_starts_and_degrees_are_of_the_file) {
    static const double q[5] = {0.2, 0.5, 0.9, -0.4, -0.8};
    char row[600];
    char table[2000];
    write_turned_row(row, sizeof row, q);
    // each row starts at its answer, so that no joint moves
    snprintf(table, sizeof table,
             "%s,qstart1,qstart2,qstart3,qstart4,qstart5\n%s,%.17g,%.17g,%.17g,%.17g,%.17g\n",
             turned_head, row, q[0] * 180.0 / 3.14159265358979323846,
             q[1] * 180.0 / 3.14159265358979323846, q[2] * 180.0 / 3.14159265358979323846,
             q[3] * 180.0 / 3.14159265358979323846, q[4] * 180.0 / 3.14159265358979323846);
    write_scratch("b.urdf", both_arms);
    write_scratch("t.csv", table);
    RUN_PROGRAM(outcome, "solve", "b.urdf", "--point", "left", "--point", "right", "--targets",
                "t.csv", "--out", "out.csv", "--errors", "--degrees", "--json");
    cr_expect_eq(outcome->code, 0, "%s", outcome->err);
    cr_expect_eq(strncmp(outcome->out, "{\"targets\": 1, \"met\": 1, \"at_limits\": ", 38), 0, "%s",
                 outcome->out);
    char* answers = read_scratch("out.csv");
    const char* line = strchr(answers, '\n');
    double n[9];
    int met = 0;
    cr_assert(line && sscanf(line + 1, "0,%lf,%lf,%lf,%lf,%lf,%lf,%d,%lf,%lf", &n[0], &n[1], &n[2],
                             &n[3], &n[4], &n[5], &met, &n[6], &n[7]) == 9,
              "%s", answers);
    for (int i = 0; i < 5; i++) {
        cr_expect(fabs(n[1 + i] * 3.14159265358979323846 / 180.0 - q[i]) < 1e-6, "%s", answers);
    }
    cr_expect(met == 1 && n[6] < 1e-6 && n[7] < 1e-6, "%s", answers);
    // the answers go to stdout, so the summary goes to stderr
    RUN_PROGRAM(outcome, "solve", "b.urdf", "--point", "left", "--point", "right", "--targets",
                "t.csv", "--out", "-", "--degrees");
    cr_expect_eq(outcome->code, 0, "%s", outcome->err);
    cr_expect_eq(strncmp(outcome->out, "id,time_ns,waist,ls,le,rs,re\n0,", 31), 0, "%s",
                 outcome->out);
    EXPECT_HAS(outcome->err, "1 target of 2 tips, 1 met (at most ");
    // only the positions count, the rotations do not
    RUN_PROGRAM(outcome, "solve", "b.urdf", "--point", "left", "--point", "right", "--targets",
                "t.csv", "--out", "out.csv", "--errors", "--goal", "position");
    cr_expect_eq(outcome->code, 0, "%s", outcome->err);
    answers = read_scratch("out.csv");
    const size_t length = strlen(answers);
    cr_expect(length > 2 && answers[length - 2] == ',', "%s", answers);
}

PROGRAM_TEST(cli_tips, faults_of_tables_and_calls_are_said) {
#define SOLVE(left, right) "solve b.urdf --point " left " --point " right " --targets t.csv --out "
    // clang-format off
    static const CallRow calls[] = {
        {"> b.urdf", 0, {both_arms}},
        {"> t.csv", 0, {"left.px,left.py,left.pz,right.px,right.py,right.pz\n"
                        "0.3,0.6,0,0.4,-0.5,0\n"}},
        {SOLVE("left", "left") "o.csv", 3, {"poise: --point left is named twice"}},
        {SOLVE("left", "nobody") "o.csv", 3, {"there is no link 'nobody'"}},
        {SOLVE("left", "right") "no/o.csv", 3, {"no/o.csv"}},
        {SOLVE("left", "base") "o.csv", 3, {"no joint"}},
        {SOLVE("left:1,2", "right") "o.csv", 2, {"3 numbers"}},
        {SOLVE(":1,2,3", "right") "o.csv", 2, {"LINK or LINK:x,y,z is due, not ':1,2,3'"}},
        {SOLVE("left", "right") "/dev/full", 3, {"No space left on device"}},
        {SOLVE("left", "right") "o.csv --threads 2", 2, {"of one --point"}},
        {SOLVE("left", "r2") "o.csv", 3, {"t.csv:1:1: error: ", "r2.px"}},
        {"> t.csv", 0, {"left.px,left.py,left.pz,left.qw,left.qx,left.qy,left.qz,"
                        "right.px,right.py,right.pz\n0,0,0,1,0,0,0,0,0,0\n"}},
        {SOLVE("left", "right") "o.csv", 3,
         {"all tips have rotations, or none: 'right' differs"}},
        {"> t.csv", 0, {"left.px,left.py,left.pz,right.px,right.py,right.pz,qstart1\n"
                        "0,0,0,0,0,0,0\n"}},
        {SOLVE("left", "right") "o.csv", 3,
         {"the head has 1 columns qstart1.., a posture has 5 numbers"}},
        {"> t.csv", 0, {""}},
        {SOLVE("left", "right") "o.csv", 3, {"is empty"}},
    };
    // clang-format on
    EXPECT_CALLS(outcome, calls);
}

// A ball has four numbers in a posture. A name may contain the separator of a table.
PROGRAM_TEST(cli_tips, a_column_is_named_by_its_joint) {
    static const char scene[] =
        "poise: 1\nbodies: {a: {capsule: 0.05, from: [0, 0, 0], to: [1, 0, 0]}, b: {capsule: 0.05, "
        "from: [1, 0, 0], to: [2, 0, 0]}}\n"
        "joints: {s: {ball: [0, 0, 0], between: [world, a], ik: {spring: 100}}, e: {hinge: [1, 0, "
        "0], axis: [0, 0, 1], between: [a, b], ik: {spring: 100}}}\n";
    static const char table[] = "a.px,a.py,a.pz,b.px,b.py,b.pz\n0.5,0,0,1.5,0,0\n";
    write_scratch("s.yaml", scene);
    write_scratch("t.csv", table);
    RUN_PROGRAM(outcome, "solve", "s.yaml", "--point", "a", "--point", "b", "--targets", "t.csv",
                "--out", "-");
    cr_expect_eq(outcome->code, 0, "%s", outcome->err);
    cr_expect_eq(strncmp(outcome->out, "id,time_ns,s,s.2,s.3,s.4,e\n", 27), 0, "%s", outcome->out);
    static const char none[] = "a.px,a.py,a.pz,b.px,b.py,b.pz,qstart1,qstart2,qstart3,qstart4,"
                               "qstart5\n0.5,0,0,1.5,0,0,1,0,0,0,0\n0.5,0,0,1.5,0,0,0,0,0,0,0\n";
    write_scratch("t.csv", none);
    RUN_PROGRAM(outcome, "solve", "s.yaml", "--point", "a", "--point", "b", "--targets", "t.csv",
                "--out", "-");
    cr_expect_eq(outcome->code, 3);
    EXPECT_HAS(outcome->err, "t.csv:3:1: error: a rotation (w, x, y, z) of the ");
}

// The position, the rotation or both may be the goal of a point. The miss is printed in the unit of
// the goal.
PROGRAM_TEST(cli_tips, the_goal_of_a_point_may_be_place_rotation_or_both) {
    static const char table[] = "px,py,pz,roll,pitch,yaw\n0.3,0.6,0,0,0,0.5\n5,0,0,1,0,0\n";
    static const struct {
        const char* goal;
        const char* says[3];
    } faults[] = {
        {"position", {"2 targets, 1 met (at most ", "1 of 2 targets not met: 1 (", " m"}},
        {"orientation", {"2 targets, 1 met (at most ", "1 of 2 targets not met: 1 (", " rad"}},
        {"pose", {"2 targets, 1 met (at most ", "1 of 2 targets not met: 1 (", " and "}}};
    write_scratch("b.urdf", both_arms);
    write_scratch("t.csv", table);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        RUN_PROGRAM(outcome, "solve", "b.urdf", "--point", "left", "--targets", "t.csv", "--out",
                    "out.csv", "--errors", "--goal", faults[i].goal);
        cr_expect_eq(outcome->code, 1, "%s: %s", faults[i].goal, outcome->err);
        for (int k = 0; k < 3; k++) {
            cr_expect(strstr(outcome->out, faults[i].says[k]) ||
                          strstr(outcome->err, faults[i].says[k]),
                      "%s: no '%s' in %s%s", faults[i].goal, faults[i].says[k], outcome->out,
                      outcome->err);
        }
        char* answers = read_scratch("out.csv");
        // a quantity that is no goal has an empty cell
        const char* row = strstr(answers, "\n0,");
        cr_assert_not_null(row, "%s", answers);
        cr_expect_eq(strstr(row, ",1,,") != NULL, i == 1, "%s", answers);
        cr_expect_eq(strstr(row, ",\n1,") != NULL, i == 0, "%s", answers);
    }
    // the answers go to stdout without the columns of --errors
    RUN_PROGRAM(outcome, "solve", "b.urdf", "--point", "left", "--targets", "t.csv", "--out", "-",
                "--goal", "position");
    cr_expect_eq(outcome->code, 1, "%s", outcome->err);
    cr_expect_eq(strncmp(outcome->out, "id,time_ns,waist,ls,le\n0,", 25), 0, "%s", outcome->out);
    EXPECT_HAS(outcome->err, "--errors marks them in the answers");
}
