// SPDX-License-Identifier: MIT
// Reads a map by its table.
#include "schema.h"

#include <string.h>

#include "base/number.h"

static void* member(void* value, size_t offset) {
    return (char*)value + offset;
}

static uint64_t* given_bits(const Schema* schema, void* value) {
    return (uint64_t*)member(value, schema->given_offset);
}

static int find_field(const Schema* schema, const char* key) {
    for (int i = 0; i < schema->field_count; i++) {
        if (strcmp(schema->fields[i].key, key) == 0) {
            return i;
        }
    }
    return -1;
}

bool poise__schema_given(const Schema* schema, const void* value, const char* key) {
    uint64_t bits = 0;
    memcpy(&bits, (const char*)value + schema->given_offset, sizeof bits);
    int field = find_field(schema, key);
    return field >= 0 && (bits >> field & 1u) != 0;
}

static void read_angle(Reader* reader, const Field* field, const Element* element, double* value) {
    double angle = 0.0;
    if (!poise__read_number(reader, element, field->range, &angle)) {
        return;
    }
    *value = angle * reader->angle_unit;
    bool speed = field->unit && strcmp(field->unit, "angle/s") == 0;
    if (!speed) {
        poise__angle_check(reader->diagnostics, reader->angle_unit_given, element->mark, *value);
    }
}

static void read_field(Reader* reader, const Field* field, const Element* element, void* value) {
    void* place = member(value, field->offset);
    int choice = 0;
    const char* outer_unit = reader->unit;
    reader->unit = field->unit;
    switch (field->type) {
    case FIELD_NUMBER:
        (void)poise__read_number(reader, element, field->range, place);
        break;
    case FIELD_ANGLE:
        read_angle(reader, field, element, place);
        break;
    case FIELD_INTEGER:
        (void)poise__read_integer(reader, element, field->range, place);
        break;
    case FIELD_SWITCH:
        (void)poise__read_switch(reader, element, place);
        break;
    case FIELD_TEXT:
        (void)poise__read_text(reader, element, place);
        break;
    case FIELD_VEC3:
        (void)poise__read_vec3(reader, element, field->range, place);
        break;
    case FIELD_AXIS:
        (void)poise__read_axis(reader, element, place);
        break;
    case FIELD_CHOICE:
        if (poise__read_choice(reader, element, field, &choice)) {
            memcpy(place, &choice, sizeof choice);
        }
        break;
    case FIELD_NAMES:
        (void)poise__read_names(reader, element, place);
        break;
    case FIELD_MAP:
        (void)poise__schema_read(reader, field->schema, element, place);
        break;
    case FIELD_CUSTOM:
        field->read(reader, element, place);
        break;
    }
    reader->unit = outer_unit;
}

// "; write 'ik: {spring: ...}'", or nothing: where a map of this one has the key
static void place_inside(const Schema* schema, const char* key, char* text, size_t capacity) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < schema->field_count; i++) {
        const Field* field = &schema->fields[i];
        for (int j = 0; field->type == FIELD_MAP && j < field->schema->field_count; j++) {
            const char* inner = field->schema->fields[j].key;
            if (used < capacity &&
                (strcmp(key, inner) == 0 || poise__synonym_rank(key, inner) >= 0)) {
                used += (size_t)snprintf(text + used, capacity - used, "%s '%s: {%s: ...}'",
                                         used > 0 ? " or" : "; write", field->key, inner);
            }
        }
    }
}

// "; it takes 'a', 'b'": what there is where nothing that is written is like any of it
static void list_keys(const Schema* schema, char* text, size_t capacity) {
    size_t used = 0;
    for (int i = 0; i < schema->field_count && used < capacity; i++) {
        used += (size_t)snprintf(text + used, capacity - used, "%s%s",
                                 i == 0 ? "; it takes " : ", ", schema->fields[i].key);
    }
}

