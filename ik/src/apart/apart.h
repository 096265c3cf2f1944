// SPDX-License-Identifier: MIT
// Collision avoidance: the parts of a tree that are kept apart, and their pairs (poise/apart.h).
#ifndef POISE_APART_PRIVATE_H
#define POISE_APART_PRIVATE_H

#include "convex.h"
#include "poise/apart.h"
#include "solve.h"

enum { COOKIE_APART = 0x50410001 };
/// Largest number of inequality rows in a step; the nearest pairs get them.
enum { POISE_NEAR_MOST = 128 };
/// Largest number of ends of the region in which two parts are nearest (nearest_ends.c).
enum { POISE_ENDS_MOST = 8 };
/// m; a row moves two parts apart by at most this in a step
#define PUSH_MOST 0.02
/// s: the times of braking (apart_rows.c) are for bodies that lag behind the postures by this time,
/// and grow in proportion to the lag. A shorter lag counts as this one, since soft joints swing.
#define LEAST_LAG 0.03

/// Upper bounds of the displacement (m) or rotation (rad) of a node in a step.
typedef struct MotionBound {
    double step; ///< bound of the whole motion
    double lag;  ///< bound of the motion beyond the goals' velocities, which dampers follow
} MotionBound;

/// How far the step omega moves a node at most.
typedef struct NodeMotion {
    PoiseVec3 anchor;  ///< a point on the node's axes of rotation, world, m
    MotionBound turn;  ///< rotation, rad
    MotionBound slide; ///< translation, m
} NodeMotion;

/// A rigid body that carries parts: a link, the base, or an obstacle.
typedef struct Carrier {
    int link;           ///< slot of the link's node, or NO_SLOT
    int part;           ///< index of the first part, whose pose a carrier without a link has
    double reach;       ///< radius, m, of a ball around its origin that contains all its parts
    PoisePose pose;     ///< world, in the last solve or measure
    double travel;      ///< sum of the bounds of all its motions, m (parts.c)
    double drift;       ///< bound of the displacement of an obstacle in a step, m
    MotionBound motion; ///< motion in the last step; .step is -1 until it is computed
} Carrier;

/// A shape with its place in the tree or the world.
typedef struct Part {
    int link;          ///< slot of the link's node; NO_SLOT for an obstacle or the base
    bool base;         ///< the part belongs to the base of the tree
    uint64_t sequence; ///< creation number of the link's node, because slots are reused
    int carrier;
    PoiseConvex shape;
    double reach;   ///< radius, m, of a ball around the core's origin that contains the shape
    PoisePose pose; ///< obstacle: frame of the shape, world, m
    PoiseVec3 velocity;
    PoiseVec3 spin;
} Part;

/// Two parts to keep apart; `a` is on a link.
typedef struct Pair {
    int a;
    int b;
    int a_carrier;
    int b_carrier;
    int common;   ///< slot of the outermost node that moves both links, or NO_SLOT
    bool allowed; ///< poise_apart_allow lets the parts touch
    double kept;  ///< distance to keep, m; below that of PoiseApart if no posture allows that
    double clear; ///< the gap is at least `clear` minus the travels of both carriers, m
} Pair;

/// Pairs with the same two carriers, which are adjacent in PoiseApart.pairs.
typedef struct Bundle {
    int first;
    int count;
    int a_carrier;
    int b_carrier;
    double kept;  ///< least `kept` of the pairs, m
    double clear; ///< least `clear` of the pairs, m
} Bundle;

/// A pair that may have a row.
typedef struct Near {
    int pair;
    int row; ///< index of the pair's row in the last solve, or -1
    PoiseGap gap;
    double room; ///< gap minus Pair.kept, m
} Near;

struct PoiseApart {
    RowSource source;
    PoiseHost host;
    size_t size; ///< bytes of the struct and its arrays
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
/// Errors of poise__pairs_find, which otherwise returns the number of pairs.
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
/// Sorts the pairs by carriers, and makes a Bundle for each two carriers. Sets all `clear` to 0.
void poise__bundles_find(PoiseApart* apart);
/// Makes all pairs compute their gap again.
void poise__gaps_forget(PoiseApart* apart);
/// True if the link of a part still exists.
bool poise__part_is_there(const PoiseTree* tree, const Part* part);
/// Drops pairs whose links were destroyed. Sets the carriers' poses from the tree's frames, and
/// adds their motions to `travel`.
void poise__carriers_place(PoiseApart* apart);
/// Returns the core of a part at the pose of its carrier.
Core poise__part_core(const PoiseApart* apart, int part);
/// Returns the gap of the balls around two parts at the poses of their carriers, m.
double poise__parts_room(const PoiseApart* apart, const Pair* pair);
/// Returns the gap of two parts at the poses of their carriers.
PoiseGap poise__parts_gap(const PoiseApart* apart, const Pair* pair);
/// nearest_ends.c: finds the points at which the parts of a pair would be nearest after small
/// rotations. `gap` is the parts' gap. Writes the present gaps at these points and returns their
/// number; 0 if the parts are nearest at one point only.
int poise__parts_ends(const PoiseApart* apart, const Pair* pair, const PoiseGap* gap,
                      PoiseGap ends[POISE_ENDS_MOST]);
/// apart_pairs.c: finds the pairs of the def, and writes at most `capacity`. Returns their number,
/// which may exceed the capacity, or POISE_NO_MEMORY. POISE_SWALLOWED: the first pair is an
/// obstacle and a part that overlap in every posture. POISE_NO_ROOM: no posture separates any pair
/// by the distance; the first pair has the largest gap, its `kept`, m.
int poise__pairs_find(PoiseApart* apart, const PoiseApartDef* def, Pair* pairs, int capacity);

#endif
