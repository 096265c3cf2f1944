// SPDX-License-Identifier: MIT
// Collision avoidance: keeps the shapes of links apart from each other and from obstacles.
//
// Each pair of parts nearer than `range` adds one inequality to every solve of the tree:
//
//     n^T (J_a - J_b) omega >= distance - d
//
// Here d is the gap of the pair and n its normal (poise/convex.h). J_a and J_b are the Jacobians of
// the nearest points. Parts with parallel edges or faces are nearest along a line or an area. The
// ends of this line or area that are within 1 mm of the gap have inequalities too. The inequalities
// outrank all goals except closures. If they contradict each other, the solve violates them least.
// So poise_solve moves the links around obstacles, or stops in front of them: a local step cannot
// plan a path.
//
// Two rules apply to solves with a time step h, because simulated bodies lag behind the posture by
// the time T (poise_apart_set_lag). They keep lagging bodies from touching. First, a pair needs no
// inequality if it cannot come to the distance in this step at 4 m/s. A pair that must begin to
// brake has one, however, even beyond `range`; its braking starts from its last speed, at most 2
// m/s. Second, a pair with an inequality approaches by at most the fraction 3 h / 5 T of d -
// distance. Beyond the motion by poise_node_velocity, the parts of any pair move by at most 10 h /
// 3 T times their gap.
#ifndef POISE_APART_H
#define POISE_APART_H

#include "poise/convex.h"
#include "poise/reach.h"
#include "poise/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Largest number of pairs of parts. Pairs that PoiseApartDef.samples excludes do not count.
enum { POISE_APART_PAIRS_MOST = 1000 };

/// Parts of a tree that are kept apart. Its contents are private.
typedef struct PoiseApart PoiseApart;

/// A part: a shape on a link, or an obstacle.
typedef struct PoiseApartPart {
    /// The link that carries the shape. Null: an obstacle or the base, whose pose is in the world.
    PoiseNodeId link;
    /// True: a part without a link belongs to the base of the tree, and its pairs are excluded by
    /// the same rules as pairs of links (`samples`). Default false: the part is an obstacle.
    bool base;
    /// The pose of a shape without a link, world, m; poise_apart_set_obstacle changes it. A
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
    /// Least distance of the parts of a pair, m, >= 0. A pair of the tree that is never farther
    /// apart in the sampled postures keeps 0.01 m instead (poise_apart_kept). Default 0.01.
    double distance;
    /// Gap below which a pair has an inequality, m, > distance. A step brings no pair nearer by
    /// more than range - distance. In solves with a time step, pairs that must brake have an
    /// inequality at larger gaps. Default 0.08.
    double range;
    /// True if parts of the tree are kept apart from each other; false: only from obstacles.
    /// Default true.
    bool self;
    /// Number of random postures, >= 0, by which pairs of the tree are excluded. Each posture is
    /// inside the ranges; a joint without a range stays within half a turn or 0.5 m, and a free
    /// link keeps its rotation. A pair is excluded in three cases: no posture separates it by
    /// `distance` or by 0.01 m; no joint changes its gap; it is never nearer than `range` + 0.03 m.
    /// Pairs on one link, on neighbouring links and on links without a moving joint between them
    /// are always excluded. 0: no others are. Default 1000.
    int samples;
} PoiseApartDef;

/// A def with the defaults named above, without parts.
POISE_API PoiseApartDef poise_default_apart_def(void);

/// Creates the parts and their pairs, and copies the shapes. Fills the frames of the tree from its
/// posture; posture and goals stay as they are. All later solves of the tree keep the parts apart;
/// a clone of the tree needs poise_apart_clone. An obstacle nearer than `distance` to the first
/// link of an arm in every posture becomes a part of the base. The tree and the result may be
/// destroyed in any order. NULL, with the reason in poise_tree_status and poise_tree_message of the
/// tree: an invalid def; more than POISE_APART_PAIRS_MOST pairs; an obstacle that overlaps a later
/// link of an arm in every posture; a distance that no pair has in any sampled posture; no memory.
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
/// Least distance of the parts of a pair, m: PoiseApartDef.distance, or 0.01 if no sampled posture
/// separates the pair by more. 0 for NULL and for parts that are no pair.
POISE_API double poise_apart_kept(const PoiseApart* apart, PoiseApartPair pair);

/// Sets the pose (m, world) and the velocity (m/s, rad/s) of an obstacle or of a part of the base.
/// Errors: POISE_ERROR_INVALID_ARGUMENT for a part on a link or numbers that are not finite.
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

/// A pair of parts and its present gap.
typedef struct PoiseApartNear {
    PoiseApartPair pair;
    PoiseGap gap;
    bool held; ///< the pair's inequality bounded the step of the last solve
} PoiseApartNear;

/// Measures all pairs from the tree's frames. Writes the nearest pair, or a gap of infinity without
/// pairs. Returns the number of pairs that overlap, or -1 for NULL and for stale frames.
POISE_API int poise_apart_measure(PoiseApart* apart, PoiseApartNear* nearest);
/// Writes the pairs that are within `range` or whose inequality bounded the last solve, in the
/// order of poise_apart_pairs, up to `capacity` (NULL allowed with 0). Returns their full number; 0
/// for NULL.
POISE_API int poise_apart_near(const PoiseApart* apart, PoiseApartNear* near, int capacity);
/// Writes the nearest of the pairs that kept a point from its goal in the last solve: the pair's
/// inequality bounded the step, and joints of the point move a part of it. False if the point is
/// met or no such pair exists.
POISE_API bool poise_apart_held_by(const PoiseApart* apart, PoisePointId point,
                                   PoiseApartNear* held);

#ifdef __cplusplus
}
#endif

#endif
