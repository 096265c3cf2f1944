// SPDX-License-Identifier: MIT
// What position and orientation goals have in common: paths, and keys that go together.
#ifndef POISE_KNOTS_H
#define POISE_KNOTS_H

#include "spec.h"

extern const char* const poise__between_words[4];

/// Rows of a goal with such members; `GOAL` gives their offsets.
#define PATH_ROWS(GOAL)                                                                            \
    {"between",                                                                                    \
     FIELD_CHOICE,                                                                                 \
     GOAL(between),                                                                                \
     .words = poise__between_words,                                                                \
     .fallback = "straight",                                                                       \
     .help = "how a path goes from one to the next: at one speed; stay, then jump; without a "     \
             "jump of the velocity"},                                                              \
    {                                                                                              \
        "repeat", FIELD_SWITCH, GOAL(repeat),                                                      \
            .fallback = "off",                                                                     \
            .help =                                                                                \
                "a path goes on from its last to its first (unless they are the same), in the "    \
                "mean time of its legs, and over again"                                            \
    }

#define UNTIL_ROW(GOAL)                                                                            \
    {                                                                                              \
        "until", FIELD_NUMBER, GOAL(until), .range = ANY_ABOVE(0.0), .unit = "s",                  \
                                            .fallback = "inf",                                     \
                                            .help = "from then on the point has no such goal"      \
    }

/// One stop of a path.
typedef struct Knot {
    double time;
    PoiseVec3 place;
    PoiseQuat turn;
} Knot;

/// The stops of a path, with rising times, as many as the element has children; NULL with an error
/// reported. `schema`: that of a place or of a rotation.
Knot* poise__knots_read(Reader* reader, const Element* element, const Schema* schema);
/// Their times and, where the path `closes`, that of a last leg to the first stop, which takes the
/// mean time of the legs; NULL when memory is short.
double* poise__path_times(Reader* reader, const double* times, int count, bool closes);

/// Whether it is a list of so many at least, with an error where it is not.
bool poise__list_check(Reader* reader, const Element* element, int least);

/// An error where the first key of a pair is written without the second.
void poise__pairs_check(Reader* reader, const Element* element, const char* const pairs[][2],
                        int count);

#endif
