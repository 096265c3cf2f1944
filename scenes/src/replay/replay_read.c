// SPDX-License-Identifier: MIT
// Reads replays. The file may be malicious: each number has a bound, and memory grows only with the
// size of the file.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "document.h"
#include "replay_text.h"

/// Largest number of steps and of changes: a day of steps of 0.1 ms, and a change in each ms of an
/// hour.
enum { MAX_REPLAY_STEPS = 864000000, MAX_REPLAY_INPUTS = 3600000 };

/// A replay and its memory. `replay` is the first member, since its address, which the caller has,
/// must be that of the whole.
typedef struct OwnedReplay {
    PoiseReplay replay;
    Arena arena;
} OwnedReplay;

typedef struct Reading {
    OwnedReplay* owned;
    PoiseDiagnostics* diagnostics;
    bool fine;
} Reading;

static bool refuse(Reading* reading, const Element* element, const char* why) {
    poise__diagnose(reading->diagnostics, POISE_ERROR, element->mark, "%s", why);
    reading->fine = false;
    return false;
}

static const Element* member(Reading* reading, const Element* map, const char* key,
                             ElementKind kind) {
    const Element* element = poise__element_find(map, key);
    char text[100];
    if (!element) {
        snprintf(text, sizeof text, "a replay needs '%s'; was the file cut?", key);
        refuse(reading, map, text);
        return NULL;
    }
    if (element->kind != kind) {
        refuse(reading, element, kind == ELEMENT_LIST ? "a list is due" : "one value is due");
        return NULL;
    }
    return element;
}

static const char* read_text(Reading* reading, const Element* element) {
    return poise__arena_copy(&reading->owned->arena, element->text, strlen(element->text));
}

static long read_count(Reading* reading, const Element* map, const char* key, long most) {
    const Element* element = member(reading, map, key, ELEMENT_SCALAR);
    const char* text = element ? element->text : "0";
    const size_t digits = strspn(text, "0123456789");
    const long value =
        digits > 0 && digits < 12 && text[digits] == '\0' ? strtol(text, NULL, 10) : -1;
    if (element && (value < 0 || value > most)) {
        char why[100];
        snprintf(why, sizeof why, "a whole number from 0 to %ld is due", most);
        refuse(reading, element, why);
        return 0;
    }
    return value;
}

static uint64_t read_hash(Reading* reading, const Element* map, const char* key) {
    const Element* element = member(reading, map, key, ELEMENT_SCALAR);
    if (element &&
        (strlen(element->text) != 16 || strspn(element->text, "0123456789abcdef") != 16)) {
        refuse(reading, element, "a hash of 16 hexadecimal digits is due");
        return 0;
    }
    return element ? strtoull(element->text, NULL, 16) : 0;
}

/// Reads bytes from base64 text, without their checksum. Returns NULL with a finding if they were
/// cut or changed.
static const uint8_t* read_bytes(Reading* reading, const Element* map, const char* key,
                                 size_t* size) {
    const Element* element = member(reading, map, key, ELEMENT_SCALAR);
    const size_t length = element ? strlen(element->text) : 0;
    uint8_t* bytes =
        element ? poise__arena_allocate(&reading->owned->arena, length + 1, sizeof *bytes) : NULL;
    uint32_t bits = 0;
    int waiting = 0;
    size_t count = 0;
    for (size_t i = 0; bytes && i < length; i++) {
        const char* letter = strchr(POISE_BASE64, element->text[i]);
        if (!letter) {
            refuse(reading, element, "this text has a letter that no replay has");
            return NULL;
        }
        bits = (bits << 6) | (uint32_t)(letter - POISE_BASE64);
        waiting += 6;
        if (waiting >= 8) {
            waiting -= 8;
            bytes[count++] = (uint8_t)(bits >> waiting);
        }
    }
    if (!bytes) {
        return NULL;
    }
    uint32_t sum = 0;
    for (size_t i = 0; count >= 4 && i < 4; i++) {
        sum |= (uint32_t)bytes[count - 4 + i] << (8 * i);
    }
    if (count < 4 || sum != poise__replay_sum(bytes, count - 4)) {
        refuse(reading, element, "this text was cut or changed: its sum is not that of its bytes");
        return NULL;
    }
    *size = count - 4;
    return bytes;
}

static void read_settings(Reading* reading, const Element* map) {
    const Element* list = poise__element_find(map, "set");
    PoiseReplay* replay = &reading->owned->replay;
    if (!list) {
        return;
    }
    if (list->kind != ELEMENT_LIST) {
        refuse(reading, list, "a list of settings KEY=VALUE is due");
        return;
    }
    const char** settings =
        poise__arena_allocate(&reading->owned->arena, (size_t)list->child_count, sizeof *settings);
    for (int i = 0; settings && i < list->child_count; i++) {
        if (list->children[i]->kind != ELEMENT_SCALAR) {
            refuse(reading, list->children[i], "KEY=VALUE is due");
            return;
        }
        settings[i] = read_text(reading, list->children[i]);
    }
    replay->overrides = settings;
    replay->override_count = settings ? list->child_count : 0;
}

