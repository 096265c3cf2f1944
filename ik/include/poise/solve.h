// SPDX-License-Identifier: MIT
// One linear solve: the step of the joints that brings the points nearer to their goals.
#ifndef POISE_SOLVE_H
#define POISE_SOLVE_H

#include "poise/node.h"
#include "poise/point.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Each minimises |J omega - v|^2 + lambda |omega|^2, both norms with their weights (of the points,
/// and W = 1 / bias), over the steps inside the ranges; references of the nodes join in (see
/// posture_rate).
typedef enum PoiseSolver {
    /// DUAL, then BOX where DUAL's answer would leave a range. CGLS for more than 320 rows, and for
    /// more than 60 where there are over 4 rows a degree of freedom.
    POISE_SOLVER_AUTO = 0,
    /// The paper's block Gauss-Seidel in its residual form, root first, from zero, damped, limits
    /// by projection. As near to the least as its sweeps come.
    POISE_SOLVER_GAUSS_SEIDEL = 1,
    /// (J W J^T + lambda I) y = v, omega = W J^T y by one Cholesky factorisation. Where a range is
    /// met BOX takes over, beyond 320 rows CGLS; the report says which ran.
    POISE_SOLVER_DUAL = 2,
    /// Exact steps on the joints that stand on no bound, until no bound holds one back that would
    /// leave it inward.
    POISE_SOLVER_BOX = 3,
    /// Conjugate gradients on J and its transpose, at most rows + 4 iterations: no matrix, memory
    /// linear in J. Where a range is met BOX takes over, with this as its exact step.
    POISE_SOLVER_CGLS = 4
} PoiseSolver;

/// Why a point is where it is, as the last solve saw it.
typedef enum PoisePointState {
    /// Not solved for: switched off, no enabled node serves it, a number is not finite; or no solve
    /// yet.
    POISE_POINT_IDLE = 0,
    /// At its goal, within PoiseSolveDef.position_tolerance and angle_tolerance.
    POISE_POINT_MET = 1,
    /// The step brings it nearer.
    POISE_POINT_MOVING = 2,
    /// At rest off its goal, held back by joints that stand on their limits
    /// (poise_point_limited_by).
    POISE_POINT_AT_LIMITS = 3,
    /// At rest off its goal: other points or references ask its joints for something else.
    POISE_POINT_OUTWEIGHED = 4,
    /// At rest off its goal, the nearest that its joints come: no turn of any of them, near, brings
    /// it nearer. poise_point_error says how far it is.
    POISE_POINT_UNREACHABLE = 5,
    /// At rest off its goal where no joint moves it toward that, though it is not the nearest: a
    /// straight arm whose goal lies on its line (a kick will come, see PoiseSolveDef.escape), or a
    /// goal on the axis of a hinge.
    POISE_POINT_SINGULAR = 6
} PoisePointState;

/// The most sweeps of one solve.
enum { POISE_SWEEPS_MOST = 100000 };

/// How a step is solved for.
typedef struct PoiseSolveDef {
    /// Set by poise_default_solve_def.
    uint32_t cookie;
    PoiseSolver solver;
    /// Gauss-Seidel: at most so many sweeps, 1 to POISE_SWEEPS_MOST. Default 30.
    int sweeps;
    /// eps of lambda = eps T + k |v| sqrt(T), T = trace(J J^T) / rows. >= 0. Negative: the solver's
    /// own, 1e-4 (GAUSS_SEIDEL), 1e-6 (the others). Default -1.
    double damping;
    /// The least the adaptive k may be, 0..2. Default 0.2.
    double damping_floor;
    /// Whether k adapts (off: k = damping_floor). Default true.
    bool adaptive;
    /// Whether k stays what the solve before left, of each level and each group of points that
    /// share joints, and at least damping_floor; it does not adapt then. Default false.
    bool damping_kept;
    /// >= 0: lambda itself, in place of the rule above: the bias of an SR-inverse; with the biases
    /// of the nodes, lambda bias_i, any diagonal of Levenberg-Marquardt. Negative: the rule.
    /// Default -1.
    double lambda;
    /// A step's |v| per point is at most position_clamp times its reach, m, and angle_clamp, rad.
    /// > 0, infinity: off. Default 0.4 and 0.4.
    double position_clamp;
    double angle_clamp;
    /// The whole omega is scaled so that no joint turns more than this, rad (motion along an axis
    /// is not counted).
    /// > 0, infinity: off. Default 0.5.
    double joint_cap;
    /// Leaves a straight arm whose target lies on its line by a small fixed kick. Default true.
    bool escape;
    /// Least motion of the points that is worth a step, in tolerances (see below) per rad or m that
    /// the joints move; a group of points that share joints rests where its step brings less. So
    /// constant goals end in rest. A goal that only such steps reach stays off by up to this many
    /// tolerances for each rad. Closures never rest, and no group does while references draw any
    /// joint. >= 0, 0: every step is taken. Default 3.
    double least_motion;
    /// Part of the way to its reference posture that a node goes in a step, 0..1, as far as that
    /// leaves the points alone: the cost has lambda |omega - rate (theta_ref - theta)|^2, so
    /// without ranges omega += rate N (theta_ref - theta), N = 1 - J^# J. Nodes whose reference has
    /// a weight (poise_node_set_reference_weight) have rows for it instead. Nodes that serve no
    /// point go all the way, by the joint cap and their speed. 0: references without a weight are
    /// not looked at. Default 0.
    double posture_rate;
    /// A point that is nearer to its goal counts as met in the states. m and rad, > 0. Default
    /// 1e-4.
    double position_tolerance;
    double angle_tolerance;
    /// Length of a simulation step, s, > 0; bounds the goal's velocity by the clamps. 0: no
    /// simulation, the goal's velocity is not solved for. Default 0.
    double step;
} PoiseSolveDef;

