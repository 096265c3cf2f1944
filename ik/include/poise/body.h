// SPDX-License-Identifier: MIT
// Inverse kinematics of whole bodies, compiled for speed: hands, feet and head meet their targets
// at once. A tree becomes limbs on a trunk, with any nesting, and each lane of the processor's
// vector unit searches from a start of its own.
//
//     poise_body_compile        once: makes the body from the tips to the base
//     poise_body_solve          finds a posture for all targets, from any posture inside the ranges
//
// Tips that share no joint are solved apart. A body of one tip is a chain (chain.h), whose batches
// and tracking steps it lacks.
//
// A compiled body never changes. Any number of threads may use it at once, and the tree may change
// or be destroyed. A solve allocates nothing, reads no clock and keeps no state; it needs 256 KiB
// of stack. Equal calls give equal bits in every run, with every compiler and on every processor
// (PoiseBodySolveDef.path).
//
// Postures are arrays of numbers, part after part from the base to the tips. poise_body_node names
// the node of each; the numbers of one node are in the order of poise_node_posture.
#ifndef POISE_BODY_H
#define POISE_BODY_H

#include "poise/chain.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Largest number of degrees of freedom of a body.
#define POISE_BODY_MOST_DOF 128
/// Largest number of numbers in a posture of a body.
#define POISE_BODY_MOST_POSTURE 176
/// Largest number of tips of a body.
#define POISE_BODY_MOST_TIPS 32

/// A compiled body. Its contents are private.
typedef struct PoiseBody PoiseBody;

/// A frame that shall meet a target.
typedef struct PoiseBodyTip {
    /// The node whose link carries the tip.
    PoiseNodeId link;
    /// The tip's frame in that link, m.
    PoisePose in_link;
} PoiseBodyTip;

/// The settings of a compiled body.
typedef struct PoiseBodyDef {
    /// Set by poise_default_body_def.
    uint32_t cookie;
    /// Number of tips, 1 to POISE_BODY_MOST_TIPS, and the tips. Default 0 and NULL, which are
    /// refused.
    int tip_count;
    const PoiseBodyTip* tips;
    /// Number of seeds of each limb, as PoiseChainDef.seeds. Default 1024.
    int seeds;
    /// Start of the random numbers of the seeds: equal numbers give equal seeds. Default 0.
    uint64_t seed;
    /// The memory of the body, which poise_body_destroy frees. Default all zero.
    PoiseHost host;
} PoiseBodyDef;

/// A def with the defaults named above. The caller must set `tips`.
POISE_API PoiseBodyDef poise_default_body_def(void);

/// Compiles all nodes between the tips and the base with their present geometry and ranges, as
/// poise_chain_compile does. A free node makes a floating base. NULL with the reason in
/// poise_tree_status and poise_tree_message, for:
/// - a def that its default function did not make, or a handle that is not valid;
/// - no tips, too many, or one that no node can move;
/// - more than POISE_BODY_MOST_DOF degrees of freedom, or more than 64 between the base and the
///   last branch of a tip;
/// - a node coupled with one of another limb (poise_node_follow);
/// - a free node with one or two of its rotations off;
/// - no memory.
POISE_API PoiseBody* poise_body_compile(PoiseTree* tree, const PoiseBodyDef* def);

/// Destroys the body. NULL is allowed.
POISE_API void poise_body_destroy(PoiseBody* body);

/// Number of degrees of freedom; 0 for NULL.
POISE_API int poise_body_dof(const PoiseBody* body);
/// Number of tips; 0 for NULL.
POISE_API int poise_body_tip_count(const PoiseBody* body);
/// Number of groups of tips that share no joint; 0 for NULL.
POISE_API int poise_body_group_count(const PoiseBody* body);
/// Number of numbers in a posture, at most POISE_BODY_MOST_POSTURE; 0 for NULL.
POISE_API int poise_body_posture_size(const PoiseBody* body);
/// The node of number `index` of a posture; null past the end.
POISE_API PoiseNodeId poise_body_node(const PoiseBody* body, int index);
/// Lower end of the range of number `index`, rad or m, as poise_chain_lower.
POISE_API double poise_body_lower(const PoiseBody* body, int index);
/// Upper end of the range of number `index`, rad or m, as poise_chain_upper.
POISE_API double poise_body_upper(const PoiseBody* body, int index);

/// Writes the middle of the ranges, as poise_chain_middle. A floating base gets the identity.
/// Errors: POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_body_middle(const PoiseBody* body, double* posture);
/// Writes the present posture of the tree's nodes. POISE_ERROR_INVALID_HANDLE if one of them is
/// destroyed or of another tree.
POISE_API PoiseStatus poise_body_read(const PoiseBody* body, const PoiseTree* tree,
                                      double* posture);
/// Sets the posture of the tree's nodes. Errors, with nothing changed: as poise_chain_write.
POISE_API PoiseStatus poise_body_write(const PoiseBody* body, PoiseTree* tree,
                                       const double* posture);
