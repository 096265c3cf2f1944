// SPDX-License-Identifier: MIT
// What `bodies:` may hold, and how maps of names are read.
#include <string.h>

#include "spec.h"

#define SIZE_FIELD(name, words)                                                                    \
    {                                                                                              \
        .key = #name, .type = FIELD_NUMBER, .offset = offsetof(BodySpec, name),                    \
        .range = {0.0, 1e6, true, false}, .unit = "m", .help = words                               \
    }

#define SETTINGS                                                                                   \
    {.key = "density",                                                                             \
     .type = FIELD_NUMBER,                                                                         \
     .offset = offsetof(BodySpec, density),                                                        \
     .range = {0.0, 1e9, true, false},                                                             \
     .fallback = "1000",                                                                           \
     .unit = "kg/m^3",                                                                             \
     .help = "mass and inertia follow from the shape"},                                            \
        {.key = "mass",                                                                            \
         .type = FIELD_NUMBER,                                                                     \
         .offset = offsetof(BodySpec, mass),                                                       \
         .range = {0.0, 1e12, true, false},                                                        \
         .fallback = "(from the density)",                                                         \
         .unit = "kg",                                                                             \
         .help = "instead of a density"},                                                          \
        {.key = "gravity",                                                                         \
         .type = FIELD_SWITCH,                                                                     \
         .offset = offsetof(BodySpec, gravity),                                                    \
         .fallback = "on",                                                                         \
         .help = "whether gravity pulls at it"},                                                   \
    {                                                                                              \
        .key = "collides", .type = FIELD_SWITCH, .offset = offsetof(BodySpec, collides),           \
        .fallback = "on",                                                                          \
        .help = "whether it touches others; bodies that joints hold together "                     \
                "never touch one another"                                                          \
    }

static const Field body_fields[] = {
    {.key = "box",
     .type = FIELD_VEC3,
     .offset = offsetof(BodySpec, box),
     .range = {0.0, 1e6, true, false},
     .unit = "m",
     .help = "the full side lengths"},
    SIZE_FIELD(sphere, "the radius"),
    SIZE_FIELD(capsule, "the radius; `from` and `to` are the centres of its two ends"),
    SIZE_FIELD(cylinder, "the radius; `from` and `to` are the middles of its two ends"),
    {.key = "from",
     .type = FIELD_VEC3,
     .offset = offsetof(BodySpec, from),
     .unit = "m",
     .help = "one end of a capsule or cylinder"},
    {.key = "to",
     .type = FIELD_VEC3,
     .offset = offsetof(BodySpec, to),
     .unit = "m",
     .help = "the other; the body's z axis points there, its frame stands half-way"},
    SIZE_FIELD(length, "of a capsule (without its caps) or cylinder that has `at` instead of ends; "
                       "it lies along the body's z axis"),
    {.key = "at",
     .type = FIELD_VEC3,
     .offset = offsetof(BodySpec, at),
     .fallback = "[0, 0, 0]",
     .unit = "m",
     .help = "the body's middle"},
    {.key = "rotation",
     .type = FIELD_CUSTOM,
     .offset = offsetof(BodySpec, rotation),
     .read = poise__rotation_field_read,
     .form = "[w, x, y, z], {axis, angle} or {rpy}",
     .fallback = "(none)",
     .help = "how it is turned there"},
    {.key = "fixed",
     .type = FIELD_SWITCH,
     .offset = offsetof(BodySpec, fixed),
     .fallback = "off",
     .help = "part of the world: it does not move"},
    SETTINGS,
};

static const Field settings_fields[] = {SETTINGS};

const Schema poise__body_schema = {
    .name = "a body",
    .title = "A body",
    .help = "One of `box`, `sphere`, `capsule`, `cylinder` says what it is.",
    .fields = body_fields,
    .field_count = (int)(sizeof body_fields / sizeof body_fields[0]),
    .given_offset = offsetof(BodySpec, given),
};

const Schema poise__body_defaults_schema = {
    .name = "the defaults of bodies",
    .title = "Defaults of bodies",
    .help = "What bodies have that do not say otherwise.",
    .fields = settings_fields,
    .field_count = (int)(sizeof settings_fields / sizeof settings_fields[0]),
    .given_offset = offsetof(BodySpec, given),
};

void poise__rotation_field_read(Reader* reader, const Element* element, void* quat) {
    (void)poise__read_rotation(reader, element, quat);
}

// ------------------------------------------------------------------------------- maps of names

static bool is_name_letter(char letter, bool patterns) {
    static const char refused[] = "/*?.[]{}\"'=,:;#&!|<>%@`\\$";
    unsigned char byte = (unsigned char)letter;
    if (byte <= 0x20 || byte == 0x7f) {
        return false;
    }
    if (patterns && strchr("*?./", letter)) {
        return true;
    }
    return !strchr(refused, letter);
}

static bool check_name(Reader* reader, const Element* element, const NameMap* map) {
    const char* name = element->key;
    bool fine = name[0] != '\0';
    for (const char* letter = name; *letter; letter++) {
        fine = fine && is_name_letter(*letter, map->patterns);
    }
    if (!fine) {
        poise__diagnose(reader->diagnostics, POISE_ERROR, element->key_mark,
                        "'%.60s' cannot be the name of %s: write letters, digits, _ and -", name,
                        map->kind);
    } else if (strcmp(name, "world") == 0) {
        poise__diagnose(reader->diagnostics, POISE_ERROR, element->key_mark,
                        "'world' cannot be the name of %s: it names what does not move", map->kind);
        fine = false;
    }
    return fine;
}

void* poise__name_map_read(Reader* reader, const Element* element, const NameMap* map, int* count) {
    *count = 0;
    if (poise__element_is_empty(element)) {
        return NULL;
    }
    if (element->kind != ELEMENT_MAP) {
        char found[80];
        poise__refuse(reader, element, "'%s' must be a map of names, not %s", element->key,
                      poise__element_describe(element, found, sizeof found));
        return NULL;
    }
    char* items =
        poise__arena_allocate(reader->arena, (size_t)element->child_count, map->item_size);
    if (!items) {
        return NULL;
    }
    for (int i = 0; i < element->child_count; i++) {
        const Element* child = element->children[i];
        void* item = items + (size_t)i * map->item_size;
        Header header = {child->key, child->key_mark, child, false, 0};
        int errors = poise_diagnostics_count(reader->diagnostics, POISE_ERROR);
        (void)check_name(reader, child, map);
        map->read_item(reader, child, item);
        header.broken = poise_diagnostics_count(reader->diagnostics, POISE_ERROR) > errors;
        memcpy(item, &header, sizeof header);
    }
    *count = element->child_count;
    return items;
}

// ---------------------------------------------------------------------------------------- bodies

static void read_body(Reader* reader, const Element* element, void* item) {
    const SceneSpec* scene = reader->context;
    BodySpec* body = item;
    *body = scene->defaults.body;
    body->given = 0;
    poise__schema_read(reader, &poise__body_schema, element, body);
}

void poise__bodies_read(Reader* reader, const Element* element, void* list) {
    static const NameMap map = {"a body", sizeof(BodySpec), false, read_body};
    BodyList* bodies = list;
    bodies->items = poise__name_map_read(reader, element, &map, &bodies->count);
}
