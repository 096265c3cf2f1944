// SPDX-License-Identifier: MIT
// Tests what other programs rely on in the `poise` command: exit codes, JSON fields and CSV
// columns.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "program.h"

ARMS_TEST(command, run_prints_the_report_as_json) {
    run_program(outcome, "run arm.yaml --json --expect");
    cr_assert(outcome->code == 0, "%d: %s", outcome->code, outcome->err);
    cr_expect_str_empty(outcome->err);
    const Element* json = json_parse(outcome->out);
    static const char* const fields[] = {"scene",  "seconds", "steps", "status",
                                         "points", "joints",  "cost",  "state_hash"};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        cr_expect_not_null(json_member(json, fields[i]), "%s", fields[i]);
    }
    cr_expect(json_number(json, "steps") == 200.0);
    cr_expect(fabs(json_number(json, "seconds") - 2.0) < 1e-9);
    cr_expect_str_eq(json_member(json, "status")->text, "ok");
    const Element* tip = json_member(json_member(json, "points"), "tip");
    cr_expect(json_number(tip, "error") < 0.01);
    cr_expect(json_number(tip, "rms_error") <= json_number(tip, "max_error"));
    (void)json_number(tip, "settled_error");
    const Element* joints = json_member(json, "joints");
    cr_expect(json_member(json_member(joints, "j"), "angle")->child_count == 3);
    (void)json_number(json_member(joints, "k"), "angle");
    (void)json_number(json_member(joints, "k"), "target");
    (void)json_number(json_member(joints, "k"), "torque");
    const Element* cost = json_member(json, "cost");
    cr_expect(json_number(cost, "ik_us") > 0.0 && json_number(cost, "ode_us") > 0.0);
    cr_expect(json_number(cost, "collision_us") > 0.0);
    cr_expect(json_number(cost, "allocations") == 0.0);
    cr_expect(strlen(json_member(json, "state_hash")->text) == 16);
}

ARMS_TEST(command, the_table_names_points_and_joints) {
    run_program(outcome, "run arm.yaml --seconds 0.5");
    cr_expect(outcome->code == 0);
    cr_expect(strstr(outcome->out, "tip") && strstr(outcome->out, "An arm: 0.5 s in 50 steps"),
              "%s", outcome->out);
    // a step of 1 us takes longer than that on any machine
    run_program(outcome, "run arm.yaml --set world.step=1e-6 --seconds 1e-4");
    EXPECT_HAS(outcome->out, "; slower than real time\n");
    run_program(outcome, "run arm.yaml --seconds 0.5 --quiet");
    cr_expect(outcome->code == 0);
    cr_expect_str_empty(outcome->out);
    cr_expect_str_empty(outcome->err);
}

ARMS_TEST(command, each_column_of_the_table_has_one_unit_and_no_noise) {
    run_program(outcome, "run arm.yaml");
    const char* head = strstr(outcome->out, "point  error now, ");
    cr_assert_not_null(head, "%s", outcome->out);
    const char* row = strchr(head, '\n') + 1;
    char line[200];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(row, "\n"), row);
    // after 2 s the springs are at rest; the remaining error is nanometres
    cr_expect(strncmp(head, "point  error now, nm", 20) == 0, "%.40s", head);
    cr_expect(strncmp(line, "tip", 3) == 0, "%s", line);
    char* at = line + 3;
    for (int k = 0; k < 4; k++) {
        cr_expect_lt(strtod(at, &at), 10.0, "%s", line);
    }
    cr_expect_not_null(strstr(at, "  at its goal"), "%s", line);
    cr_expect(!strstr(outcome->out, "-0.000 ") && !strstr(outcome->out, "-0.00000"), "%s",
              outcome->out);
}

ARMS_TEST(command, completion_lists_scenes_and_names_of_a_file) {
    static const CallRow rows[] = {
        {"--complete", 0, {"reach\n", "panda\n"}},
        {"--complete arm.yaml", 0, {"point\ttip\n", "set\tik.solver\n"}}};
    EXPECT_CALLS(outcome, rows);
    run_program(outcome, "--complete missing.yaml");
    cr_expect(outcome->code == 0 && !outcome->out[0] && !outcome->err[0], "%s%s", outcome->out,
              outcome->err);
}

