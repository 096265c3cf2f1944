// SPDX-License-Identifier: MIT
// Finds a named frame of a robot's link and solves IK for it without physics: a compiled body
// (poise/body.h) for one tip, the robot's tree for several tips at once.
#ifndef POISE_TIP_H
#define POISE_TIP_H

#include "poise/body.h"
#include "poise/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The node that carries the tip, and the tip's frame in the node's link, as PoiseBodyTip and
/// PoisePointDef take them.
typedef struct PoiseTip {
    PoiseNodeId node;
    PoisePose in_link;
} PoiseTip;

/// Finds the frame of the link, body or control point `name`. Returns NULL, or the reason in
/// `text`: the name is missing (with a suggestion or the existing names), it is a centre of mass,
/// or no joint moves the frame.
POISE_API const char* poise_tip_find(const PoiseSimulation* simulation, const char* name,
                                     PoiseTip* tip, char* text, size_t capacity);
/// Returns the tip displaced to `place` in its own frame, m.
static inline PoiseTip poise_tip_at(PoiseTip tip, PoiseVec3 place) {
    tip.in_link.p = poise_pose_apply(tip.in_link, place);
    return tip;
}

/// Writes the name of coordinate `index` of a body's posture: the joint's name, with .2 after it
/// for the joint's second coordinate, .3 for the third; "" past the end. Returns `text`.
POISE_API const char* poise_tip_column(const PoiseSimulation* simulation, const PoiseBody* body,
                                       int index, char* text, size_t capacity);

/// Returns the size of a posture of all driven joints: the numbers of each joint, as
/// poise_node_posture writes them, in the scene's order. 0 for NULL.
POISE_API int poise_simulation_posture_size(const PoiseSimulation* simulation);
/// Returns the index of the joint that has number `index` of a posture, and writes the number's
/// place in the joint to `part` (NULL: not wanted); -1 past the end.
POISE_API int poise_simulation_posture_joint(const PoiseSimulation* simulation, int index,
                                             int* part);

/// Fills `posture` (poise_simulation_posture_size numbers, rad, m, w x y z) with the posture of the
/// simulation's tree. Before the first step this is the start posture of the file. Errors:
/// POISE_ERROR_INVALID_ARGUMENT for NULL.
POISE_API PoiseStatus poise_simulation_posture(const PoiseSimulation* simulation, double* posture);

/// Lets solves without physics move the floating bases (POISE_NODE_FREE) or keeps the bases fixed,
/// for bodies compiled and tips solved afterwards. By default a base moves if a stance supports it,
/// as in a run. Errors: POISE_ERROR_INVALID_ARGUMENT for NULL.
POISE_API PoiseStatus poise_simulation_free_base(PoiseSimulation* simulation, bool moves);

/// Keeps all colliding shapes of the simulation, of robots and of obstacles, apart by at least
/// `distance` m, >= 0 (poise_rig_keep_geoms_apart): in a run, in poise_reach of its tree and
/// in poise_tips_reach. Replaces the scene's `keep_apart`. Below 0: nothing is kept apart. Errors
/// as poise_rig_keep_geoms_apart, with the message of the rig; POISE_ERROR_INVALID_ARGUMENT for
/// NULL, a distance that is not finite, and without any such shape.
POISE_API PoiseStatus poise_simulation_keep_apart(PoiseSimulation* simulation, double distance);
/// Returns the number of pairs of shapes that may come closer than `distance` m, since no posture
/// was found that parts them so far (poise_apart_kept). Writes a sentence that names their bodies
/// into `text` of `capacity` bytes, "" without such pairs. 0 for NULL.
POISE_API int poise_simulation_without_room(const PoiseSimulation* simulation, double distance,
                                            char* text, size_t capacity);
/// Returns the name of the body to which part `index` of the rig's PoiseApart belongs; "" for NULL
/// and past the end.
POISE_API const char* poise_simulation_part_name(const PoiseSimulation* simulation, int part);

/// Returns the pose of the floating base that joint `index` moves, as the link's frame in the
/// world, in the posture of the tree: m and rotation. The identity for another joint, past the end,
/// and for NULL.
POISE_API PoisePose poise_simulation_base(const PoiseSimulation* simulation, int index);

/// Targets for several tips at once. The arrays are the caller's; `tip_count` is T, the posture's
/// size is P.
typedef struct PoiseTipBatch {
    const PoiseTip* tips; ///< the tips, an array of T
    int tip_count;
    int count;
    /// True if the tips should also meet the targets' rotations.
    bool turned;
    /// `follow`: a row starts at the previous row's answer; else each row starts at its own
    /// posture. Following stops at the first row that would move a joint by more than
    /// POISE_FOLLOW_STEP, unless `leap`. From that row on, postures repeat the last answer with
    /// reason POISE_REACH_LEAP, and errors are the errors of that posture.
    bool follow;
    bool leap;
    /// True if following stopped in an earlier batch, for paths in several calls.
    bool stopped;
    const PoisePose* targets; ///< world; row-major count x T
    double* postures;         ///< row-major count x P: starts, then answers
    /// Row-major count x T: remaining errors, m and rad (rad: 0 unless `turned`). NULL: not wanted.
    double* errors;
    double* angle_errors;
    PoiseReachReport* reports; ///< of each row, array of `count`; NULL: not wanted
} PoiseTipBatch;

/// Returns the reason in words why a batch cannot be solved, or NULL. It names the first row whose
/// target or start is not finite or has a rotation of 0; a followed batch has only the first start.
/// `index` (NULL: not wanted) gets this row; -1 if the whole batch is wrong, or for NULL.
POISE_API const char* poise_tip_batch_problem(const PoiseSimulation* simulation,
                                              const PoiseTipBatch* batch, int* index);

/// Solves each row by poise_reach over all joints between the tips and the base. The rows are
/// solved on a copy of the simulation's tree; the simulation itself does not change. `def` NULL:
/// the default. POISE_OK: all targets are reached. POISE_NOT_CONVERGED: some are not, see the
/// reports, with POISE_REACH_OUT_OF_REACH for targets that the lengths of the links rule out.
/// POISE_ERROR_INVALID_ARGUMENT: poise_tip_batch_problem names the reason; nothing changes. Other
/// errors as poise_reach; the rows before the failed row hold their answers.
POISE_API PoiseStatus poise_tips_reach(const PoiseSimulation* simulation, const PoiseReachDef* def,
                                       const PoiseTipBatch* batch);

#ifdef __cplusplus
}
#endif

#endif
