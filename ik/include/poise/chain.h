// SPDX-License-Identifier: MIT
// Inverse kinematics of one serial chain, compiled for speed. A tree's branch becomes a flat
// program, and each lane of the processor's vector unit searches from a start of its own.
//
//     poise_chain_compile        once: makes the chain from a node to the base
//     poise_chain_solve          finds a posture for a target, from any posture inside the ranges
//     poise_chain_track          makes one step toward a moving target
//     poise_chain_solve_batch    solves many targets, on several threads if asked
//     poise_chain_follow_batch   follows a path of targets
//
// A compiled chain never changes. Any number of threads may use it at once, and the tree may change
// or be destroyed. A solve allocates nothing, reads no clock and keeps no state. Equal calls give
// equal bits in every run with every compiler, for each of the three paths (PoiseChainPath).
//
// Postures are arrays of numbers of the nodes from the base to the tip, each node's in the order of
// poise_node_posture: hinge or slider 1 (rad, m), universal 2, translation 3, ball 4 (w, x, y, z),
// free 7.
#ifndef POISE_CHAIN_H
#define POISE_CHAIN_H

#include "poise/ik.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Largest number of degrees of freedom of a chain.
#define POISE_CHAIN_MAX_DOF 64
/// Largest number of numbers in a posture of a chain.
#define POISE_CHAIN_MAX_POSTURE 88

/// A compiled chain. Its contents are private.
typedef struct PoiseChain PoiseChain;

/// The instructions of the lanes. All paths meet the same targets to the requested tolerance; the
/// bits of their postures differ.
typedef enum PoiseChainPath {
    /// The fastest path of this processor. Batches use the widest path. Single solves use AVX2 even
    /// if AVX-512 is available, because the first of four starts ends soon.
    POISE_CHAIN_AUTO = 0,
    /// One lane, plain C, for any processor.
    POISE_CHAIN_SCALAR = 1,
    /// Four lanes, for x86-64 with AVX2 and FMA.
    POISE_CHAIN_AVX2 = 2,
    /// Eight lanes, for x86-64 with AVX-512 F and DQ.
    POISE_CHAIN_AVX512 = 3
} PoiseChainPath;

/// True if this processor and this build of the library have the path.
POISE_API bool poise_chain_path_available(PoiseChainPath path);
/// The path as a word, for example "scalar" or "avx2"; never NULL, any value allowed.
POISE_API const char* poise_chain_path_name(PoiseChainPath path);

/// The settings of a compiled chain.
typedef struct PoiseChainDef {
    /// Set by poise_default_chain_def.
    uint32_t cookie;
    /// The node whose link carries the tip, and the tip's frame in that link, m. Default: the null
    /// handle, which is refused, and the identity.
    PoiseNodeId tip;
    PoisePose in_link;
    /// The moving node nearest the base. Targets are given in the frame of its parent's link. Null:
    /// the chain begins at the base, and targets are in the world, with the pose that the base had
    /// at compilation. Default null.
    PoiseNodeId first;
    /// Default POISE_CHAIN_AUTO.
    PoiseChainPath path;
    /// Number of seeds, the stored postures from which searches start: 8 to 65,536, rounded up to a
    /// multiple of 64. More seeds lie nearer the targets; they take longer to search and some 280
    /// bytes of memory each. Default 2048.
    int seeds;
    /// Start of the random numbers of the seeds: equal numbers give equal seeds. Default 0.
    uint64_t seed;
    /// The memory of the chain, which poise_chain_destroy frees. Default all zero.
    PoiseHost host;
} PoiseChainDef;

/// A def with the defaults named above. The caller must set `tip`.
POISE_API PoiseChainDef poise_default_chain_def(void);

/// Compiles the chain from `def->first` to `def->tip` with its present geometry and ranges. Nodes
/// that are disabled or have all axes off become rigid at their present posture. If several nodes
/// of the chain are coupled (poise_node_couple), the first of them has the coordinate. The others'
/// numbers follow it in every answer, and their columns are 0. NULL with the reason in
/// poise_tree_status and poise_tree_message, for:
/// - a def that its default function did not make, or a handle that is not valid;
/// - a `first` that does not carry the tip, or a chain without a moving node;
/// - a path that this processor lacks;
/// - more than POISE_CHAIN_MAX_DOF degrees of freedom;
/// - a free node with one or two of its rotations off (poise_reach solves those);
/// - no memory.
POISE_API PoiseChain* poise_chain_compile(PoiseTree* tree, const PoiseChainDef* def);