ARMS_TEST(command, the_table_says_what_is_missing) {
    run_program(outcome, "run arm.yaml --seconds 1");
    EXPECT_HAS(outcome->out, "\nrms and maximum leave out the first second");
    run_program(outcome, "run arm.yaml --seconds 1.5");
    cr_expect_null(strstr(outcome->out, "leave out"), "%s", outcome->out);
    cr_expect_null(strstr(outcome->out, "hangs freely"), "%s", outcome->out);
    run_program(outcome, "run panda --seconds 0.1");
    cr_expect(!strstr(outcome->out, "it hangs freely") && strstr(outcome->out, "panda_hand"), "%s",
              outcome->out);
}

// Returns the number of digits of a figure without leading zeros.
static int digits_of(const char* text, int length) {
    int digits = 0;
    for (int i = 0; i < length; i++) {
        digits += text[i] >= '0' && text[i] <= '9' && (digits > 0 || text[i] != '0');
    }
    return digits;
}

// The Panda's pen is micrometres off now and was at most millimetres off. Its forecast is
// nanometres. Each figure has three digits.
ARMS_TEST(command, figures_of_a_table_have_three_digits_in_a_unit_that_shows_them) {
    run_program(outcome, "run panda_square --seconds 3");
    const char* head = strstr(outcome->out, "point  error now, ");
    cr_assert_not_null(head, "%s", outcome->out);
    char line[300];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(head, "\n"), head);
    cr_expect(strstr(line, "maximum, mm") && strstr(line, "error now, um") &&
                  strstr(line, "predicted, nm"),
              "%s", line);
    const char* at = strchr(head, '\n') + 4;
    for (int k = 0; k < 5; k++) {
        at += strspn(at, " ");
        const int length = (int)strcspn(at, " ");
        cr_expect_geq(digits_of(at, length), 3, "%.*s in %.120s", length, at,
                      strchr(head, '\n') + 1);
        at += length;
    }
}

// The table and the JSON name friction as the reason for the point's place, and give the force.
ARMS_TEST(command, the_table_says_why_a_point_is_where_it_is) {
    run_program(outcome, "run press_wall");
    EXPECT_HAS(outcome->out, "  held by friction, friction can hold it 8.");
    EXPECT_HAS(outcome->out, " mm off, with it 0.69");
    EXPECT_HAS(outcome->out, " N of 20 N\n");
    run_program(outcome, "run press_wall --json");
    EXPECT_HAS(outcome->out, "\"held_by\": \"friction\", \"joints\": [], \"touches\": true, "
                             "\"why\": \"held by friction\", \"forecast\": \"settles\"");
}

ARMS_TEST(command, a_run_says_where_its_files_are) {
    run_program(outcome, "run arm.yaml --seconds 0.1 --csv out.csv");
    cr_expect_str_eq(outcome->err, "poise: figures are in out.csv\n");
    run_program(outcome, "run arm.yaml --seconds 0.1 --csv out.csv --quiet");
    cr_expect_str_empty(outcome->err);
}

ARMS_TEST(command, csv_has_a_header_and_a_row_for_each_step) {
    run_program(outcome, "run arm.yaml --seconds 0.5 --csv out.csv --quiet");
    cr_assert(outcome->code == 0, "%s", outcome->err);
    char* csv = read_scratch("out.csv");
    static const char header[] =
        "time,tip.error,tip.x,tip.y,tip.z,tip.goal_x,tip.goal_y,tip.goal_z,"
        "j.angle.x,j.angle.y,j.angle.z,j.torque.x,j.torque.y,j.torque.z,k.angle,k.torque\n0.01,";
    cr_expect(strncmp(csv, header, strlen(header)) == 0, "%.300s", csv);
    int rows = 0;
    for (const char* letter = csv; *letter; letter++) {
        rows += *letter == '\n' ? 1 : 0;
    }
    cr_expect(rows == 51);
}

