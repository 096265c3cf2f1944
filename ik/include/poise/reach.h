// SPDX-License-Identifier: MIT
// Reaching without physics: computes the posture that meets the goals.
#ifndef POISE_REACH_H
#define POISE_REACH_H

#include "poise/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The reason why poise_reach ended.
typedef enum PoiseReachReason {
    /// Every enabled point that an enabled node serves is at its goal. Otherwise the reason is that
    /// of the first priority whose goals are not met.
    POISE_REACH_MET = 0,
    /// No nearer posture was found from this start, because joints are on their limits
    /// (poise_node_at_limit).
    POISE_REACH_AT_LIMITS = 1,
    /// No nearer posture was found from this start: the gradient is 0. A trial step of 1e-3 rad,
    /// which leaves singular postures such as a straight arm, did not lower the error either.
    POISE_REACH_UNREACHABLE = 2,
    /// No joint changes the error: the posture is singular in the direction of the goal.
    POISE_REACH_SINGULAR = 3,
    /// The iterations were used up before the search was sure of another reason.
    POISE_REACH_BUDGET = 4,
    /// A path of targets only: a joint would leap by more than POISE_FOLLOW_STEP from an answer to
    /// the next, at this target or an earlier one. The posture stays.
    POISE_REACH_LEAP = 5,
    /// poise_reach_continue has used up its iterations. The next call continues the search.
    POISE_REACH_SEARCHING = 6,
    /// Only for chains: geometry proves that no posture meets the goal. The posture is the nearest
    /// that was found.
    POISE_REACH_OUT_OF_REACH = 7,
    /// Only if parts are kept apart: a pair of parts keeps the tips or points from their goals. The
    /// report names the pair.
    POISE_REACH_HELD = 8
} PoiseReachReason;

/// Largest motion of a joint between consecutive answers of a path, rad (a ball: its rotation) or
/// m. A larger motion is a leap.
#define POISE_FOLLOW_STEP 0.5

/// The reason as a word, for example "at limits"; never NULL, any value allowed.
POISE_API const char* poise_reach_reason_name(PoiseReachReason reason);

/// The settings of poise_reach.
typedef struct PoiseReachDef {
    /// Set by poise_default_reach_def.
    uint32_t cookie;
    /// Largest number of iterations per start, >= 1. Default 300.
    int iterations;
    /// True if the search begins again from another posture when the descent from the given one
    /// misses the goals. A compiled body (poise_body_solve) finds that posture, and a second
    /// descent begins there. The posture of this descent is taken if it meets the goals or lowers E
    /// by 1 %. False, for following a goal: the posture cannot jump to a distant one. Default true.
    ///
    /// The body serves poses, positions, rotations and a centre of mass, in the world or in the
    /// frame of a link; the second descent serves all goals. The body takes at most 150 iterations
    /// for each group of points, 600 if their rows join limbs. With priorities the body first
    /// searches for the goals of all levels. Each further search leaves out the last level, until a
    /// descent meets the goals or one level is left.
    bool other_postures;
    /// Number of starts, 1 to 1,000,000. The first start is the given posture. The others are
    /// random postures inside the ranges, from which a compiled body searches before a descent,
    /// until one meets the goals. Default 1.
    int starts;
    /// Seed of the random starts: equal seeds give equal starts. Default 0.
    uint64_t seed;
    /// Distance and angle below which a point is at its goal, m and rad, > 0. Default 1e-6.
    double position_tolerance;
    double angle_tolerance;
} PoiseReachDef;

/// A def with the defaults named above.
POISE_API PoiseReachDef poise_default_reach_def(void);

/// The reason, in words, why the def cannot be used. NULL if it can.
POISE_API const char* poise_reach_def_problem(const PoiseReachDef* def);

