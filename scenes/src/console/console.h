// SPDX-License-Identifier: MIT
// Arguments, results and the progress bar of the commands of `poise`.
#ifndef POISE_CONSOLE_H
#define POISE_CONSOLE_H

#include "exit_code.h"
#include "poise/output.h"
#include "poise/simulation.h"

/// Reads a strict decimal number. Other texts are reported on stderr, and false is returned.
bool poise__parse_number(const char* option, const char* text, double* value);
/// Like poise__parse_number, for seconds: 3 or 3s.
bool poise__parse_seconds(const char* option, const char* text, double* value);
/// Reads exactly `count` numbers, separated by commas or spaces.
bool poise__parse_numbers(const char* option, const char* text, double* values, int count);

/// Reads a whole number from `least` to `most`. Sets `least` and returns false for anything else.
bool poise__parse_count(const char* option, const char* text, double least, double most,
                        double* value);

/// The type of an option's value.
typedef enum OptionKind {
    OPTION_FLAG,    ///< no value: a bool gets true
    OPTION_TEXT,    ///< a const char* gets the text
    OPTION_SECONDS, ///< a double gets the seconds: 3 or 3s
    OPTION_COUNT,   ///< an int gets a whole number from 1 to `most`
    OPTION_SEED     ///< a uint32_t gets a whole number
} OptionKind;

/// An option of a command.
typedef struct CommandOption {
    const char* name; ///< without --; NULL ends a table
    OptionKind kind;
    size_t offset; ///< offset of the value in the command's request
    double most;
    /// Function that reads the value; NULL: the value is read by `kind` and stored at `offset`.
    /// Returns false with a message for a bad value.
    bool (*take)(void* request, const char* option, const char* text);
    const char* needs;    ///< option that must be given too; NULL: none
    const char* excludes; ///< option that must not be given too; NULL: none
} CommandOption;

enum { MOST_OVERRIDES = 256 };

/// The options of all commands that read scenes: which files may be read, and settings that replace
/// values.
typedef struct Reading {
    PoiseTrust trust;
    const char* packages;                  ///< NULL: see PoiseSceneSource
    const char* overrides[MOST_OVERRIDES]; ///< texts KEY=VALUE
    int override_count;
} Reading;

/// The arguments that a command accepts, in addition to --help.
typedef struct CommandLine {
    const char* usage;
    const CommandOption* options; ///< NULL: the command has no options of its own
    void* request;                ///< struct that gets the options' values
    /// Gets the file's path unless it is set; NULL: the caller reads the files.
    const char** file;
    Reading* reading; ///< gets the options of TRUST_USAGE; NULL: they are not accepted
} CommandLine;

enum { GO_ON = -1 };
/// Reads all options and the file. Returns GO_ON, or the exit code: --help was given, or something
/// was wrong (reported).
int poise__read_line(const CommandLine* line, int argc, char** argv);

/// A scene that a command works on.
typedef struct OpenScene {
    PoiseDiagnostics* diagnostics; ///< the findings; not printed yet
    PoiseScene* scene;
    PoiseSimulation* simulation;
} OpenScene;

/// Returns the source of a file that is read as `reading` says.
PoiseSceneSource poise__source(const char* path, const Reading* reading);
/// Creates the list of findings of a command. NULL with a message if memory is short.
PoiseDiagnostics* poise__open_diagnostics(void);
/// Reads a scene and creates its simulation. Returns false if either fails. The caller calls
/// poise__close_scene also after a failure.
bool poise__open_scene(OpenScene* open, const PoiseSceneSource* source);
void poise__close_scene(OpenScene* open);
/// Simulates until `seconds`. Returns false with a message if the simulation fails before.
bool poise__simulate(PoiseSimulation* simulation, double seconds);

/// The options of all commands that read scenes.
#define TRUST_USAGE                                                                                \
    "  --set KEY=VALUE    instead of what the scene says, as world.step=0.005; again: more\n"      \
    "  --packages DIR:..  where the packages of meshes lie (else ROS_PACKAGE_PATH), before the\n"  \
    "                     robot's folder and those above it\n"                                     \
    "  --untrusted        robots, meshes and parts only from below the scene's folder; the\n"      \
    "                     default where CI is set in the environment, else --trusted\n"

/// Opens an output file. Returns false with a message if it cannot be opened, or would replace a
/// file that was read (`inputs`, may be NULL) or one of the other outputs. NULL ends `others`.
bool poise__open_output(PoiseOutput* output, const char* path, const PoiseDiagnostics* inputs,
                        const char* const* others);
/// Completes the output if `trouble` is NULL; else discards the output and reports the trouble.
/// Returns false if anything was reported.
bool poise__close_output(PoiseOutput* output, const char* path, const char* trouble);

/// Prints to stderr, in one sentence, the parts of the files that were left out, if any.
void poise__print_left_out(const PoiseDiagnostics* diagnostics);

/// A progress bar on stderr, if that is a terminal.
typedef struct Progress {
    bool shown;
    double start; ///< when the work began, by poise__now, s
    double last;
} Progress;

/// Returns a time that never runs backwards, s.
double poise__now(void);
Progress poise__progress_start(bool quiet);
/// Redraws the bar at intervals, followed by the caller's text. The last call removes the bar.
void poise__progress_show(Progress* progress, double part, bool last, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

/// Flushes stdout and returns the code. Returns EXIT_INPUT with a message if stdout cannot be
/// written or memory was short.
int poise__finish_output(int code);

#endif