/// The pose of tip `tip`, world, m, at a posture. The identity for NULL, a tip past the end, or a
/// number that is not finite.
POISE_API PoisePose poise_body_forward(const PoiseBody* body, const double* posture, int tip);

/// The target of a tip.
typedef struct PoiseBodyTarget {
    /// Set by poise_default_body_target.
    uint32_t cookie;
    /// The pose of the tip, world, m. Default the identity.
    PoisePose pose;
    /// The part of the pose that counts. Default POISE_CHAIN_POSE.
    PoiseChainGoal goal;
    /// Weights of the squared errors: of the position along x, y and z, then of the rotation about
    /// them, each >= 0. 0: the row does not count. Default 1.
    double weights[6];
    /// The axes of these rows: POISE_ROW_AXES_WORLD or POISE_ROW_AXES_GOAL. Default the world's.
    PoiseRowAxes axes;
} PoiseBodyTarget;

/// The target of a pose, world, m, with the defaults named above.
POISE_API PoiseBodyTarget poise_default_body_target(PoisePose pose);

/// The settings of a solve.
typedef struct PoiseBodySolveDef {
    /// Set by poise_default_body_solve_def.
    uint32_t cookie;
    /// Largest number of iterations of each group, >= 1. Each moves four starts. Default 2000. A
    /// group that no start brings to its targets then descends to the nearest posture.
    int iterations;
    /// Start of the random numbers: equal numbers give equal searches. Default 0.
    uint64_t seed;
    /// Errors of a tip below which its target is met, m and rad, > 0. Default 5e-10.
    double position_tolerance;
    double angle_tolerance;
    /// POISE_CHAIN_AUTO: vectors if the processor has them, without fused operations.
    /// POISE_CHAIN_SCALAR: the same bits in plain C. POISE_CHAIN_AVX2: fused operations, faster by
    /// an eighth, with other bits. Default POISE_CHAIN_AUTO.
    PoiseChainPath path;
} PoiseBodySolveDef;

/// A def with the defaults named above.
POISE_API PoiseBodySolveDef poise_default_body_solve_def(void);
/// The reason, in words, why the def cannot be used. NULL if it can.
POISE_API const char* poise_body_solve_def_problem(const PoiseBodySolveDef* def);
/// The reason, in words, why the targets, one of each tip, cannot be used. NULL if they can. `tip`
/// (NULL: not wanted) gets the index of the first target with a problem; -1 if the body or the
/// array is missing, or if there is no problem.
POISE_API const char* poise_body_targets_problem(const PoiseBody* body,
                                                 const PoiseBodyTarget* targets, int* tip);

/// The results of a solve.
typedef struct PoiseBodyReport {
    /// The return value of poise_body_solve.
    PoiseStatus status;
    /// The reason why the search ended, that of the first group that is not met.
    PoiseReachReason reason;
    /// True if a tip of that group is farther from its target than its joints reach, whatever their
    /// ranges: no posture meets it.
    bool out_of_reach;
    /// Iterations and starts used, over all groups.
    int iterations;
    int starts;
    /// The tip with the largest error in parts of the tolerances, and the largest distance and
    /// angle of all tips to their targets, m and rad, in the rows that count.
    int worst_tip;
    double error;
    double angle_error;
    /// POISE_REACH_AT_LIMITS: index in the posture of the number whose limit holds the tips back
    /// most. -1 otherwise.
    int limit;
} PoiseBodyReport;

/// Finds a posture at which every tip is at its target (`targets`: one of each tip, in the order of
/// the def). On entry `posture` has a start, which is clamped to the ranges and cones. On return it
/// has the answer, inside the ranges (cones to 1e-12 rad).
///
/// The search makes damped Newton steps (J J^T + lambda I) y = v with lambda in proportion to the
/// error (Sugihara 2011) and limits inside the step. Each limb's rows are eliminated first; the
/// joints of the trunk remain. Four starts run at once. Each has the given trunk and limbs from the
/// seeds that need the least motion. A start without progress gets other seeds for the limbs that
/// miss, and after some a random trunk. If a target is out of reach of a floating base, the base is
/// first fitted to the tips.
///
/// POISE_OK: all targets are met. POISE_NOT_CONVERGED: the posture is the nearest that was found,
/// and `reason` says why. Errors, with nothing changed: NULL, a def or target that its default
/// function did not make, a number that is not finite, a rotation of 0, an angle beyond 1e5 rad
/// (poise_body_targets_problem). `def` NULL: the default; `report` NULL: not wanted.
POISE_API PoiseStatus poise_body_solve(const PoiseBody* body, const PoiseBodySolveDef* def,
                                       const PoiseBodyTarget* targets, double* posture,
                                       PoiseBodyReport* report);

#ifdef __cplusplus
}
#endif

#endif
