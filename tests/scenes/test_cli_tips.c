// SPDX-License-Identifier: MIT
// `poise solve --targets` with several points.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

// a trunk that turns about z carries two arms of two hinges each, in one plane
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

// where the arm's tip is, by the plane's geometry
static void tip_of(double waist, double side, double shoulder, double elbow, double tip[2]) {
    const double a = waist + shoulder;
    tip[0] = -side * sin(waist) + 0.5 * cos(a) + 0.4 * cos(a + elbow);
    tip[1] = side * cos(waist) + 0.5 * sin(a) + 0.4 * sin(a + elbow);
}

static const char rows[] = "id,left.px,left.py,left.pz,right.px,right.py,right.pz\n"
                           "a,0.3,0.6,0,0.4,-0.5,0\nb,0.35,0.6,0,0.4,-0.45,0\n"
                           "far,0.3,0.6,0,3,0,0\n";

Test(cli_tips, several_tips_are_met_at_once) {
    CliFolder folder = cli_folder_create();
    CliEnd end;
    cli_write(&folder, "b.urdf", both_arms, strlen(both_arms));
    cli_write(&folder, "t.csv", rows, strlen(rows));
    CLI_RUN(&folder, &end, "solve", "b.urdf", "--point", "left", "--point", "right", "--targets",
            "t.csv", "--out", "out.csv", "--errors", "--follow");
    cr_expect_eq(end.code, 1, "%s", end.err);
    cr_expect_not_null(strstr(end.out, "3 rows of 2 tips, 2 met"), "%s", end.out);
    cr_expect_not_null(strstr(end.out, "the largest step of a joint"), "%s", end.out);
    cr_expect_not_null(strstr(end.err, "row 3 is not met"), "%s", end.err);
    char* answers = cli_read(&folder, "out.csv");
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
    free(answers);
    // what is missing, and what only one tip has, is said
    CLI_RUN(&folder, &end, "solve", "b.urdf", "--point", "left", "--point", "r2", "--targets",
            "t.csv", "--out", "out.csv");
    cr_expect_eq(end.code, 3);
    cr_expect_not_null(strstr(end.err, "t.csv:1:1: error: "), "%s", end.err);
    cr_expect_not_null(strstr(end.err, "r2.px"), "%s", end.err);
    CLI_RUN(&folder, &end, "solve", "b.urdf", "--point", "left", "--point", "right", "--targets",
            "t.csv", "--out", "out.csv", "--threads", "2");
    cr_expect_eq(end.code, 2);
    cr_expect_not_null(strstr(end.err, "of one --point"), "%s", end.err);
    cli_folder_destroy(&folder);
}