// Calls that any command refuses are in test_cli_bad_call.c.
// clang-format off
static const CallRow ends[] = {
    {"run arm.yaml --expect --quiet", 0, {NULL}},
    {"run arm.yaml --expect --quiet --set expect.tip.error=1e-30", 1, {"missed: tip.error is"}},
    {"run arm.yaml --expect --quiet --seconds 0.5 --set expect.tip.rms_error=1", 1,
     {"tip.rms_error has no value"}},
    {"run arm.yaml --expect --quiet --seconds 0.5", 0,
     {"the bounds are for the scene's 2 s, these are 0.5 s"}},
    {"simulate arm.yaml", 2, {"here it is called 'run'"}},
    {"run arm.yaml --secnds 3", 2,
     {"poise: unrecognized option '--secnds'; did you mean '--seconds'?"}},
    {"run arm.yaml --csv - --json", 2, {"--csv - and --json both write to stdout"}},
    {"run arm.yaml --seconds 0.02 --csv -", 0, {"time,", "a step: IK and springs"}},
    {"check krm.yaml", 3, {"did you mean 'arm.yaml'?"}},
    {"check nosuch.yaml", 3, {"No such file or directory\n"}},
    {"run nowhere.yaml", 3, {"nowhere.yaml: error: cannot be read: No such file or directory\n"}},
    {"check arm.yaml", 0, {"0 errors"}},
    {"check --hepl", 2, {"did you mean '--help'?"}},
    {"solve --targets t.csv --nearst=3", 2, {"'--nearst'; did you mean '--nearest'?"}},
    {"run arm.yaml --seconds 0.2s --quiet", 0, {NULL}},
    {"run arm.yaml --set world.step=5ms", 3,
     {"'step' must be a decimal number, in seconds, not '5ms'"}},
    {"info arm.yaml", 0, {"Nd: j k"}},
    {"info arm.yaml", 0, {"centre of mass, m"}},
    {"info arm.yaml", 0, {"driven; rad, N m/rad / N m s/rad, N m (sliders: m"}},
    {"format", 0, {"### The scene"}},
    {"solve --help", 0, {"--chain CHAIN.csv"}},
    {"solve arm.yaml --point b:0,0,0.5 --target 0.8,0.3,1.1", 0, {"reached: off by "}},
    {"solve arm.yaml --point b:0,0,0.5 --target 9,0,0", 1, {"out of reach in every posture"}},
    {"solve arm.yaml --point b:0,0,0.5 --target 500,0,400", 1, {"\n  targets are in metres\n"}},
    {"run arm.yaml --quiet --seconds 0.01 --set 'control_points.tip.at=[0,0,103]'", 0,
     {"warning: 'tip' is 103 m off its body"}},
    {"solve arm.yaml --point b:0,0,0.5 --target 9,0,0 --json", 1, {"\"out_of_reach\""}},
    {"solve arm.yaml --point b:0,0,0.5 --target 9,0,0 --starts 3", 1, {"from 3 starts"}},
    {"solve arm.yaml --point b:0,0,0.5 --target 0,0,1 --starts 0", 2, {"a whole number"}},
    {"solve arm.yaml --point b:0,0,0.5 --target 0,0,1 --starts 1.5", 2, {"--starts"}},
    {"solve arm.yaml --point b:0,0,0.5 --target 0,0,1 --seed -1", 2, {"a whole number"}},
    {"solve arm.yaml --point bb --target 0,0,0", 3, {"did you mean 'b'?"}},
    {"solve arm.yaml --point elbow --target 0,0,0", 3, {"'elbow'; there are a, b\n"}},
    {"solve arm.yaml --point tip --target 0.8,0.3,1.1", 0, {"reached"}},
    {"solve arm.yaml --point tpi --target 0.8,0.3,1.1", 3, {"did you mean 'tip'?"}},
    {"solve arm.yaml --point b --target 0,0,1 --priority 1", 2, {"orders several points"}},
    {"solve arm.yaml --point b --target 0,0,1 --base free", 3, {"has no floating base"}},
    {"solve arm.yaml --point b --target 0,0", 2, {"3 numbers are due"}},
    {"solve arm.yaml --point b --target 0,0,1,0,0,0,0", 2, {"must not be zero"}},
    {"solve arm.yaml --point b", 2, {"needs --point and --target"}},
};
// clang-format on

