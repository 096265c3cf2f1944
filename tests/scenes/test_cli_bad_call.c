// SPDX-License-Identifier: MIT
// Tests the exit code and the message of calls that fail: wrong command lines, places that cannot
// be written, readers that close the pipe, and runs that miss, blow up or are interrupted.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

// an arm whose tip reaches its target
static const char near_scene[] =
    "poise: 1\n"
    "seconds: 2\n"
    "world: {gravity: [0, 0, 0]}\n"
    "bodies: {arm: {box: [0.1, 0.1, 1], at: [0, 0, 0.5]}}\n"
    "joints: {hip: {ball: [0, 0, 0], between: [world, arm], ik: {spring: 1000, damper: 100}}}\n"
    "control_points: {tip: {body: arm, at: [0, 0, 0.5], position: [0.6, 0, 0.8]}}\n";
static const char bounds[] = "expect: {tip.error: 0.01}\n";
// the tip cannot reach this target
static const char far_target[] = "control_points.tip.position=[2, 0, 0]";

static Outcome* folder_with_scenes(void) {
    Outcome* outcome = outcome_create();
    char text[1024];
    write_scratch("free.yaml", near_scene);
    snprintf(text, sizeof text, "%s%s", near_scene, bounds);
    write_scratch("near.yaml", text);
    return outcome;
}

// ------------------------------------------------------------------------------- the command line

OUTCOME_TEST(cli_bad_call, usage, folder_with_scenes()) {
    // clang-format off
    static const CallRow calls[] = {
        {"", 2, {"usage: poise", "poise run"}},
        {"''", 2, {"usage: poise"}},
        {"rnu near.yaml", 2, {"'rnu'", "did you mean 'run'"}},
        {"--verbose", 2, {"--verbose", "usage: poise"}},
        {"run", 2, {"usage: poise run SCENE"}},
        {"run near.yaml free.yaml", 2, {"one file", "usage: poise run"}},
        {"check", 2, {"usage: poise check FILE"}},
        {"check near.yaml free.yaml", 2, {"one file"}},
        {"info", 2, {"usage: poise info FILE"}},
        {"scene", 2, {"usage: poise scene"}},
        {"scene near.yaml", 3, {"near.yaml"}},
        {"scene --all near.yaml", 2, {"usage: poise scene"}},
        {"format --all", 2, {"usage: poise format"}},
        {"solve near.yaml --dh a.csv", 2, {"one file"}},
        {"solve --chain c --targets t --out o --keep-apart", 2, {"--keep-apart excludes --chain"}},
        {"verify reach", 3, {"cannot be read: No such file or directory\n"}},
        {"run near.yaml --frobnicate", 2, {"--frobnicate", "usage: poise run"}},
        {"run near.yaml -x", 2, {"'-x'", "usage: poise run"}},
        {"check --all near.yaml", 2, {"--all", "usage"}},
        {"info --all near.yaml", 2, {"--all", "usage"}},
        {"run -- near.yaml --json", 2, {"one file"}},
        {"run near.yaml --json=yes", 2, {"--json", "usage: poise run"}},
        {"run near.yaml --seconds", 2, {"--seconds", "usage: poise run"}},
        {"run near.yaml --seconds -1", 2, {"--seconds", "not -1"}},
        {"run near.yaml --seconds 0", 2, {"--seconds", "above 0"}},
        {"run near.yaml --seconds abc", 2, {"--seconds", "'abc'"}},
        {"run near.yaml --seconds ''", 2, {"--seconds", "number"}},
        {"run near.yaml --seconds nan", 2, {"--seconds", "nan"}},
        {"run near.yaml --seconds inf", 2, {"--seconds", "inf"}},
        {"run near.yaml --seconds 1e999", 2, {"--seconds", "1e999"}},
        {"run near.yaml --seconds 0x10", 2, {"--seconds", "0x10"}},
        {"run near.yaml --seconds 10ms", 2, {"--seconds", "10ms"}},
        {"run near.yaml --seed abc", 2, {"--seed", "'abc'"}},
        {"run near.yaml --seed -1", 2, {"--seed", "-1"}},
        {"run near.yaml --seed 1.5", 2, {"--seed", "whole"}},
        {"run near.yaml --seed 4294967296", 2, {"--seed", "4294967295"}},
        {"run near.yaml --set", 2, {"--set", "usage: poise run"}},
        {"run near.yaml --set world.step", 2, {"--set", "KEY=VALUE"}},
        {"run near.yaml --set =3", 2, {"--set", "KEY=VALUE"}},
        {"run free.yaml --expect", 2, {"free.yaml", "'expect:'"}},
    };
    // clang-format on
    EXPECT_CALLS(outcome, calls);
}

