// SPDX-License-Identifier: MIT
// Finds, reads and writes the numbers of a table that may change while the scene runs, with their
// ranges and sliders.
#include <string.h>

#include "schema.h"

static int axes_of(const Field* field) {
    return field->type == FIELD_VEC3 ? 3 : 1;
}

// Finds a number of the table. `left`: how many numbers to skip first. `number` has the key of the
// path so far, and gets the result.
static bool walk(const Schema* schema, size_t base, int* left, LiveNumber* number) {
    const size_t prefix = strlen(number->key);
    for (int i = 0; i < schema->field_count; i++) {
        const Field* field = &schema->fields[i];
        const bool map = field->type == FIELD_MAP;
        if (!map && !field->live.on) {
            continue;
        }
        char* end = number->key + prefix;
        const size_t room = sizeof number->key - prefix;
        if (map) {
            snprintf(end, room, "%s.", field->key);
            if (walk(field->schema, base + field->offset, left, number)) {
                return true;
            }
        } else if (*left < axes_of(field)) {
            const char* axis = &".x\0.y\0.z"[3 * *left];
            snprintf(end, room, "%s%s", field->key, axes_of(field) > 1 ? axis : "");
            number->field = field;
            number->offset = base + field->offset;
            number->axis = *left;
            return true;
        } else {
            *left -= axes_of(field);
        }
        *end = '\0';
    }
    return false;
}

bool poise__live_find(const Schema* schema, int index, LiveNumber* number) {
    number->key[0] = '\0';
    return walk(schema, 0, &index, number);
}

int poise__live_count(const Schema* schema) {
    int count = 0;
    for (int i = 0; i < schema->field_count; i++) {
        const Field* field = &schema->fields[i];
        count += field->type == FIELD_MAP ? poise__live_count(field->schema)
                 : field->live.on         ? axes_of(field)
                                          : 0;
    }
    return count;
}

double poise__live_get(const LiveNumber* number, const void* record) {
    const char* place = (const char*)record + number->offset;
    switch (number->field->type) {
    case FIELD_INTEGER:
    case FIELD_CHOICE:
        return (double)*(const int*)place;
    case FIELD_SWITCH:
        return *(const bool*)place ? 1.0 : 0.0;
    default:
        return ((const double*)place)[number->axis];
    }
}

void poise__live_put(const LiveNumber* number, void* record, double value) {
    char* place = (char*)record + number->offset;
    switch (number->field->type) {
    case FIELD_INTEGER:
    case FIELD_CHOICE:
        *(int*)place = (int)value;
        break;
    case FIELD_SWITCH:
        *(bool*)place = value != 0.0;
        break;
    default:
        ((double*)place)[number->axis] = value;
    }
}

static int word_count(const Field* field) {
    int count = 0;
    while (field->words[count]) {
        count++;
    }
    return count;
}

Range poise__live_range(const LiveNumber* number) {
    const Field* field = number->field;
    Range range = poise__range_of(field->range);
    if (field->type == FIELD_SWITCH || field->type == FIELD_CHOICE) {
        const double last = field->type == FIELD_SWITCH ? 1.0 : word_count(field) - 1.0;
        range = (Range)BETWEEN(0.0, last);
    } else if (field->live.lower < range.lower) {
        range.lower = field->live.lower;
    }
    return range;
}

void poise__live_slider(const LiveNumber* number, double* lower, double* upper) {
    const Live* live = &number->field->live;
    const Range range = poise__live_range(number);
    const bool own = live->upper > live->lower;
    *lower = own ? live->lower : range.lower;
    *upper = own ? live->upper : range.upper;
}

bool poise__live_accepts(const LiveNumber* number, double value) {
    const FieldType type = number->field->type;
    const bool whole = type == FIELD_INTEGER || type == FIELD_SWITCH || type == FIELD_CHOICE;
    return poise__range_holds(poise__live_range(number), value) &&
           !(whole && value != floor(value));
}
