// SPDX-License-Identifier: MIT
// Reads paths, and checks keys that need each other, for position and orientation goals.
#include "goal_paths.h"

#include <string.h>

const char* const poise__between_words[4] = {"straight", "hold", "smooth", NULL};

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
    int errors = poise__reader_errors(reader);
    for (int i = 0; knots && i < element->child_count; i++) {
        const Element* child = element->children[i];
        knots[i].turn = poise_quat_identity();
        poise__schema_read(reader, schema, child, &knots[i]);
        if (i > 0 && poise__is_written(child, "time") && !(knots[i].time > knots[i - 1].time)) {
            REFUSE(reader, poise__value_mark(child, "time"),
                   "the times of a path must rise: %g comes after %g", knots[i].time,
                   knots[i - 1].time);
        }
    }
    return poise__reader_errors(reader) > errors ? NULL : knots;
}

double* poise__path_times(Reader* reader, const double* times, int count, bool closes) {
    double* path = poise__arena_allocate(reader->arena, (size_t)count + 1, sizeof *path);
    if (path) {
        memcpy(path, times, (size_t)count * sizeof *path);
    }
    if (path && closes) {
        path[count] = times[count - 1] + (times[count - 1] - times[0]) / (double)(count - 1);
    }
    return path;
}

void poise__pairs_check(Reader* reader, const Element* element, const char* const pairs[][2],
                        int count) {
    for (int i = 0; i < count; i++) {
        if (poise__is_written(element, pairs[i][0]) && !poise__is_written(element, pairs[i][1])) {
            REFUSE(reader, poise__value_mark(element, pairs[i][0]),
                   "'%s' belongs to a %s, and there is none here", pairs[i][0], pairs[i][1]);
        }
    }
}
