// SPDX-License-Identifier: MIT
// Reads a map by its table, and converts its angles to radians.
#include <math.h>
#include <string.h>

#include "number.h"
#include "poise/rotation.h"
#include "spec.h"

static void* member(void* record, size_t offset) {
    return (char*)record + offset;
}

static int find_field(const Schema* schema, const char* key) {
    for (int i = 0; i < schema->field_count; i++) {
        if (strcmp(schema->fields[i].key, key) == 0) {
            return i;
        }
    }
    return -1;
}

// --------------------------------------------------------------------------------------- rotations

typedef struct Turn {
    PoiseVec3 axis;
    double angle;
    PoiseVec3 rpy;
} Turn;

static const Field turn_fields[] = {
    {"axis", FIELD_AXIS, offsetof(Turn, axis), .unit = NULL},
    {"angle", FIELD_ANGLE, offsetof(Turn, angle), .unit = NULL},
    {"rpy", FIELD_VEC3, offsetof(Turn, rpy), .unit = NULL},
};

static const Schema turn_schema = {.name = "a rotation", ROWS(turn_fields)};

bool poise__read_rotation(Reader* reader, const Element* element, PoiseQuat* value) {
    static const char forms[] = "[w, x, y, z], {axis, angle} or {rpy}";
    if (element->kind == ELEMENT_LIST) {
        return poise__read_quaternion(reader, element, value);
    }
    if (element->kind != ELEMENT_MAP) {
        return poise__refuse_kind(reader, element, forms);
    }
    Turn turn = {.axis = {0.0, 0.0, 1.0}};
    int errors = poise__reader_errors(reader);
    poise__schema_read(reader, &turn_schema, element, &turn);
    if (poise__reader_errors(reader) > errors) {
        return false;
    }
    bool axis = poise__is_written(element, "axis");
    bool angle = poise__is_written(element, "angle");
    bool rpy = poise__is_written(element, "rpy");
    if (axis != angle || axis == rpy) {
        return poise__refuse_kind(reader, element, forms);
    }
    if (axis) {
        *value = poise_quat_from_axis_angle(turn.axis, turn.angle);
        return true;
    }
    PoiseVec3 angles = poise_scale(reader->angle_unit, turn.rpy);
    double largest = fmax(fabs(angles.x), fmax(fabs(angles.y), fabs(angles.z)));
    poise__angle_check(reader->diagnostics, reader->angle_unit_given,
                       poise__value_mark(element, "rpy"), largest);
    *value = poise_quat_from_rpy(angles);
    return true;
}

// ------------------------------------------------------------------------------------------ fields

static void read_scaled(Reader* reader, const Field* field, const Element* element, double* value) {
    double number = 0.0;
    if (!poise__read_number(reader, element, field->range, &number)) {
        return;
    }
    const double unit = field->type == FIELD_JOINT_SPEED ? reader->joint_unit : reader->angle_unit;
    *value = number * unit;
    if (field->type == FIELD_ANGLE) {
        poise__angle_check(reader->diagnostics, reader->angle_unit_given, element->mark, *value);
    }
}

static void read_value(Reader* reader, const Field* field, const Element* element, void* record) {
    void* place = member(record, field->offset);
    switch (field->type) {
    case FIELD_NUMBER:
        poise__read_number(reader, element, field->range, place);
        break;
    case FIELD_ANGLE:
    case FIELD_TURN_SPEED:
    case FIELD_JOINT_SPEED:
        read_scaled(reader, field, element, place);
        break;
    case FIELD_INTEGER:
        poise__read_integer(reader, element, field->range, place);
        break;
    case FIELD_SWITCH:
        poise__read_switch(reader, element, place);
        break;
    case FIELD_TEXT:
        poise__read_text(reader, element, place);
        break;
    case FIELD_REF:
        poise__read_ref(reader, element, place);
        poise__reflect_names(reader, &(PoiseRefs){place, 1});
        break;
    case FIELD_VEC3:
        poise__read_vec3(reader, element, field->range, place);
        break;
    case FIELD_AXIS:
        poise__read_axis(reader, element, place);
        break;
    case FIELD_ROTATION:
        poise__read_rotation(reader, element, place);
        break;
    case FIELD_CHOICE:
        poise__read_choice(reader, element, field->words, place);
        break;
    case FIELD_NAMES:
        poise__read_names(reader, element, place);
        poise__reflect_names(reader, place);
        break;
    case FIELD_MAP:
        poise__schema_read(reader, field->schema, element, place);
        break;
    case FIELD_ITEMS: {
        const NameItems list = poise__name_map_read(reader, element, field->items);
        memcpy(place, &list, sizeof list);
        break;
    }
    case FIELD_CUSTOM:
        field->read(reader, element, record);
        break;
    }
}

