// SPDX-License-Identifier: MIT
// One linear solve: computes the step of the joints that brings the points nearer to their goals.
#ifndef POISE_SOLVE_H
#define POISE_SOLVE_H

#include "poise/node.h"
#include "poise/point.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The methods of a solve. Each minimises |J omega - v|^2 + lambda |omega|^2 over the steps inside
/// the ranges. The norms have the weights of the points and W = 1 / bias. References of the nodes
/// add terms (see posture_rate).
typedef enum PoiseSolver {
    /// DUAL, then BOX if DUAL's answer leaves a range. CGLS for more than 320 rows, and for more
    /// than 60 rows if there are over 4 rows per degree of freedom.
    POISE_SOLVER_AUTO = 0,
    /// The paper's block Gauss-Seidel in its residual form: root first, from zero, damped. If the
    /// answer leaves a range, it sweeps again with limits by projection. Its accuracy depends on
    /// the number of sweeps.
    POISE_SOLVER_GAUSS_SEIDEL = 1,
    /// (J W J^T + lambda I) y = v, omega = W J^T y by one Cholesky factorisation. If the answer
    /// leaves a range, BOX takes over; beyond 320 rows CGLS does. The report says which solver ran.
    POISE_SOLVER_DUAL = 2,
    /// Active-set method: exact steps of the joints that are not on a bound. The steps are repeated
    /// until no joint on a bound should return into its range.
    POISE_SOLVER_BOX = 3,
    /// Conjugate gradients on J and J^T, at most rows + 4 iterations, without a matrix of rows x
    /// rows: the memory is linear in the size of J. If the answer leaves a range, BOX takes over
    /// with this method as its exact step.
    POISE_SOLVER_CGLS = 4
} PoiseSolver;

/// The state of a point's planned pose according to the last solve.
typedef enum PoisePointState {
    /// Not solved for: disabled, no enabled node is registered, a number is not finite, or no solve
    /// yet.
    POISE_POINT_IDLE = 0,
    /// Within PoiseSolveDef.position_tolerance and angle_tolerance of the goal.
    POISE_POINT_MET = 1,
    /// The step brings the point nearer.
    POISE_POINT_MOVING = 2,
    /// At rest short of the goal, because joints are on their limits (poise_point_limited_by).
    POISE_POINT_AT_LIMITS = 3,
    /// At rest short of the goal, because other points or references ask for other motions of its
    /// joints.
    POISE_POINT_OUTWEIGHED = 4,
    /// At rest at the least distance to the goal: every small motion of its joints increases the
    /// distance. poise_point_planned_error returns the distance.
    POISE_POINT_UNREACHABLE = 5,
    /// At rest short of the goal in a singular posture: nearer postures exist, but no joint moves
    /// the point toward them. Examples are a straight arm whose goal is on its line, which then
    /// gets a kick (see PoiseSolveDef.escape), and a goal on the axis of a hinge.
    POISE_POINT_SINGULAR = 6
} PoisePointState;

/// Largest number of sweeps of one solve.
enum { POISE_SWEEPS_MOST = 100000 };

