// SPDX-License-Identifier: MIT
// The built program as a stranger starts it: files in a fresh folder, arguments in, exit code and
// both streams out.
#ifndef POISE_TEST_CLI_H
#define POISE_TEST_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "fixture_test.h"

/// A temporary folder; the program runs in it, so that messages name files as they are given.
typedef struct CliFolder {
    char path[64];
} CliFolder;

CliFolder cli_folder_create(void);
/// Removes it with all that is in it.
void cli_folder_destroy(const CliFolder* folder);
void cli_write(const CliFolder* folder, const char* name, const char* bytes, size_t size);
void cli_write_text(const CliFolder* folder, const char* name, const char* text);
/// How many files the folder holds.
int cli_file_count(const CliFolder* folder);
/// Returns the text of a file of the folder, "" if missing; release with free.
char* cli_read(const CliFolder* folder, const char* name);

/// The text of a file of tests/scenes; release with free.
char* cli_source(const char* name);

typedef struct CliCall {
    const CliFolder* folder;
    const char* const* arguments; ///< without the program's name; NULL ends them
    bool deaf;                    ///< the reader of its stdout has closed the pipe before it starts
    /// A signal is sent once a file of the folder whose name begins so holds `interrupt_at` bytes;
    /// NULL: never.
    const char* interrupt_when;
    long interrupt_at;
    int interrupt_by; ///< 0: SIGINT
    bool twice;       ///< sends the signal once more, a little later
    long memory;      ///< bytes of address space it may have; 0: any
    long file_size;   ///< bytes that a file of its may have; 0: any
} CliCall;

enum { CLI_TEXT = 1 << 16 };

typedef struct CliEnd {
    int code;           ///< -1 where a signal ended it
    int signal;         ///< number of the signal that ended it, 0: it exited
    bool late;          ///< it was killed because it did not end
    char out[CLI_TEXT]; ///< beginning of its stdout and stderr
    char err[CLI_TEXT];
} CliEnd;

void cli_call(const CliCall* call, CliEnd* end);
/// cli_call in the folder with these arguments.
void cli_run(const CliFolder* folder, const char* const* arguments, CliEnd* end);

/// Arguments in place: CLI_RUN(&folder, &end, "run", "scene.yaml").
#define CLI_RUN(folder, end, ...) cli_run(folder, (const char* const[]){__VA_ARGS__, NULL}, end)

/// How often the word stands in the text.
int cli_count(const char* text, const char* word);

/// Fails the test where the program was ended by a signal or was late, or a library beneath it
/// spoke up.
void cli_expect_calm(const CliEnd* end, const char* row);

/// A test in a folder of its own.
#define FOLDER_TEST(suite, name, make)                                                             \
    FIXTURE_TEST(suite, name, (const CliFolder* folder), const CliFolder made_ = make, (&made_),   \
                 cli_folder_destroy(&made_))

#endif
