// SPDX-License-Identifier: MIT
// Declares the stages of a solve and their parts.
#ifndef POISE_SOLVE_PRIVATE_H
#define POISE_SOLVE_PRIVATE_H

#include "layout.h"

enum { COOKIE_SOLVE = 0x50530001 };

/// Trees with more rows have no rows x rows matrix, so conjugate gradients solve them.
enum { POISE_MOST_DUAL_ROWS = 320 };
/// largest gain k of the damping
#define POISE_GAIN_MOST 2.0

/// vector_limits.c: finds balls, translations and free nodes whose omega exceeds their speed.
/// Bounds their columns at the shortened omega for another solve. True if there are any.
bool poise__speeds_bound(PoiseTree* tree, double step);
/// Shortens the step omega of each node to its speed, and a ball's also until it stays in its cone.
void poise__limits_shorten(PoiseTree* tree, double step);
/// reference.c: fills desired step and weight of each dof. Must precede poise__damping_fill.
void poise__reference_fill(PoiseTree* tree, double rate);
/// Fills omega of the nodes that serve no point: the step to their reference postures.
void poise__reference_track(PoiseTree* tree, const PoiseSolveDef* def);
/// step_rows.c: makes the memory of the inequality rows and lets the tree's sources add them.
PoiseStatus poise__step_rows_fill(PoiseTree* tree, double step);
/// Adds a row lower <= a omega <= upper. Returns `a`, by dof, all 0; NULL if the rows are full.
double* poise__step_row_add(PoiseTree* tree, double lower, double upper);
/// A force and a moment on a link. A row holds the work they do in a unit motion of each dof.
typedef struct LinkForce {
    int link; ///< slot of the link's node, or NO_SLOT for the world
    /// Slot where the path to the base ends: this node and those before it do no work; NO_SLOT:
    /// none.
    int until;
    PoiseVec3 at; ///< point of application, world
    PoiseVec3 force;
    PoiseVec3 moment;
} LinkForce;
/// Adds to the row the work of the force in a unit motion of each dof.
void poise__step_row_add_force(const PoiseTree* tree, const LinkForce* force, double* row);
/// Solves the QP subject to the rows, with the axes of `ground` as equations. If the rows
/// contradict each other, it violates them least, in least squares.
PoiseQpEnd poise__step_rows_solve(StepRows* rows, PoiseQp* qp, const PoiseQpGround* ground,
                                  PoiseQpState* state);
/// Multiplies the nodes' omega and velocity by the least factor that a source of rows asks for.
/// Returns the factor.
double poise__step_rows_limit(PoiseTree* tree);
/// True if the step has inequality rows.
static inline bool poise__has_step_rows(const Solver* solver) {
    return solver->rows && solver->rows->count > 0;
}
// goal_error.c: fills the frames of the points, and v with their whole errors. It is the first
// stage of a solve; the other stages follow in order.
void poise__goal_fill(PoiseTree* tree);
/// goal_error.c: computes the distance (m) and the angle (rad) to the goal over the active rows.
/// The second function tests whether both are within the point's tolerances.
void poise__goal_left(const PoiseTree* tree, const Goal* goal, double* distance, double* angle);
bool poise__goal_is_near(const PoiseTree* tree, const Goal* goal, double distance, double angle);
/// goal_error.c: computes the largest distance (m) and angle (rad) to the goals of points that no
/// node serves. Returns how many points it skipped because their numbers are not finite.
int poise__idle_measure(const PoiseTree* tree, double* distance, double* angle);
/// jacobian.c, eqs. 2-11: fills J from the frames.
void poise__jacobian_fill(PoiseTree* tree);
/// goal_motion.c: updates the estimated velocity of the goal after a step of `step` s. A change of
/// the goal beyond `most` m or `most_angle` rad may be a jump.
void poise__goal_follow(Point* point, double step, double most, double most_angle);
/// Returns how smoothly the goal moved in the last step, 0..1; 0 if its next change is overdue.
double poise__goal_smoothness(const Point* point, double step);
/// The error that one step of a simulation removes, in world axes, and the goal's velocity in it.
typedef struct GoalStep {
    PoiseVec3 error;       ///< vector from the point to its goal, m
    PoiseVec3 angle;       ///< rad
    PoiseVec3 velocity[2]; ///< mean velocity of the goal in the step, in the goal's frame
} GoalStep;
/// goal_track.c: moves the tracked goal by one step within the point's bounds. Writes to `out` the
/// error to the tracked goal, and its velocity. A position or rotation without bounds keeps its
/// values in `out`. Call after poise__goal_follow.
void poise__goal_track(const PoiseTree* tree, const Goal* goal, Point* point, double step,
                       GoalStep* out);
/// goal_error.c: clamps v to the def's largest errors. Sets the goals' velocities if the def has a
/// step. Returns |v|.
double poise__goal_clamp(PoiseTree* tree, const PoiseSolveDef* def);

/// True if the level contains the goal's rows.
static inline bool poise__rows_have(const LevelRows* rows, const Goal* goal) {
    return rows->all || goal->priority == rows->priority;
}
/// rest.c: sets GroupRows.rests of each group that should take no step, and returns true if any is
/// set. `step` is by dof and scaled. Weighted references and least_motion 0 disable it.
bool poise__rests_find(const Layout* layout, const Metric* metric, const Level* level,
                       const PoiseSolveDef* def, const double* step);

