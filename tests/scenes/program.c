// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

Outcome* outcome_create(void) {
    Outcome* outcome = calloc(1, sizeof *outcome);
    cr_assert_not_null(outcome);
    return outcome;
}

void outcome_destroy(Outcome* outcome) {
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch_folder());
    cr_expect(system(command) == 0);
    free(outcome);
}

const char* scratch_folder(void) {
    static char folder[64];
    // each test is a process, so each test makes a folder
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/poise-test-XXXXXX");
        cr_assert_not_null(mkdtemp(folder), "cannot make %s", folder);
    }
    return folder;
}

static void path_of(char* path, size_t capacity, const char* name) {
    snprintf(path, capacity, "%s/%s", scratch_folder(), name);
}

void write_scratch(const char* name, const char* text) {
    char path[256];
    path_of(path, sizeof path, name);
    FILE* file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

char* read_scratch(const char* name) {
    char path[256];
    path_of(path, sizeof path, name);
    FILE* file = fopen(path, "r");
    if (!file) {
        return NULL;
    }
    size_t capacity = 1 << 20;
    char* text = calloc(capacity, 1);
    cr_assert_not_null(text);
    size_t size = fread(text, 1, capacity - 1, file);
    text[size] = '\0';
    fclose(file);
    return text;
}

static void take(const char* name, char* text, size_t capacity) {
    char* all = read_scratch(name);
    snprintf(text, capacity, "%s", all ? all : "");
    free(all);
}

void run_shell(Outcome* outcome, const char* command) {
    char line[4096];
    snprintf(line, sizeof line, "cd %s && export POISE='%s' && { %s ; } >out.txt 2>err.txt",
             scratch_folder(), POISE_PROGRAM, command);
    int status = system(line);
    outcome->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    take("out.txt", outcome->out, sizeof outcome->out);
    take("err.txt", outcome->err, sizeof outcome->err);
}

void run_program(Outcome* outcome, const char* arguments) {
    char command[3000];
    snprintf(command, sizeof command, "\"$POISE\" %s", arguments);
    run_shell(outcome, command);
}

// a ball and a hinge that reach the goal
static const char arm[] =
    "poise: 1\ntitle: An arm\nseconds: 2\nworld: {gravity: [0, 0, 0]}\n"
    "bodies: {a: {capsule: 0.05, from: [0, 0, 0], to: [0, 0, 1]}, b: {capsule: 0.05, from: [0, 0, "
    "1], "
    "to: [0, 0, 2]}}\n"
    "joints: {j: {ball: [0, 0, 0], between: [world, a], ik: {spring: 5000, damper: 300}}, k: "
    "{hinge: "
    "[0, 0, 1], axis: [0, 1, 0], between: [a, b], ik: {spring: 5000, damper: 300}}}\n"
    "control_points: {tip: {body: b, at: [0, 0, 0.5], position: [0.8, 0.3, 1.1]}}\n"
    "expect: {tip.error: 0.01}\n";

// two links of 1 m in the plane, whose elbow bends to one side only
static const char bent[] =
    "<robot name='bent'>\n"
    "<link name='base'/><link name='upper'/><link name='lower'/>\n"
    "<joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/>"
    "<axis xyz='0 0 1'/><limit lower='-0.5' upper='0.4' effort='9' velocity='9'/></joint>\n"
    "<joint name='elbow' type='revolute'><parent link='upper'/><child link='lower'/>"
    "<origin xyz='1 0 0'/><axis xyz='0 0 1'/>"
    "<limit lower='0.1' upper='2.5' effort='9' velocity='9'/></joint>\n"
    "</robot>\n";

Outcome* outcome_with_arms(void) {
    Outcome* outcome = outcome_create();
    write_scratch("arm.yaml", arm);
    write_scratch("bent.urdf", bent);
    return outcome;
}
