// SPDX-License-Identifier: MIT
// Inverse kinematics of one serial chain, compiled for speed: a flat program made once from a tree,
// many starts solved side by side in the lanes of the processor's vector unit.
//
//     poise_chain_compile        once: the chain from a node to the base, as a program of its own
//     poise_chain_solve          a posture for a target from anywhere inside the ranges
//     poise_chain_track          one step after a target that moves
//     poise_chain_solve_batch    many targets, on as many threads as the caller says
//
// A compiled chain never changes: any number of threads may use it at once, and the tree may change
// or go. No solve takes memory, looks at a clock or keeps anything. The same call gives the same
// bits on every run with any compiler, for each of the three paths (PoiseChainPath).
//
// Postures are arrays of numbers, the nodes' from the base to the tip, each as poise_node_posture
// writes it: hinge, slider 1 (rad, m), universal 2, translation 3, ball 4 (w, x, y, z), free 7.
#ifndef POISE_CHAIN_H
#define POISE_CHAIN_H

#include "poise/ik.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The most degrees of freedom a chain has.
#define POISE_CHAIN_MOST_DOF 64
/// The most numbers a posture of one has.
#define POISE_CHAIN_MOST_POSTURE 88

/// A compiled chain; its parts are its own.
typedef struct PoiseChain PoiseChain;

/// How the lanes are computed. The answers agree: what one path reaches the others reach, to the
/// tolerance asked for; the bits of a posture differ.
typedef enum PoiseChainPath {
    /// What is fastest here: for batches the widest the processor has; for single solves AVX2 even
    /// where there is AVX-512, since the first of four starts is soon found.
    POISE_CHAIN_AUTO = 0,
    /// One lane, plain C: any processor.
    POISE_CHAIN_SCALAR = 1,
    /// Four lanes: x86-64 with AVX2 and FMA.
    POISE_CHAIN_AVX2 = 2,
    /// Eight lanes: x86-64 with AVX-512 F and DQ.
    POISE_CHAIN_AVX512 = 3
} PoiseChainPath;

/// Whether this processor and this build of the library have the path.
POISE_API bool poise_chain_path_available(PoiseChainPath path);
/// "scalar", "avx2" and so on; never NULL, any value allowed.
POISE_API const char* poise_chain_path_name(PoiseChainPath path);

/// What poise_chain_compile makes a chain of.
typedef struct PoiseChainDef {
    /// Set by poise_default_chain_def.
    uint32_t cookie;
    /// The node whose link carries the tip, and the tip's frame in that link. Default null, which
    /// is not allowed, and the identity.
    PoiseNodeId tip;
    PoisePose in_link;
    /// The node nearest the base that moves. Targets are given in the frame that carries it: the
    /// link of its parent; null: the chain begins at the base, and targets are in the world, with
    /// the base where it stood at compilation. Default null.
    PoiseNodeId first;
    /// Default POISE_CHAIN_AUTO.
    PoiseChainPath path;
    /// Postures kept to begin searches from, 8 to 65,536, taken by whole 64s: more lie nearer the
    /// targets, and take longer to look through and memory, some 280 bytes each. Default 2048.
    int seeds;
    /// What they are drawn from: the same seed, the same postures. Default 0.
    uint64_t seed;
    /// Default: all zero. The chain's memory, taken here and given back by poise_chain_destroy.
    PoiseHost host;
} PoiseChainDef;

/// A def with the defaults named above, all but the tip, which is the caller's to set.
POISE_API PoiseChainDef poise_default_chain_def(void);

/// The chain from `def->first` to `def->tip` as it is now: geometry, ranges, and the posture of
/// nodes that are not enabled or have all their axes off, which become rigid. NULL with the
/// reason in poise_tree_status and poise_tree_message: a def not made by its default function, a
/// handle that is not valid, a `first` that does not carry the tip, a path this processor lacks, no
/// node that moves, more than POISE_CHAIN_MOST_DOF degrees of freedom, or a free
/// node with one or two of its turns off (poise_reach solves those), no memory. Of nodes that move
/// as one (poise_node_follow) the first in the chain has the coordinate: the others' numbers follow
/// it in every answer, and their columns are 0.
POISE_API PoiseChain* poise_chain_compile(PoiseTree* tree, const PoiseChainDef* def);

/// NULL is allowed.
POISE_API void poise_chain_destroy(PoiseChain* chain);

