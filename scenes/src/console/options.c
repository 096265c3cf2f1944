// SPDX-License-Identifier: MIT
// Arguments of a command: options, numbers, one file.
#define _POSIX_C_SOURCE 200809L
#include <getopt.h>
#include <math.h>
#include <string.h>

#include "console.h"
#include "poise/reading.h"

enum { MOST_OPTIONS = 32 };

bool poise__parse_number(const char* option, const char* text, double* value) {
    if (poise_number_read(text, value) == POISE_NUMBER_FINE) {
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
    if (length < sizeof number && poise_number_read(number, value) == POISE_NUMBER_FINE) {
        return true;
    }
    fprintf(stderr, "poise: %s: a number is due, of seconds, as 3 or 3s, not '%s'\n", option, text);
    return false;
}

bool poise__parse_numbers(const char* option, const char* text, double* values, int count) {
    PoiseNumberKind kind = POISE_NUMBER_FINE;
    if (poise_numbers_read(text, values, count, &kind) == count && kind == POISE_NUMBER_FINE) {
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

// getopt_long for long options and -h. Where one is unknown or lacks its value, '?' after a message
// with the option most like it, and the usage
static int next_option(int argc, char** argv, const struct option* options, const char* usage) {
    opterr = 0;
    const int read = getopt_long(argc, argv, ":h", options, NULL);
    if (read != '?' && read != ':') {
        return read;
    }
    // the word that getopt has just passed, without the value
    char word[80];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(argv[optind - 1], "="), argv[optind - 1]);
    char names[MOST_OPTIONS][40];
    const char* list[MOST_OPTIONS];
    int count = 0;
    bool known = false;
    for (; options[count].name && count < MOST_OPTIONS; count++) {
        snprintf(names[count], sizeof names[count], "--%s", options[count].name);
        list[count] = names[count];
        known = known || strcmp(names[count], word) == 0;
    }
    char guess[80];
    if (read == ':') {
        fprintf(stderr, "poise: option '%s' requires an argument\n%s", word, usage);
    } else if (known) {
        fprintf(stderr, "poise: option '%s' takes no argument\n%s", word, usage);
    } else {
        fprintf(stderr, "poise: unrecognized option '%s'%s\n%s", word,
                poise_word_guess(word, list, count, guess, sizeof guess), usage);
    }
    return '?';
}

static const char* only_file(int argc, char** argv, const char* usage) {
    if (optind == argc - 1) {
        return argv[optind];
    }
    fputs(optind >= argc ? "poise: which file?\n" : "poise: one file at a time\n", stderr);
    fputs(usage, stderr);
    return NULL;
}

int poise__read_line(const CommandLine* line, int argc, char** argv) {
    int option;
    while ((option = next_option(argc, argv, line->options, line->usage)) != -1) {
        if (option == 'h') {
            fputs(line->usage, stdout);
            return poise__finish_output(EXIT_DONE);
        }
        if (!line->take(line->request, option)) {
            return EXIT_USAGE;
        }
    }
    if (line->file && !*line->file) {
        *line->file = only_file(argc, argv, line->usage);
    }
    return !line->file || *line->file ? GO_ON : EXIT_USAGE;
}

static bool take_override(const char* text, Reading* reading) {
    const char* equals = strchr(text, '=');
    if (!equals || equals == text) {
        fprintf(stderr, "poise: --set: KEY=VALUE is due, not '%s'\n", text);
        return false;
    }
    if (reading->override_count == MOST_OVERRIDES) {
        fprintf(stderr, "poise: --set: at most %d of them\n", (int)MOST_OVERRIDES);
        return false;
    }
    reading->overrides[reading->override_count++] = text;
    return true;
}

bool poise__parse_reading(int option, Reading* reading) {
    switch (option) {
    case OPTION_SET:
        return take_override(optarg, reading);
    case OPTION_PACKAGES:
        reading->packages = optarg;
        return true;
    case OPTION_TRUSTED:
        reading->trust = POISE_TRUST_ALL;
        return true;
    case OPTION_UNTRUSTED:
        reading->trust = POISE_TRUST_FOLDER;
        return true;
    default:
        return false;
    }
}

static bool take_reading(void* reading, int option) {
    return poise__parse_reading(option, reading);
}

int poise__read_file_line(const char* usage, int argc, char** argv, const char** file,
                          Reading* reading) {
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'}, TRUST_OPTIONS, {NULL, 0, NULL, 0}};
    const CommandLine line = {usage, options, take_reading, reading, file};
    return poise__read_line(&line, argc, argv);
}