/// The settings of a solve.
typedef struct PoiseSolveDef {
    /// Set by poise_default_solve_def.
    uint32_t cookie;
    PoiseSolver solver;
    /// Gauss-Seidel: largest number of sweeps, 1 to POISE_SWEEPS_MOST. Default 30.
    int sweeps;
    /// eps of lambda = eps T + k |v| sqrt(T), with T = trace(J J^T) / rows. >= 0. Negative: 1e-4
    /// for GAUSS_SEIDEL, 1e-6 for the others. Default -1.
    double damping;
    /// Least value of the adaptive k, 0..2. Default 0.2.
    double damping_floor;
    /// True if k adapts; otherwise k = damping_floor. Default true.
    bool adaptive;
    /// True if every level and every group of points that share joints keeps the k of the solve
    /// before, but at least damping_floor. k then does not adapt. Default false.
    bool damping_frozen;
    /// >= 0: lambda itself, instead of the rule above. It is the bias of an SR-inverse; lambda
    /// times the nodes' biases gives any diagonal of Levenberg-Marquardt. Negative: the rule.
    /// Default -1.
    double lambda;
    /// Largest |v| of one point in one step: position_clamp times its reach, m, and angle_clamp,
    /// rad. > 0, infinity: no clamp. Default 0.4 and 0.4.
    double position_clamp;
    double angle_clamp;
    /// Largest turn of one joint in one step, rad, > 0. omega is scaled as a whole to keep it.
    /// Motion along an axis does not count. Infinity: no cap. Default 0.5.
    double joint_cap;
    /// True if a straight arm whose target is on its line gets a small fixed kick. Default true.
    bool escape;
    /// Least motion of the points for which joints move, in tolerances (see below) per rad or m of
    /// joint motion. A group of points that share joints rests if its step moves them less, so that
    /// joints come to rest under constant goals. A goal that only such steps would reach keeps an
    /// error of at most this number of tolerances per rad. Closures never rest, and no group does
    /// while references move a joint. >= 0; 0: every step is taken. Default 3.
    double least_motion;
    /// Part of the distance to its reference posture that a node moves in one step, 0..1. The
    /// motion does not disturb the points. The cost gets the term lambda |omega - rate (theta_ref -
    /// theta)|^2. Without ranges this gives omega += rate N (theta_ref - theta), N = 1 - J^# J.
    /// Nodes whose reference has a weight (poise_node_set_reference_weight) have rows for it
    /// instead. A node that serves no point moves the whole distance, within the joint cap and its
    /// speed. 0: references without a weight have no effect. Default 0.
    double posture_rate;
    /// Distance and angle below which a point counts as met in its state, m and rad, > 0. Default
    /// 1e-4.
    double position_tolerance;
    double angle_tolerance;
    /// Length of a simulation step, s. > 0: the solve also computes poise_node_velocity; the clamps
    /// bound the goal's velocity. 0: no simulation, and velocities are 0. Default 0.
    double step;
} PoiseSolveDef;

/// A def with the defaults named above.
POISE_API PoiseSolveDef poise_default_solve_def(void);

/// The reason, in words, why the def cannot be used. NULL if it can.
POISE_API const char* poise_solve_def_problem(const PoiseSolveDef* def);

/// The results of a solve. `status` is the return value of poise_solve.
typedef struct PoiseSolveReport {
    PoiseStatus status;
    /// The solver that ran.
    PoiseSolver solver;
    /// Work of the solver, over both attempts if a reversed step was solved again. GAUSS_SEIDEL:
    /// sweeps; DUAL: factorisations; CGLS: iterations; BOX: changes of the set of active bounds.
    int sweeps;
    /// Rows of J (those of enabled points) and columns of J (those of nodes that serve these
    /// points).
    int rows;
    int columns;
    /// Number of different priorities among the rows. If there are several, lambda and damping_gain
    /// are those of the first.
    int levels;
    /// |J omega - v| after the solve, before the joint cap, with v clamped. m and rad mixed.
    double residual;
    /// |v|, clamped.
    double goal_norm;
    double lambda;
    /// k of the rule for lambda (PoiseSolveDef) in this solve.
    double damping_gain;
    /// Factor of omega that keeps the joint cap, 0..1.
    double scale;
    /// Largest errors of the enabled points of a weight above 0 before the step, m and rad, in the
    /// active rows. Idle points are included.
    double largest_error;
    double largest_angle_error;
    /// Enabled points of a weight above 0 without an enabled registered node (poise_register). The
    /// solve does not move them.
    int idle_points;
    /// Points and nodes that were left out because of a number that is not finite or above 1e35
    /// (nodes: a velocity times sqrt(weight / bias)). All nodes, if the computed step was not
    /// finite.
    int frozen_points;
    int frozen_nodes;
    /// The largest PoisePointState of all points before the step. POISE_POINT_MET if all are met,
    /// idle points aside. poise_point_state has the state of one point.
    PoisePointState state;
    /// True if the solver used up its sweeps, cycles or iterations before it converged.
    /// GAUSS_SEIDEL: nearly always.
    bool budget_used;
    /// Degrees of freedom that are on a limit at the end of the step.
    int limited_dofs;
    /// Points that got a straight-arm kick in this step.
    int kicks;
} PoiseSolveReport;

