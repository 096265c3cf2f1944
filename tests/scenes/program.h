// SPDX-License-Identifier: MIT
// Runs the `poise` program as a user does.
#ifndef POISE_TEST_PROGRAM_H
#define POISE_TEST_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "fixture_test.h"

typedef struct Outcome {
    int code; ///< exit code; -1: the program did not exit by itself
    char out[65536];
    char err[16384];
} Outcome;

/// Creates an empty outcome. outcome_destroy removes the scratch folder with all its files.
Outcome* outcome_create(void);
void outcome_destroy(Outcome* outcome);

/// Runs `poise ARGUMENTS` (words as the shell splits them) in the test's scratch folder.
void run_program(Outcome* outcome, const char* arguments);
/// Runs a shell command. $POISE is the program.
void run_shell(Outcome* outcome, const char* command);

/// Returns the scratch folder of the test; the first call makes the folder. write_scratch writes a
/// file in it.
const char* scratch_folder(void);
void write_scratch(const char* name, const char* text);
/// Returns the text of a file in the scratch folder, to be freed; NULL if the file does not exist.
char* read_scratch(const char* name);

/// Writes two files into the scratch folder: arm.yaml, an arm that reaches its goal, and bent.urdf,
/// a robot whose elbow bends to one side only.
Outcome* outcome_with_arms(void);

#define OUTCOME_TEST(suite, name, make)                                                            \
    FIXTURE_TEST(suite, name, (Outcome * outcome), Outcome* made_ = make, (made_),                 \
                 outcome_destroy(made_))
/// Define a test that runs the program: in an empty folder, or in the folder of outcome_with_arms.
#define PROGRAM_TEST(suite, name) OUTCOME_TEST(suite, name, outcome_create())
#define ARMS_TEST(suite, name)    OUTCOME_TEST(suite, name, outcome_with_arms())

#endif