// Writes "; write 'ik: {spring: ...}'" if a map in this schema has the key, else "".
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

// Writes "; it takes 'a', 'b'" if a wrong key resembles no key of the schema; 'a' and 'b' are its
// keys.
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
        Suggestion suggestion = poise__suggestion_for(reader->diagnostics, child->key);
        for (int j = 0; j < schema->field_count; j++) {
            poise__suggestion_offer_word(&suggestion, schema->fields[j].key);
        }
        char guess[600] = "";
        if (!suggestion.synonym && !suggestion.mute) {
            place_inside(schema, child->key, guess, sizeof guess);
        }
        if (!guess[0]) {
            poise__suggestion_text(&suggestion, guess, sizeof guess);
        }
        if (!guess[0] && !suggestion.mute) {
            list_keys(schema, guess, sizeof guess);
        }
        REFUSE(reader, child->key_mark, "unknown key '%.60s' in %s%s", child->key, schema->name,
               guess);
    }
}

static bool check_is_map(Reader* reader, const Schema* schema, const Element* element) {
    if (element->kind == ELEMENT_MAP || poise__element_is_empty(element)) {
        return true;
    }
    char found[80];
    poise__refuse(reader, element, "%s must be a map of keys and values%s, not %s", schema->name,
                  schema->may_be_off ? " or off" : "",
                  poise__element_describe(element, found, sizeof found));
    return false;
}

void poise__schema_read(Reader* reader, const Schema* schema, const Element* element,
                        void* record) {
    bool on = !schema->may_be_off || !poise__element_is_off(element);
    if (schema->on_offset) {
        *(bool*)member(record, schema->on_offset) = on;
    }
    if (!on) {
        for (int i = 0; i < schema->field_count && !schema->on_offset; i++) {
            *(double*)member(record, schema->fields[i].offset) = 0.0;
        }
        return;
    }
    if (!check_is_map(reader, schema, element)) {
        return;
    }
    for (int i = 0; i < schema->field_count; i++) {
        const Field* field = &schema->fields[i];
        const Element* child = poise__element_find(element, field->key);
        if (child) {
            const char* outer_unit = reader->unit;
            reader->unit = field->unit;
            read_value(reader, field, child, record);
            reader->unit = outer_unit;
        } else if (field->required) {
            PoiseMark mark = element->key ? element->key_mark : element->mark;
            REFUSE(reader, mark, "'%s' is missing in %s", field->key, schema->name);
        }
    }
    report_unknown(reader, schema, element);
}

// --------------------------------------------------------------------------------------- fallbacks

static int word_index(const char* const* words, const char* word) {
    int index = 0;
    while (words[index] && strcmp(words[index], word) != 0) {
        index++;
    }
    return index;
}

static PoiseVec3 vector_of(const char* text) {
    double numbers[3] = {0.0, 0.0, 0.0};
    PoiseNumberKind kind = POISE_NUMBER_FINE;
    char inside[64];
    // `text` is "[x, y, z]".
    snprintf(inside, sizeof inside, "%.*s", (int)strcspn(text + 1, "]"), text + 1);
    poise_numbers_read(inside, numbers, 3, &kind);
    return poise_vec3(numbers[0], numbers[1], numbers[2]);
}

static void set_fallback(const Field* field, void* place) {
    double number = 0.0;
    switch (field->type) {
    case FIELD_NUMBER:
    case FIELD_ANGLE:
    case FIELD_TURN_SPEED:
    case FIELD_JOINT_SPEED:
        poise_number_read(field->fallback, place);
        break;
    case FIELD_INTEGER:
        poise_number_read(field->fallback, &number);
        *(int*)place = (int)number;
        break;
    case FIELD_SWITCH:
        *(bool*)place = strcmp(field->fallback, "on") == 0;
        break;
    case FIELD_VEC3:
    case FIELD_AXIS:
        *(PoiseVec3*)place = vector_of(field->fallback);
        break;
    default: // FIELD_CHOICE; the other types have no default
        *(int*)place = word_index(field->words, field->fallback);
        break;
    }
}

void poise__schema_set_fallbacks(const Schema* schema, void* record) {
    for (int i = 0; i < schema->field_count; i++) {
        const Field* field = &schema->fields[i];
        if (field->fallback && strchr("({", field->fallback[0])) {
            continue;
        }
        if (field->type == FIELD_MAP) {
            poise__schema_set_fallbacks(field->schema, member(record, field->offset));
        } else if (field->fallback) {
            set_fallback(field, member(record, field->offset));
        }
    }
}