OUTCOME_TEST(cli_bad_call, overrides, folder_with_scenes()) {
    // clang-format off
    static const CallRow calls[] = {
        {"run near.yaml --set wrold.step=0.1", 3, {":1:1: error", "did you mean 'world'"}},
        {"run near.yaml --set world.stpe=0.1", 3, {":1:7: error", "did you mean 'step'"}},
        {"run near.yaml --set joints.hop.bias=2", 3, {":1:8: error", "did you mean 'hip'"}},
        {"run near.yaml --set control_points.tap.weight=2", 3,
         {":1:16: error", "did you mean 'tip'"}},
        {"run near.yaml --set bodies.leg.mass=2", 3, {":1:8: error", "no 'leg' in 'bodies'"}},
        {"run near.yaml --set world.step=-1", 3, {":1:12: error", "above 0, not -1"}},
        {"run near.yaml --set 'control_points.tip.position=[1, 0, nan]'", 3,
         {":1:36: error", "finite"}},
        {"run near.yaml --set world=3", 3, {":1:7: error", "map"}},
        {"run near.yaml --set 'world.gravity=[0, 0'", 3, {"--set", "YAML"}},
        {"run near.yaml --set world..step=1", 3, {":1:7: error", "unknown key"}},
        {"run near.yaml --set bodies.arm.box.0=1", 3, {"--set", "list"}},
        {"run near.yaml --set world.step=", 3, {"--set", "'step'"}},
        {"run near.yaml --set poise=7", 3, {":1:7: error", "of version 7"}},
        {"run near.yaml --set world.step=0.02 --set world.stop=1", 3,
         {"world.stop=1:1:7: error", "did you mean 'step'"}},
    };
    // clang-format on
    EXPECT_CALLS(outcome, calls);
}

OUTCOME_TEST(cli_bad_call, outputs, folder_with_scenes()) {
    // clang-format off
    static const CallRow calls[] = {
        {"run near.yaml --csv nowhere/a.csv", 3, {"nowhere/a.csv", "No such file"}},
        {"run near.yaml --csv .", 3, {".: ", "directory"}},
        {"run near.yaml --csv /dev/full --quiet", 3, {"/dev/full", "No space left"}},
        {"run near.yaml --csv ''", 3, {"written"}},
        {"run near.yaml --plot nowhere/a.svg", 3, {"nowhere/a.svg", "No such file"}},
        {"run near.yaml --plot a.gif", 2, {"--plot: ", ".svg, .png or .pdf is due"}},
        {"run near.yaml --plot free.yaml/a.svg", 3, {"free.yaml/a.svg", "Not a directory"}},
    };
    // clang-format on
    EXPECT_CALLS(outcome, calls);
}

PROGRAM_TEST(cli_bad_call, help_is_no_error) {
    static const char* const calls[][3] = {
        {"--help"},    {"-h"},          {"help"},           {"--version"},   {"run", "--help"},
        {"run", "-h"}, {"check", "-h"}, {"info", "--help"}, {"solve", "-h"}, {"format"}};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const char* const arguments[] = {calls[i][0], calls[i][1], NULL};
        call_program(outcome, &(ProgramCall){.arguments = arguments});
        expect_calm(outcome, calls[i][0]);
        cr_expect_eq(outcome->code, 0, "%s: %d", calls[i][0], outcome->code);
        cr_expect_str_not_empty(outcome->out, "%s", calls[i][0]);
        cr_expect_str_empty(outcome->err, "%s: %s", calls[i][0], outcome->err);
    }
}

// ---------------------------------------------------------------------------- readers that go away

