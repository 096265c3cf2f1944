// SPDX-License-Identifier: MIT
// Keeps parts apart: the shapes of links from each other and from obstacles.
//
// Every pair of parts nearer than `range` gives one inequality to each solve of the tree:
//
//     n^T (J_a - J_b) omega >= distance - d
//
// with the gap d and its normal n (poise/convex.h). Parts with parallel edges or faces are nearest
// along a line or an area: within 1 mm of the distance its ends have inequalities too. A solve with
// a time step h has no inequality for a pair that cannot come to the distance in this step at 4
// m/s, unless the pair must begin to brake: from its speed in the last step, but at most from 2
// m/s. Such a pair may be beyond `range`. A pair with an inequality approaches by at most the
// fraction 3 h / 5 T of its room d - distance. The parts of any pair move by at most 10 h / 3 T
// times their gap, in addition to the motion by poise_node_velocity. T is the lag of the bodies
// behind the posture (poise_apart_set_lag); these bounds keep bodies that lag from touching. These
// inequalities come before all goals but closures. If some cannot be met, they are met as nearly as
// the others allow. So poise_solve moves the links around obstacles, or stops in front of them: a
// local step cannot plan a path.
#ifndef POISE_APART_H
#define POISE_APART_H

#include "poise/convex.h"
#include "poise/reach.h"
#include "poise/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Largest number of pairs that are kept apart. Pairs that the samples leave out are not counted.
enum { POISE_APART_PAIRS_MOST = 1000 };

/// Parts of a tree that are kept apart. Its contents are private.
typedef struct PoiseApart PoiseApart;

/// A part: a shape on a link, or an obstacle.
typedef struct PoiseApartPart {
    /// The link that carries the shape. Null: an obstacle or the base, whose pose is in the world.
    PoiseNodeId link;
    /// True if a part without a link belongs to the base of the tree: pairs with it are left out
    /// like those of links. Default false: an obstacle.
    bool base;
    /// Without a link: where the shape's frame is now, world; poise_apart_set_obstacle moves it. A
    /// rotation of four zeros is the identity. Default the origin.
    PoisePose place;
    PoiseConvex shape;
    /// Name in messages of poise_apart_create, which does not keep it. NULL: "part 3" by its index.
    const char* name;
} PoiseApartPart;

/// Two parts, by index.
typedef struct PoiseApartPair {
    int a;
    int b;
} PoiseApartPair;

/// The settings of parts to keep apart.
typedef struct PoiseApartDef {
    /// Set by poise_default_apart_def.
    uint32_t cookie;
    const PoiseApartPart* parts;
    int part_count;
    /// Pairs that may touch, such as those of an SRDF file's disable_collisions. NULL with 0.
    const PoiseApartPair* allowed;
    int allowed_count;
    /// Distance to keep, m, >= 0. A pair of the tree that no sampled posture parts by a larger
    /// distance keeps 0.01 m (poise_apart_kept). Default 0.01.
    double distance;
    /// Pairs nearer than this have an inequality, m, > distance. A step brings no pair nearer by
    /// more than range - distance. In solves with a time step pairs have one where they begin to
    /// brake, which may be farther. Default 0.08.
    double range;
    /// True if parts of the tree are kept apart from each other; false: only from obstacles.
    /// Default true.
    bool self;
    /// Number, >= 0, of random postures inside the ranges (without one, within half a turn or 0.5
    /// m; a free link keeps its rotation) that find the pairs of the tree to leave out. A pair is
    /// left out if no posture parts it by `distance` or by 0.01 m; if no joint changes its gap; or
    /// if it is never nearer than `range` + 0.03 m. Parts of one link, of neighbouring links and of
    /// links without a moving joint between them are left out too. 0: leaves out neighbours alone.
    /// Default 1000.
    int samples;
} PoiseApartDef;

/// A def with the defaults named above, without parts.
POISE_API PoiseApartDef poise_default_apart_def(void);