/// Destroys the chain. NULL is allowed.
POISE_API void poise_chain_destroy(PoiseChain* chain);

/// Number of degrees of freedom; 0 for NULL.
POISE_API int poise_chain_dof(const PoiseChain* chain);
/// Number of numbers in a posture, at most POISE_CHAIN_MAX_POSTURE; 0 for NULL.
POISE_API int poise_chain_posture_size(const PoiseChain* chain);
/// The path of batches or of single solves, never POISE_CHAIN_AUTO. POISE_CHAIN_AUTO for NULL.
POISE_API PoiseChainPath poise_chain_path(const PoiseChain* chain, bool batch);
/// Sum of the distances from joint to joint and to the tip, plus the ranges of sliders, m.
POISE_API double poise_chain_reach(const PoiseChain* chain);

/// The node of number `index` of a posture; null past the end.
POISE_API PoiseNodeId poise_chain_node(const PoiseChain* chain, int index);
/// Lower end of the range of number `index` of a posture, rad or m. Minus infinity without a range,
/// for the rotation of a ball (poise_node_limits has its cone), and past the end. If the axis is
/// off, both ends are the number at compilation, which every answer returns.
POISE_API double poise_chain_lower(const PoiseChain* chain, int index);
/// Upper end of the range of number `index`, rad or m, as poise_chain_lower, with plus infinity.
POISE_API double poise_chain_upper(const PoiseChain* chain, int index);

/// Writes the middle of the ranges, poise_chain_posture_size numbers, rad and m. Numbers without a
/// range get 0, balls the identity, clamped to its cone. Errors: POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_chain_middle(const PoiseChain* chain, double* posture);
/// Writes the present posture of the tree's nodes. POISE_ERROR_INVALID_HANDLE if one of them is
/// destroyed or of another tree.
POISE_API PoiseStatus poise_chain_read(const PoiseChain* chain, const PoiseTree* tree,
                                       double* posture);
/// Sets the posture of the tree's nodes. The frames of the tree become stale. A follower
/// (poise_node_couple) whose leader is not in the chain moves this leader. Errors, with nothing
/// changed: POISE_ERROR_INVALID_ARGUMENT, also for a number that is not finite, and
/// POISE_ERROR_INVALID_HANDLE, as poise_chain_read.
POISE_API PoiseStatus poise_chain_write(const PoiseChain* chain, PoiseTree* tree,
                                        const double* posture);

/// The pose of the tip, m, in the frame of the targets (PoiseChainDef.first), at a posture of
/// poise_chain_posture_size numbers. The identity for NULL.
POISE_API PoisePose poise_chain_forward(const PoiseChain* chain, const double* posture);
/// Writes J at a posture: row-major, 6 x dof, position rows (m) first, as poise_jacobian. Hinge
/// columns are about their axes, slider columns along them, a ball's three about the axes of the
/// targets' frame.
POISE_API PoiseStatus poise_chain_jacobian(const PoiseChain* chain, const double* posture,
                                           double* jacobian);

/// The part of the target that counts.
typedef enum PoiseChainGoal {
    POISE_CHAIN_POSE = 0,
    POISE_CHAIN_POSITION = 1,
    POISE_CHAIN_ORIENTATION = 2
} PoiseChainGoal;

