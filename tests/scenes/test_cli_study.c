// SPDX-License-Identifier: MIT
// `poise sweep`, `poise format` and `poise scene`. Tests the messages for a faulty study and a
// faulty call, and the output of a correct call.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char arm[] =
    "poise: 1\nseconds: 0.1\n"
    "bodies: {arm: {box: [0.1, 0.1, 1], at: [0, 0, 0.5]}}\n"
    "joints: {hip: {ball: [0, 0, 0], between: [world, arm], ik: {spring: 1000, damper: 100}}}\n"
    "control_points: {tip: {body: arm, at: [0, 0, 0.5], position: [0.6, 0, 0.8]}}\n";

static CliFolder folder_with_arm(void) {
    const CliFolder folder = cli_folder_create();
    cli_write_text(&folder, "arm.yaml", arm);
    return folder;
}

// ------------------------------------------------------------------------------- a study's file

typedef struct Fault {
    const char* study; ///< text after `sweep: 1`
    const char* says[2];
} Fault;

#define WHOLE      "scene: arm.yaml\nfigures: [tip.error]\n"
#define SPRING     "joints.hip.ik.spring"
#define VARY(what) WHOLE "vary: {" SPRING ": " what "}\n"

static const Fault faults[] = {
    {WHOLE "vary: 3\n", {"study.yaml:4:7", "a map of keys is due"}},
    {WHOLE, {"no key is varied"}},
    {"figures: [tip.error]\nvary: {" SPRING ": [1, 2]}\n", {"no scene is named"}},
    {"scene: arm.yaml\nvary: {" SPRING ": [1, 2]}\n", {"no figures are kept"}},
    {"scene: arm.yaml\nfigures: []\nvary: {" SPRING ": [1]}\n", {"study.yaml:3:10", "figures"}},
    {"scene: arm.yaml\nfigures: {a: 1}\nvary: {" SPRING ": [1]}\n", {"study.yaml:3:10", "figures"}},
    {VARY("[]"), {"study.yaml:4:30", "empty"}},
    {VARY("[1, {a: 2}]"), {"study.yaml:4:34", "a scalar or a list of them"}},
    {VARY("[[1, [2]]]"), {"study.yaml:4:35", "a scalar or a list of them"}},
    {VARY("{from: 1, to: 2, count: 2.5}"), {"study.yaml:4", "a whole number of values"}},
    {VARY("{from: 1, to: 2, count: 0}"), {"study.yaml:4", "1"}},
    {VARY("{from: 1, to: x, count: 2}"), {"study.yaml:4", "number"}},
    {VARY("{from: [1], to: 2, count: 2}"), {"study.yaml:4", "number"}},
    {VARY("{from: 0, to: 2, count: 3, scale: log}"), {"study.yaml:4", "above 0"}},
    {VARY("{from: 1, to: -2, count: 3, scale: log}"), {"study.yaml:4", "above 0"}},
    {VARY("{from: 1, to: 2, count: 3, scale: cubic}"), {"study.yaml:4", "linear or log"}},
    {VARY("{from: 1, to: 2}"), {"study.yaml:4:30", "draw"}},
    {VARY("{from: 1, count: 2}"), {"study.yaml:4:30", "draw"}},
    {VARY("{to: 1, count: 2}"), {"study.yaml:4:30", "draw"}},
    {VARY("{draw: [1, 2], from: 3}"), {"study.yaml:4:30", "draw"}},
    {VARY("{draw: [1, 2], to: 3}"), {"study.yaml:4:30", "draw"}},
    {VARY("{draw: [1]}"), {"study.yaml:4:30", "draw"}},
    {VARY("{draw: 1}"), {"study.yaml:4:30", "draw"}},
    {VARY("{draw: [1, a]}"), {"study.yaml:4", "number"}},
    {VARY("1:2"), {"study.yaml:4:30", "draw"}},
    {VARY("1:2:3:4"), {"study.yaml:4:30", "draw"}},
    {VARY("0:2:3:log"), {"study.yaml:4:30", "above 0"}},
    {VARY("1:2:2.5"), {"study.yaml:4", "a whole number of values"}},
    {VARY(""), {"study.yaml:4", "draw"}},
    {WHOLE "vary: {" SPRING ": 1:2:1000000, joints.hip.ik.damper: 1:2:1000000}\n",
     {"more than 1e9 runs"}},
    {WHOLE "very: 3\n", {"study.yaml:4:1", "did you mean 'vary'"}},
    {WHOLE "seconds: -1\nvary: {" SPRING ": [1]}\n", {"study.yaml:4:10"}},
    {WHOLE "draws: 0\nvary: {" SPRING ": [1]}\n", {"study.yaml:4:8"}},
    {WHOLE "vary: {" SPRING ": [1\n", {"study.yaml", "YAML"}},
};