/// Degrees of freedom, and the numbers of a posture; 0 for NULL.
POISE_API int poise_chain_dof(const PoiseChain* chain);
/// The numbers of a posture, at most POISE_CHAIN_MOST_POSTURE; 0 for NULL.
POISE_API int poise_chain_posture_size(const PoiseChain* chain);
/// The path that batches or single solves take, never POISE_CHAIN_AUTO; POISE_CHAIN_AUTO for NULL.
POISE_API PoiseChainPath poise_chain_path(const PoiseChain* chain, bool batch);
/// The sum of the distances from joint to joint to the tip, a slider's range added, m.
POISE_API double poise_chain_reach(const PoiseChain* chain);

/// The node that number `index` of a posture belongs to; null past the end.
POISE_API PoiseNodeId poise_chain_node(const PoiseChain* chain, int index);
/// The range of number `index` of a posture, rad or m; minus and plus infinity where there is none,
/// for the rotation of a ball (poise_node_limits has its cone), and past the end. Where an axis is
/// off, both are what the number was at compilation, which every answer gives back.
POISE_API double poise_chain_lower(const PoiseChain* chain, int index);
/// The upper end of it, likewise: rad or m.
POISE_API double poise_chain_upper(const PoiseChain* chain, int index);

/// The middle of the ranges; where there is none, 0 or no turn, brought into the cone. `posture`
/// gets poise_chain_posture_size numbers, rad and m. Errors: POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_chain_middle(const PoiseChain* chain, double* posture);
/// The posture the tree has now, of the same nodes. POISE_ERROR_INVALID_HANDLE when one of them is
/// gone, or of another tree.
POISE_API PoiseStatus poise_chain_read(const PoiseChain* chain, const PoiseTree* tree,
                                       double* posture);
/// Gives the tree the posture; its frames become stale. A follower (poise_node_follow) whose leader
/// is not in the chain brings it along. Nothing changes on an error: as poise_chain_read, or a
/// number that is not finite. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_chain_write(const PoiseChain* chain, PoiseTree* tree,
                                        const double* posture);

/// Where the tip is, m, in the frame that targets are given in (PoiseChainDef.first), at a posture
/// of poise_chain_posture_size numbers. The identity for NULL.
POISE_API PoisePose poise_chain_forward(const PoiseChain* chain, const double* posture);
/// J at a posture: row-major, 6 x dof, position rows first, as poise_jacobian has it: hinge and
/// slider columns about and along their axes, a ball's three about the axes of the target's frame.
POISE_API PoiseStatus poise_chain_jacobian(const PoiseChain* chain, const double* posture,
                                           double* jacobian);

/// What of the target counts.
typedef enum PoiseChainGoal {
    POISE_CHAIN_POSE = 0,
    POISE_CHAIN_POSITION = 1,
    POISE_CHAIN_ORIENTATION = 2
} PoiseChainGoal;

/// How a target is solved for.
typedef struct PoiseChainSolveDef {
    /// Set by poise_default_chain_solve_def.
    uint32_t cookie;
    /// Default POISE_CHAIN_POSE.
    PoiseChainGoal goal;
    /// At most so many iterations over all starts, >= 1: a bound on the work, in place of a clock.
    /// Default 4000: less than 1 ms with AVX2 or AVX-512 for up to 15 degrees of freedom. Where
    /// nothing met the target, at most 300 more lead from the nearest to where it rests.
    int iterations;
    /// At most so many starts, >= 1. 1: the given posture alone. Default 4000.
    int starts;
    /// >= 1. 1: the first answer found is taken. More, nearest-posture mode: the search goes on
    /// until so many starts have met the target or the budget is used, and of their answers the one
    /// closest to the given posture is taken (the root of the sum of squares of the angles and
    /// ways). Default 1.
    int answers;
    /// What starts are drawn from beyond the chain's own. Default 0.
    uint64_t seed;
    /// The target is met when the tip is nearer than this, m and rad. > 0. Default 5e-10: the
    /// answers of two paths are within 1e-9 of each other.
    double position_tolerance;
    double angle_tolerance;
    /// Batches: threads, 1 to 256; 1 works in the caller's thread. Answers do not depend on it.
    /// Default 1.
    int threads;
    /// poise_chain_follow_batch: whether joints may move by more than POISE_FOLLOW_STEP from one
    /// answer to the next. Default false.
    bool leap;
    /// poise_chain_follow_batch: whether the path has stopped before this batch, whose rows are
    /// then those after the stop. For paths in several calls. Default false.
    bool stopped;
} PoiseChainSolveDef;

/// A def with the defaults named above.
POISE_API PoiseChainSolveDef poise_default_chain_solve_def(void);
/// What keeps a def from being used, in words, or NULL when nothing does.
POISE_API const char* poise_chain_solve_def_problem(const PoiseChainSolveDef* def);

