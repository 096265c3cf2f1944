// SPDX-License-Identifier: MIT
// `poise solve` for several points at once, by their priorities, and for the points of a scene.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

// five links of 1 m on hinges about z, with a point on the tip and a point on the end of the third
// link
static const char arm[] =
    "poise: 1\n"
    "bodies:\n"
    "  a: {box: [1, 0.1, 0.1], at: [0.5, 0, 0]}\n  b: {box: [1, 0.1, 0.1], at: [1.5, 0, 0]}\n"
    "  c: {box: [1, 0.1, 0.1], at: [2.5, 0, 0]}\n  d: {box: [1, 0.1, 0.1], at: [3.5, 0, 0]}\n"
    "  e: {box: [1, 0.1, 0.1], at: [4.5, 0, 0]}\n"
    "joints:\n"
    "  ja: {hinge: [0, 0, 0], axis: [0, 0, 1], between: [world, a]}\n"
    "  jb: {hinge: [1, 0, 0], axis: [0, 0, 1], between: [a, b]}\n"
    "  jc: {hinge: [2, 0, 0], axis: [0, 0, 1], between: [b, c]}\n"
    "  jd: {hinge: [3, 0, 0], axis: [0, 0, 1], between: [c, d]}\n"
    "  je: {hinge: [4, 0, 0], axis: [0, 0, 1], between: [d, e]}\n"
    "control_points:\n"
    "  tip: {body: e, at: [0.5, 0, 0], position: [3, 1, 0]}\n"
    "  middle: {body: c, at: [0.5, 0, 0], position: [1, 2, 0], priority: 1}\n";

static Outcome* folder_with_arm(void) {
    Outcome* outcome = outcome_create();
    write_scratch("arm.yaml", arm);
    return outcome;
}

// Computes the end of link `links` from the angles of the answer.
static void place_of(const char* json, int links, double place[2]) {
    static const char* const names[] = {"\"ja\": ", "\"jb\": ", "\"jc\": ", "\"jd\": ", "\"je\": "};
    const char* joints = strstr(json, "\"joints\"");
    cr_assert_not_null(joints, "%s", json);
    double heading = 0.0;
    place[0] = place[1] = 0.0;
    for (int i = 0; i < links; i++) {
        const char* at = strstr(joints, names[i]);
        cr_assert_not_null(at, "%s", json);
        heading += strtod(at + strlen(names[i]), NULL);
        place[0] += cos(heading);
        place[1] += sin(heading);
    }
}

static void expect_places(const Outcome* outcome, const double tip[2], double middle_miss) {
    static const double middle[2] = {1.0, 2.0};
    double at[2];
    place_of(outcome->out, 5, at);
    cr_expect_leq(hypot(at[0] - tip[0], at[1] - tip[1]), 1e-6, "tip at %g %g", at[0], at[1]);
    place_of(outcome->out, 3, at);
    const double miss = hypot(at[0] - middle[0], at[1] - middle[1]);
    cr_expect_leq(fabs(miss - middle_miss), 1e-5, "middle missed by %g", miss);
}

// The smallest distance of the third link's end to (1, 2) while the tip is at (3, 1) is sqrt(5) -
// 2.
OUTCOME_TEST(cli_points, the_point_of_the_first_priority_is_met, folder_with_arm()) {
    static const double tip[2] = {3.0, 1.0};
    RUN_PROGRAM(outcome, "solve", "arm.yaml", "--point", "e:0.5,0,0", "--target", "3,1,0",
                "--point", "c:0.5,0,0", "--target", "1,2,0", "--priority", "1", "--starts", "5",
                "--json");
    expect_calm(outcome, "two points");
    cr_expect_eq(outcome->code, 1, "%s", outcome->err);
    expect_places(outcome, tip, sqrt(5.0) - 2.0);
    EXPECT_HAS(outcome->out, "\"points\": [{\"name\": \"e\", \"error\": ");
    EXPECT_HAS(outcome->out, "{\"name\": \"c\", \"error\": 0.236");
}

OUTCOME_TEST(cli_points, the_points_of_a_scene_are_solved_for, folder_with_arm()) {
    static const double tip[2] = {3.0, 1.0};
    RUN_PROGRAM(outcome, "solve", "arm.yaml", "--starts", "5", "--json");
    expect_calm(outcome, "a scene's points");
    cr_expect_eq(outcome->code, 1, "%s", outcome->err);
    expect_places(outcome, tip, sqrt(5.0) - 2.0);
    static const CallRow call[] = {
        {"solve arm.yaml --starts 5",
         1,
         {"missed: all together after ", "\n  tip: off by ", "\n  middle: off by 236 mm"}}};
    EXPECT_CALLS(outcome, call);
}

OUTCOME_TEST(cli_points, a_point_without_a_target_is_refused, folder_with_arm()) {
    static const CallRow calls[] = {{"solve arm.yaml --point e --point c --target 1,1,0",
                                     2,
                                     {"needs --point and --target, one for each other"}},
                                    {"solve arm.yaml --point e --target 1,1,0 --target 1,2,0",
                                     2,
                                     {"--target 1,2,0: its point has one already"}}};
    EXPECT_CALLS(outcome, calls);
}
