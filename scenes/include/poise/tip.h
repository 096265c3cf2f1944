// SPDX-License-Identifier: MIT
// A place on a robot's link, by name, that is to reach targets without physics: as a compiled chain
// (poise/chain.h) for one tip, or on the robot's tree for several at once.
#ifndef POISE_TIP_H
#define POISE_TIP_H

#include "poise/chain.h"
#include "poise/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The node that carries it, and its frame in the node's link: what PoiseChainDef and PoisePointDef
/// take.
typedef struct PoiseTip {
    PoiseNodeId node;
    PoisePose in_link;
} PoiseTip;

/// The frame of the link, body or control point `name` as a tip. NULL, or in `text` what is wrong
/// in words: there is no such name (with what may have been meant, or the names there are), it is a
/// centre of mass, or no joint can move it.
POISE_API const char* poise_tip_find(const PoiseSimulation* simulation, const char* name,
                                     PoiseTip* tip, char* text, size_t capacity);
/// The same tip at a place in its own frame, m.
static inline PoiseTip poise_tip_at(PoiseTip tip, PoiseVec3 place) {
    tip.in_link.p = poise_pose_apply(tip.in_link, place);
    return tip;
}

/// What number `index` of a posture of the chain is called: its joint's name, with .2, .3 .. behind
/// it for the further numbers of a joint that has several. "" past the end. Returns `text`.
POISE_API const char* poise_tip_column(const PoiseSimulation* simulation, const PoiseChain* chain,
                                       int index, char* text, size_t capacity);

/// How many numbers a posture of all driven joints has, in the order of the scene's joints, each as
/// poise_node_posture writes it.
POISE_API int poise_simulation_posture_size(const PoiseSimulation* simulation);
/// Number `index` of it: its joint's index, and which of the joint's numbers it is; -1 past the
/// end.
POISE_API int poise_simulation_posture_joint(const PoiseSimulation* simulation, int index,
                                             int* part);

/// Fills `posture` (poise_simulation_posture_size numbers, rad, m, w x y z) with the posture the
/// simulation's tree has: where the file lets the robot start, until a step is made. Errors:
/// POISE_ERROR_INVALID_ARGUMENT for NULL.
POISE_API PoiseStatus poise_simulation_posture(const PoiseSimulation* simulation, double* posture);

/// Lets the solves without physics move the bases that float (POISE_NODE_FREE), or keeps them where
/// they stand, for chains compiled and tips solved afterwards. Before any call they move where a
/// stance carries them, as in a run. Errors: POISE_ERROR_INVALID_ARGUMENT for NULL.
POISE_API PoiseStatus poise_simulation_free_base(PoiseSimulation* simulation, bool moves);

/// Where the base that joint `index` lets float stands in the tree, as the link's frame in the
/// world: m and rotation. The identity for another joint, past the end, and for NULL.
POISE_API PoisePose poise_simulation_base(const PoiseSimulation* simulation, int index);

/// Targets for several tips at once. The arrays are the caller's; `tip_count` T, posture size P.
typedef struct PoiseTipBatch {
    const PoiseTip* tips; ///< T of them
    int tip_count;
    int count;
    /// Whether the targets' rotations count.
    bool turned;
    /// Each begins at the answer before it; else at its own posture. The rows stop at the first to
    /// which a joint would move by more than POISE_FOLLOW_STEP, unless `leap`: from there on
    /// postures are the last answer, reasons POISE_REACH_LEAP, errors what is left there.
    bool follow;
    bool leap;
    /// Whether the rows have stopped before this batch. For paths in several calls.
    bool stopped;
    const PoisePose* targets; ///< world; row-major count x T
    double* postures;         ///< row-major count x P: the starts, then the answers
    /// Row-major count x T: what is left, m and rad (0 where rotations do not count). NULL: not
    /// wanted.
    double* errors;
    double* angle_errors;
    PoiseReachReport* reports; ///< count; NULL: not wanted
} PoiseTipBatch;

/// What keeps a batch from being solved, in words, or NULL: of the first row with a target or a
/// start (the first start alone, of rows that are followed) that is not finite or has a rotation of
/// 0. `index` (NULL: not wanted) gets that row; -1 where it is the batch itself, or nothing.
POISE_API const char* poise_tip_batch_problem(const PoiseSimulation* simulation,
                                              const PoiseTipBatch* batch, int* index);

/// Solves each by poise_reach over all joints between the tips and the base, on a copy of the
/// simulation's tree: the simulation itself does not change. `def` NULL: the default. POISE_OK: all
/// are met; POISE_NOT_CONVERGED: some are not, see the reports. Errors: as poise_reach, and
/// POISE_ERROR_INVALID_ARGUMENT for what poise_tip_batch_problem says, found before anything is
/// changed; of another error the rows before hold their answers.
POISE_API PoiseStatus poise_tips_reach(const PoiseSimulation* simulation, const PoiseReachDef* def,
                                       const PoiseTipBatch* batch);

#ifdef __cplusplus
}
#endif

#endif