ARMS_TEST(command, each_end_has_its_code) {
    EXPECT_CALLS(outcome, ends);
}

ARMS_TEST(command, a_scene_is_found_by_its_name) {
    // clang-format off
    static const CallRow rows[] = {
        {"run arm --seconds 0.1", 0, {"An arm: 0.1 s"}},
        {"run panda_square --seconds 0.01", 0, {"Panda draws a square: 0.01 s"}},
        {"run panda_square.yaml --seconds 0.01", 0, {"Panda draws a square: 0.01 s"}},
        {"check reach", 0, {"/scenes/reach.yaml: 0 errors"}},
        {"info arm6", 0, {"arm6.yaml: A six-axis arm"}},
        {"solve panda --point panda_hand --target 0.5,0.1,0.4", 0, {"reached"}},
        // Row 2.8 of DOCUMENTS.md, for the scene's own points
        {"solve full_body", 0, {"reached"}},
        // an existing file comes before the built-in file of the same name
        {"info limits", 0, {"limits.yaml: An arm"}},
    };
    // clang-format on
    char* arm = read_scratch("arm.yaml");
    write_scratch("limits.yaml", arm);
    EXPECT_CALLS(outcome, rows);
}

ARMS_TEST(command, the_report_says_why_a_point_is_off_its_goal) {
    write_scratch("held.yaml",
                  "poise: 1\nseconds: 4\nworld: {gravity: [0, 0, 0]}\n"
                  "robots: {r: {urdf: bent.urdf, joints: {'*': {ik: {spring: 500, damper: 50}}}}}\n"
                  "control_points: {tip: {body: r/lower, at: [1, 0, 0], position: [0.3, -1.5, "
                  "0]}}\n");
    run_program(outcome, "run held.yaml --json");
    const Element* json = json_parse(outcome->out);
    const Element* tip = json_member(json_member(json, "points"), "tip");
    cr_expect_str_eq(json_member(tip, "held_by")->text, "limit");
    cr_expect_str_eq(json_member(tip, "why")->text, "held by r/shoulder, r/elbow: limit");
    const Element* joints = json_member(tip, "joints");
    cr_assert(joints && joints->child_count >= 1);
    cr_expect_str_eq(joints->children[0]->text, "r/shoulder");
    run_program(outcome, "run arm.yaml --json");
    EXPECT_HAS(outcome->out, "\"held_by\": \"none\", \"joints\": [], \"why\": \"at its goal\"");
}

// An entry of the compliance that is rounding is printed as 0. Here the hinges turn about z alone
// and are nearly straight, and no natural posture pulls them.
ARMS_TEST(command, a_compliance_of_rounding_is_printed_as_0) {
    run_program(outcome, "run " POISE_SOURCE_DIR "/scenes/limits.yaml --seconds 0.3 --json "
                         "--set ik.posture_rate=0");
    const Element* json = json_parse(outcome->out);
    const Element* tip = json_member(json_member(json, "points"), "tip");
    const Element* rows = json_member(tip, "compliance");
    cr_assert(rows && rows->child_count == 3);
    for (int i = 0; i < 9; i++) {
        cr_assert(rows->children[i / 3]->child_count == 3);
        const char* text = rows->children[i / 3]->children[i % 3]->text;
        const double c = strtod(text, NULL);
        cr_expect(fabs(c) > 1e-30 || strcmp(text, "0") == 0, "%d: %s", i, text);
    }
    cr_expect(strtod(rows->children[1]->children[1]->text, NULL) > 1e-6);
}

ARMS_TEST(command, no_progress_where_stderr_is_no_terminal) {
    run_program(outcome, "run arm.yaml --seconds 1");
    cr_expect_str_empty(outcome->err);
}