/// Runs one linear solve from the frames: computes J (eqs. 2-11), v and omega (eqs. 13-23).
/// poise_node_omega returns omega, poise_advance applies it. Allocates no memory once the sets no
/// longer change. POISE_ERROR_STALE if the frames are stale; POISE_DEGRADED if something was left
/// out. `def` NULL: the default; `report` NULL: not wanted.
POISE_API PoiseStatus poise_solve(PoiseTree* tree, const PoiseSolveDef* def,
                                  PoiseSolveReport* report);

/// The state of the point at the frames of the last solve, also after poise_advance. A step of less
/// than 1e-4 of the distance counts as rest. POISE_POINT_IDLE after a change of the sets, a weight
/// or a bias, and for a handle that is not valid.
POISE_API PoisePointState poise_point_state(const PoiseTree* tree, PoisePointId point);
/// The state as a word, for example "at limits"; never NULL, any value allowed.
POISE_API const char* poise_point_state_name(PoisePointState state);
/// Writes the nodes whose limits keep the point from its goal. Each ended the step of the last
/// solve on a limit (range, cone or speed) and would bring the point nearer beyond this limit. In
/// the order of creation, up to `capacity` handles (NULL allowed with 0). Returns their full
/// number; 0 while the point is met.
POISE_API int poise_point_limited_by(const PoiseTree* tree, PoisePointId point, PoiseNodeId* nodes,
                                     int capacity);

/// Writes the node's step of the last solve. Hinge: 1 number, rad; slider: 1, m; universal: 2, rad;
/// ball: 3, the rotation vector about the world axes, rad; translation: 3 along the world axes, m;
/// free: 6, 3 along and 3 about the world axes. Returns the number; 0 for a handle that is not
/// valid.
POISE_API int poise_node_omega(const PoiseTree* tree, PoiseNodeId node,
                               double omega[POISE_MAX_DOF]);
/// Writes the node's velocity that follows the goals' own velocities (J^# times these), rad/s and
/// m/s, in the order of poise_node_omega. It is 0 for a coordinate that the step brings to an end
/// of its range; other bounds of the step do not stop it. While an inequality (poise/apart.h)
/// bounds the step, it is the step's own, omega / `step`. 0 unless the solve had a `step`. Returns
/// the same number.
POISE_API int poise_node_velocity(const PoiseTree* tree, PoiseNodeId node,
                                  double velocity[POISE_MAX_DOF]);

/// Projects a joint motion onto the motions that move no enabled point:
///
///     out = in - W J^T (J W J^T)^# J in, so J out = 0
///
/// with J as the last solve or stage left it. `in` and `out` (which may be equal) have the numbers
/// of poise_node_omega, rad and m, for every node that has columns (poise_node_dof > 0), in the
/// order of creation. `count` is their number. POISE_ERROR_INVALID_ARGUMENT for another count or a
/// number that is not finite; POISE_ERROR_STALE before the first solve after a change of the sets.
/// Allocates in the first call.
POISE_API PoiseStatus poise_null_space_project(PoiseTree* tree, const double* in, int count,
                                               double* out);

/// Moves the posture: theta <- theta + omega, clamped to the ranges. The frames become stale. omega
/// is then 0: a second call does nothing. Errors: POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_advance(PoiseTree* tree);

#ifdef __cplusplus
}
#endif

#endif
