// SPDX-License-Identifier: MIT
// A study's file, and the values of each of its runs.
#include "study.h"

#include <math.h>
#include <string.h>

#include "diagnostics.h"
#include "number.h"

// more runs than anybody waits for
#define MOST_RUNS 1e9

static const uint64_t FNV_BASIS = 0xcbf29ce484222325;
static const uint64_t FNV_PRIME = 0x100000001b3;

typedef struct Reading {
    Study* study;
    Arena* arena;
    PoiseDiagnostics* diagnostics;
    bool fine;
} Reading;

static void refuse(Reading* reading, const Element* at, const char* text) {
    poise__diagnose(reading->diagnostics, POISE_ERROR, at->mark, "'%.80s': %s",
                    at->key ? at->key : "the study", text);
    reading->fine = false;
}

static double number_of(Reading* reading, const Element* element, double lower, double upper) {
    double value = 0.0;
    if (element->kind != ELEMENT_SCALAR ||
        poise__number_parse(element->text, &value) != NUMBER_FINE || value < lower ||
        value > upper) {
        refuse(reading, element, "a number in its range is due");
    }
    return value;
}

// a scalar, or a list of scalars, as it was written
static const char* text_of(Reading* reading, const Element* element) {
    if (element->kind == ELEMENT_SCALAR) {
        return poise__arena_copy(reading->arena, element->text, strlen(element->text));
    }
    const char* text = "[";
    for (int i = 0; element->kind == ELEMENT_LIST && text && i < element->child_count; i++) {
        const Element* child = element->children[i];
        if (child->kind != ELEMENT_SCALAR) {
            refuse(reading, child, "a value is a scalar or a list of them");
            return "";
        }
        text = poise__arena_format(reading->arena, "%s%s%s", text, i > 0 ? ", " : "", child->text);
    }
    if (element->kind != ELEMENT_LIST) {
        refuse(reading, element, "a value is a scalar or a list of them");
    }
    text = text ? poise__arena_format(reading->arena, "%s]", text) : NULL;
    if (text && strlen(text) >= STUDY_VALUE) {
        refuse(reading, element, "the value is too long");
    }
    return text ? text : "";
}

static void read_list(Reading* reading, const Element* element, Vary* vary) {
    vary->kind = VARY_LIST;
    vary->count = element->child_count;
    vary->values =
        poise__arena_allocate(reading->arena, (size_t)element->child_count, sizeof *vary->values);
    for (int i = 0; vary->values && i < element->child_count; i++) {
        vary->values[i] = text_of(reading, element->children[i]);
    }
    if (element->child_count == 0) {
        refuse(reading, element, "a list of values is empty");
    }
}

static void read_scale(Reading* reading, const Element* element, Vary* vary) {
    const Element* scale = poise__element_find(element, "scale");
    vary->logarithmic = scale && strcmp(scale->text, "log") == 0;
    if (scale && !vary->logarithmic && strcmp(scale->text, "linear") != 0) {
        refuse(reading, scale, "linear or log is due");
    }
    if (vary->logarithmic && !(vary->from > 0.0 && vary->to > 0.0)) {
        refuse(reading, element, "on a log scale both ends must be above 0");
    }
}

static void read_map(Reading* reading, const Element* element, Vary* vary) {
    const Element* draw = poise__element_find(element, "draw");
    const Element* from = poise__element_find(element, "from");
    const Element* to = poise__element_find(element, "to");
    const Element* count = poise__element_find(element, "count");
    vary->count = 1;
    if (draw && draw->kind == ELEMENT_LIST && draw->child_count == 2 && !from && !to) {
        vary->kind = VARY_DRAW;
        vary->from = number_of(reading, draw->children[0], -1e300, 1e300);
        vary->to = number_of(reading, draw->children[1], -1e300, 1e300);
    } else if (!draw && from && to && count) {
        vary->kind = VARY_RANGE;
        vary->from = number_of(reading, from, -1e300, 1e300);
        vary->to = number_of(reading, to, -1e300, 1e300);
        const double steps = number_of(reading, count, 1.0, 1e6);
        vary->count = (int)steps;
        if (steps != floor(steps)) {
            refuse(reading, count, "a whole number is due");
        }
    } else {
        refuse(reading, element,
               "[values], {from: A, to: B, count: N} or {draw: [A, B]} is due, with scale: log "
               "where wanted");
    }
    read_scale(reading, element, vary);
}

static void read_vary(Reading* reading, const Element* map) {
    Study* study = reading->study;
    study->varied =
        poise__arena_allocate(reading->arena, (size_t)map->child_count, sizeof *study->varied);
    if (map->kind != ELEMENT_MAP) {
        refuse(reading, map, "a map of keys is due, as `--set` of poise run has them");
        return;
    }
    for (int i = 0; study->varied && i < map->child_count; i++) {
        const Element* element = map->children[i];
        Vary* vary = &study->varied[study->varied_count++];
        vary->key = poise__arena_copy(reading->arena, element->key, strlen(element->key));
        if (element->kind == ELEMENT_MAP) {
            read_map(reading, element, vary);
        } else if (element->kind == ELEMENT_LIST) {
            read_list(reading, element, vary);
        } else {
            refuse(reading, element, "a list of values, a range or a draw is due");
        }
    }
}

