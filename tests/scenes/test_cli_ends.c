// SPDX-License-Identifier: MIT
// Tests how a run ends that cannot continue: short of memory or room on the disk, interrupted, or
// killed. A result is always complete or absent.
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

// Writes a chain of `joints` hinges, straight along x, as URDF.
static void write_chain(const char* name, int joints) {
    size_t capacity = 400 * (size_t)(joints + 1) + 100;
    char* text = malloc(capacity);
    cr_assert_not_null(text);
    size_t used = (size_t)snprintf(text, capacity, "<robot name=\"chain\"><link name=\"l0\"/>\n");
    for (int i = 0; i < joints; i++) {
        used += (size_t)snprintf(
            text + used, capacity - used,
            "<link name=\"l%d\"><inertial><mass value=\"0.1\"/><inertia ixx=\"0.01\" iyy=\"0.01\" "
            "izz=\"0.01\"/></inertial></link>\n<joint name=\"j%d\" type=\"continuous\"><parent "
            "link=\"l%d\"/><child link=\"l%d\"/><origin xyz=\"0.1 0 0\"/><axis xyz=\"0 1 0\"/>"
            "</joint>\n",
            i + 1, i, i, i + 1);
    }
    used += (size_t)snprintf(text + used, capacity - used, "</robot>\n");
    write_scratch_bytes(name, text, used);
    free(text);
}

// The matrix of one step takes 30 MB. Such a run once ended with exit code 0 although no step was
// made.
PROGRAM_TEST(cli_ends, a_step_without_memory_ends_the_run) {
#ifdef __SANITIZE_ADDRESS__
    cr_skip("a sanitizer takes address space of its own");
#endif
    write_chain("chain.urdf", 330);
    write_scratch("chain.yaml", "poise: 1\nseconds: 0.02\nworld: {stepper: ode}\n"
                                "robots: {chain: {urdf: chain.urdf, base: fixed}}\n"
                                "control_points: {tip: {body: chain/l330, position: [1, 0, 1]}}\n");
    ProgramCall call = {.arguments = (const char* const[]){"run", "chain.yaml", "--json", NULL},
                        .memory = 60L << 20};
    call_program(outcome, &call);
    expect_calm(outcome, "short");
    cr_expect_eq(outcome->code, 3, "%d", outcome->code);
    EXPECT_HAS(outcome->err, "memory is short: no step was made after 0 s");
    cr_expect(strstr(outcome->out, "\"steps\": 0") &&
                  strstr(outcome->out, "\"status\": \"out_of_memory\""),
              "%.300s", outcome->out);
    call.memory = 0;
    call_program(outcome, &call);
    cr_expect_eq(outcome->code, 0, "%s", outcome->err);
}

// ----------------------------------------------------------------------------------------- outputs

static const char arm[] =
    "poise: 1\nseconds: 0.5\nbodies: {arm: {sphere: 0.1, at: [0, 0, 1]}}\n"
    "joints: {turn: {hinge: [0, 0, 0], axis: [0, 1, 0], between: [world, arm], "
    "ik: {spring: 900, damper: 90}}}\ncontrol_points: {tip: {body: arm, position: [0.2, 0, 1]}}\n";
static const char robot[] =
    "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><mass value=\"1\"/><inertia "
    "ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link><joint name=\"j\" "
    "type=\"continuous\"><parent "
    "link=\"a\"/><child link=\"b\"/></joint></robot>\n";
