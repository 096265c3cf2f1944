// SPDX-License-Identifier: MIT
// Applies `--set key=value` to the tree of a scene before the tree is read, so that a set value is
// checked like a written one.
#include <stdio.h>
#include <string.h>

#include "builder.h"

// Maps at the top level whose keys are names that the author chose: `--set` cannot add a name.
static const char* const name_maps[] = {"bodies", "joints", "robots", "control_points", NULL};
// Maps whose keys may contain dots, so that the rest of a path is a single key.
static const char* const flat_maps[] = {"expect", "pose", NULL};

typedef struct Override {
    Document* document;
    const char* text; ///< the setting key=value, as the user wrote it
    const char* path; ///< a copy of the key
    Element* value;
} Override;

static bool is_listed(const char* const* names, const char* name) {
    for (int i = 0; name && names[i]; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static PoiseMark mark_at(const Override* override, const char* place) {
    return (PoiseMark){override->document->file, 1, (int)(place - override->path) + 1};
}

static bool starts_with_key(const char* path, const char* key) {
    size_t length = strlen(key);
    return length > 0 && strncmp(path, key, length) == 0 &&
           (path[length] == '.' || path[length] == '\0');
}

// Returns the child of which the key is the longest that begins the path.
static Element* find_child(const Element* map, const char* path) {
    Element* best = NULL;
    for (int i = 0; map->kind == ELEMENT_MAP && i < map->child_count; i++) {
        Element* child = map->children[i];
        if (starts_with_key(path, child->key) &&
            (!best || strlen(child->key) > strlen(best->key))) {
            best = child;
        }
    }
    return best;
}

static bool refuse_name(const Override* override, const Element* map, const char* place) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(place, "."), place);
    Suggestion suggestion = poise__suggestion(name);
    for (int i = 0; i < map->child_count; i++) {
        poise__suggestion_offer(&suggestion, map->children[i]->key);
    }
    char guess[160];
    REFUSE(override->document, mark_at(override, place), "there is no '%s' in '%s'%s", name,
           map->key, poise__suggestion_text(&suggestion, guess, sizeof guess));
    return false;
}

static Element* add_child(const Override* override, Element* map, const char* place,
                          size_t length) {
    Element* child =
        poise__element_create(override->document, ELEMENT_MAP, mark_at(override, place));
    char* key = poise__arena_copy(override->document->arena, place, length);
    if (!child || !key) {
        return NULL;
    }
    child->key = key;
    child->key_mark = child->mark;
    return poise__element_add(override->document, map, child) ? child : NULL;
}

static void put_value(const Override* override, Element* target, const char* place) {
    Element value = *override->value;
    value.key = target->key;
    value.key_mark = mark_at(override, place);
    *target = value;
}

static void become_map(Element* element) {
    // A map replaces a scalar such as `off`, which the file may have here.
    element->kind = ELEMENT_MAP;
    element->text = "";
    element->child_count = 0;
    element->children = NULL;
    element->child_capacity = 0;
}

static bool apply_at(const Override* override, Element* root, Element* map, const char* place);

// Returns a deep copy, so that owners matched by a pattern do not share the value.
static Element* copy_of(const Override* override, const Element* value) {
    Element* copy = poise__element_create(override->document, value->kind, value->mark);
    if (!copy) {
        return NULL;
    }
    Element own = *value;
    own.children = NULL;
    own.child_count = 0;
    own.child_capacity = 0;
    *copy = own;
    for (int i = 0; i < value->child_count; i++) {
        Element* child = copy_of(override, value->children[i]);
        if (!child || !poise__element_add(override->document, copy, child)) {
            return NULL;
        }
    }
    return copy;
}

// Applies a pattern like "joints.*.ik.spring" to each joint that matches.
static bool apply_pattern(const Override* override, Element* root, Element* map,
                          const char* place) {
    char pattern[64];
    const size_t length = strcspn(place, ".");
    snprintf(pattern, sizeof pattern, "%.*s", (int)length, place);
    int fitting = 0;
    for (int i = 0; i < map->child_count; i++) {
        if (!poise__pattern_fits(pattern, map->children[i]->key)) {
            continue;
        }
        Override own = *override;
        own.value = copy_of(override, override->value);
        if (!own.value) {
            return false;
        }
        fitting++;
        if (place[length] == '\0') {
            put_value(&own, map->children[i], place);
        } else if (!apply_at(&own, root, map->children[i], place + length + 1)) {
            return false;
        }
    }
    return fitting > 0 || refuse_name(override, map, place);
}

// Sets the value at the rest of the path below `map`.
static bool apply_at(const Override* override, Element* root, Element* map, const char* place) {
    for (;;) {
        if (map->kind == ELEMENT_SCALAR) {
            become_map(map);
        }
        if (map->kind == ELEMENT_LIST) {
            REFUSE(override->document, mark_at(override, place),
                   "'%s' is a list: set it as a whole", map->key ? map->key : "the scene");
            return false;
        }
        Element* child = find_child(map, place);
        // `--set` adds no keys to the maps of names at the top level. A robot's own `joints`
        // accepts patterns and new keys, since the last entry that matches a joint decides.
        const bool names =
            is_listed(name_maps, map->key) && map == poise__element_find(root, map->key);
        bool flat = is_listed(flat_maps, map->key);
        size_t length = child ? strlen(child->key) : (flat ? strlen(place) : strcspn(place, "."));
        bool last = place[length] == '\0';
        if (!child && names) {
            return strcspn(place, "*?") < length ? apply_pattern(override, root, map, place)
                                                 : refuse_name(override, map, place);
        }
        child = child ? child : add_child(override, map, place, length);
        if (!child) {
            return false;
        }
        if (last) {
            put_value(override, child, place);
            return true;
        }
        map = child;
        place += length + 1;
    }
}

bool poise__override_apply(Document* scene, Element* root, const char* text) {
    Arena* arena = scene->arena;
    const char* equals = strchr(text, '=');
    char* file = poise__arena_format(arena, "--set %s", text);
    if (!file) {
        return false;
    }
    Document document = {.arena = arena, .diagnostics = scene->diagnostics, .file = file};
    PoiseMark mark = {file, 1, 1};
    poise_diagnostics_add_source(scene->diagnostics, file, text, strlen(text));
    if (!equals || equals == text) {
        REFUSE(scene, mark, "an override is key=value");
        return false;
    }
    if (!equals[1]) {
        Element* nothing = poise__element_create(&document, ELEMENT_SCALAR, mark);
        Override clear = {&document, text, poise__arena_copy(arena, text, (size_t)(equals - text)),
                          nothing};
        return nothing && clear.path && apply_at(&clear, root, root, clear.path);
    }
    // The key is replaced by spaces before the value is parsed, so that the columns in findings are
    // those of the whole text.
    size_t length = strlen(text);
    char* padded = poise__arena_copy(arena, text, length);
    char* path = poise__arena_copy(arena, text, (size_t)(equals - text));
    if (!padded || !path) {
        return false;
    }
    memset(padded, ' ', (size_t)(equals - text) + 1);
    Override override = {&document, text, path, poise__yaml_read(&document, padded, length)};
    return override.value && apply_at(&override, root, root, path);
}
