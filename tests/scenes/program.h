// SPDX-License-Identifier: MIT
// Runs the built program as a user does, in a scratch folder with the test's files.
#ifndef POISE_TEST_PROGRAM_H
#define POISE_TEST_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "fixture_test.h"

enum { OUTCOME_TEXT = 1 << 16 };

typedef struct Outcome {
    int code;               ///< exit code; -1 if a signal ended the program
    int signal;             ///< number of the signal that ended the program; 0: the program exited
    bool late;              ///< True if the program did not end in time and was killed
    char out[OUTCOME_TEXT]; ///< beginning of stdout and stderr
    char err[OUTCOME_TEXT];
} Outcome;

typedef struct ProgramCall {
    const char* const* arguments; ///< the arguments without the program's name; NULL ends them
    const char* shell;            ///< a command of the shell in place of the arguments; NULL: none
    bool deaf;                    ///< True if the pipe of stdout is closed at the reader's end
    /// The signal is sent once a file of the folder holds `interrupt_at` bytes. The name of that
    /// file begins with `interrupt_when`. NULL: no signal.
    const char* interrupt_when;
    long interrupt_at;
    int interrupt_by; ///< number of the signal; 0: SIGINT
    bool twice;       ///< True to send the signal again, a little later
    long memory;      ///< bytes of address space that the program may use; 0: no limit
    long file_size;   ///< bytes that each file of the program may hold; 0: no limit
} ProgramCall;

/// Creates an empty outcome. outcome_destroy removes the scratch folder with all its files.
Outcome* outcome_create(void);
void outcome_destroy(Outcome* outcome);

/// Runs the program in the scratch folder, so that messages have the names of files as given.
void call_program(Outcome* outcome, const ProgramCall* call);
/// Runs call_program with the arguments in place: RUN_PROGRAM(outcome, "run", "scene.yaml").
#define RUN_PROGRAM(outcome, ...)                                                                  \
    call_program(outcome, &(ProgramCall){.arguments = (const char* const[]){__VA_ARGS__, NULL}})
/// Runs a shell command, formatted as by printf. $POISE is the program.
void run_shell(Outcome* outcome, const char* format, ...) __attribute__((format(printf, 2, 3)));
/// Runs `poise ARGUMENTS` likewise: run_program(outcome, "run %s --json", scene).
#define run_program(outcome, ...) run_shell(outcome, "\"$POISE\" " __VA_ARGS__)
/// A call of `poise`, or a file that the calls of later rows find.
typedef struct CallRow {
    const char* call; ///< arguments as in a shell; "> FILE": the row writes says[0] to the file
    int code;         ///< exit code
    /// Words on stdout or stderr. stdout must be empty after an error, except of `check`, and with
    /// --quiet.
    const char* says[5];
} CallRow;

/// Makes the calls of the rows, and expects what each must do.
void expect_calls(Outcome* outcome, const CallRow* rows, size_t count);
#define EXPECT_CALLS(outcome, rows) expect_calls(outcome, rows, sizeof(rows) / sizeof *(rows))
/// Fails the test if a signal ended the program, if it was late, or if stderr has a message of ODE,
/// an assertion or a sanitizer.
void expect_calm(const Outcome* outcome, const char* row);

/// Returns the scratch folder of the test. The first call, or the first file that is written, makes
/// the folder and enters it.
const char* scratch_folder(void);
void write_scratch(const char* name, const char* text);
void write_scratch_bytes(const char* name, const char* bytes, size_t size);
/// Returns the text of a file in the scratch folder, "" if missing. It lives until the end of the
/// test's process.
char* read_scratch(const char* name);
/// Returns the number of files in the scratch folder.
int count_scratch(void);

/// Expects the part in the text.
#define EXPECT_HAS(text, part) cr_expect_not_null(strstr(text, part), "no '%s' in: %s", part, text)
/// Returns a figure of a point in the output of `run --json`; NaN if it is missing or null.
double figure_of(const Outcome* outcome, const char* point, const char* name);
/// Returns the number of times that the word is in the text.
int count_of(const char* text, const char* word);

/// Writes two files into the scratch folder: arm.yaml, an arm that reaches its goal, and bent.urdf,
/// a robot whose elbow bends to one side only.
Outcome* outcome_with_arms(void);

#define OUTCOME_TEST(suite, name, make)                                                            \
    FIXTURE_TEST(suite, name, (Outcome * outcome), Outcome* made_ = make, (made_),                 \
                 outcome_destroy(made_))
/// Define a test that runs the program: in an empty folder, or in the folder of outcome_with_arms.
#define PROGRAM_TEST(suite, name) OUTCOME_TEST(suite, name, outcome_create())
#define ARMS_TEST(suite, name)    OUTCOME_TEST(suite, name, outcome_with_arms())
/// Defines a test of the library that writes files.
#define SCRATCH_TEST(suite, name)                                                                  \
    FIXTURE_TEST(suite, name, (void), Outcome* made_ = outcome_create(), (), outcome_destroy(made_))

#endif