static const char robot_scene[] = "poise: 1\nseconds: 0.1\nrobots: {r: {urdf: robot.urdf}}\n";
static const char targets[] = "px,py,pz\n0.1,0,1\n";
static const char tetrahedron[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
static const char old[] = "what was there before\n";

static Outcome* folder_with_old_results(void) {
    Outcome* outcome = outcome_create();
    write_scratch("arm.yaml", arm);
    write_scratch("robot.urdf", robot);
    write_scratch("robot.yaml", robot_scene);
    write_scratch("targets.csv", targets);
    write_scratch("old.csv", old);
    write_scratch("old.svg", old);
    return outcome;
}

static void expect_text(const char* name, const char* expected, const char* row) {
    char* text = read_scratch(name);
    cr_expect_str_eq(text, expected, "%s: %s is now '%.60s'", row, name, text);
}

// Expects a header, and in each further row the number of commas of the header.
static void expect_whole_rows(const char* name, const char* row) {
    char* text = read_scratch(name);
    const size_t size = strlen(text);
    cr_assert_gt(size, 0, "%s: %s is not there", row, name);
    cr_expect_eq(text[size - 1], '\n', "%s", row);
    text[strcspn(text, "\n")] = '\0';
    const int commas = count_of(text, ",");
    const char* rows = text + strlen(text) + 1;
    cr_expect_eq(count_of(rows, ","), commas * count_of(rows, "\n"), "%s", row);
}

#define RUN(...)                                                                                   \
    { "run", __VA_ARGS__, NULL }
#define SOLVE(file, point, out)                                                                    \
    { "solve", file, "--point", point ":1,0,0", "--targets", "targets.csv", "--out", out, NULL }

// files that a result may not replace, together with the files of folder_with_old_results
static const char* const inputs[][2] = {
    {"arm.yaml", arm},
    {"robot.urdf", robot},
    {"robot.yaml", robot_scene},
    {"targets.csv", targets},
    {"old.csv", old},
    {"other.urdf",
     "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><mass value=\"2\"/><inertia "
     "ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial><visual><geometry><mesh filename=\"seen.obj\"/>"
     "</geometry></visual></link><joint name=\"j\" type=\"continuous\"><parent link=\"a\"/>"
     "<child link=\"b\"/></joint></robot>\n"},
    {"model.xml", "<mujoco><asset><mesh name=\"m\" file=\"part.obj\"/></asset><include "
                  "file=\"more.xml\"/></mujoco>\n"},
    {"more.xml", "<mujoco><worldbody><body><joint axis=\"0 1 0\"/><geom type=\"mesh\" "
                 "mesh=\"m\"/></body></worldbody></mujoco>\n"},
    {"part.obj", tetrahedron},
    {"seen.obj", tetrahedron},
    {"moved.yaml", "poise: 1\nseconds: 0.1\nmotion: {bvh: wave.bvh}\nbodies: {arm: {sphere: 0.1, "
                   "at: [0, 0, 1]}}\njoints: {turn: {ball: [0, 0, 0], between: [world, arm]}}\n"
                   "control_points: {tip: {body: arm, position: {motion: top}}}\n"},
    {"wave.bvh", "HIERARCHY\nROOT top\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n"
                 "}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 1 0\n0 1 0\n"},
};
enum { INPUTS = (int)(sizeof inputs / sizeof inputs[0]) };

// The message names the replaced file, and no file is written or left over.
OUTCOME_TEST(cli_ends, an_output_never_replaces_what_is_read_or_another_output,
             folder_with_old_results()) {
    static const struct {
        const char* name;
        const char* arguments[10];
        const char* replaced;
    } rows[] = {
        {"the scene", RUN("arm.yaml", "--csv", "arm.yaml"), "arm.yaml"},
        {"the scene by another path", RUN("arm.yaml", "--csv", "./arm.yaml"), "arm.yaml"},
        {"a link to it", RUN("arm.yaml", "--csv", "link.yaml"), "arm.yaml"},
        {"its other name", RUN("arm.yaml", "--csv", "same.yaml"), "arm.yaml"},
        {"a link to it by the plot", RUN("arm.yaml", "--plot", "link.svg"), "arm.yaml"},
        {"the scene's robot", RUN("robot.yaml", "--csv", "robot.urdf"), "robot.urdf"},
        {"the robot alone", RUN("robot.urdf", "--csv", "robot.urdf"), "robot.urdf"},
        {"a mesh that is only seen", RUN("other.urdf", "--csv", "seen.obj"), "seen.obj"},
        {"a mesh", RUN("model.xml", "--csv", "part.obj"), "part.obj"},
        {"a part of a model", RUN("model.xml", "--csv", "more.xml"), "more.xml"},
        {"a recorded motion", RUN("moved.yaml", "--csv", "wave.bvh"), "wave.bvh"},
        {"it by a motion", {"motion", "moved.yaml", "--bvh", "wave.bvh", NULL}, "wave.bvh"},
        {"the CSV by the plot", RUN("arm.yaml", "--csv", "old.svg", "--plot", "old.svg"),
         "old.svg"},
        {"a CSV not there yet", RUN("arm.yaml", "--csv", "new.svg", "--plot", "./new.svg"),
         "new.svg"},
        {"the targets", SOLVE("robot.urdf", "b", "targets.csv"), "targets.csv"},
        {"the robot by the answers", SOLVE("robot.urdf", "b", "robot.urdf"), "robot.urdf"},
        {"the robot of their scene", SOLVE("robot.yaml", "r/b", "robot.urdf"), "robot.urdf"},
    };
    for (int i = 0; i < INPUTS; i++) {
        write_scratch(inputs[i][0], inputs[i][1]);
    }
    cr_assert_eq(link("arm.yaml", "same.yaml"), 0);
    cr_assert_eq(symlink("arm.yaml", "link.yaml"), 0);
    cr_assert_eq(symlink("arm.yaml", "link.svg"), 0);
    const int files = count_scratch();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        call_program(outcome, &(ProgramCall){.arguments = rows[i].arguments});
        cr_expect_eq(outcome->code, 3, "%s: %d: %s", rows[i].name, outcome->code, outcome->err);
        const char* found = strstr(outcome->err, "it would replace '");
        cr_expect(found && strstr(found, rows[i].replaced), "%s: %s", rows[i].name, outcome->err);
        for (int k = 0; k < INPUTS; k++) {
            expect_text(inputs[k][0], inputs[k][1], rows[i].name);
        }
        cr_expect_eq(count_scratch(), files, "%s: left something", rows[i].name);
    }
}