FOLDER_TEST(cli_study, faults_of_a_study_are_shown_with_their_place, folder_with_arm()) {
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char text[600];
        CliEnd end;
        snprintf(text, sizeof text, "sweep: 1\n%s", faults[i].study);
        cli_write_text(folder, "study.yaml", text);
        CLI_RUN(folder, &end, "sweep", "study.yaml", "--out", "o.csv", "--quiet");
        cli_expect_calm(&end, faults[i].study);
        cr_expect_eq(end.code, 3, "%s: ends with %d: %s", faults[i].study, end.code, end.err);
        for (int k = 0; k < 2 && faults[i].says[k]; k++) {
            cr_expect_not_null(strstr(end.err, faults[i].says[k]), "%s: no '%s' in: %s",
                               faults[i].study, faults[i].says[k], end.err);
        }
        cr_expect_eq(cli_file_count(folder), 2, "%s: a table is there", faults[i].study);
    }
}

FOLDER_TEST(cli_study, a_value_that_is_too_long_is_refused, folder_with_arm()) {
    char text[900];
    size_t length =
        (size_t)snprintf(text, sizeof text, "sweep: 1\n" WHOLE "vary: {" SPRING ": [[1");
    while (length < 600) {
        length += (size_t)snprintf(text + length, sizeof text - length, ", 1");
    }
    (void)snprintf(text + length, sizeof text - length, "]]}\n");
    cli_write_text(folder, "study.yaml", text);
    CliEnd end;
    CLI_RUN(folder, &end, "sweep", "study.yaml");
    cr_expect_eq(end.code, 3);
    cr_expect_not_null(strstr(end.err, "too long"), "%s", end.err);
}

// ------------------------------------------------------------------------------------- the call

typedef struct Call {
    const char* arguments[10];
    int code;
    const char* says; ///< a part of stderr
} Call;

static void expect_calls(const Call* calls, size_t count) {
    const CliFolder folder = folder_with_arm();
    cli_write(&folder, "other.yaml", "poise: 1\n", 9);
    for (size_t i = 0; i < count; i++) {
        CliEnd end;
        cli_run(&folder, calls[i].arguments, &end);
        cli_expect_calm(&end, calls[i].says);
        cr_expect_eq(end.code, calls[i].code, "%s: ends with %d: %s", calls[i].says, end.code,
                     end.err);
        cr_expect_not_null(strstr(end.err, calls[i].says), "no '%s' in: %s", calls[i].says,
                           end.err);
    }
    cli_folder_destroy(&folder);
}

#define VARIED "sweep", "arm.yaml", "--vary", SPRING "=1:2:2", "--figures", "tip.error"

Test(cli_study, calls_that_are_no_good_say_what_is_due) {
    static const Call calls[] = {
        {{"sweep"}, 2, "usage: poise sweep"},
        {{"sweep", "arm.yaml", "other.yaml"}, 2, "usage: poise sweep"},
        {{"sweep", "arm.yaml"}, 3, "a study begins with `sweep: 1`"},
        {{"sweep", "none.yaml"}, 3, "none.yaml"},
        {{VARIED, "--frob"}, 2, "usage: poise sweep"},
        {{VARIED, "--shard", "3/2"}, 2, "--shard: K/N is due"},
        {{VARIED, "--shard", "0/2"}, 2, "--shard: K/N is due"},
        {{VARIED, "--shard", "1/2x"}, 2, "--shard: K/N is due"},
        {{VARIED, "--shard", "2"}, 2, "--shard: K/N is due"},
        {{VARIED, "--shard", "1/0"}, 2, "--shard: K/N is due"},
        {{VARIED, "--shard", "1/9999999"}, 2, "--shard: K/N is due"},
        {{VARIED, "--jobs", "0"}, 2, "--jobs"},
        {{VARIED, "--jobs", "many"}, 2, "--jobs"},
        {{VARIED, "--resume", "--again"}, 2, "--resume and --again: one of them"},
        {{VARIED, "--seconds", "-1", "--list"}, 3, "seconds"},
        {{VARIED, "--out", "nowhere/o.csv"}, 3, "nowhere/o.csv"},
        {{"sweep", "arm.yaml", "--vary", "=1:2:2", "--figures", "tip.error"}, 3, "KEY=VALUES"},
        {{"sweep", "arm.yaml", "--vary", SPRING, "--figures", "tip.error"}, 3, "KEY=VALUES"},
        {{"sweep", "arm.yaml", "--vary", SPRING "=", "--figures", "tip.error"}, 3, "KEY=VALUES"},
        {{"sweep", "arm.yaml", "--vary", SPRING "=[1", "--figures", "tip.error"}, 3, "YAML"},
        {{"sweep", "arm.yaml", "--vary", SPRING "=1:2:2", "--figures", "tap.error"},
         3,
         "tap.error"},
        {{"scene"}, 2, "usage: poise scene"},
        {{"scene", "arm.yaml"}, 3, "arm.yaml"},
        {{"scene", "--frob", "arm.yaml"}, 2, "usage: poise scene"},
        {{"format", "--frob"}, 2, "usage: poise format"},
        {{"solve", "arm.yaml", "--point", "arm", "--point", "tip", "--target", "0,0,1"},
         2,
         "--target"},
    };
    expect_calls(calls, sizeof calls / sizeof calls[0]);
}

