// SPDX-License-Identifier: MIT
// The parts of a tree that are kept apart, and their pairs.
#ifndef POISE_APART_PRIVATE_H
#define POISE_APART_PRIVATE_H

#include "convex.h"
#include "poise/apart.h"
#include "solve.h"

enum { COOKIE_APART = 0x50410001 };
/// Rows of one step: the nearest pairs beyond these have none.
enum { POISE_NEAR_MOST = 128 };

/// A part in the world.
typedef struct Part {
    int link;          ///< slot, or NO_SLOT: an obstacle, or the base
    bool base;         ///< belongs to the base of the tree
    uint64_t sequence; ///< creation number of the link, since slots are used again
    PoiseConvex shape;
    double reach;   ///< m: radius of a ball around the core's origin
    PoisePose pose; ///< obstacle: frame, world
    PoiseVec3 velocity;
    PoiseVec3 spin;
    Core core;
    double motion; ///< m: bound of the last step's motion
} Part;

/// A pair to keep apart. `a` is on a link.
typedef struct Pair {
    int a;
    int b;
    int common;   ///< slot of the nearest node that carries both links, or NO_SLOT
    bool allowed; ///< may touch
    double room;  ///< m: least distance in the last fill
} Pair;

/// A pair within the range.
typedef struct Near {
    int pair;
    int row; ///< index of its row in the last solve, or -1
    PoiseGap gap;
} Near;

struct PoiseApart {
    RowSource source;
    PoiseHost host;
    size_t size; ///< bytes, with the arrays
    double distance;
    double range;
    int part_count;
    int pair_count;
    int near_count;
    Part* parts;
    Pair* pairs;
    Near* near; ///< one for each pair; sorted if there are too many
    PoiseVec3* corners;
};

/// True if the part is no part of the tree.
static inline bool poise__is_obstacle(const Part* part) {
    return part->link == NO_SLOT && !part->base;
}
/// Results of poise__pairs_find other than numbers of pairs.
enum { POISE_NO_MEMORY = -1, POISE_SWALLOWED = -2 };
/// parts.c: places the cores of all parts from the tree's frames.
void poise__parts_place(PoiseApart* apart);
/// Returns the gap of two placed parts, without a memory of earlier gaps.
PoiseGap poise__parts_gap(const Part* a, const Part* b);
/// apart_pairs.c: fills the pairs of the parts, at most `capacity`, and marks those to leave out.
/// Returns the number of pairs, which may exceed the capacity; POISE_NO_MEMORY; or POISE_SWALLOWED
/// if the first pair overlaps in every posture and has an obstacle.
int poise__pairs_find(PoiseApart* apart, const PoiseApartDef* def, Pair* pairs, int capacity);

#endif
