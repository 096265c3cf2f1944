// SPDX-License-Identifier: MIT
// What position and orientation goals have in common: paths, and keys that belong together.
#ifndef POISE_GOAL_TABLES_H
#define POISE_GOAL_TABLES_H

#include <math.h>

#include "spec.h"

/// One stop of a path.
typedef struct Knot {
    uint64_t given;
    double time;
    PoiseVec3 place;
    PoiseQuat turn;
} Knot;

/// The stops of a path, with rising times, as many as the element has children; NULL with an error
/// reported. `schema`: that of a place or of a rotation.
Knot* poise__knots_read(Reader* reader, const Element* element, const Schema* schema);

/// Whether it is a list of so many at least, with an error where it is not.
bool poise__list_check(Reader* reader, const Element* element, int least);

/// How many of the keys were written.
int poise__given_count(const Schema* schema, const void* value, const char* const* keys, int count);
/// An error where the first of the two keys was written without the second.
void poise__pair_check(Reader* reader, const Schema* schema, const Element* element,
                       const void* value, const char* const pair[2]);

extern const Choice poise__between_choices[3];

#define UNTIL(owner)                                                                               \
    {                                                                                              \
        .key = "until", .type = FIELD_NUMBER, .offset = offsetof(owner, until),                    \
        .range = {0.0, (double)INFINITY, true, true}, .fallback = "inf", .unit = "s",              \
        .help = "from then on the point has no such goal"                                          \
    }

#define PATH_SETTINGS(owner)                                                                       \
    {.key = "between",                                                                             \
     .type = FIELD_CHOICE,                                                                         \
     .offset = offsetof(owner, between),                                                           \
     .choices = poise__between_choices,                                                            \
     .choice_count = 3,                                                                            \
     .fallback = "straight",                                                                       \
     .help =                                                                                       \
         "how a path goes from one to the next: at one speed; stay, then jump; without a jump "    \
         "of the velocity"},                                                                       \
    {                                                                                              \
        .key = "repeat", .type = FIELD_SWITCH, .offset = offsetof(owner, repeat),                  \
        .fallback = "off",                                                                         \
        .help = "a path goes on from its last to its first (unless they are the same), in the "    \
                "mean time of its legs, and over again"                                            \
    }

#endif
