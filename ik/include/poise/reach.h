// SPDX-License-Identifier: MIT
// Reaching without physics: the posture that meets the goals.
#ifndef POISE_REACH_H
#define POISE_REACH_H

#include "poise/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Why poise_reach ended.
typedef enum PoiseReachReason {
    /// Every enabled point that some enabled node serves is at its goal. The reasons below are
    /// those
    /// of the first priority that is not met.
    POISE_REACH_MET = 0,
    /// The nearest answer, held back by joints that stand on their limits (poise_node_at_limit).
    POISE_REACH_AT_LIMITS = 1,
    /// The nearest answer from this start: neither its gradient nor a step of 1e-3 rad to one side,
    /// which leaves a straight arm whose target lies on its line, leads to a lower error.
    POISE_REACH_UNREACHABLE = 2,
    /// No joint changes the error: the posture is singular in its direction.
    POISE_REACH_SINGULAR = 3,
    /// The iterations were used up while the error still fell, or might have.
    POISE_REACH_BUDGET = 4,
    /// Of targets that are followed: a joint would move by more than POISE_FOLLOW_STEP from one
    /// answer to the next, or would have at an earlier target; the posture stays.
    POISE_REACH_LEAP = 5,
    /// poise_reach_continue has used up its iterations; the search goes on with the next call.
    POISE_REACH_SEARCHING = 6
} PoiseReachReason;

/// Where targets are followed, a joint that moves by more than this from one answer to the next
/// leaps: rad (a ball by its rotation); along an axis m.
#define POISE_FOLLOW_STEP 0.5

/// The reason as a word, "at limits" say; never NULL, any value allowed.
POISE_API const char* poise_reach_reason_name(PoiseReachReason reason);

/// How poise_reach looks for a posture.
typedef struct PoiseReachDef {
    /// Set by poise_default_reach_def.
    uint32_t cookie;
    /// At most so many iterations a start, >= 1. Default 300.
    int iterations;
    /// Where the descent from the given posture ends short of the goals, postures with two
    /// hinges, or one, turned half round there are tried as well (at most 150 iterations in all),
    /// until one meets the goals; one that does not is taken if its E is lower by 1 %. Without it
    /// the posture never leaves for a far one: for following a goal. Default true.
    bool half_turns;
    /// The given posture is the first start; others follow, at random places inside the ranges,
    /// while none met the goals. 1 to 1,000,000. Default 1: the answer follows from the posture.
    int starts;
    /// What the random starts come from: the same seed, the same starts. Default 0.
    uint64_t seed;
    /// A point is at its goal when it is nearer than this, m and rad. > 0. Default 1e-6.
    double position_tolerance;
    double angle_tolerance;
} PoiseReachDef;

/// A def with the defaults named above.
POISE_API PoiseReachDef poise_default_reach_def(void);

/// What keeps a def from being used, in words, or NULL when nothing does.
POISE_API const char* poise_reach_def_problem(const PoiseReachDef* def);

/// What poise_reach found.
typedef struct PoiseReachReport {
    /// What poise_reach returned.
    PoiseStatus status;
    PoiseReachReason reason;
    /// Steps tried, over all starts; starts used; and the start that the posture is of, from 0.
    int iterations;
    int starts;
    int best_start;
    /// Postures with hinges turned half round that were tried.
    int half_turns;
    /// E = 1/2 sum of weight (distance^2 + angle^2) over the points: what is made least, of each
    /// priority for itself; here of all.
    double error;
    /// Largest distance and angle of any enabled point of a weight above 0 to its goal, m and rad,
    /// in the rows that count; of idle ones too.
    double largest_error;
    double largest_angle_error;
    /// Nodes that stand on a limit, a ball's cone too, among those that serve a point.
    int limited_nodes;
    /// Enabled points of a weight above 0 that no enabled node serves: register nodes with them
    /// (poise_register_all). `error` and `reason` are without them.
    int idle_points;
    /// Points and nodes left out because a number of theirs is not finite, or is so large (1e35)
    /// that its products are not: of nodes a velocity, times the root of weight / bias.
    int frozen_points;
    int frozen_nodes;
} PoiseReachReport;

/// Moves the posture to where the points are at their goals, without any physics: Levenberg-
/// Marquardt by the small side of J, its damping in proportion to the error, limits held inside
/// the step. Points of different priority (PoisePointDef.priority) are served one priority after
/// another, each as well as those before let it without rising by more than a part of 1e-9 of
/// their E; closures come before all. Continues from the given posture, brought inside its ranges;
/// nodes that serve no
/// enabled point stay. POISE_OK: every goal is met, of idle points too.
/// POISE_NOT_CONVERGED: the posture is the nearest that was found, `reason` says why.
/// POISE_DEGRADED: something was left out: frozen points or nodes, or idle points that are not at
/// their goals. The frames are those of the posture then
/// (poise_forward), whatever was measured. The same every time; no memory is allocated once the
/// sets rest. `def` NULL: the default; `report` NULL: none.
POISE_API PoiseStatus poise_reach(PoiseTree* tree, const PoiseReachDef* def,
                                  PoiseReachReport* report);

/// Begins poise_reach as a search in slices, which poise_reach_continue runs: for a loop that may
/// spend little in each step. Until it ends, the tree's posture and frames are those of a trial:
/// search on a clone. Memory is taken once. Errors as poise_reach.
POISE_API PoiseStatus poise_reach_begin(PoiseTree* tree, const PoiseReachDef* def);

/// Runs at most `iterations` (>= 1) more, then ends with POISE_NOT_CONVERGED and
/// POISE_REACH_SEARCHING, or, when the search ended, with posture and report of poise_reach, to the
/// last bit, whatever the slices. Errors: POISE_ERROR_INVALID_ARGUMENT; POISE_ERROR_STALE where no
/// search was begun since the sets, limits, weights or biases changed.
POISE_API PoiseStatus poise_reach_continue(PoiseTree* tree, int iterations,
                                           PoiseReachReport* report);

/// Where the node stands on its limits, within 1e-9 rad or m. Hinge, slider: -1 on the lower end of
/// the range, 1 on the upper. Universal: the same of the first angle, of the second where the first
/// is between its ends. Ball with a cone: 1 on the swing limit, else -1 or 1 on an end of the twist
/// range. 0 between the ends, for other kinds and for a handle that is not valid.
POISE_API int poise_node_at_limit(const PoiseTree* tree, PoiseNodeId node);

/// sqrt(det(J J^T)) of a point and the enabled nodes registered with it, without weights and
/// biases, from the frames as last filled: 0 in a singular posture. For the position's part alone
/// ask a position point. 0 with the tree's status set for a bad handle, frames that are stale, or
/// no memory; 0 for a point that is not enabled. Leaves J as poise_stage_jacobians does.
POISE_API double poise_manipulability(PoiseTree* tree, PoisePointId point);

#ifdef __cplusplus
}
#endif

#endif