static void read_figures(Reading* reading, const Element* list) {
    Study* study = reading->study;
    study->figures =
        poise__arena_allocate(reading->arena, (size_t)list->child_count, sizeof *study->figures);
    if (list->kind != ELEMENT_LIST || list->child_count == 0) {
        refuse(reading, list, "a list of figures is due, as [hand.rms_error, elbow.torque]");
        return;
    }
    for (int i = 0; study->figures && i < list->child_count; i++) {
        const Element* element = list->children[i];
        study->figures[study->figure_count++] = text_of(reading, element);
        if (strncmp(element->text, "cost.", 5) == 0) {
            refuse(reading, element,
                   "what a run costs is another in each run: no figure of a study");
        }
    }
}

static void read_member(Reading* reading, const Element* element) {
    Study* study = reading->study;
    const char* key = element->key;
    if (strcmp(key, "scene") == 0) {
        study->scene = text_of(reading, element);
    } else if (strcmp(key, "seconds") == 0) {
        study->seconds = number_of(reading, element, 1e-6, 1e6);
    } else if (strcmp(key, "seed") == 0) {
        study->seed = number_of(reading, element, 0.0, 4294967295.0);
    } else if (strcmp(key, "draws") == 0) {
        study->draws = (int)number_of(reading, element, 1.0, 1e9);
    } else if (strcmp(key, "vary") == 0) {
        read_vary(reading, element);
    } else if (strcmp(key, "figures") == 0) {
        read_figures(reading, element);
    } else if (strcmp(key, "sweep") != 0) {
        Suggestion suggestion = poise__suggestion(key);
        static const char* const keys[] = {"sweep", "scene", "seconds", "seed",
                                           "draws", "vary",  "figures"};
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            poise__suggestion_offer(&suggestion, keys[i]);
        }
        char guess[100];
        poise__diagnose(reading->diagnostics, POISE_ERROR, element->key_mark,
                        "unknown key '%.80s' in a study%s", key,
                        poise__suggestion_text(&suggestion, guess, sizeof guess));
        reading->fine = false;
    }
}

static void finish(Reading* reading, const Element* root) {
    Study* study = reading->study;
    const Element* version = poise__element_find(root, "sweep");
    if (!version || strcmp(version->text, "1") != 0) {
        refuse(reading, version ? version : root, "a study begins with `sweep: 1`");
    }
    if (!study->scene || !study->varied || !study->figures) {
        refuse(reading, root, "scene, vary and figures are needed");
    }
    double runs = study->draws;
    for (int i = 0; i < study->varied_count; i++) {
        runs *= study->varied[i].count;
    }
    if (runs > MOST_RUNS) {
        refuse(reading, root, "these are more than 1e9 runs");
        runs = 0.0;
    }
    study->run_count = (long)runs;
}

bool poise__study_read(Study* study, Arena* arena, const char* path,
                       PoiseDiagnostics* diagnostics) {
    memset(study, 0, sizeof *study);
    study->file = path;
    study->draws = 1;
    Reading reading = {study, arena, diagnostics, true};
    Document document = {arena, diagnostics, path, NULL, NULL, false};
    size_t size = 0;
    const PoiseMark nowhere = {path, 0, 0};
    const char* text = poise__file_read(arena, path, &size, nowhere, diagnostics);
    if (!text) {
        return false;
    }
    poise__diagnostics_add_source(diagnostics, path, text, size);
    study->fingerprint = FNV_BASIS;
    for (size_t i = 0; i < size; i++) {
        study->fingerprint = (study->fingerprint ^ (unsigned char)text[i]) * FNV_PRIME;
    }
    const Element* root = poise__yaml_read(&document, text, size);
    if (!root) {
        return false;
    }
    if (root->kind != ELEMENT_MAP) {
        refuse(&reading, root, "a map is due that begins with `sweep: 1`");
        return false;
    }
    for (int i = 0; i < root->child_count; i++) {
        read_member(&reading, root->children[i]);
    }
    finish(&reading, root);
    return reading.fine && !arena->failed;
}

// ------------------------------------------------------------------------------------------ values

// from 0 to below 1, by splitmix64 of what it is for
static double drawn(const Study* study, long run, int key) {
    uint64_t z = (uint64_t)study->seed * 0x9e3779b97f4a7c15 + (uint64_t)run * 0xd1342543de82ef95 +
                 (uint64_t)key + 1;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

static double between(const Vary* vary, double part) {
    return vary->logarithmic ? vary->from * pow(vary->to / vary->from, part)
                             : vary->from + (vary->to - vary->from) * part;
}

const char* poise__study_value(const Study* study, long run, int key, char text[STUDY_VALUE]) {
    // the first key changes slowest, draws fastest
    long left = run / study->draws;
    for (int i = study->varied_count - 1; i > key; i--) {
        left /= study->varied[i].count;
    }
    const Vary* vary = &study->varied[key];
    const int index = (int)(left % vary->count);
    if (vary->kind == VARY_LIST) {
        return vary->values[index];
    }
    const double part = vary->kind == VARY_DRAW ? drawn(study, run, key)
                        : vary->count > 1       ? (double)index / (vary->count - 1)
                                                : 0.0;
    // 12 digits: equal on every machine, whatever its pow does to the last
    snprintf(text, STUDY_VALUE, "%.12g", between(vary, part));
    return text;
}
