// SPDX-License-Identifier: MIT
// The built program as a stranger starts it: files in a fresh folder, arguments in, exit code and
// both streams out. And texts with one fault in them, whose place is marked.
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
/// The text of a file of the folder, "" where there is none; release with free.
char* cli_read(const CliFolder* folder, const char* name);

/// The text of a file of tests/scenes; release with free.
char* cli_source(const char* name);

typedef struct CliCall {
    const CliFolder* folder;
    const char* const* arguments; ///< without the program's name; NULL ends them
    bool deaf;                    ///< who reads its stdout is gone before it starts
    /// A signal is sent once a file of the folder whose name begins so holds `interrupt_at` bytes;
    /// NULL: never.
    const char* interrupt_when;
    long interrupt_at;
    int interrupt_by; ///< 0: SIGINT
    bool twice;       ///< and once more, a little later
    long memory;      ///< bytes of address space it may have; 0: any
    long file_size;   ///< bytes that a file of its may have; 0: any
} CliCall;

enum { CLI_TEXT = 1 << 16 };

typedef struct CliEnd {
    int code;           ///< -1 where a signal ended it
    int signal;         ///< that ended it, 0 for none
    bool late;          ///< it was killed because it did not end
    char out[CLI_TEXT]; ///< the beginning of what it wrote
    char err[CLI_TEXT];
} CliEnd;

void cli_call(const CliCall* call, CliEnd* end);
/// cli_call in the folder with these arguments.
void cli_run(const CliFolder* folder, const char* const* arguments, CliEnd* end);

/// Arguments in place: CLI_RUN(&folder, &end, "run", "scene.yaml").
#define CLI_RUN(folder, end, ...) cli_run(folder, (const char* const[]){__VA_ARGS__, NULL}, end)

/// A row of a table of faults: the good text with `from` replaced by `to`. The '@' in `to` marks
/// where the finding must point and is taken out; without it any place of the file will do.
typedef struct CliFault {
    const char* name;
    const char* from; ///< stands in the good text once; NULL: `to` is the whole text
    const char* to;
    const char* says[3]; ///< what the message must hold
    int errors;          ///< that the whole file gives
} CliFault;

/// FAULTS(errors, name, from, to, says...), and FAULT where the file gives one error.
#define FAULTS(errors, name, from, to, ...)                                                        \
    { name, from, to, {__VA_ARGS__}, errors }
#define FAULT(name, from, to, ...) FAULTS(1, name, from, to, __VA_ARGS__)

typedef struct CliBadText {
    char* text; ///< release with free
    int line;   ///< 0: nothing is marked
    int column;
} CliBadText;

CliBadText cli_bad_text(const char* good, const CliFault* fault);

/// The line of the text that begins with `file:line:column: severity: ` and holds all that the
/// fault's message must say; NULL for none. Line 0: any place.
const char* cli_find_message(const char* text, const char* file, const char* severity,
                             const CliBadText* bad, const CliFault* fault);

/// How often the word stands in the text.
int cli_count(const char* text, const char* word);

/// Fails the test where the program was ended by a signal or was late, or a library beneath it
/// spoke up.
void cli_expect_calm(const CliEnd* end, const char* row);

/// Writes the text with the fault as `file`, and fails the test unless `poise run scene` and
/// `poise check scene` end with 3 and the finding stands in its place: on stderr, with nothing on
/// stdout; and on stdout.
void cli_expect_refused(const CliFolder* folder, const char* file, const char* scene,
                        const char* good, const CliFault* fault);

/// All rows of a table, each a fault in the file of tests/scenes, which is a scene.
void cli_expect_all_refused(const char* good_file, const CliFault* faults, size_t count);

/// A test in a folder of its own.
#define FOLDER_TEST(suite, name, make)                                                             \
    FIXTURE_TEST(suite, name, (const CliFolder* folder), const CliFolder made_ = make, (&made_),   \
                 cli_folder_destroy(&made_))

#endif