/// The settings of a solve.
typedef struct PoiseChainSolveDef {
    /// Set by poise_default_chain_solve_def.
    uint32_t cookie;
    /// Default POISE_CHAIN_POSE.
    PoiseChainGoal goal;
    /// Largest number of iterations over all starts, >= 1, which bounds the work instead of a
    /// clock. Default 4000. If no start meets the target within 600, further descents find the
    /// nearest posture. The search then continues only if this posture is near the target (0.25 rad
    /// and quarters of the reach; the nearer, the longer). It does not begin if the target is out
    /// of reach.
    int iterations;
    /// Largest number of starts, >= 1. 1: only the given posture, also for the nearest posture.
    /// Default 4000.
    int starts;
    /// Number of answers that end the search, >= 1. 1: the first answer is taken. More,
    /// nearest-posture mode: the search continues until this number of starts have met the target
    /// or the budget is used up. It then takes the answer closest to the given posture. The
    /// distance is the root of the sum of squares of angles (rad) and lengths (m). Default 1.
    int answers;
    /// Start of the random numbers of the starts after the seeds. Default 0.
    uint64_t seed;
    /// Errors of the tip below which the target is met, m and rad, > 0. Default 5e-10: the answers
    /// of two paths are then within 1e-9 of each other.
    double position_tolerance;
    double angle_tolerance;
    /// Batches: number of threads, 1 to 256. 1 uses the caller's thread. The answers do not depend
    /// on it. Default 1.
    int threads;
    /// poise_chain_follow_batch: true if joints may leap by more than POISE_FOLLOW_STEP between
    /// consecutive answers. Default false.
    bool leap;
    /// poise_chain_follow_batch: true if the path stopped in an earlier call, and this batch
    /// continues it. Default false.
    bool stopped;
} PoiseChainSolveDef;

/// A def with the defaults named above.
POISE_API PoiseChainSolveDef poise_default_chain_solve_def(void);
/// The reason, in words, why the def cannot be used. NULL if it can.
POISE_API const char* poise_chain_solve_def_problem(const PoiseChainSolveDef* def);

/// The results of a solve for one target.
typedef struct PoiseChainReport {
    /// The status for this target.
    PoiseStatus status;
    /// The reason why the search ended; POISE_REACH_MET if the target is met
    /// (poise_reach_reason_name).
    PoiseReachReason reason;
    /// Iterations and starts used, and answers found.
    int iterations;
    int starts;
    int answers;
    /// Distance and angle from the tip to the target at the returned posture, m and rad. 0 for a
    /// part that the goal leaves out.
    double error;
    double angle_error;
    /// POISE_REACH_OUT_OF_REACH: the tip comes nowhere nearer to the target than this, m. 0 if only
    /// the place and the rotation together are out of reach, and for every other reason.
    double beyond;
    /// Degrees of freedom of the returned posture on a limit; a ball's swing and twist count as one
    /// each.
    int limited_dofs;
} PoiseChainReport;

/// Finds a posture at which the tip is at the target, given in the targets' frame
/// (PoiseChainDef.first). On entry `posture` has a start, which is clamped to the ranges and cones.
/// On return it has the answer, inside the ranges (cones to 1e-12 rad). Hinges are by whole turns
/// as near to the start as the ranges allow.
///
/// A chain with a closed form (poise_chain_closed) takes, for a pose, the answer nearest to the
/// start of all answers, unless `starts` is 1.
///
/// The search makes damped Newton steps (J J^T + lambda I) y = v with lambda in proportion to the
/// error (Sugihara 2011) and limits inside the step. The first start is the seed from which the
/// joints move least to the target. The second is the given posture. Further seeds follow, then
/// random postures. The lanes run several starts at once; a start without progress is replaced by
/// the next. From the seventh start on most starts may leave the ranges of hinges; such an answer
/// counts if whole turns bring it inside.
///
/// POISE_OK: the target is met. POISE_NOT_CONVERGED: the posture is the nearest that was found, and
/// `reason` says why. The nearest posture has the least (distance / unit)^2 + angle^2, where a unit
/// is a quarter of the reach. POISE_REACH_OUT_OF_REACH is proven by the lengths of the links and
/// the ranges, without a search; `beyond` says by how much. The other reasons are those of a local
/// minimum, the least of 8 to 48 descents. Errors, with nothing changed: NULL, a def that its
/// default function did not make, a number that is not finite, a rotation of 0, an angle beyond 1e5
/// rad. `def` NULL: the default; `report` NULL: not wanted.
POISE_API PoiseStatus poise_chain_solve(const PoiseChain* chain, const PoiseChainSolveDef* def,
                                        PoisePose target, double* posture,
                                        PoiseChainReport* report);

/// Several answers of one target.
typedef struct PoiseChainAnswers {
    /// Number of postures that `postures` has room for, >= 1.
    int capacity;
    /// The answers, one posture after the other, the nearest to the start first.
    double* postures;
    /// On return, their number.
    int count;
    /// On return, true if the target has no other answers inside the ranges, apart from whole turns
    /// of hinges.
    bool all;
} PoiseChainAnswers;

