// SPDX-License-Identifier: MIT
// One linear solve: the step of the joints that brings the points nearer to their goals.
#ifndef POISE_SOLVE_H
#define POISE_SOLVE_H

#include "poise/node.h"
#include "poise/point.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Each minimises |J omega - v|^2 + lambda |omega|^2 over the steps inside the ranges.
typedef enum PoiseSolver {
    /// DUAL, then BOX where DUAL's answer would leave a range; CGLS for more than 60 rows.
    POISE_SOLVER_AUTO = 0,
    /// The paper's block Gauss-Seidel in its residual form, root first, from zero, damped, limits
    /// by projection. As near to the least as its sweeps come.
    POISE_SOLVER_GAUSS_SEIDEL = 1,
    /// (J W J^T + lambda I) y = v, omega = W J^T y by one Cholesky factorisation. Where a range is
    /// met BOX takes over, beyond 60 rows CGLS; the report says which ran.
    POISE_SOLVER_DUAL = 2,
    /// Projected sweeps and exact steps on the joints that stand on no bound, in turn.
    POISE_SOLVER_BOX = 3,
    /// Conjugate gradients on J and its transpose, at most rows + 4 iterations: no matrix, memory
    /// linear in J. Where a range is met BOX takes over, with this as its exact step beyond 60
    /// rows.
    POISE_SOLVER_CGLS = 4
} PoiseSolver;

typedef struct PoiseSolveDef {
    /// Set by poise_default_solve_def.
    uint32_t cookie;
    PoiseSolver solver;
    /// Gauss-Seidel: at most so many sweeps, >= 1. Default 30.
    int sweeps;
    /// eps of lambda = eps T + k |v| sqrt(T), T = trace(J J^T) / rows. >= 0. Negative: the solver's
    /// own, 1e-4 (GAUSS_SEIDEL), 1e-6 (the others). Default -1.
    double damping;
    /// The least the adaptive k may be, 0..2. Default .2.
    double damping_floor;
    /// Whether k adapts (off: k = damping_floor). Default true.
    bool adaptive;
    /// A step's |v| per point is at most position_clamp times its reach, m, and angle_clamp, rad.
    /// > 0, infinity: off. Default .4 and .4.
    double position_clamp;
    double angle_clamp;
    /// The whole omega is scaled so that no joint turns more than this, rad (motion along an axis
    /// is not counted).
    /// > 0, infinity: off. Default .5.
    double joint_cap;
    /// Leaves a straight arm whose target lies on its line by a small fixed kick. Default true.
    bool escape;
    /// Part of the way to its reference posture that a node goes in a step, 0..1, as far as that
    /// leaves the points alone: the cost has lambda |omega - rate (theta_ref - theta)|^2, so
    /// without ranges omega += rate N (theta_ref - theta), N = 1 - J^# J. Nodes whose reference has
    /// a weight (poise_node_set_reference_weight) have rows for it instead. Nodes that serve no
    /// point go all the way, by the joint cap and their speed. 0: references without a weight are
    /// not looked at. Default 0.
    double posture_rate;
    /// Length of a simulation step, s, > 0; bounds the goal's velocity by the clamps. 0: no
    /// simulation, the goal's velocity is not solved for. Default 0.
    double step;
} PoiseSolveDef;

POISE_API PoiseSolveDef poise_default_solve_def(void);

/// What keeps a def from being used, in words, or NULL when nothing does.
POISE_API const char* poise_solve_def_problem(const PoiseSolveDef* def);

typedef struct PoiseSolveReport {
    PoiseStatus status;
    /// The solver that ran.
    PoiseSolver solver;
    /// What it took, both tries together where a step turned back. GAUSS_SEIDEL: sweeps; DUAL:
    /// factorisations; BOX: cycles of sweeps and an exact step; CGLS: iterations.
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
    /// Largest error of any point before the step, m and rad.
    double largest_error;
    double largest_angle_error;
    /// Points and nodes left out because a number of theirs is not finite.
    int frozen_points;
    int frozen_nodes;
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

/// The step that the last solve found. Hinge: 1 number, rad; slider: 1, m; ball: 3, the rotation
/// vector about the world axes, rad; universal: 2, rad; translation: 3 along the world axes, m;
/// free: 6, 3 along and 3 about the world axes. Returns how many were written; 0 for a handle that
/// is not valid.
POISE_API int poise_node_omega(const PoiseTree* tree, PoiseNodeId node,
                               double omega[POISE_MAX_DOF]);
/// The velocity that follows the goals' own (J^# of the goal velocities), in rad/s and m/s, as
/// poise_node_omega. 0 unless the solve had a `step`.
POISE_API int poise_node_velocity(const PoiseTree* tree, PoiseNodeId node,
                                  double velocity[POISE_MAX_DOF]);

/// The part of `in` that moves no enabled point: out = in - W J^T (J W J^T)^# J in, so J out = 0.
/// Of J as the last solve or stage left it. `in` and `out` (which may be the same) have the numbers
/// of poise_node_omega for every node that has columns (poise_node_dof > 0), in the order of
/// creation; `count` is how many, or POISE_ERROR_INVALID_ARGUMENT. POISE_ERROR_STALE before the
/// first solve after the sets changed. Memory is taken the first time.
POISE_API PoiseStatus poise_null_space_project(PoiseTree* tree, const double* in, int count,
                                               double* out);

/// theta <- theta + omega, held inside the ranges; the frames become stale. omega is used up: a
/// second call does nothing.
POISE_API PoiseStatus poise_advance(PoiseTree* tree);

#ifdef __cplusplus
}
#endif

#endif