/// Creates the parts and their pairs; copies the shapes. The posture and the goals of the tree stay
/// as they are; its frames are filled from its posture. All later solves of the tree keep the parts
/// apart; clones need poise_apart_clone. Destroy the result and the tree in any order. NULL for an
/// invalid def, for more than POISE_APART_PAIRS_MOST pairs, for an obstacle that overlaps a
/// link beyond the first of an arm in every posture, for a distance that no sampled posture gives
/// any pair, and without memory: poise_tree_status and
/// poise_tree_message of the tree say why. What is nearer than `distance` to the first link in
/// every posture counts as the base.
POISE_API PoiseApart* poise_apart_create(PoiseTree* tree, const PoiseApartDef* def);
/// Makes a copy of parts, pairs and obstacles for a clone of their tree (poise_tree_clone,
/// poise_tree_copy). All later solves of `tree` keep the copies apart. NULL for NULL arguments, for
/// a tree without the links of the parts, and without memory: poise_tree_status and
/// poise_tree_message of `tree` say why.
POISE_API PoiseApart* poise_apart_clone(const PoiseApart* apart, PoiseTree* tree);
/// Destroys the parts. Solves then keep nothing apart. NULL is allowed.
POISE_API void poise_apart_destroy(PoiseApart* apart);

/// Number of pairs that are kept apart; 0 for NULL.
POISE_API int poise_apart_pair_count(const PoiseApart* apart);
/// Writes up to `capacity` pairs in order (NULL allowed with 0). Returns their full number.
POISE_API int poise_apart_pairs(const PoiseApart* apart, PoiseApartPair* pairs, int capacity);
/// Distance that a pair keeps, m: that of the def, or 0.01 for a pair of the tree that no sampled
/// posture parts by more. 0 for NULL and for parts that are no pair.
POISE_API double poise_apart_kept(const PoiseApart* apart, PoiseApartPair pair);

/// Moves an obstacle, or a part of the base: its place, world, and its
/// velocity there, m/s and rad/s. Errors: POISE_ERROR_INVALID_ARGUMENT for a part on a link or
/// numbers that are not finite.
POISE_API PoiseStatus poise_apart_set_obstacle(PoiseApart* apart, int part, PoisePose pose,
                                               PoiseVec3 velocity, PoiseVec3 spin);
/// Sets the time by which bodies lag behind the solves' postures, s: d / p of their dampers and
/// springs. Solves with a time step then brake before pairs meet. Values below 0.03, the default,
/// count as 0.03. Errors: POISE_ERROR_INVALID_ARGUMENT for NULL, below 0 or not finite.
POISE_API PoiseStatus poise_apart_set_lag(PoiseApart* apart, double seconds);
/// Lets a pair touch, or keeps it apart again. Errors: POISE_ERROR_INVALID_ARGUMENT for parts that
/// are no pair of `apart`.
POISE_API PoiseStatus poise_apart_allow(PoiseApart* apart, PoiseApartPair pair, bool allowed);
/// True if poise_apart_allow lets the pair touch. False for parts that are no pair of `apart`.
POISE_API bool poise_apart_is_allowed(const PoiseApart* apart, PoiseApartPair pair);

/// A pair that is near.
typedef struct PoiseApartNear {
    PoiseApartPair pair;
    PoiseGap gap;
    bool held; ///< the pair's inequality bounded the step of the last solve
} PoiseApartNear;

/// Measures all pairs from the tree's frames. Writes the nearest pair, or a gap of infinity without
/// pairs. Returns the number of pairs that overlap, or -1 for NULL and for stale frames.
POISE_API int poise_apart_measure(PoiseApart* apart, PoiseApartNear* nearest);
/// Writes the pairs that are within `range` or held in the last solve or measure, in the order of
/// the pairs, up to `capacity` (NULL allowed with 0). Returns their full number; 0 for NULL.
POISE_API int poise_apart_near(const PoiseApart* apart, PoiseApartNear* near, int capacity);
/// Writes the nearest of the pairs that bounded the joints of a point in the last solve and that
/// have a part which these joints move. False if the point is met, or no pair bounded it.
POISE_API bool poise_apart_held_by(const PoiseApart* apart, PoisePointId point,
                                   PoiseApartNear* held);

#ifdef __cplusplus
}
#endif

#endif
