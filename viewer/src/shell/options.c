// SPDX-License-Identifier: MIT
#include "options.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "overlay.h"
#include "poise/scene.h"
#include "script.h"

typedef struct Option {
    const char* name;
    /// Name of the option's value in the help text; NULL: the option has no value.
    const char* value;
    const char* help;
    /// Reads the value. NULL: the member at `offset` is set to the text, or to `true` if the option
    /// has no value.
    bool (*set)(PoiseOptions* options, const char* text);
    size_t offset;
    PoiseTrust trust; ///< PoiseTrust that the option sets; 0: none
    /// Range of a number (a double, or an int if `whole`), which may be followed by `unit`; `most`
    /// 0: the value is a text.
    double least;
    double most;
    const char* unit;
    bool whole;
} Option;

#define FIELD(name) .offset = offsetof(PoiseOptions, name)

/// Reads a finite number that may be followed by `unit`.
static bool read_number(const char* text, const char* unit, double* number) {
    char* end = NULL;
    double value = strtod(text, &end);
    if (end == text || !isfinite(value) || (*end != '\0' && strcmp(end, unit) != 0)) {
        return false;
    }
    *number = value;
    return true;
}

static bool read_count(const char* text, int largest, int* count) {
    double number = 0.0;
    if (!read_number(text, "", &number) || number < 1.0 || number > largest ||
        number != floor(number)) {
        return false;
    }
    *count = (int)number;
    return true;
}

static bool set_screenshot(PoiseOptions* options, const char* text) {
    size_t length = strlen(text);
    options->screenshot = text;
    return length > 4 && strcmp(text + length - 4, ".png") == 0;
}

static bool set_size(PoiseOptions* options, const char* text) {
    enum { LARGEST = 8192 };
    char width[16];
    const char* cross = strchr(text, 'x');
    if (!cross || (size_t)(cross - text) >= sizeof width) {
        return false;
    }
    snprintf(width, sizeof width, "%.*s", (int)(cross - text), text);
    return read_count(width, LARGEST, &options->width) &&
           read_count(cross + 1, LARGEST, &options->height);
}

static bool set_quality(PoiseOptions* options, const char* text) {
    static const char* const names[] = {"fast", "normal", "high"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            options->quality = (PoiseQuality)i;
            options->has_quality = true;
            return true;
        }
    }
    options->has_quality = false;
    return strcmp(text, "auto") == 0;
}

// Reads AZ,EL or AZ,EL,DIST or AZ,EL,DIST,X,Y,Z.
static bool set_camera(PoiseOptions* options, const char* text) {
    double* const numbers[6] = {&options->azimuth,  &options->elevation, &options->distance,
                                &options->focus[0], &options->focus[1],  &options->focus[2]};
    const char* rest = text;
    int count = 0;
    options->distance = 0.0;
    while (count < 6) {
        char part[32];
        size_t length = strcspn(rest, ",");
        snprintf(part, sizeof part, "%.*s", (int)length, rest);
        if (length >= sizeof part || !read_number(part, count >= 2 ? "m" : "", numbers[count])) {
            return false;
        }
        rest += length;
        count++;
        if (*rest == '\0') {
            break;
        }
        rest++;
    }
    options->has_camera = true;
    options->has_focus = count == 6;
    return (count == 2 || count == 3 || count == 6) && *rest == '\0' && options->distance >= 0.0;
}

static bool set_override(PoiseOptions* options, const char* text) {
    if (!strchr(text, '=') || options->override_count == POISE_MAX_OVERRIDES) {
        return false;
    }
    options->overrides[options->override_count++] = text;
    return true;
}

