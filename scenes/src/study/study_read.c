// SPDX-License-Identifier: MIT
// Reads a study from its file and from the settings of the command line.
#include <string.h>

#include "study.h"

// Largest number of runs of a study: more would take years.
#define MOST_RUNS 1e9

static void read_key(StudyReading* reading, const Element* element) {
    PoiseStudy* study = reading->study;
    // A key that is set again replaces its earlier values.
    int index = 0;
    while (index < study->varied_count && strcmp(study->varied[index].key, element->key) != 0) {
        index++;
    }
    Vary* varied = poise__arena_grow(reading->arena, &study->varied, study->varied_count,
                                     &study->varied_capacity, sizeof *varied);
    if (!varied) {
        return;
    }
    study->varied_count += index == study->varied_count ? 1 : 0;
    const Vary none = {.key =
                           poise__arena_copy(reading->arena, element->key, strlen(element->key))};
    varied[index] = none;
    poise__vary_read(reading, element, &varied[index]);
}

static void read_vary(StudyReading* reading, const Element* map) {
    if (map->kind != ELEMENT_MAP) {
        poise__study_refuse(reading, map, "a map of keys is due, as `--set` of poise run has them");
        return;
    }
    for (int i = 0; i < map->child_count; i++) {
        read_key(reading, map->children[i]);
    }
}

static void read_figures(StudyReading* reading, const Element* element) {
    PoiseStudy* study = reading->study;
    Element parts;
    const Element* list = element;
    if (element->kind == ELEMENT_SCALAR && !poise__element_is_empty(element)) {
        list = poise__study_split(reading, element, ',', &parts) ? &parts : element;
    }
    if (list->kind != ELEMENT_LIST || list->child_count == 0) {
        poise__study_refuse(reading, list,
                            "a list of figures is due, as [hand.rms_error, elbow.torque]");
        return;
    }
    study->figure_count = 0;
    study->figures =
        poise__arena_allocate(reading->arena, (size_t)list->child_count, sizeof *study->figures);
    for (int i = 0; study->figures && i < list->child_count; i++) {
        const Element* figure = list->children[i];
        study->figures[study->figure_count++] = poise__study_text(reading, figure);
        if (strncmp(figure->text, "cost.", 5) == 0) {
            poise__study_refuse(reading, figure,
                                "what a run costs is another in each run: no figure of a study");
        }
    }
}

static void refuse_member(StudyReading* reading, const Element* element) {
    static const char* const keys[] = {"sweep", "scene", "seconds", "seed",
                                       "draws", "vary",  "figures"};
    char guess[100];
    REFUSE(reading, element->key_mark, "unknown key '%.80s' in a study%s", element->key,
           poise_scene_guess(element->key, keys, (int)(sizeof keys / sizeof *keys), guess,
                             sizeof guess));
    reading->fine = false;
}

static void read_member(StudyReading* reading, const Element* element) {
    PoiseStudy* study = reading->study;
    const char* key = element->key;
    if (strcmp(key, "scene") == 0) {
        study->scene = poise__study_text(reading, element);
        // The user named the scene if the mark is in a setting ("--scene=..").
        study->named_by = strncmp(element->mark.file, "--", 2) == 0 ? NULL : element->mark.file;
    } else if (strcmp(key, "seconds") == 0) {
        study->seconds = poise__study_number(reading, element, 1e-6, 1e6);
    } else if (strcmp(key, "seed") == 0) {
        study->seed = poise__study_number(reading, element, 0.0, 4294967295.0);
    } else if (strcmp(key, "draws") == 0) {
        study->draws = (int)poise__study_number(reading, element, 1.0, MOST_RUNS);
    } else if (strcmp(key, "vary") == 0) {
        read_vary(reading, element);
    } else if (strcmp(key, "figures") == 0) {
        read_figures(reading, element);
    } else if (strcmp(key, "sweep") != 0) {
        refuse_member(reading, element);
    }
}

static void add_text(PoiseStudy* study, const char* text, size_t size) {
    study->fingerprint = poise__hash(study->fingerprint, text, size);
}

// Reads the study's file. Returns false if it has no study to read.
static bool read_file(StudyReading* reading, const char* path) {
    Document document = {
        .arena = reading->arena, .diagnostics = reading->diagnostics, .file = path};
    size_t size = 0;
    const PoiseMark nowhere = {path, 0, 0};
    const char* text = poise__file_read(reading->arena, path, &size, nowhere, reading->diagnostics);
    if (!text) {
        return false;
    }
    poise_diagnostics_add_source(reading->diagnostics, path, text, size);
    add_text(reading->study, text, size);
    const Element* root = poise__yaml_read(&document, text, size);
    if (!root) {
        return false;
    }
    const Element* version = poise__element_find(root, "sweep");
    if (root->kind != ELEMENT_MAP || !version || strcmp(version->text, "1") != 0) {
        poise__study_refuse(reading, version ? version : root,
                            "a study begins with `sweep: 1`; of a scene --vary says what to vary");
        return false;
    }
    for (int i = 0; i < root->child_count; i++) {
        read_member(reading, root->children[i]);
    }
    return true;
}