/// Finds up to `answers->capacity` answers, sorted by their distance from `start`. Six hinges with
/// a closed form (poise_chain_closed) give all answers of a pose, at most 8. Other chains give
/// different ends of the search, whose budget is that of the def; a chain with more degrees of
/// freedom than the goal has infinitely many. Answers with multiple roots may be off by 1e-7 rad
/// and are polished. POISE_OK: at least one. POISE_NOT_CONVERGED: none. Errors, with nothing
/// changed: as poise_chain_solve, and a capacity below 1. `def` NULL: the default.
POISE_API PoiseStatus poise_chain_answers(const PoiseChain* chain, const PoiseChainSolveDef* def,
                                          PoisePose target, const double* start,
                                          PoiseChainAnswers* answers);

/// True if poses of this chain are solved in closed form. Compilation recognises two kinds of six
/// hinges. Either the last three axes meet, and axes 1 and 2 or 2 and 3 are parallel or meet. Or
/// axes 2, 3 and 4 are parallel, and axes 5 and 6 meet. Axes may be off by 2e-5 rad and quarters of
/// the reach; Newton's steps remove the difference. False for NULL.
POISE_API bool poise_chain_closed(const PoiseChain* chain);

/// Makes one step from `posture` toward the target, as a control loop needs. The step covers the
/// whole distance if that is small. Its damping is in proportion to the error, and the limits are
/// inside the step. It never jumps to another answer. Of the def only the goal and the tolerances
/// are used. `report` (NULL: not wanted) gets the error before the step. POISE_OK: the target was
/// met, and the posture has not changed. Otherwise POISE_NOT_CONVERGED. Errors as
/// poise_chain_solve.
POISE_API PoiseStatus poise_chain_track(const PoiseChain* chain, const PoiseChainSolveDef* def,
                                        PoisePose target, double* posture,
                                        PoiseChainReport* report);

/// Many targets. The caller owns the arrays.
typedef struct PoiseChainBatch {
    int count;
    /// `count` poses.
    const PoisePose* targets;
    /// `count` postures, one after the other: on entry the starts, on return the answers.
    double* postures;
    /// `count` reports, or NULL.
    PoiseChainReport* reports;
} PoiseChainBatch;

/// The reason, in words, why the batch cannot be solved. NULL if it can. It is that of the first
/// target that is not finite, has a rotation of 0, or has an invalid start. `index` (NULL: not
/// wanted) gets the index of this target; -1 if the batch or the chain itself is invalid, or if
/// there is no problem.
POISE_API const char* poise_chain_batch_problem(const PoiseChain* chain,
                                                const PoiseChainBatch* batch, int* index);

/// Solves each target as poise_chain_solve does, except that each lane has another target and runs
/// the starts of its target one after the other. A closed form is used only on POISE_CHAIN_SCALAR
/// or with `answers` above 1: lanes find one answer in less time. An answer depends on its own
/// target and start, not on the other targets or the threads. POISE_OK: all are met.
/// POISE_NOT_CONVERGED: some are not, see the reports. Errors as poise_chain_solve, found before
/// any posture changes (poise_chain_batch_problem). If a thread cannot be started, the calling
/// thread does its work.
POISE_API PoiseStatus poise_chain_solve_batch(const PoiseChain* chain,
                                              const PoiseChainSolveDef* def,
                                              const PoiseChainBatch* batch);

/// Follows a path of targets. The first starts from its posture in the batch, each further one from
/// the answer before it, which replaces its posture in the batch. At most 50 small steps are made
/// (poise_chain_track). If these do not meet the target, the nearest of 16 answers is taken, or of
/// `def->answers` if that is more (poise_chain_solve). The path stops at the first target to which
/// a joint would move by more than POISE_FOLLOW_STEP, unless `def->leap`. From there on the
/// postures are the last answer, the reasons POISE_REACH_LEAP, and the errors those of the last
/// answer. The def's threads are ignored: the path runs in one. Statuses as
/// poise_chain_solve_batch.
POISE_API PoiseStatus poise_chain_follow_batch(const PoiseChain* chain,
                                               const PoiseChainSolveDef* def,
                                               const PoiseChainBatch* batch);

#ifdef __cplusplus
}
#endif

#endif