FOLDER_TEST(cli_study, a_setting_too_long_for_a_line_belongs_in_a_file, folder_with_arm()) {
    static char long_key[1200];
    memset(long_key, 'k', sizeof long_key - 1);
    CliEnd end;
    CLI_RUN(folder, &end, "sweep", "arm.yaml", "--vary", long_key);
    cr_expect_eq(end.code, 2, "%s", end.err);
    cr_expect_not_null(strstr(end.err, "so much belongs in a study's file"), "%s", end.err);
}

FOLDER_TEST(cli_study, runs_are_listed_and_none_is_made, folder_with_arm()) {
    CliEnd end;
    CLI_RUN(folder, &end, VARIED, "--vary", "world.step=0.01,0.02", "--list");
    cr_expect_eq(end.code, 0, "%s", end.err);
    cr_expect_str_eq(end.out, "run  " SPRING "  world.step\n0  1  0.01\n1  1  0.02\n2  2  0.01\n"
                              "3  2  0.02\n");
    cr_expect_eq(cli_file_count(folder), 1);
    // a complete table with its header
    CLI_RUN(folder, &end, VARIED, "--out", "o.csv", "--jobs", "1");
    cr_expect_eq(end.code, 0, "%s", end.err);
    cr_expect_not_null(strstr(end.err, "2 runs are in"), "%s", end.err);
    char* table = cli_read(folder, "o.csv");
    cr_expect_eq(strncmp(table, "run," SPRING ",status,reason,tip.error", 48), 0, "%s", table);
    free(table);
}

// ------------------------------------------------------------------------------ what is printed

// True if all brackets close and all strings end: the text is one value.
static bool is_nested(const char* text) {
    int depth = 0;
    bool quoted = false;
    for (; *text; text++) {
        if (quoted && *text == '\\' && text[1]) {
            text++;
        } else if (*text == '"') {
            quoted = !quoted;
        } else if (!quoted) {
            depth += strchr("{[", *text) ? 1 : strchr("}]", *text) ? -1 : 0;
        }
        if (depth < 0) {
            return false;
        }
    }
    return depth == 0 && !quoted;
}

FOLDER_TEST(cli_study, the_schema_of_scenes_knows_every_block, cli_folder_create()) {
    const char* const arguments[] = {"format", "--json-schema", NULL};
    CliEnd* end = calloc(1, sizeof *end);
    cr_assert_not_null(end);
    cli_run(folder, arguments, end);
    cr_expect_eq(end->code, 0, "%s", end->err);
    static const char* const words[] = {"\"$schema\"", "\"bodies\"",
                                        "\"joints\"",  "\"control_points\"",
                                        "\"robots\"",  "\"additionalProperties\""};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        cr_expect_not_null(strstr(end->out, words[i]), "no %s", words[i]);
    }
    // the test's buffer cuts a longer output
    cr_expect(strlen(end->out) == CLI_TEXT - 1 || is_nested(end->out));
    free(end);
}

static const char walker[] =
    "<mujoco model='4 legs'><option timestep='0.002'/><worldbody>"
    "<body name='trunk' pos='0 0 1'><freejoint/><geom type='box' size='0.2 0.1 0.1' mass='5'/>"
    "<body name='leg' pos='0 0 -0.2'><joint name='hip' type='hinge' axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -0.4' size='0.04' mass='1'/></body></body>"
    "</worldbody></mujoco>";

// a robot printed as a scene runs as the robot does
FOLDER_TEST(cli_study, a_floating_robot_is_printed_as_a_scene_that_runs, cli_folder_create()) {
    cli_write_text(folder, "walker.xml", walker);
    CliEnd end;
    CLI_RUN(folder, &end, "scene", "walker.xml");
    cr_assert_eq(end.code, 0, "%s", end.err);
    cr_expect_not_null(strstr(end.out, "floating: on"), "%s", end.out);
    cr_expect_not_null(strstr(end.out, "base: free"), "%s", end.out);
    cli_write_text(folder, "walker.yaml", end.out);
    CLI_RUN(folder, &end, "check", "walker.yaml");
    cr_expect_eq(end.code, 0, "%s", end.err);
}