// Reads a setting: member=value, or vary.KEY=values for a key to vary. Findings show it as the
// option --vary KEY=values.
static void read_setting(StudyReading* reading, const char* setting) {
    const bool varies = strncmp(setting, "vary.", 5) == 0;
    const char* text = setting + (varies ? 5 : 0);
    const size_t length = strlen(text);
    const size_t name = strcspn(text, "=");
    char* file = poise__arena_format(reading->arena, varies ? "--vary %s" : "--%s", text);
    char* key = poise__arena_copy(reading->arena, text, name);
    char* padded = poise__arena_copy(reading->arena, text, length);
    if (!file || !key || !padded) {
        return;
    }
    Document document = {
        .arena = reading->arena, .diagnostics = reading->diagnostics, .file = file};
    const PoiseMark mark = {file, 1, 1};
    poise_diagnostics_add_source(reading->diagnostics, file, text, length);
    add_text(reading->study, setting, strlen(setting) + 1);
    if (name == 0 || text[name] != '=' || text[name + 1] == '\0') {
        REFUSE(reading, mark, varies ? "KEY=VALUES is due" : "member=value is due");
        reading->fine = false;
        return;
    }
    // Spaces replace the setting's name before its value is parsed, so that the columns of findings
    // are those of the whole setting.
    memset(padded, ' ', name + 1);
    // The path of the scene is text as it is, not YAML.
    const bool plain = !varies && strcmp(key, "scene") == 0;
    Element* value = plain ? poise__element_create(&document, ELEMENT_SCALAR, mark)
                           : poise__yaml_read(&document, padded, length);
    if (!value) {
        reading->fine = false;
        return;
    }
    value->text = plain ? padded + name + 1 : value->text;
    value->key = key;
    value->key_mark = mark;
    if (varies) {
        read_key(reading, value);
    } else {
        read_member(reading, value);
    }
}

static void finish(StudyReading* reading, const char* file) {
    PoiseStudy* study = reading->study;
    const Element all = {.mark = {file ? file : "--figures", file ? 1 : 0, file ? 1 : 0}};
    const char* lacks = !study->scene              ? "no scene is named"
                        : study->varied_count == 0 ? "no key is varied"
                        : study->figure_count == 0 ? "no figures are kept of a run"
                                                   : NULL;
    if (lacks) {
        poise__study_refuse(reading, &all, lacks);
    }
    double runs = study->draws;
    for (int i = 0; i < study->varied_count; i++) {
        runs *= study->varied[i].count;
    }
    if (runs > MOST_RUNS) {
        poise__study_refuse(reading, &all, "these are more than 1e9 runs");
        runs = 0.0;
    }
    study->run_count = (int)runs;
}

PoiseStudy* poise_study_load(const PoiseStudySource* source, PoiseDiagnostics* diagnostics) {
    if (!source || !diagnostics || source->setting_count < 0 ||
        (source->setting_count > 0 && !source->settings)) {
        return NULL;
    }
    Arena arena;
    poise__arena_init(&arena, &source->host);
    PoiseStudy* study = poise__arena_allocate(&arena, 1, sizeof *study);
    StudyReading reading = {study, &arena, diagnostics, study != NULL};
    const int errors = poise_diagnostics_count(diagnostics, POISE_ERROR);
    if (study) {
        poise__arena_init(&study->arena, &source->host);
        study->draws = 1;
        study->trust = source->trust;
        const PoiseVersion version = poise_version();
        study->fingerprint = poise__hash(POISE_HASH_BEGIN, &version, sizeof version);
        const char* path =
            source->path ? poise__arena_copy(&arena, source->path, strlen(source->path)) : NULL;
        const bool readable = !path || read_file(&reading, path);
        for (int i = 0; readable && i < source->setting_count; i++) {
            read_setting(&reading, source->settings[i] ? source->settings[i] : "");
        }
        reading.fine = readable && reading.fine;
        if (reading.fine) {
            finish(&reading, path);
        }
        if (reading.fine && study->run_count > 0 && !arena.failed) {
            reading.fine = poise__study_add_files(study, diagnostics);
            arena.failed = arena.failed || poise__diagnostics_lost(diagnostics);
        }
    }
    if (arena.failed) {
        const PoiseMark nowhere = {source->path ? source->path : "the study", 0, 0};
        poise__diagnose(diagnostics, POISE_ERROR, nowhere, "memory is short");
    }
    // libyaml's reader may return a document with errors, such as a tab in a text.
    if (!reading.fine || arena.failed ||
        poise_diagnostics_count(diagnostics, POISE_ERROR) > errors) {
        poise_diagnostics_destroy(study ? study->read : NULL);
        poise__arena_finish(&arena);
        return NULL;
    }
    study->arena = arena;
    return study;
}

void poise_study_destroy(PoiseStudy* study) {
    if (study) {
        poise_diagnostics_destroy(study->read);
        Arena arena = study->arena;
        poise__arena_finish(&arena);
    }
}