OUTCOME_TEST(cli_bad_call, a_closed_pipe_is_said_and_ends_with_3, folder_with_scenes()) {
    static const char* const calls[][5] = {
        {"run", "near.yaml", "--json"},
        {"run", "near.yaml"},
        {"run", "near.yaml", "--csv", "-"},
        {"check", "near.yaml"},
        {"info", "near.yaml"},
        {"format"},
        {"--help"},
        {"--version"},
        {"run", "--help"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const char* const* call = calls[i];
        const char* const arguments[] = {call[0], call[1], call[2], call[3], NULL};
        ProgramCall deaf = {.arguments = arguments, .deaf = true};
        call_program(outcome, &deaf);
        expect_calm(outcome, call[0]);
        cr_expect_eq(outcome->code, 3, "call %zu, %s: %d", i, call[0], outcome->code);
        cr_expect_not_null(strstr(outcome->err, "Broken pipe"), "call %zu, %s: %s", i, call[0],
                           outcome->err);
    }
}

// -------------------------------------------------------------------- missed, blown up,
// interrupted

OUTCOME_TEST(cli_bad_call, a_missed_goal_is_named_and_ends_with_1, folder_with_scenes()) {
    RUN_PROGRAM(outcome, "run", "near.yaml", "--expect", "--quiet");
    cr_expect_eq(outcome->code, 0, "%s", outcome->err);
    cr_expect_str_empty(outcome->out);
    cr_expect_str_empty(outcome->err);

    RUN_PROGRAM(outcome, "run", "near.yaml", "--expect", "--quiet", "--set", far_target);
    expect_calm(outcome, "a target out of reach");
    cr_expect_eq(outcome->code, 1);
    cr_expect_str_empty(outcome->out);
    EXPECT_HAS(outcome->err, "tip.error is 1");
    EXPECT_HAS(outcome->err, "at most 0.01");

    // a missed goal is no error without --expect; with --json the report says that it is missed
    RUN_PROGRAM(outcome, "run", "near.yaml", "--set", far_target);
    cr_expect_eq(outcome->code, 0);
    RUN_PROGRAM(outcome, "run", "near.yaml", "--expect", "--json", "--set", far_target);
    cr_expect_eq(outcome->code, 1);
    EXPECT_HAS(outcome->out, "\"status\": \"missed\"");
}

typedef struct Disaster {
    const char* name;
    const char* scene;
    const char* says[2];
} Disaster;

// a fall from rest: -1e5 m/s^2 for 0.2 s gives 2e4 m/s
#define FALL "poise: 1\nseconds: 5\nworld: {gravity: [0, 0, -1e5], step: 0.02, contacts: off}\n"

PROGRAM_TEST(cli_bad_call, a_blow_up_is_named_and_ends_with_4) {
    static const Disaster disasters[] = {
        {"a body alone", FALL "bodies: {stone: {sphere: 0.1}}\n", {"body stone", " s;"}},
        {"a body on a joint",
         FALL
         "bodies: {cart: {sphere: 0.1}}\n"
         "joints: {rail: {slider: [0, 0, 0], axis: [0, 0, 1], between: [world, cart], ik: off}}\n",
         {"joint rail", " s;"}},
        {"a body at the end of a chain",
         FALL "bodies: {a: {sphere: 0.1, gravity: off}, b: {sphere: 0.1, at: [1, 0, 0]}}\n"
              "joints:\n"
              "  j: {ball: [0, 0, 0], between: [world, a]}\n"
              "  k: {slider: [1, 0, 0], axis: [0, 0, 1], between: [a, b], ik: off}\n",
         {"joint ", " s;"}},
    };
    for (size_t i = 0; i < sizeof disasters / sizeof *disasters; i++) {
        const Disaster* disaster = &disasters[i];
        write_scratch("wild.yaml", disaster->scene);
        RUN_PROGRAM(outcome, "run", "wild.yaml", "--json", "--csv", "wild.csv");
        expect_calm(outcome, disaster->name);
        cr_expect_eq(outcome->code, 4, "%s: %d", disaster->name, outcome->code);
        cr_expect_not_null(strstr(outcome->err, "blew up at "), "%s: %s", disaster->name,
                           outcome->err);
        for (int j = 0; j < 2; j++) {
            cr_expect_not_null(strstr(outcome->err, disaster->says[j]), "%s: no '%s' in %s",
                               disaster->name, disaster->says[j], outcome->err);
        }
        EXPECT_HAS(outcome->out, "\"status\": \"blew_up\"");
        cr_expect_null(strstr(outcome->out, "nan"), "%s: not JSON: %s", disaster->name,
                       outcome->out);
        cr_expect_null(strstr(outcome->out, "inf"), "%s: not JSON: %s", disaster->name,
                       outcome->out);
        // the steps up to the last finished one
        const char* seconds = strstr(outcome->out, "\"seconds\": ");
        const char* steps = strstr(outcome->out, "\"steps\": ");
        cr_assert(seconds && steps, "%s", outcome->out);
        cr_expect_float_eq(strtod(seconds + 11, NULL), 0.02 * strtod(steps + 9, NULL), 1e-9, "%s",
                           outcome->out);
    }
}

// a straight arm pressed into the ground: ODE's solver prints a warning in each step
PROGRAM_TEST(cli_bad_call, the_engine_beneath_does_not_speak) {
    static const char scene[] =
        "poise: 1\n"
        "seconds: 0.5\n"
        "world: {ground: {height: 0}}\n"
        "bodies:\n"
        "  arm: {capsule: 0.04, from: [0, 0, 1.1], to: [0, 0, 0.8]}\n"
        "  hand: {box: [0.03, 0.09, 0.16], at: [0, 0, 0.05]}\n"
        "joints:\n"
        "  shoulder: {ball: [0, 0, 1.1], between: [world, arm]}\n"
        "  elbow: {hinge: [0, 0, 0.8], axis: [0, -1, 0], between: [arm, hand], limits: [0, 2]}\n";
    write_scratch("pressed.yaml", scene);
    RUN_PROGRAM(outcome, "run", "pressed.yaml", "--quiet");
    cr_expect_eq(outcome->code, 0);
    cr_expect_null(strstr(outcome->err, "ODE"), "%d lines of ODE's",
                   count_of(outcome->err, "ODE Message"));
}
