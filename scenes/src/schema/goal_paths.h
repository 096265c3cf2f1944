// SPDX-License-Identifier: MIT
// Parts that position and orientation goals share: paths, and checks of pairs of keys.
#ifndef POISE_GOAL_PATHS_H
#define POISE_GOAL_PATHS_H

#include "spec.h"

extern const char* const poise__between_words[4];

// clang-format off
/// Rows of a goal with such members; `GOAL` gives their offsets.
#define PATH_ROWS(GOAL) \
    {"between", FIELD_CHOICE, GOAL(between), .words = poise__between_words, \
     .fallback = "straight", \
     .help = "how a path goes from one to the next: at one speed; stay, then jump; without a " \
             "jump of the velocity"}, \
    {"repeat", FIELD_SWITCH, GOAL(repeat), .fallback = "off", \
     .help = "a path goes on from its last to its first (unless they are the same), in the " \
             "mean time of its legs, and over again"}

#define UNTIL_ROW(GOAL) \
    {"until", FIELD_NUMBER, GOAL(until), .range = ANY_ABOVE(0.0), .unit = "s", \
     .fallback = "inf", .help = "from then on the point has no such goal"}
// clang-format on

/// A station of a path: a time with a place or a rotation.
typedef struct Knot {
    double time;
    PoiseVec3 place;
    PoiseQuat turn;
} Knot;

/// Reads the stations of a path, one for each child of the element, with rising times. Returns NULL
/// after it reported an error. `schema` is the table of a place or of a rotation.
Knot* poise__knots_read(Reader* reader, const Element* element, const Schema* schema);
/// Returns the stations' times, s. If the path `closes`, adds the time of the return to the first
/// station: the last leg takes the mean time of the other legs. NULL if memory is short.
double* poise__path_times(Reader* reader, const double* times, int count, bool closes);

/// True if the element is a list of at least `least` items, else an error is reported.
bool poise__list_check(Reader* reader, const Element* element, int least);

/// Reports an error if a map has the first key of a pair without the second.
void poise__pairs_check(Reader* reader, const Element* element, const char* const pairs[][2],
                        int count);

#endif
