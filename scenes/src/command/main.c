// SPDX-License-Identifier: MIT
// The `poise` command: results to stdout, talk to stderr, and what it ends with says what happened.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/number.h"
#include "command.h"

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

bool poise__parse_number(const char* option, const char* text, double* value) {
    if (poise__number_parse(text, value) == NUMBER_FINE) {
        return true;
    }
    fprintf(stderr, "poise: %s: a number is due, not '%s'\n", option, text);
    return false;
}

bool poise__parse_seconds(const char* option, const char* text, double* value) {
    char number[64];
    size_t length = strlen(text);
    bool suffixed = length > 1 && length < sizeof number && text[length - 1] == 's';
    snprintf(number, sizeof number, "%.*s", (int)(length - (suffixed ? 1 : 0)), text);
    if (length < sizeof number && poise__number_parse(number, value) == NUMBER_FINE) {
        return true;
    }
    fprintf(stderr, "poise: %s: a number is due, of seconds, as 3 or 3s, not '%s'\n", option, text);
    return false;
}

bool poise__parse_numbers(const char* option, const char* text, double* values, int count) {
    NumberKind kind = NUMBER_FINE;
    if (poise__number_list(text, values, count, &kind) == count && kind == NUMBER_FINE) {
        return true;
    }
    fprintf(stderr, "poise: %s: %d numbers are due, not '%s'\n", option, count, text);
    return false;
}

bool poise__parse_count(const char* option, const char* text, double least, double most,
                        double* value) {
    if (!poise__parse_number(option, text, value)) {
        return false;
    }
    if (!(*value >= least) || !(*value <= most) || floor(*value) != *value) {
        fprintf(stderr, "poise: %s: a whole number from %.0f to %.0f, not %s\n", option, least,
                most, text);
        return false;
    }
    return true;
}

int poise__next_option(int argc, char** argv, const struct option* options, const char* usage) {
    opterr = 0;
    const int read = getopt_long(argc, argv, ":h", options, NULL);
    if (read != '?' && read != ':') {
        return read;
    }
    // the word that getopt has just passed, without the value
    char word[80];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(argv[optind - 1], "="), argv[optind - 1]);
    Suggestion suggestion = poise__suggestion(word);
    char names[32][40];
    for (int i = 0; options[i].name && i < 32; i++) {
        snprintf(names[i], sizeof names[i], "--%s", options[i].name);
        poise__suggestion_offer(&suggestion, names[i]);
    }
    char guess[80];
    if (read == ':') {
        fprintf(stderr, "poise: option '%s' requires an argument\n%s", word, usage);
    } else if (suggestion.best && strcmp(suggestion.best, word) == 0) {
        fprintf(stderr, "poise: option '%s' takes no argument\n%s", word, usage);
    } else {
        fprintf(stderr, "poise: unrecognized option '%s'%s\n%s", word,
                poise__suggestion_text(&suggestion, guess, sizeof guess), usage);
    }
    return '?';
}

const char* poise__parse_file(int argc, char** argv, int next, const char* usage) {
    if (next == argc - 1) {
        return argv[next];
    }
    fputs(next >= argc ? "poise: which file?\n" : "poise: one file at a time\n", stderr);
    fputs(usage, stderr);
    return NULL;
}

const char* poise__parse_file_only(int argc, char** argv, const char* usage, int* code) {
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    int option = poise__next_option(argc, argv, options, usage);
    *code = EXIT_USAGE;
    if (option == -1) {
        return poise__parse_file(argc, argv, optind, usage);
    }
    fputs(option == 'h' ? usage : "", stdout);
    *code = option == 'h' ? poise__finish_output(EXIT_DONE) : EXIT_USAGE;
    return NULL;
}

int poise__finish_output(int code) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return code;
    }
    fprintf(stderr, "poise: cannot write the result: %s\n", strerror(errno ? errno : EIO));
    return code == EXIT_DONE ? EXIT_INPUT : code;
}

void poise__print_string(FILE* out, const char* text) {
    fputc('"', out);
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;
        if (letter == '"' || letter == '\\') {
            fprintf(out, "\\%c", letter);
        } else if (letter < 0x20) {
            fprintf(out, "\\u%04x", letter);
        } else {
            fputc(letter, out);
        }
    }
    fputc('"', out);
}

// the file that the output would replace and must not, NULL for none
static const char* find_replaced(const PoiseOutput* output, const PoiseDiagnostics* inputs,
                                 const char* const* others) {
    const char* path = NULL;
    for (int i = 0; (path = poise__diagnostics_file(inputs, i)) != NULL; i++) {
        if (poise_output_replaces(output, path)) {
            return path;
        }
    }
    for (; *others && !poise_output_replaces(output, *others); others++) {
    }
    return *others;
}

bool poise__open_output(PoiseOutput* output, const char* path, const PoiseDiagnostics* inputs,
                        const char* const* others) {
    char text[400];
    const char* trouble = poise_output_open(output, path);
    const char* replaced = trouble ? NULL : find_replaced(output, inputs, others);
    if (replaced) {
        snprintf(text, sizeof text, "it would replace '%.300s'", replaced);
        trouble = text;
    }
    return !trouble || poise__close_output(output, path, trouble);
}

bool poise__close_output(PoiseOutput* output, const char* path, const char* trouble) {
    if (trouble) {
        poise_output_drop(output);
    } else {
        trouble = poise_output_close(output);
    }
    if (trouble) {
        fprintf(stderr, "poise: %s: cannot be written: %s\n", path, trouble);
    }
    return !trouble;
}

// ODE writes to stderr what it makes the best of: a blow-up is said by us, with the joint
static void ignore_message(int number, const char* text, va_list arguments) {
    (void)number;
    (void)text;
    (void)arguments;
}

int main(int argc, char** argv) {
    dSetMessageHandler(ignore_message);
    // a reader that goes away is an error of writing, not the end of the process
    signal(SIGPIPE, SIG_IGN);
    // and so is a file that grows larger than it may
    signal(SIGXFSZ, SIG_IGN);
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
    Suggestion suggestion = poise__suggestion(argv[1]);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            // what getopt says begins with this
            char name[] = "poise";
            argv[1] = name;
            return commands[i].run(argc - 1, argv + 1);
        }
        poise__suggestion_offer_word(&suggestion, commands[i].name);
    }
    char guess[80];
    fprintf(stderr, "poise: there is no command '%s'%s\n", argv[1],
            poise__suggestion_text(&suggestion, guess, sizeof guess));
    print_usage(stderr);
    return EXIT_USAGE;
}
