// SPDX-License-Identifier: MIT
// Runs the built program as a user does. The files are in a fresh folder. A call gets arguments and
// returns the exit code and both streams.
#ifndef POISE_TEST_CLI_H
#define POISE_TEST_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "fixture_test.h"

/// A temporary folder. The program runs in it, so that messages have the names of files as given.
typedef struct CliFolder {
    char path[64];
} CliFolder;

CliFolder cli_folder_create(void);
/// Removes the folder with all its files.
void cli_folder_destroy(const CliFolder* folder);
void cli_write(const CliFolder* folder, const char* name, const char* bytes, size_t size);
void cli_write_text(const CliFolder* folder, const char* name, const char* text);
/// Returns the number of files in the folder.
int cli_file_count(const CliFolder* folder);
/// Returns the text of a file of the folder, "" if missing; release with free.
char* cli_read(const CliFolder* folder, const char* name);

/// Returns the text of a file of tests/scenes; release with free.
char* cli_source(const char* name);

typedef struct CliCall {
    const CliFolder* folder;
    const char* const* arguments; ///< without the program's name; NULL ends them
    bool deaf;                    ///< True if the reader of stdout has closed the pipe
    /// The signal is sent once a file of the folder holds `interrupt_at` bytes. The name of that
    /// file begins with `interrupt_when`. NULL: no signal.
    const char* interrupt_when;
    long interrupt_at;
    int interrupt_by; ///< 0: SIGINT
    bool twice;       ///< sends the signal once more, a little later
    long memory;      ///< bytes of address space that the program may use; 0: no limit
    long file_size;   ///< bytes that each file of the program may hold; 0: no limit
} CliCall;

enum { CLI_TEXT = 1 << 16 };

typedef struct CliEnd {
    int code;           ///< -1 if a signal ended the program
    int signal;         ///< number of the signal that ended the program; 0: the program exited
    bool late;          ///< True if the program did not end in time and was killed
    char out[CLI_TEXT]; ///< beginning of stdout and stderr
    char err[CLI_TEXT];
} CliEnd;

void cli_call(const CliCall* call, CliEnd* end);
/// Runs cli_call in the folder with these arguments.
void cli_run(const CliFolder* folder, const char* const* arguments, CliEnd* end);

/// Calls cli_run with the arguments in place: CLI_RUN(&folder, &end, "run", "scene.yaml").
#define CLI_RUN(folder, end, ...) cli_run(folder, (const char* const[]){__VA_ARGS__, NULL}, end)

/// Returns the number of times that the word is in the text.
int cli_count(const char* text, const char* word);

/// Fails the test if a signal ended the program, if it was late, or if stderr has a message of ODE,
/// an assertion or a sanitizer.
void cli_expect_calm(const CliEnd* end, const char* row);

/// Defines a test with its own folder.
#define FOLDER_TEST(suite, name, make)                                                             \
    FIXTURE_TEST(suite, name, (const CliFolder* folder), const CliFolder made_ = make, (&made_),   \
                 cli_folder_destroy(&made_))

#endif