static void read_inputs(Reading* reading, const Element* map) {
    PoiseReplay* replay = &reading->owned->replay;
    size_t size = 0;
    const long count = read_count(reading, map, "changes", MAX_REPLAY_INPUTS);
    const uint8_t* bytes = read_bytes(reading, map, "input", &size);
    // A predicted change takes at least 1/8000 bit. This bounds the memory that a short text can
    // request.
    if (bytes && (size_t)count > 8 * 8000 * (size + 4)) {
        refuse(reading, poise__element_find(map, "changes"), "'input' has fewer changes");
        return;
    }
    PoiseReplayInput* inputs =
        bytes ? poise__arena_allocate(&reading->owned->arena, (size_t)count, sizeof *inputs) : NULL;
    if (!inputs) {
        return;
    }
    BitCode code = poise__bit_reader(bytes, size);
    Arena* arena = &reading->owned->arena;
    const PoiseStatus status = poise__replay_pack(&code, inputs, (int)count, &arena->host);
    if (status == POISE_ERROR_OUT_OF_MEMORY) {
        arena->failed = true;
        return;
    }
    if (status < 0) {
        refuse(reading, poise__element_find(map, "input"), "these are not the changes of a run");
        return;
    }
    if (count > 0 && inputs[count - 1].step > replay->steps) {
        refuse(reading, poise__element_find(map, "steps"), "a change comes after the last step");
        return;
    }
    replay->inputs = inputs;
    replay->input_count = (int)count;
}

static void read_marks(Reading* reading, const Element* map) {
    PoiseReplay* replay = &reading->owned->replay;
    size_t size = 0;
    const uint8_t* bytes = read_bytes(reading, map, "states", &size);
    uint16_t* marks =
        bytes ? poise__arena_allocate(&reading->owned->arena, size / 2, sizeof *marks) : NULL;
    for (size_t i = 0; marks && i < size / 2; i++) {
        marks[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
    }
    replay->marks = marks;
    replay->mark_count = marks ? (int)(size / 2) : 0;
}

static void check_keys(Reading* reading, const Element* map) {
    static const char* const keys[] = {"poise",   "scene", "scene_hash", "set", "steps",
                                       "changes", "input", "states",     "end"};
    const int count = (int)(sizeof keys / sizeof *keys);
    for (int i = 0; i < map->child_count; i++) {
        bool known = false;
        for (int k = 0; k < count; k++) {
            known = known || strcmp(map->children[i]->key, keys[k]) == 0;
        }
        char guess[100];
        if (!known) {
            poise__diagnose(
                reading->diagnostics, POISE_ERROR, map->children[i]->key_mark,
                "unknown key '%.80s' in a replay%s", map->children[i]->key,
                poise_scene_guess(map->children[i]->key, keys, count, guess, sizeof guess));
            reading->fine = false;
        }
    }
}

static void read_root(Reading* reading, const Element* root) {
    const Element* map = root->kind == ELEMENT_MAP ? poise__element_find(root, "replay") : NULL;
    PoiseReplay* replay = &reading->owned->replay;
    if (!map || map->kind != ELEMENT_MAP) {
        refuse(reading, map ? map : root, "a replay begins with `replay:`; this is something else");
        return;
    }
    check_keys(reading, map);
    const Element* scene = member(reading, map, "scene", ELEMENT_SCALAR);
    replay->scene = scene ? read_text(reading, scene) : NULL;
    replay->scene_hash = read_hash(reading, map, "scene_hash");
    replay->state_hash = read_hash(reading, map, "end");
    replay->steps = read_count(reading, map, "steps", MAX_REPLAY_STEPS);
    read_settings(reading, map);
    read_inputs(reading, map);
    read_marks(reading, map);
}

static bool read_file(Reading* reading, const char* path) {
    Arena* arena = &reading->owned->arena;
    Document document = {.arena = arena, .diagnostics = reading->diagnostics, .file = path};
    size_t size = 0;
    const PoiseMark nowhere = {path, 0, 0};
    const char* text = poise__file_read(arena, path, &size, nowhere, reading->diagnostics);
    if (!text) {
        return false;
    }
    poise_diagnostics_add_source(reading->diagnostics, path, text, size);
    const Element* root = poise__yaml_read(&document, text, size);
    if (!root) {
        return false;
    }
    read_root(reading, root);
    return reading->fine && !arena->failed;
}

PoiseReplay* poise_replay_load(const char* path, PoiseDiagnostics* diagnostics) {
    if (!path || !diagnostics) {
        return NULL;
    }
    const int errors = poise_diagnostics_count(diagnostics, POISE_ERROR);
    OwnedReplay* owned = calloc(1, sizeof *owned);
    if (owned) {
        poise__arena_init(&owned->arena, NULL);
        Reading reading = {owned, diagnostics, true};
        const char* own_path = poise__arena_copy(&owned->arena, path, strlen(path));
        if (own_path && read_file(&reading, own_path)) {
            return &owned->replay;
        }
        poise_replay_destroy(&owned->replay);
    }
    if (poise_diagnostics_count(diagnostics, POISE_ERROR) == errors) {
        const PoiseMark nowhere = {path, 0, 0};
        poise__diagnose(diagnostics, POISE_ERROR, nowhere, "memory is short");
    }
    return NULL;
}

const char* poise_replay_scene(const PoiseReplay* replay, const char* path, char* text,
                               size_t capacity) {
    if (!replay || !replay->scene || !path || !text || capacity == 0) {
        return "";
    }
    const char* slash = strrchr(path, '/');
    const char* name = replay->scene;
    int length =
        snprintf(text, capacity, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, name);
    if (name[0] != '/' && length < (int)capacity && access(text, F_OK) == 0) {
        return text;
    }
    length = snprintf(text, capacity, "%s", name);
    text[0] = length < (int)capacity ? text[0] : '\0';
    return text;
}

void poise_replay_destroy(PoiseReplay* replay) {
    if (replay) {
        OwnedReplay* owned = (OwnedReplay*)replay;
        poise__arena_finish(&owned->arena);
        free(owned);
    }
}