static void report_unknown(Reader* reader, const Schema* schema, const Element* map) {
    for (int i = 0; i < map->child_count; i++) {
        const Element* child = map->children[i];
        if (find_field(schema, child->key) >= 0) {
            continue;
        }
        Suggestion suggestion = poise__suggestion(child->key);
        for (int j = 0; j < schema->field_count; j++) {
            poise__suggestion_offer_word(&suggestion, schema->fields[j].key);
        }
        char guess[600] = "";
        if (!suggestion.synonym) {
            place_inside(schema, child->key, guess, sizeof guess);
        }
        if (!guess[0]) {
            (void)poise__suggestion_text(&suggestion, guess, sizeof guess);
        }
        if (!guess[0]) {
            list_keys(schema, guess, sizeof guess);
        }
        poise__diagnose(reader->diagnostics, POISE_ERROR, child->key_mark,
                        "unknown key '%.60s' in %s%s", child->key, schema->name, guess);
    }
}

static bool check_is_map(Reader* reader, const Schema* schema, const Element* element) {
    if (element->kind == ELEMENT_MAP || poise__element_is_empty(element)) {
        return true;
    }
    char found[80];
    poise__refuse(reader, element, "%s must be a map of keys and values%s, not %s", schema->name,
                  schema->off_offset ? " or off" : "",
                  poise__element_describe(element, found, sizeof found));
    return false;
}

bool poise__schema_read(Reader* reader, const Schema* schema, const Element* element, void* value) {
    if (schema->off_offset) {
        bool off = poise__element_is_off(element);
        memcpy(member(value, schema->off_offset), &off, sizeof off);
        if (off) {
            return true;
        }
    }
    if (!check_is_map(reader, schema, element)) {
        return false;
    }
    uint64_t* given = given_bits(schema, value);
    for (int i = 0; i < schema->field_count; i++) {
        const Field* field = &schema->fields[i];
        const Element* child = poise__element_find(element, field->key);
        if (child) {
            *given |= (uint64_t)1 << i;
            read_field(reader, field, child, value);
        } else if (field->required) {
            PoiseMark mark = element->key ? element->key_mark : element->mark;
            poise__diagnose(reader->diagnostics, POISE_ERROR, mark, "'%s' is missing in %s",
                            field->key, schema->name);
        }
    }
    report_unknown(reader, schema, element);
    return true;
}

// ------------------------------------------------------------------------------------ fallbacks

static void set_choice(const Field* field, void* place) {
    for (int i = 0; i < field->choice_count; i++) {
        if (strcmp(field->choices[i].word, field->fallback) == 0) {
            memcpy(place, &field->choices[i].value, sizeof(int));
        }
    }
}

static PoiseVec3 vector_of(const char* text) {
    double numbers[3] = {0.0, 0.0, 0.0};
    NumberKind kind = NUMBER_FINE;
    char inside[64];
    // without its brackets
    snprintf(inside, sizeof inside, "%.*s", (int)strcspn(text + 1, "]"), text + 1);
    (void)poise__number_list(inside, numbers, 3, &kind);
    return poise_vec3(numbers[0], numbers[1], numbers[2]);
}

static void set_fallback(const Field* field, void* place) {
    double number = 0.0;
    switch (field->type) {
    case FIELD_NUMBER:
    case FIELD_ANGLE:
        (void)poise__number_parse(field->fallback, place);
        break;
    case FIELD_INTEGER:
        (void)poise__number_parse(field->fallback, &number);
        *(int*)place = (int)number;
        break;
    case FIELD_SWITCH:
        *(bool*)place = strcmp(field->fallback, "on") == 0;
        break;
    case FIELD_TEXT:
        *(const char**)place = field->fallback;
        break;
    case FIELD_VEC3:
    case FIELD_AXIS:
        *(PoiseVec3*)place = vector_of(field->fallback);
        break;
    case FIELD_CHOICE:
        set_choice(field, place);
        break;
    case FIELD_NAMES:
    case FIELD_MAP:
    case FIELD_CUSTOM:
        break;
    }
}

void poise__schema_set_fallbacks(const Schema* schema, void* value) {
    for (int i = 0; i < schema->field_count; i++) {
        const Field* field = &schema->fields[i];
        void* place = member(value, field->offset);
        if (field->type == FIELD_MAP) {
            poise__schema_set_fallbacks(field->schema, place);
            const char* fallback = field->fallback;
            if (field->schema->off_offset && fallback && strcmp(fallback, "off") == 0) {
                *(bool*)member(place, field->schema->off_offset) = true;
            }
        } else if (field->fallback && field->fallback[0] != '(') {
            set_fallback(field, place);
        }
    }
    *given_bits(schema, value) = 0;
}
