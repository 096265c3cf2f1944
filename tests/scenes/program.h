// SPDX-License-Identifier: MIT
// The `poise` program, run as a user runs it.
#ifndef POISE_TEST_PROGRAM_H
#define POISE_TEST_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "fixture_test.h"

typedef struct Outcome {
    int code; ///< -1: it did not end by itself
    char out[65536];
    char err[16384];
} Outcome;

/// An empty one; the other removes the folder with all that is in it.
Outcome* outcome_create(void);
void outcome_destroy(Outcome* outcome);

/// Runs `poise ARGUMENTS` (words as the shell splits them) in a folder of the test's own.
void run_program(Outcome* outcome, const char* arguments);
/// Any shell command, with $POISE the program.
void run_shell(Outcome* outcome, const char* command);

/// The folder, made when first asked for; and a file written in it.
const char* scratch_folder(void);
void write_scratch(const char* name, const char* text);
/// The text of a file in it, NULL if there is none; to be freed.
char* read_scratch(const char* name);

/// With an arm that reaches its goal, arm.yaml, in the folder, and a robot whose elbow bends one
/// way alone, bent.urdf.
Outcome* outcome_with_arms(void);

#define OUTCOME_TEST(suite, name, make)                                                            \
    FIXTURE_TEST(suite, name, (Outcome * outcome), Outcome* made_ = make, (made_),                 \
                 outcome_destroy(made_))
/// A test that runs the program in an empty folder; in that of outcome_with_arms.
#define PROGRAM_TEST(suite, name) OUTCOME_TEST(suite, name, outcome_create())
#define ARMS_TEST(suite, name)    OUTCOME_TEST(suite, name, outcome_with_arms())

#endif