/// defaults.c: returns the default damping eps of a solver.
double poise__default_damping(PoiseSolver solver);
/// step_bounds.c: fills Metric.lower and upper with the distances to the ends of the ranges,
/// scaled. If `step` (s) is above 0, the speeds bound the step too.
void poise__bounds_fill(PoiseTree* tree, double step);
/// step_bounds.c: marks the held dofs whose bound is an end of their range as `stopped`. True if a
/// held dof is not stopped, because a speed or a step range bounds it.
bool poise__velocities_stop(PoiseTree* tree, const unsigned char* held);

/// point_state.c: finds the block of J for a goal and the n-th node of the goal's point. Returns
/// the node's column and sets `block`. Returns NULL if J has no such block.
const Column* poise__goal_column(const PoiseTree* tree, const Goal* goal, int n,
                                 const Block** block);

/// Stores v - J omega in Answer.work.residual and returns its length.
double poise__residual(const Layout* layout, const Task* task, Answer* answer);

/// damping.c: sets one lambda for every dof and row, without references.
void poise__damping_even(const Layout* layout, Metric* metric, double lambda);
/// damping.c: computes each group's lambda in this level from eps and k, or sets it to def->lambda
/// if that is not negative. Then it fills the damping of dofs and rows, with the terms of
/// references (reference.c). poise__damping_spread fills dofs and rows from the present lambdas,
/// poise__damping_rows only rows.
void poise__damping_fill(const Layout* layout, Metric* metric, const Level* level, double eps,
                         const PoiseSolveDef* def);
void poise__damping_spread(const Layout* layout, Metric* metric, const Level* level);
void poise__damping_rows(const Layout* layout, Metric* metric, const LevelRows* rows);
/// Writes a ball's rotation vector: `scale` times the sum of its dofs `in` along the cone's axes.
static inline void poise__cone_turn(const PoiseVec3* axes, const double* in, double scale,
                                    double* out) {
    PoiseVec3 sum = poise_scale(scale * in[0], axes[0]);
    sum = poise_add_scaled(sum, scale * in[1], axes[1]);
    sum = poise_add_scaled(sum, scale * in[2], axes[2]);
    out[0] = sum.x;
    out[1] = sum.y;
    out[2] = sum.z;
}
/// damping.c: returns a step along axes that do not change, so that steps can be compared.
/// `scratch` holds the result if a cone's axes had to be replaced.
const double* poise__comparable(const Layout* layout, const Task* task, const double* omega,
                                double* scratch);
/// damping.c: adapts the groups' gains k to the level's step, given along fixed axes. True if some
/// group's step reversed its last step: the group then needs another solve with its greater gain.
bool poise__damping_adapt(const Layout* layout, const LevelRows* rows, const double* step);
/// The settings of poise__sweep_solve.
typedef struct Sweeps {
    int most;
    /// true: velocities of the joints from those of the goals, without bounds or centre, with
    /// stopped dofs at 0; false: the step omega from v, inside the bounds
    bool velocity;
} Sweeps;
/// sweep.c: eq. 23 on the residual v - J omega. Returns the number of sweeps.
int poise__sweep_solve(const Layout* layout, const Task* task, const Metric* metric, Answer* answer,
                       Sweeps sweeps);
/// level.c: index of the level that has the rows of all goals.
enum { POISE_ALL_ROWS = -1 };
/// level.c: returns the level with this index, or POISE_ALL_ROWS, before its step is added to the
/// answer's omega, or its velocity to the answer's velocity. The first level takes these as 0.
Level poise__level_begin(Solver* solver, int index, bool velocity);
/// level.c: makes the level's program. It is matrix-free beyond POISE_MOST_DUAL_ROWS.
PoiseQp poise__level_program(const Layout* layout, const Metric* metric, const Level* level);
/// The outcome of poise__level_solve.
typedef struct Solved {
    int count;        ///< number of factorisations (DUAL), iterations (CGLS) or cycles (BOX)
    bool ranged;      ///< true: at least one bound was active
    bool budget_used; ///< true: the iterations ran out before the solver converged
} Solved;
/// level.c: adds the level's step to omega, inside the bounds, and marks dofs on their bounds in
/// Level.held. If the iterations run out, it keeps the best omega. Used by DUAL, CGLS, AUTO and BOX
/// (from an empty active set).
Solved poise__level_solve(const Layout* layout, const Metric* metric, const Level* level);
/// level.c: computes the velocity of dofs that are not held, with the damping of the level's step.
void poise__level_velocity(const Layout* layout, const Metric* metric, const Level* level);
/// priority.c: makes the memory of the levels. Needs a fresh layout.
PoiseStatus poise__levels_make(PoiseTree* tree);
/// priority.c: computes products and basis of the first `count` levels' rows, once for each new J.
void poise__levels_prepare(const Layout* layout, Levels* levels, int count);
/// priority.c: counts each group's rows in a level and reads the groups' gains k from the points.
void poise__groups_count(const PoiseTree* tree, const LevelRows* rows);
/// solve.c: copies a result by dof to the member of the nodes at offset `member`, unscaled and in
/// world axes. If it is not finite, all of it becomes 0.
void poise__publish(PoiseTree* tree, double* by_dof, size_t member);

/// followers.c: handles coupled nodes. _bound applies followers' step ranges to the columns of
/// their leaders, _turn adds followers' rotations to the joint cap, and _publish computes their
/// results.
void poise__ties_bound(PoiseTree* tree, double step);
void poise__ties_turn(PoiseTree* tree);
void poise__ties_publish(PoiseTree* tree, size_t member);

/// point_state.c: returns the state that tells most, over all points. Call after poise__residual.
PoisePointState poise__tree_state(const PoiseTree* tree);

/// escape.c: adds kicks to omega of the nodes of stuck straight arms. Returns the number of arms.
int poise__escape(PoiseTree* tree);

#endif
