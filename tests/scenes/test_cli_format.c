// SPDX-License-Identifier: MIT
// `poise format` and `poise scene`. Tests the messages for a faulty call, and the output of a
// correct call.
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

Test(cli_format, calls_that_are_no_good_say_what_is_due) {
    static const Call calls[] = {
        {{"scene"}, 2, "usage: poise scene"},
        {{"scene", "arm.yaml"}, 3, "arm.yaml"},
        {{"scene", "--frob", "arm.yaml"}, 2, "usage: poise scene"},
        {{"format", "--frob"}, 2, "usage: poise format"},
        {{"solve", "arm.yaml", "--start", "3"}, 2, "unrecognized option '--start'; did you mean"},
        {{"run", "arm.yaml", "--qui"}, 2, "unrecognized option '--qui'; did you mean '--quiet'?"},
        {{"solve", "arm.yaml", "--point", "arm", "--point", "tip", "--target", "0,0,1"},
         2,
         "--target"},
    };
    expect_calls(calls, sizeof calls / sizeof calls[0]);
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

FOLDER_TEST(cli_format, the_schema_of_scenes_knows_every_block, cli_folder_create()) {
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
    "<geom type='capsule' fromto='0 0 0 0 0 -0.4' size='0.04' mass='1'/>"
    "<geom type='box' pos='0 0 -0.44' size='0.1 0.1 0.02' mass='0.1'/></body></body>"
    "</worldbody></mujoco>";

// a robot printed as a scene runs as the robot does
FOLDER_TEST(cli_format, a_floating_robot_is_printed_as_a_scene_that_runs, cli_folder_create()) {
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
