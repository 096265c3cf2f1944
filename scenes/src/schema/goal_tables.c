// SPDX-License-Identifier: MIT
// What position and orientation goals have in common.
#include "goal_tables.h"

const Choice poise__between_choices[3] = {
    {"straight", POISE_BETWEEN_STRAIGHT},
    {"hold", POISE_BETWEEN_HOLD},
    {"smooth", POISE_BETWEEN_SMOOTH},
};

bool poise__list_check(Reader* reader, const Element* element, int least) {
    if (element->kind == ELEMENT_LIST && element->child_count >= least) {
        return true;
    }
    char found[80];
    poise__refuse(reader, element, "'%s' must be a list of at least %d, not %s", element->key,
                  least, poise__element_describe(element, found, sizeof found));
    return false;
}

Knot* poise__knots_read(Reader* reader, const Element* element, const Schema* schema) {
    if (!poise__list_check(reader, element, 1)) {
        return NULL;
    }
    Knot* knots = poise__arena_allocate(reader->arena, (size_t)element->child_count, sizeof *knots);
    int errors = poise_diagnostics_count(reader->diagnostics, POISE_ERROR);
    for (int i = 0; knots && i < element->child_count; i++) {
        const Element* child = element->children[i];
        knots[i].turn = poise_quat_identity();
        poise__schema_read(reader, schema, child, &knots[i]);
        if (i > 0 && poise__schema_given(schema, &knots[i], "time") &&
            !(knots[i].time > knots[i - 1].time)) {
            poise__diagnose(reader->diagnostics, POISE_ERROR, poise__value_mark(child, "time"),
                            "the times of a path must rise: %g comes after %g", knots[i].time,
                            knots[i - 1].time);
        }
    }
    return poise_diagnostics_count(reader->diagnostics, POISE_ERROR) > errors ? NULL : knots;
}

int poise__given_count(const Schema* schema, const void* value, const char* const* keys,
                       int count) {
    int given = 0;
    for (int i = 0; i < count; i++) {
        given += poise__schema_given(schema, value, keys[i]) ? 1 : 0;
    }
    return given;
}

void poise__pair_check(Reader* reader, const Schema* schema, const Element* element,
                       const void* value, const char* const pair[2]) {
    if (poise__schema_given(schema, value, pair[0]) &&
        !poise__schema_given(schema, value, pair[1])) {
        poise__diagnose(reader->diagnostics, POISE_ERROR, poise__value_mark(element, pair[0]),
                        "'%s' belongs to a %s, and there is none here", pair[0], pair[1]);
    }
}