/// The results of poise_reach.
typedef struct PoiseReachReport {
    /// The return value of poise_reach.
    PoiseStatus status;
    PoiseReachReason reason;
    /// Number of steps tried over all starts; number of starts; index, from 0, of the start whose
    /// posture was kept.
    int iterations;
    int starts;
    int best_start;
    /// Number of other postures from which the search began.
    int other_postures;
    /// E = 1/2 sum of weight (distance^2 + angle^2) over all points. The search minimises it for
    /// one priority after another.
    double error;
    /// Largest distance and angle to the goal of all enabled points of a weight above 0, m and rad,
    /// in the active rows. Idle points are included.
    double largest_error;
    double largest_angle_error;
    /// True if the lengths of the links prove that no posture meets all goals, whatever `reason`
    /// is. Only a compiled body makes the proof (PoiseReachDef.other_postures).
    bool out_of_reach;
    /// Nodes on a limit (range or cone) among those that serve a point.
    int limited_nodes;
    /// Enabled points of a weight above 0 without an enabled registered node (poise_register_all).
    /// `error` and `reason` leave them out.
    int idle_points;
    /// Points and nodes that were left out because of a number that is not finite or above 1e35
    /// (nodes: a velocity times sqrt(weight / bias)).
    int frozen_points;
    int frozen_nodes;
    /// POISE_REACH_HELD: the nearest of the pairs of parts that hold the points back, as
    /// PoiseApartPair, and its gap, m: below 0 if no posture with the pair apart was found. -1, -1
    /// and 0 otherwise.
    int held_a;
    int held_b;
    double held_gap;
} PoiseReachReport;

/// Moves the posture to the goals, without physics. Levenberg-Marquardt with the factorisation of J
/// J^T, damping in proportion to the error, and limits inside the step. Closures come first, then
/// one priority after another (PoisePointDef.priority). A step serves all priorities, each in the
/// null space of the earlier ones; it is accepted if it lowers the E of a priority and raises the E
/// of earlier priorities by at most 1e-9 of its value. The search starts from the given posture,
/// clamped to its ranges. Nodes that serve no enabled point stay. The goals are solved as the tasks
/// of poise_tasks_solve, but a point moves only the nodes that are registered with it.
///
/// If the tree keeps parts apart (poise_apart_create), the goals are met only by a posture in which
/// every pair is at least its distance apart. No step of the first descent brings parts past each
/// other. The compiled body keeps the parts apart (poise_body_keep_apart), unless its limbs are
/// joined. Nodes on which no goal depends then move too, out of the way of the others.
///
/// POISE_OK: every goal is met, also those of idle points. POISE_NOT_CONVERGED: the posture is the
/// nearest that was found, and `reason` says why. POISE_DEGRADED: frozen points or nodes were left
/// out, or idle points are not at their goals. The frames are then those of the posture
/// (poise_forward), also if they were measured before. The result is the same in every run.
/// Allocates no memory once the sets, the geometry, the ranges and the bases no longer change,
/// unless parts are kept apart. `def` NULL: the default; `report` NULL: not wanted.
POISE_API PoiseStatus poise_reach(PoiseTree* tree, const PoiseReachDef* def,
                                  PoiseReachReport* report);

/// Begins poise_reach as a search in slices, for loops with little time per step.
/// poise_reach_continue runs the slices. Until the search ends, the tree has the posture and the
/// frames of a trial, so search on a clone. Allocates once. Errors as poise_reach.
POISE_API PoiseStatus poise_reach_begin(PoiseTree* tree, const PoiseReachDef* def);

/// Runs at most `iterations` (>= 1) slices more: each has one iteration of a descent, or two of a
/// compiled body, which searches in one slice if it keeps parts apart. POISE_NOT_CONVERGED with
/// POISE_REACH_SEARCHING while the search continues. At its end posture and report are those of
/// poise_reach, to the last bit, for any slices. Errors: POISE_ERROR_INVALID_ARGUMENT;
/// POISE_ERROR_STALE if no search was begun since the sets, limits, weights, biases or the parts
/// that are kept apart changed.
POISE_API PoiseStatus poise_reach_continue(PoiseTree* tree, int iterations,
                                           PoiseReachReport* report);

/// The limit that the node is on, within 1e-9 rad or m. Hinge, slider: -1 at the lower end of the
/// range, 1 at the upper end. Universal: the end of the first angle, or of the second if the first
/// is at neither end. Ball with a cone: 1 at the swing limit, else -1 or 1 at an end of the twist
/// range. 0 between the ends, for other kinds and for a handle that is not valid.
POISE_API int poise_node_at_limit(const PoiseTree* tree, PoiseNodeId node);

/// sqrt(det(J J^T)) of a point by the enabled nodes registered with it, without weights and biases.
/// Uses the frames as last filled. 0 in a singular posture. Use a position point to measure the
/// position alone. 0 for a disabled point. 0 with the status of the tree set: a handle that is not
/// valid, stale frames, or no memory. Leaves J as poise_stage_jacobians does.
POISE_API double poise_manipulability(PoiseTree* tree, PoisePointId point);

#ifdef __cplusplus
}
#endif

#endif