/// Reads NAME=X,Y,Z.
static bool set_target(PoiseOptions* options, const char* text) {
    const char* equals = strchr(text, '=');
    if (!equals || options->target_count == POISE_MAX_TARGETS) {
        return false;
    }
    PoiseTargetOption* target = &options->targets[options->target_count];
    const char* rest = equals + 1;
    if (equals == text || (size_t)(equals - text) >= sizeof target->name) {
        return false;
    }
    snprintf(target->name, sizeof target->name, "%.*s", (int)(equals - text), text);
    for (int i = 0; i < 3; i++) {
        char part[40];
        size_t length = strcspn(rest, ",");
        snprintf(part, sizeof part, "%.*s", (int)length, rest);
        if (length >= sizeof part || !read_number(part, "m", &target->place[i]) ||
            (rest[length] == ',') != (i < 2)) {
            return false;
        }
        rest += length + (i < 2);
    }
    options->target_count++;
    return true;
}

static bool set_overlay(PoiseOptions* options, const char* text) {
    options->has_overlay = poise__overlay_parse(text, &options->overlay);
    return options->has_overlay;
}

static const Option OPTIONS[] = {
    {"--headless", NULL, "no window and no display; needs --screenshot, --record or --script",
     FIELD(headless)},
    {"--screenshot", "FILE.png", "save a picture", .set = set_screenshot},
    {"--record", "FILE", "save a film: .mp4, .webm or .gif", FIELD(record)},
    {"--at", "TIME", "time of the picture or of the film's start, such as 2.5s; default 0",
     FIELD(at), .most = 86400.0, .unit = "s"},
    {"--seconds", "S", "length of the film; default 5", FIELD(seconds), .least = DBL_MIN,
     .most = 86400.0, .unit = "s"},
    {"--fps", "N", "frames a second of the film; default 30", FIELD(frames_per_second),
     .least = 1.0, .most = 240.0, .unit = "", .whole = true},
    {"--size", "WxH", "size of picture, film or window; default 1280x720", .set = set_size},
    {"--quality", "NAME", "auto (the default), fast, normal or high", .set = set_quality},
    {"--camera", "AZ,EL[,DIST[,X,Y,Z]]",
     "direction of the camera (degrees about z from x, degrees up), distance and centre in m",
     .set = set_camera},
    {"--set", "KEY=VALUE", "replace a value of the scene, such as world.step=0.005",
     .set = set_override},
    {"--target", "NAME=X,Y,Z", "hold a target at this position from the start, m",
     .set = set_target},
    {"--overlay", "PARTS",
     "clean, ik, forces, solver or all; or springs,ghosts,sets,arrows,labels,"
     "matrices,panels",
     .set = set_overlay},
    {"--script", "FILE", "run a script; its commands are listed below", FIELD(script)},
    {"--save-script", "FILE", "save the changes of the run as a script", FIELD(save_script)},
    {"--save-replay", "FILE", "save the run as a replay, which `poise verify` repeats",
     FIELD(save_replay)},
    {"--untrusted", NULL,
     "read robots and meshes only from the scene's folder; the default if CI is set",
     .trust = POISE_TRUST_FOLDER},
    {"--trusted", NULL, "read them from anywhere; the default otherwise", .trust = POISE_TRUST_ALL},
    {"--ui-scale", "S", "factor of the size of letters and panels, 0.5 to 4; default 1",
     FIELD(ui_scale), .least = 0.5, .most = 4.0, .unit = ""},
    {"--list", NULL, "list the scenes", FIELD(list)},
    {"--version", NULL, "print the version", FIELD(version)},
    {"--help", NULL, "print this help", FIELD(help)},
    {"--help-keys", NULL, "print what keys and mouse do", FIELD(help_keys)},
};

int poise__option_count(void) {
    return (int)(sizeof OPTIONS / sizeof *OPTIONS);
}

const char* poise__option_name(int index) {
    return OPTIONS[index].name;
}

static const Option* find_option(const char* word, size_t length) {
    for (int i = 0; i < poise__option_count(); i++) {
        if (strlen(OPTIONS[i].name) == length && strncmp(OPTIONS[i].name, word, length) == 0) {
            return &OPTIONS[i];
        }
    }
    return NULL;
}