// If the disk is full, the old file stays and the exit code is 3.
OUTCOME_TEST(cli_ends, an_output_that_cannot_be_written_leaves_the_old_one,
             folder_with_old_results()) {
    static const struct {
        const char* name;
        const char* arguments[10];
        long file_size;
    } rows[] = {
        {"a CSV that grows too large", RUN("arm.yaml", "--csv", "old.csv"), 1000},
        {"a plot that grows too large", RUN("arm.yaml", "--plot", "old.svg"), 1000},
        {"answers",
         {"solve", "robot.urdf", "--point", "b:1,0,0", "--targets", "targets.csv", "--out",
          "old.csv", NULL},
         8},
        {"a plot on a full disk", RUN("arm.yaml", "--csv", "old.csv", "--plot", "full.svg"), 2},
        {"a CSV on a full disk", RUN("arm.yaml", "--csv", "/dev/full", "--json"), 0},
        {"a plot nowhere", RUN("arm.yaml", "--csv", "old.csv", "--plot", "nowhere/a.svg"), 0},
        {"a plot on a folder", RUN("arm.yaml", "--csv", "old.csv", "--plot", "folder.svg"), 0},
    };
    cr_assert_eq(symlink("/dev/full", "full.svg"), 0);
    cr_assert_eq(mkdir("folder.svg", 0777), 0);
    const int files = count_scratch();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ProgramCall call = {.arguments = rows[i].arguments, .file_size = rows[i].file_size};
        call_program(outcome, &call);
        expect_calm(outcome, rows[i].name);
        cr_expect_eq(outcome->code, 3, "%s: %d: %s", rows[i].name, outcome->code, outcome->err);
        cr_expect(strstr(outcome->err, "cannot be written: "), "%s: %s", rows[i].name,
                  outcome->err);
        expect_text("old.csv", old, rows[i].name);
        expect_text("old.svg", old, rows[i].name);
        cr_expect_eq(count_scratch(), files, "%s: left something", rows[i].name);
    }
}

// The new file replaces the file that a link points to. The link stays.
OUTCOME_TEST(cli_ends, a_result_replaces_the_file_behind_a_link, folder_with_old_results()) {
    cr_assert_eq(symlink("old.csv", "link.csv"), 0);
    RUN_PROGRAM(outcome, "run", "arm.yaml", "--csv", "link.csv", "--plot", "new.svg");
    cr_expect_eq(outcome->code, 0, "%s", outcome->err);
    expect_whole_rows("old.csv", "linked");
    char* svg = read_scratch("new.svg");
    cr_expect(strstr(svg, "</svg>") != NULL);
    cr_expect_eq(readlink("link.csv", (char[128]){0}, 127), 7, "no link any more");
}

// ---------------------------------------------------------------------------------------- signals

static void interrupt_run(Outcome* outcome, int by) {
    ProgramCall call = {.arguments = (const char* const[])RUN("arm.yaml", "--seconds", "1e6",
                                                              "--csv", "old.csv", "--json"),
                        .interrupt_when = "old.csv.",
                        .interrupt_at = 4096,
                        .interrupt_by = by};
    call_program(outcome, &call);
    cr_expect_not(outcome->late);
}

OUTCOME_TEST(cli_ends, a_killed_run_leaves_the_old_file, folder_with_old_results()) {
    interrupt_run(outcome, SIGKILL);
    cr_expect_eq(outcome->signal, SIGKILL);
    expect_text("old.csv", old, "killed");
}

Test(cli_ends, an_interrupted_run_leaves_a_whole_new_file) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; i++) {
        Outcome* outcome = folder_with_old_results();
        const int files = count_scratch();
        interrupt_run(outcome, signals[i]);
        cr_expect_eq(outcome->code, 130, "signal %d: %d, %s", signals[i], outcome->code,
                     outcome->err);
        cr_expect(strstr(outcome->out, "\"status\": \"interrupted\"") &&
                      strstr(outcome->err, "interrupted at "),
                  "%.200s", outcome->out);
        expect_whole_rows("old.csv", "interrupted");
        cr_expect_eq(count_scratch(), files);
        outcome_destroy(outcome);
    }
}

// A step of 330 joints takes long. The first signal waits for its end, the second signal does not.
PROGRAM_TEST(cli_ends, a_second_signal_ends_the_program_within_a_step) {
    write_chain("chain.urdf", 330);
    ProgramCall call = {.arguments = (const char* const[])RUN("chain.urdf", "--csv", "chain.csv"),
                        .interrupt_when = "chain.csv.",
                        .interrupt_by = SIGTERM,
                        .twice = true};
    call_program(outcome, &call);
    cr_expect_eq(outcome->signal, SIGTERM, "%d: %s", outcome->code, outcome->err);
}

// the run would never end by itself
OUTCOME_TEST(cli_ends, a_run_ends_when_the_reader_of_its_csv_is_gone, folder_with_old_results()) {
    ProgramCall call = {.arguments = (const char* const[])RUN("arm.yaml", "--seconds", "1e6",
                                                              "--csv", "-", "--quiet"),
                        .deaf = true};
    call_program(outcome, &call);
    expect_calm(outcome, "deaf");
    cr_expect_eq(outcome->code, 3, "%d", outcome->code);
    EXPECT_HAS(outcome->err, "cannot be written: ");
}