/// A def with the defaults named above.
POISE_API PoiseSolveDef poise_default_solve_def(void);

/// What keeps a def from being used, in words, or NULL when nothing does.
POISE_API const char* poise_solve_def_problem(const PoiseSolveDef* def);

/// What a solve says of itself; its status is what poise_solve returned.
typedef struct PoiseSolveReport {
    PoiseStatus status;
    /// The solver that ran.
    PoiseSolver solver;
    /// What it took, both tries together where a step turned back. GAUSS_SEIDEL: sweeps; DUAL:
    /// factorisations; BOX: guesses at which bounds hold, or times that it let go
    /// of some; CGLS: iterations.
    int sweeps;
    /// Rows and columns of J: enabled points', and nodes' that serve them.
    int rows;
    int columns;
    /// Different priorities among the rows; with more than one, lambda and damping_gain are those
    /// of the first.
    int levels;
    /// |J omega - v| after the solve, before the joint cap; v is clamped. m and rad mixed.
    double residual;
    /// |v|, clamped.
    double goal_norm;
    double lambda;
    /// k of the damping, as used.
    double damping_gain;
    /// What omega was multiplied with to keep the joint cap, 0..1.
    double scale;
    /// Largest error of any enabled point of a weight above 0 before the step, m and rad, in the
    /// rows that count; of idle ones too.
    double largest_error;
    double largest_angle_error;
    /// Enabled points of a weight above 0 that no enabled node serves (poise_register): nothing
    /// moves them, whatever their errors.
    int idle_points;
    /// Points and nodes left out, as a number of theirs is not finite, or is above 1e35 (of nodes a
    /// velocity times the root of weight / bias). All nodes: the step found was not finite.
    int frozen_points;
    int frozen_nodes;
    /// The state of the points before the step: the last in PoisePointState of all, so MET when all
    /// are but the idle ones. poise_point_state has each.
    PoisePointState state;
    /// The solver ended by its sweeps, cycles or iterations, not at its answer. GAUSS_SEIDEL:
    /// nearly always.
    bool budget_used;
    /// Degrees of freedom that ended the step on a limit.
    int limited_dofs;
    /// Points a straight-arm kick was given for in this step.
    int kicks;
} PoiseSolveReport;

/// One linear solve from the frames: J (eqs. 2-11), v, and omega (eqs. 13-23), which
/// poise_node_omega reads and poise_advance applies. No memory is allocated once the sets rest.
/// POISE_ERROR_STALE when the frames are; POISE_DEGRADED when something was left out. `def` NULL:
/// the default; `report` NULL: none.
POISE_API PoiseStatus poise_solve(PoiseTree* tree, const PoiseSolveDef* def,
                                  PoiseSolveReport* report);

/// Why the point is where it is: of the frames that the last solve was called with, whatever has
/// been advanced since. A step that goes less than 1e-4 of the way counts as rest. IDLE after the
/// sets, a weight or a bias changed, or for a handle that is not valid.
POISE_API PoisePointState poise_point_state(const PoiseTree* tree, PoisePointId point);
/// The state as a word, "at limits" say; never NULL, any value allowed.
POISE_API const char* poise_point_state_name(PoisePointState state);
/// The nodes that ended the last solve's step on a limit (range, cone or speed) past which they
/// would bring the point nearer to its goal, in the order of creation. None while it is met. Writes
/// up to `capacity` handles (NULL allowed with 0) and returns how many there are.
POISE_API int poise_point_limited_by(const PoiseTree* tree, PoisePointId point, PoiseNodeId* nodes,
                                     int capacity);

/// The step that the last solve found. Hinge: 1 number, rad; slider: 1, m; ball: 3, the rotation
/// vector about the world axes, rad; universal: 2, rad; translation: 3 along the world axes, m;
/// free: 6, 3 along and 3 about the world axes. Returns how many were written; 0 for a handle that
/// is not valid.
POISE_API int poise_node_omega(const PoiseTree* tree, PoiseNodeId node,
                               double omega[POISE_MAX_DOF]);
/// The velocity that follows the goals' own (J^# of the goal velocities), in rad/s and m/s, as
/// poise_node_omega. 0 unless the solve had a `step`. As many numbers as there.
POISE_API int poise_node_velocity(const PoiseTree* tree, PoiseNodeId node,
                                  double velocity[POISE_MAX_DOF]);

/// The part of `in` that moves no enabled point: out = in - W J^T (J W J^T)^# J in, so J out = 0.
/// Of J as the last solve or stage left it. `in` and `out` (which may be the same) have the numbers
/// of poise_node_omega for every node that has columns (poise_node_dof > 0), in the order of
/// creation; `count` is how many. POISE_ERROR_INVALID_ARGUMENT for another count, or a number that
/// is not finite; POISE_ERROR_STALE before the first solve after the sets changed. Memory is taken
/// the first time.
POISE_API PoiseStatus poise_null_space_project(PoiseTree* tree, const double* in, int count,
                                               double* out);

/// theta <- theta + omega, held inside the ranges; the frames become stale. omega is used up: a
/// second call does nothing. Errors: POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_advance(PoiseTree* tree);

#ifdef __cplusplus
}
#endif

#endif