static bool set_option(const Option* option, PoiseOptions* options, const char* text) {
    char* const field = (char*)options + option->offset;
    if (option->set) {
        return option->set(options, text);
    }
    if (option->trust != 0) {
        options->trust = option->trust;
        return true;
    }
    if (!option->value) {
        *(bool*)field = true;
        return true;
    }
    if (option->most > 0.0) {
        double number = 0.0;
        if (!read_number(text, option->unit, &number) || number < option->least ||
            number > option->most || (option->whole && number != floor(number))) {
            return false;
        }
        if (option->whole) {
            *(int*)field = (int)number;
        } else {
            *(double*)field = number;
        }
        return true;
    }
    *(const char**)field = text;
    return text[0] != '\0';
}

/// Reads `--name`, `--name value` or `--name=value`; sets `index` to that of the last word read.
static bool parse_option(PoiseOptions* options, int argc, char** argv, int* index,
                         PoiseNote* note) {
    const char* word = argv[*index];
    size_t length = strcspn(word, "=");
    const Option* option = find_option(word, length);
    if (!option) {
        const char* names[sizeof OPTIONS / sizeof *OPTIONS];
        char written[80];
        char guess[80];
        for (int i = 0; i < poise__option_count(); i++) {
            names[i] = OPTIONS[i].name;
        }
        snprintf(written, sizeof written, "%.*s", (int)length, word);
        return poise__note_fail(
            note, "unknown option %s%s", written,
            poise_scene_guess(written, names, poise__option_count(), guess, sizeof guess));
    }
    const char* text = word[length] == '=' ? word + length + 1 : NULL;
    if (!option->value && text) {
        return poise__note_fail(note, "%s takes no value", option->name);
    }
    if (option->value && !text) {
        if (*index + 1 >= argc) {
            return poise__note_fail(note, "%s needs a value: %s %s", option->name, option->name,
                                    option->value);
        }
        text = argv[++*index];
    }
    if (!set_option(option, options, text ? text : "")) {
        return poise__note_fail(note, "%s %s cannot be understood: it should be %s %s (%s)",
                                option->name, text ? text : "", option->name, option->value,
                                option->help);
    }
    return true;
}

static bool check_options(const PoiseOptions* options, PoiseNote* note) {
    if (options->help || options->help_keys || options->list || options->version) {
        return true;
    }
    if (options->headless && !options->scene) {
        return poise__note_fail(note,
                                "a scene is needed: poise-view SCENE, a .yaml, .urdf or .xml file");
    }
    if (options->headless && !options->screenshot && !options->record && !options->script) {
        return poise__note_fail(note, "--headless needs --screenshot FILE.png, --record FILE.mp4 "
                                      "or --script FILE");
    }
    return true;
}

bool poise__options_parse(PoiseOptions* options, int argc, char** argv, PoiseNote* note) {
    *options = (PoiseOptions){
        .seconds = 5.0, .frames_per_second = 30, .width = 1280, .height = 720, .ui_scale = 1.0};
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1] != '\0') {
            if (!parse_option(options, argc, argv, &i, note)) {
                return false;
            }
        } else if (options->scene) {
            return poise__note_fail(note, "one scene at a time: %s or %s", options->scene, argv[i]);
        } else {
            options->scene = argv[i];
        }
    }
    // a picture or a film needs no window
    options->headless = options->headless || options->screenshot || options->record;
    return check_options(options, note);
}

void poise__options_print(FILE* out) {
    fputs(
        "poise-view [SCENE] [options]\n"
        "Shows a scene (.yaml) or a robot (.urdf, .xml) in a window, or takes pictures of it.\n\n",
        out);
    for (int i = 0; i < poise__option_count(); i++) {
        char left[40];
        snprintf(left, sizeof left, "%s %s", OPTIONS[i].name,
                 OPTIONS[i].value ? OPTIONS[i].value : "");
        fprintf(out, "  %-24s %s\n", left, OPTIONS[i].help);
    }
    fputs("\nCommands of a script, one a line:\n", out);
    poise__script_print_help(out);
    fputs("\nExit: 0 done, 1 the script failed, 2 wrong options or no display, 3 bad scene, 4 the "
          "simulation blew up.\n",
          out);
}
