// SPDX-License-Identifier: MIT
// What the commands of `poise` share: arguments, results, the bar of progress.
#ifndef POISE_CONSOLE_H
#define POISE_CONSOLE_H

#include "poise/output.h"
#include "poise/simulation.h"

typedef enum ExitCode {
    EXIT_DONE = 0,
    EXIT_MISSED = 1, ///< a goal was missed
    EXIT_USAGE = 2,
    EXIT_INPUT = 3, ///< bad input, output that cannot be written, memory or the like too short
    EXIT_BLOWN_UP = 4,
    EXIT_INTERRUPTED = 130
} ExitCode;

/// A strict decimal number; false, with a message on stderr, for anything else.
bool poise__parse_number(const char* option, const char* text, double* value);
/// Seconds, as 3 or 3s.
bool poise__parse_seconds(const char* option, const char* text, double* value);
/// `count` of them, separated by commas.
bool poise__parse_numbers(const char* option, const char* text, double* values, int count);

/// A whole number from `least` to `most`.
bool poise__parse_count(const char* option, const char* text, double least, double most,
                        double* value);

/// What becomes of an option's value.
typedef enum OptionKind {
    OPTION_FLAG,    ///< there is none: a bool gets true
    OPTION_TEXT,    ///< a const char* gets it
    OPTION_SECONDS, ///< a double gets it: 3 or 3s
    OPTION_COUNT,   ///< an int gets it: a whole number from 1 to `most`
    OPTION_SEED     ///< a uint32_t gets it
} OptionKind;

/// An option of a command.
typedef struct CommandOption {
    const char* name; ///< without --; NULL ends a table
    OptionKind kind;
    size_t offset; ///< in the command's request: what gets the value
    double most;
    /// Takes the value in place of all that; false, with a message, where it is no good.
    bool (*take)(void* request, const char* option, const char* text);
} CommandOption;

enum { MOST_OVERRIDES = 256 };

/// How files are read, as the options of all commands that read scenes say.
typedef struct Reading {
    PoiseTrust trust;
    const char* packages;                  ///< NULL: see PoiseSceneSource
    const char* overrides[MOST_OVERRIDES]; ///< each KEY=VALUE
    int override_count;
} Reading;

/// What a command takes on its line, besides --help.
typedef struct CommandLine {
    const char* usage;
    const CommandOption* options; ///< NULL: none of its own
    void* request;                ///< gets their values
    const char** file; ///< gets the one file, where it is NULL; NULL: the caller looks for files
    Reading* reading;  ///< gets what TRUST_USAGE tells of; NULL: these are no options
} CommandLine;

enum { GO_ON = -1 };
/// Takes all options and the file. Returns GO_ON, or what the program is to end with: --help was
/// asked for, or something was wrong, which has been said.
int poise__read_line(const CommandLine* line, int argc, char** argv);

/// A scene that a command works on.
typedef struct OpenScene {
    PoiseDiagnostics* diagnostics; ///< what was found; not printed
    PoiseScene* scene;
    PoiseSimulation* simulation;
} OpenScene;

/// What to read: a file, read so.
PoiseSceneSource poise__source(const char* path, const Reading* reading);
/// Reads a scene and makes its simulation; false where either cannot be. To be closed in any case.
bool poise__open_scene(OpenScene* open, const PoiseSceneSource* source);
void poise__close_scene(OpenScene* open);

/// The options of all commands that read scenes.
#define TRUST_USAGE                                                                                \
    "  --set KEY=VALUE    instead of what the scene says, as world.step=0.005; again: more\n"      \
    "  --packages DIR:..  where the packages of meshes lie (else ROS_PACKAGE_PATH), before the\n"  \
    "                     robot's folder and those above it\n"                                     \
    "  --untrusted        robots, meshes and parts only from below the scene's folder; the\n"      \
    "                     default where CI is set in the environment, else --trusted\n"

/// Opens an output for the option's value; false with a message where it cannot be, or where it
/// would replace a file that was read (`inputs` may be NULL) or one of the others; NULL ends these.
bool poise__open_output(PoiseOutput* output, const char* path, const PoiseDiagnostics* inputs,
                        const char* const* others);
/// Puts it in its place, `trouble` being NULL; else drops it and says why.
bool poise__close_output(PoiseOutput* output, const char* path, const char* trouble);

/// Repeats on stderr, in one sentence, what was left out of the files; nothing where that is
/// nothing.
void poise__print_left_out(const PoiseDiagnostics* diagnostics);

/// A bar on stderr, where that is a terminal. All zeros at first, but for `shown`.
typedef struct Progress {
    bool shown;
    double start; ///< s, of poise__now
    double last;
} Progress;

/// Seconds that count on.
double poise__now(void);
Progress poise__progress_start(bool quiet);
/// Draws the bar anew, now and then, with a text of the caller's after it; the last time takes it
/// away.
void poise__progress_show(Progress* progress, double part, bool last, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

/// Flushes stdout; EXIT_INPUT, with a message, where it cannot be written or memory was short.
int poise__finish_output(int code);

#endif
