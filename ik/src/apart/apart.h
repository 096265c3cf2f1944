// SPDX-License-Identifier: MIT
// The parts of a tree that are kept apart, and their pairs.
#ifndef POISE_APART_PRIVATE_H
#define POISE_APART_PRIVATE_H

#include "convex.h"
#include "poise/apart.h"
#include "solve.h"

enum { COOKIE_APART = 0x50410001 };
/// Largest number of rows in a step, those of the nearest pairs.
enum { POISE_NEAR_MOST = 128 };
/// Largest number of ends of the region in which two parts are nearest.
enum { POISE_ENDS_MOST = 8 };
/// m: the largest distance by which a row moves two parts apart in a step
#define PUSH_MOST 0.02
/// s: the times of braking (apart_rows.c) are for bodies that lag behind the postures by this time,
/// and grow in proportion to the lag. A shorter lag counts as this one, since soft joints swing.
#define LEAST_LAG 0.03

/// Bounds of a motion in a step, m.
typedef struct MotionBound {
    double step; ///< bound of the whole motion
    double lag; ///< bound of the motion without that by the goals' velocities, which dampers follow
} MotionBound;

/// The step of a node by omega.
typedef struct NodeMotion {
    PoiseVec3 anchor;  ///< a point on the axes of its rotation, world, m
    MotionBound turn;  ///< rad
    MotionBound slide; ///< m
} NodeMotion;

/// A rigid carrier of parts: a link, the base, or an obstacle.
typedef struct Carrier {
    int link;           ///< slot, or NO_SLOT
    int part;           ///< its first part, whose pose it has if there is no link
    double reach;       ///< m: radius of a ball around its origin that contains its parts
    PoisePose pose;     ///< world, in the last solve or measure
    double travel;      ///< m: sum of bounds of its motions so far
    double drift;       ///< m: bound of the motion of an obstacle in a step
    MotionBound motion; ///< in the last step; its step is -1 before it is found
} Carrier;

/// A part in the world.
typedef struct Part {
    int link;          ///< slot, or NO_SLOT: an obstacle, or the base
    bool base;         ///< belongs to the base of the tree
    uint64_t sequence; ///< creation number of the link, since slots are used again
    int carrier;
    PoiseConvex shape;
    double reach;   ///< m: radius of a ball around the core's origin
    PoisePose pose; ///< obstacle: frame, world
    PoiseVec3 velocity;
    PoiseVec3 spin;
} Part;

/// A pair to keep apart. `a` is on a link.
typedef struct Pair {
    int a;
    int b;
    int a_carrier;
    int b_carrier;
    int common;   ///< slot of the nearest node that carries both links, or NO_SLOT
    bool allowed; ///< may touch
    double kept;  ///< m: distance to keep, less than that of the PoiseApart without room for it
    double clear; ///< m: the gap is at least this minus the travel of both carriers
} Pair;

/// All pairs of the same two carriers, adjacent in `pairs`.
typedef struct Bundle {
    int first;
    int count;
    int a_carrier;
    int b_carrier;
    double kept;  ///< least `kept` of its pairs, m
    double clear; ///< least `clear` of its pairs, m
} Bundle;

/// A pair with a row.
typedef struct Near {
    int pair;
    int row; ///< index of its row in the last solve, or -1
    PoiseGap gap;
    double room; ///< m: the gap minus the distance that the pair keeps
} Near;

struct PoiseApart {
    RowSource source;
    PoiseHost host;
    size_t size; ///< bytes, with the arrays
    double distance;
    double range;
    double lag;   ///< s: lag of the bodies behind the postures, at least LEAST_LAG
    double close; ///< m: pairs nearer than this had a row in the last solve
    double step;  ///< s: of the last solve; 0: none, and in tasks, whose pairs do not brake
    int part_count;
    int carrier_count;
    int pair_count;
    int bundle_count;
    int near_count;
    Part* parts;
    Carrier* carriers;
    Pair* pairs;
    Bundle* bundles;
    NodeMotion* motions; ///< by slot; nodes created later carry no part
    int motion_count;
    int corner_count;
    Near* near; ///< room for all pairs and rows; the nearest first if there are more than rows
    PoiseVec3* corners;
};

/// True if the part belongs neither to a link nor to the base.
static inline bool poise__is_obstacle(const Part* part) {
    return part->link == NO_SLOT && !part->base;
}
/// Results of poise__pairs_find other than numbers of pairs.
enum { POISE_NO_MEMORY = -1, POISE_SWALLOWED = -2, POISE_NO_ROOM = -3 };
/// apart.c: returns the first parts that a tree keeps apart, or NULL.
PoiseApart* poise__apart_of_tree(const PoiseTree* tree);
/// apart_rows.c: the functions of a PoiseApart's RowSource.
void poise__apart_fill(RowSource* source, double step);
double poise__apart_limit(const RowSource* source);
/// Fills `near` from the tree's frames with the pairs that can come to the distance in a step of
/// `step` s; if `step` is 0, with all pairs within the range. The nearest are first if there are
/// more than POISE_NEAR_MOST. Pairs do not brake.
void poise__apart_find_near(PoiseApart* apart, double step);
/// True if a point of a part's link is asked for a force against the other part: the caller wants
/// this contact.
bool poise__is_wanted(const PoiseApart* apart, const Pair* pair, const PoiseGap* gap);
/// parts.c: finds for each part its carrier, the link, base or obstacle that it moves with.
void poise__carriers_find(PoiseApart* apart);
/// Sorts the pairs by their carriers, and makes a Bundle of those with the same two. Sets `clear`
/// of all to 0.
void poise__bundles_find(PoiseApart* apart);
/// Makes all pairs compute their gap again.
void poise__gaps_forget(PoiseApart* apart);
/// True if the link of a part still exists.
bool poise__part_is_there(const PoiseTree* tree, const Part* part);
/// Drops pairs whose links were destroyed. Sets the carriers' poses from the tree's frames, and
/// adds their motions to `travel`.
void poise__carriers_place(PoiseApart* apart);
/// Returns the core of a part where its carrier was placed.
Core poise__part_core(const PoiseApart* apart, int part);
/// Returns the gap of the balls around two parts where their carriers were placed, m.
double poise__parts_room(const PoiseApart* apart, const Pair* pair);
/// Returns the gap of two parts where their carriers were placed.
PoiseGap poise__parts_gap(const PoiseApart* apart, const Pair* pair);
/// ends.c: finds where the parts of a pair would be nearest after small tilts. `gap`: their gap.
/// Writes the gaps of these points as they are, and returns their number; 0 if the parts are
/// nearest in one point.
int poise__parts_ends(const PoiseApart* apart, const Pair* pair, const PoiseGap* gap,
                      PoiseGap ends[POISE_ENDS_MOST]);
/// apart_pairs.c: fills the pairs of the parts, at most `capacity`, and marks those to leave out.
/// Returns the number of pairs, which may exceed the capacity; or POISE_NO_MEMORY. Returns
/// POISE_SWALLOWED if the first pair overlaps in every posture and has an obstacle; POISE_NO_ROOM
/// if no pair has room for the distance: the first has most, `kept` m.
int poise__pairs_find(PoiseApart* apart, const PoiseApartDef* def, Pair* pairs, int capacity);

#endif