/// What a solve says of one target.
typedef struct PoiseChainReport {
    /// What the solve returned for this target.
    PoiseStatus status;
    /// Why it ended; POISE_REACH_MET when the target is met. poise_reach_reason_name has the word.
    PoiseReachReason reason;
    /// Iterations and starts used, and answers found.
    int iterations;
    int starts;
    int answers;
    /// How far the tip is from the target at the posture given back, m and rad; 0 for what the goal
    /// leaves out.
    double error;
    double angle_error;
    /// Degrees of freedom of it that stand on their ranges; a ball's swing and twist count as one
    /// each.
    int limited_dofs;
} PoiseChainReport;

/// A posture at which the tip is at the target. `posture` holds a start, brought inside the ranges
/// and cones, and gets the answer: inside them (cones to 1e-12 rad), hinges by whole turns as near
/// the start as the ranges allow. Search: damped Newton steps (J J^T + lambda I) y = v with lambda
/// in proportion to the error (Sugihara 2011), limits held inside the step. The starts are the one
/// of the chain's own postures from which the way to the target costs the joints least, the given
/// one, more of the chain's own, then random ones; as many side by side as there are lanes, and one
/// without progress gives way to the next. From the seventh on most may leave the ranges of hinges
/// on their way: what they find counts where whole turns bring it inside. POISE_OK: met.
/// POISE_NOT_CONVERGED: the nearest that was found; `reason` says why. Errors: NULL, a def not made
/// by its default function, numbers that are not finite, a zero rotation, an angle beyond 1e5 rad;
/// nothing is changed then. `def` NULL: the default; `report` NULL: none.
POISE_API PoiseStatus poise_chain_solve(const PoiseChain* chain, const PoiseChainSolveDef* def,
                                        PoisePose target, double* posture,
                                        PoiseChainReport* report);

/// One step from `posture` toward the target, for control loops: the whole way where that is small,
/// with damping in proportion to the error, limits held inside the step. It never jumps to another
/// answer. Of the def only the goal and the tolerances count. `report` (NULL: none) says how far
/// the tip was before the step; POISE_OK when that met the target, in which case the posture is
/// left alone, else POISE_NOT_CONVERGED. Errors as poise_chain_solve.
POISE_API PoiseStatus poise_chain_track(const PoiseChain* chain, const PoiseChainSolveDef* def,
                                        PoisePose target, double* posture,
                                        PoiseChainReport* report);

/// Many targets. The arrays are the caller's.
typedef struct PoiseChainBatch {
    int count;
    /// `count` poses.
    const PoisePose* targets;
    /// `count` postures one after the other: the starts, then the answers.
    double* postures;
    /// `count` reports, or NULL.
    PoiseChainReport* reports;
} PoiseChainBatch;

/// What keeps a batch from being solved, in words, or NULL when nothing does: of the first target
/// that is not finite or has a rotation of 0, or whose start is no start. `index` (NULL: not
/// wanted) gets which target that is; -1 where it is the batch or the chain itself, or nothing.
POISE_API const char* poise_chain_batch_problem(const PoiseChain* chain,
                                                const PoiseChainBatch* batch, int* index);

/// Solves each target as poise_chain_solve does, except that the lanes hold different targets and
/// the starts of one target come one after the other. Each answer depends on its own target and
/// start alone, not on the others or the threads. POISE_OK: all are met. POISE_NOT_CONVERGED: some
/// are not, see the reports. Errors as poise_chain_solve, found before anything is changed:
/// poise_chain_batch_problem says which target and why. Where a thread cannot be started the others
/// do its work.
POISE_API PoiseStatus poise_chain_solve_batch(const PoiseChain* chain,
                                              const PoiseChainSolveDef* def,
                                              const PoiseChainBatch* batch);

/// Targets in a row that a tip follows: the first from its posture of the batch, each further one
/// from the answer before it; what the batch holds for these is replaced. Small steps after
/// the target (poise_chain_track, at most 50); where they do not lead to it, of 16 answers or
/// `def->answers` the nearest (poise_chain_solve). The path stops at the first target to which a
/// joint would move by more than POISE_FOLLOW_STEP, unless `def->leap`: from there on postures are
/// the last answer, reasons POISE_REACH_LEAP, errors what is left there. One thread, whatever the
/// def says. Statuses as poise_chain_solve_batch.
POISE_API PoiseStatus poise_chain_follow_batch(const PoiseChain* chain,
                                               const PoiseChainSolveDef* def,
                                               const PoiseChainBatch* batch);

#ifdef __cplusplus
}
#endif

#endif
