// SPDX-License-Identifier: MIT
// Reads the arguments of a command: options, numbers, one file.
#define _POSIX_C_SOURCE 200809L
#include <getopt.h>
#include <math.h>
#include <string.h>

#include "console.h"
#include "poise/reading.h"

enum { MOST_OPTIONS = 32, FIRST_OPTION = 256 };

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
        *value = least;
        return false;
    }
    if (!(*value >= least) || !(*value <= most) || floor(*value) != *value) {
        fprintf(stderr, "poise: %s: a whole number from %.0f to %.0f, not %s\n", option, least,
                most, text);
        *value = least;
        return false;
    }
    return true;
}

// Returns the option whose name is the first `length` letters of `name`; NULL if there is none.
static const struct option* find_option(const struct option* options, const char* name,
                                        size_t length) {
    for (; options->name; options++) {
        if (strncmp(options->name, name, length) == 0 && options->name[length] == '\0') {
            return options;
        }
    }
    return NULL;
}

// Returns the first long option of the arguments that `options` lacks; NULL if all are known.
// getopt would also accept an abbreviated name.
static const char* find_unknown(int argc, char** argv, const struct option* options) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const size_t length = strcspn(argv[i], "=");
        if (strncmp(argv[i], "--", 2) == 0) {
            const struct option* option = find_option(options, argv[i] + 2, length - 2);
            if (!option) {
                return argv[i];
            }
            // skips the value, which may begin with --
            i += option->has_arg == required_argument && argv[i][length] == '\0' ? 1 : 0;
        }
    }
    return NULL;
}

// Reports an unknown option, with the most similar one.
static void refuse_option(const char* argument, const struct option* options, const char* usage) {
    char word[80];
    char guess[80];
    char names[MOST_OPTIONS][40];
    const char* list[MOST_OPTIONS];
    int count = 0;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(argument, "="), argument);
    for (; options[count].name && count < MOST_OPTIONS; count++) {
        snprintf(names[count], sizeof names[count], "--%s", options[count].name);
        list[count] = names[count];
    }
    fprintf(stderr, "poise: unrecognized option '%s'%s\n%s", word,
            poise_word_guess(word, list, count, guess, sizeof guess), usage);
}

// Reads the next option, long or -h. For an unknown option or a wrong value it prints a message and
// the usage, and returns '?'.
static int next_option(int argc, char** argv, const struct option* options, const char* usage) {
    opterr = 0;
    const int read = getopt_long(argc, argv, ":h", options, NULL);
    if (read != '?' && read != ':') {
        return read;
    }
    // The word that getopt has just read.
    const char* argument = argv[optind - 1];
    const int length = (int)strcspn(argument, "=");
    const bool known = length > 2 && find_option(options, argument + 2, (size_t)length - 2);
    if (read == '?' && !known) {
        refuse_option(argument, options, usage);
    } else {
        fprintf(stderr, "poise: option '%.*s' %s\n%s", length, argument,
                read == ':' ? "requires an argument" : "takes no argument", usage);
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

static bool add_override(void* request, const char* option, const char* text) {
    Reading* reading = request;
    const char* equals = strchr(text, '=');
    if (!equals || equals == text) {
        fprintf(stderr, "poise: %s: KEY=VALUE is due, not '%s'\n", option, text);
        return false;
    }
    if (reading->override_count == MOST_OVERRIDES) {
        fprintf(stderr, "poise: %s: at most %d of them\n", option, (int)MOST_OVERRIDES);
        return false;
    }
    reading->overrides[reading->override_count++] = text;
    return true;
}

static bool set_trust(void* request, const char* option, const char* text) {
    Reading* reading = request;
    (void)text;
    reading->trust = strcmp(option, "--trusted") == 0 ? POISE_TRUST_ALL : POISE_TRUST_FOLDER;
    return true;
}

static const CommandOption reading_options[] = {
    {"set", OPTION_TEXT, .take = add_override},
    {"packages", OPTION_TEXT, .offset = offsetof(Reading, packages)},
    {"trusted", OPTION_FLAG, .take = set_trust},
    {"untrusted", OPTION_FLAG, .take = set_trust},
    {.name = NULL},
};

// An option of the command line, and the request that gets its value.
typedef struct Setting {
    const CommandOption* option;
    void* request;
} Setting;

// Lists all options, for poise__read_line and for getopt.
static void list_options(const CommandLine* line, Setting* settings, struct option* longs) {
    const Setting tables[] = {{line->options, line->request}, {reading_options, line->reading}};
    int count = 0;
    for (int t = 0; t < 2; t++) {
        const CommandOption* option = tables[t].request ? tables[t].option : NULL;
        for (; option && option->name && count < MOST_OPTIONS - 2; option++, count++) {
            settings[count] = (Setting){option, tables[t].request};
            longs[count].name = option->name;
            longs[count].has_arg = option->kind != OPTION_FLAG ? required_argument : no_argument;
            longs[count].val = FIRST_OPTION + count;
        }
    }
    longs[count] = (struct option){"help", no_argument, NULL, 'h'};
}

static bool set_value(const Setting* setting, const char* text) {
    const CommandOption* option = setting->option;
    void* const field = (char*)setting->request + option->offset;
    char name[40];
    double value = 0.0;
    snprintf(name, sizeof name, "--%s", option->name);
    if (option->take) {
        return option->take(setting->request, name, text);
    }
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool*)field = true;
        return true;
    case OPTION_TEXT:
        *(const char**)field = text;
        return true;
    case OPTION_SECONDS:
        return poise__parse_seconds(name, text, field);
    case OPTION_COUNT:
        if (!poise__parse_count(name, text, 1.0, option->most, &value)) {
            return false;
        }
        *(int*)field = (int)value;
        return true;
    case OPTION_SEED:
        if (!poise__parse_count(name, text, 0.0, UINT32_MAX, &value)) {
            return false;
        }
        *(uint32_t*)field = (uint32_t)value;
        return true;
    }
    return false;
}

