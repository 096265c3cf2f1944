// SPDX-License-Identifier: MIT
// The `poise` command. Results are written to stdout, messages to stderr; the exit code says what
// happened.
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "play.h"
#include "poise/ode_memory.h"
#include "poise/output.h"
#include "poise/reading.h"
#include "run.h"
#include "solve.h"

typedef struct Command {
    const char* name;
    int (*run)(int argc, char** argv);
    const char* help;
} Command;

static const Command commands[] = {
    {"run", poise__command_run,
     "SCENE [options]   run a scene, and say how well it reached its goals"},
    {"check", poise__command_check,
     "FILE            all that is wrong, assumed or mended in a file"},
    {"info", poise__command_info,
     "FILE             bodies, joints, springs, points and their sets"},
    {"solve", poise__command_solve, "FILE [options]  joint angles for a target, without physics"},
    {"design", poise__command_design,
     "SCENE --yield POINT=X,Y,Z   springs with which a point yields as wished"},
    {"fit", poise__command_fit,
     "SCENE RECORD.csv --vary KEY..   values with which a scene repeats a recorded run"},
    {"motion", poise__command_motion,
     "SCENE [options]  goals followed without physics, as BVH, keyframes, CSV"},
    {"sweep", poise__command_sweep,
     "STUDY [options]   a scene run many times with other values, as one table"},
    {"verify", poise__command_verify, "REPLAY [options]  a recorded run, repeated and compared"},
    {"scene", poise__command_scene, "ROBOT           a robot as a scene file, to begin with"},
    {"format", poise__command_format, "               the reference of the scene format"},
};

enum { COMMAND_COUNT = (int)(sizeof commands / sizeof commands[0]) };

static void print_usage(FILE* out) {
    fprintf(out, "usage: poise COMMAND ...\n\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "  poise %s %s\n", commands[i].name, commands[i].help);
    }
    fprintf(out, "\n`poise COMMAND --help` says more. FILE: a scene (.yaml) or a robot (.urdf, "
                 "MJCF: .xml).\n"
                 "Ends with 0: done, 1: a goal was missed (--expect), 2: usage, 3: bad input,\n"
                 "4: the simulation blew up, 130: interrupted.\n");
}

// Silences ODE's messages: Poise reports a blow-up itself and names the joint.
static void ignore_message(int number, const char* text, va_list arguments) {
    (void)number;
    (void)text;
    (void)arguments;
}

int main(int argc, char** argv) {
    poise_ode_memory_guard("poise", EXIT_INPUT);
    dSetMessageHandler(ignore_message);
    // If the reader of a pipe exits, writes fail; the program reports that and ends in order.
    signal(SIGPIPE, SIG_IGN);
    // Writes beyond a file's size limit fail likewise, instead of ending the program by a signal.
    signal(SIGXFSZ, SIG_IGN);
    poise_output_end_by_signals();
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return poise__finish_output(EXIT_DONE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        PoiseVersion version = poise_version();
        printf("poise %d.%d.%d\n", version.major, version.minor, version.patch);
        return poise__finish_output(EXIT_DONE);
    }
    const char* names[COMMAND_COUNT];
    if (strcmp(argv[1], "--complete") == 0) {
        return poise__complete(argc - 1, argv + 1);
    }
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            // getopt skips this argument, the program's name
            char name[] = "poise";
            argv[1] = name;
            return commands[i].run(argc - 1, argv + 1);
        }
        names[i] = commands[i].name;
    }
    char guess[80];
    fprintf(stderr, "poise: there is no command '%s'%s\n", argv[1],
            poise_word_guess(argv[1], names, COMMAND_COUNT, guess, sizeof guess));
    print_usage(stderr);
    return EXIT_USAGE;
}