// True if the option named `name` was given; false for NULL.
static bool was_given(const struct option* longs, const bool* given, const char* name) {
    for (int i = 0; name && longs[i].name; i++) {
        if (strcmp(longs[i].name, name) == 0) {
            return given[i];
        }
    }
    return false;
}

// Checks `needs` and `excludes` of the given options. Returns false with a message on a conflict.
static bool go_together(const Setting* settings, const struct option* longs, const bool* given) {
    for (int i = 0; longs[i].val >= FIRST_OPTION; i++) {
        const CommandOption* option = settings[i].option;
        const bool lacks = option->needs && !was_given(longs, given, option->needs);
        if (given[i] && (lacks || was_given(longs, given, option->excludes))) {
            fprintf(stderr, lacks ? "poise: --%s needs --%s\n" : "poise: --%s excludes --%s\n",
                    option->name, lacks ? option->needs : option->excludes);
            return false;
        }
    }
    return true;
}

int poise__read_line(const CommandLine* line, int argc, char** argv) {
    Setting settings[MOST_OPTIONS];
    struct option longs[MOST_OPTIONS];
    bool given[MOST_OPTIONS] = {false};
    memset(longs, 0, sizeof longs);
    list_options(line, settings, longs);
    const char* unknown = find_unknown(argc, argv, longs);
    if (unknown) {
        refuse_option(unknown, longs, line->usage);
        return EXIT_USAGE;
    }
    int option;
    while ((option = next_option(argc, argv, longs, line->usage)) != -1) {
        if (option == 'h') {
            fputs(line->usage, stdout);
            return poise__finish_output(EXIT_DONE);
        }
        if (option < FIRST_OPTION || !set_value(&settings[option - FIRST_OPTION], optarg)) {
            return EXIT_USAGE;
        }
        given[option - FIRST_OPTION] = true;
    }
    if (!go_together(settings, longs, given)) {
        return EXIT_USAGE;
    }
    if (line->file && *line->file && optind < argc) {
        // an option has named the file already
        fprintf(stderr, "poise: one file at a time\n%s", line->usage);
        return EXIT_USAGE;
    }
    if (line->file && !*line->file) {
        *line->file = only_file(argc, argv, line->usage);
    }
    return !line->file || *line->file ? GO_ON : EXIT_USAGE;
}
