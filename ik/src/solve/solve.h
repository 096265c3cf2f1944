// SPDX-License-Identifier: MIT
// Declares the stages of a solve and their parts.
#ifndef POISE_SOLVE_PRIVATE_H
#define POISE_SOLVE_PRIVATE_H

#include "layout.h"

enum { COOKIE_SOLVE = 0x50530001 };

/// A tree with more rows keeps no matrix of rows x rows and takes conjugate gradients.
enum { POISE_MOST_DUAL_ROWS = 320 };
/// The largest k of the damping.
#define POISE_GAIN_MOST 2.0

/// vector_limits.c: for balls, translations and free nodes whose omega exceeds their largest speed,
/// fixes the bounds of the next solve at the shortened omega. True if there are any.
bool poise__speeds_bound(PoiseTree* tree, double step);
/// Shortens each node's step omega to its largest speed, and a ball's also to stay inside its cone.
void poise__limits_shorten(PoiseTree* tree, double step);
/// reference.c: fills the desired step of each dof and its weight; call before poise__damping_fill.
void poise__reference_fill(PoiseTree* tree, double rate);
/// Fills omega of the nodes that serve no point: the full step to their references.
void poise__reference_track(PoiseTree* tree, const PoiseSolveDef* def);
/// step_rows.c: makes the memory of the rows, and fills them from the sources of the tree.
PoiseStatus poise__step_rows_fill(PoiseTree* tree, double step);
/// Adds a row of zeros with the ends `lower` and `upper`. Returns the row's numbers, by dof; NULL
/// if there is no room.
double* poise__step_row_add(PoiseTree* tree, double lower, double upper);
/// A force and a moment on a link. Their work in a unit motion of each dof makes a row.
typedef struct LinkForce {
    int link;  ///< slot, or NO_SLOT: nothing moves it
    int until; ///< slot of the first node, toward the base, whose motion does no work, or NO_SLOT
    PoiseVec3 at; ///< world
    PoiseVec3 force;
    PoiseVec3 moment;
} LinkForce;
/// Adds the work of the force, in a unit motion of each dof, to the row.
void poise__step_row_add_force(const PoiseTree* tree, const LinkForce* force, double* row);
/// Solves a problem inside the rows, with the axes of `ground` as equations. Rows that cannot be
/// met are met as nearly as the others allow, in least squares.
PoiseQpEnd poise__step_rows_solve(StepRows* rows, PoiseQp* qp, const PoiseQpGround* ground,
                                  PoiseQpState* state);
/// Scales the nodes' omega and velocity by the least factor of the sources. Returns that factor.
double poise__step_rows_limit(PoiseTree* tree);
/// True if the tree has rows in this step.
static inline bool poise__has_step_rows(const Solver* solver) {
    return solver->rows && solver->rows->count > 0;
}
// The stages of a solve follow in their order.
/// goal_error.c: fills the places of the points and v, their whole error.
void poise__goal_fill(PoiseTree* tree);
/// goal_error.c: returns the distance (m) and the angle (rad) to the goal in the active rows. The
/// second function returns true if both are within the tolerances.
void poise__goal_left(const PoiseTree* tree, const Goal* goal, double* distance, double* angle);
bool poise__goal_is_near(const PoiseTree* tree, const Goal* goal, double distance, double angle);
/// goal_error.c: computes the largest distance (m) and angle (rad) of the idle points to their
/// goals from the last filled frames. Returns the number of points left out because they are not
/// finite.
int poise__idle_measure(const PoiseTree* tree, double* distance, double* angle);
/// jacobian.c, eqs. 2-11: fills J from the frames.
void poise__jacobian_fill(PoiseTree* tree);
/// goal_motion.c: updates the goal's velocity from the change of the goal during the last `step`,
/// s. A change beyond `most` m or `most_angle` rad may be a jump.
void poise__goal_follow(Point* point, double step, double most, double most_angle);
/// Returns how smoothly the goal moved in the last step, 0 to 1; 0 while its next change is
/// overdue.
double poise__goal_smoothness(const Point* point, double step);
/// The error that a step of a simulation removes, world, and the velocity that the step follows.
typedef struct GoalStep {
    PoiseVec3 error;       ///< vector from the point to its goal, m
    PoiseVec3 angle;       ///< rad
    PoiseVec3 velocity[2]; ///< mean velocity of the goal in the step, in the goal's frame
} GoalStep;
/// goal_track.c: moves the tracked goal by one step, within the point's bounds. Then `out` has the
/// error to the tracked goal and its velocity; a place or rotation without bounds keeps the goal's
/// own. Comes after poise__goal_follow.
void poise__goal_track(const PoiseTree* tree, const Goal* goal, Point* point, double step,
                       GoalStep* out);
/// goal_error.c: clamps v. Sets the goals' velocities if the def has a step. Returns |v|.
double poise__goal_clamp(PoiseTree* tree, const PoiseSolveDef* def);

/// True if the goal's rows are among the rows of the level.
static inline bool poise__rows_have(const LevelRows* rows, const Goal* goal) {
    return rows->all || goal->priority == rows->priority;
}
/// rest.c: sets `rests` of each group whose `step`, by dof and scaled, moves its points too little,
/// or reduces the error of unmet goals too little. True if any is set. Weighted references and
/// least_motion 0 switch it off.
bool poise__rests_find(const Layout* layout, const Metric* metric, const Level* level,
                       const PoiseSolveDef* def, const double* step);

/// defaults.c: returns the damping for a negative setting.
double poise__default_damping(PoiseSolver solver);
/// step_bounds.c: fills the distance of each dof to the ends of its range, scaled, from the
/// posture. `step`, s, also bounds speeds; 0: no bound.
void poise__bounds_fill(PoiseTree* tree, double step);
/// step_bounds.c: marks the dofs that the step brings to an end of their range as `stopped`. True
/// if a speed bounds the step of a hinge or slider.
bool poise__velocities_stop(PoiseTree* tree, double step);

/// reachable.c: returns the column of Nd(point)'s n-th node, and its block with the goal; NULL if
/// it has none.
const Column* poise__goal_column(const PoiseTree* tree, const Goal* goal, int n,
                                 const Block** block);

/// Returns |v - J omega| and stores v - J omega in `residual`.
double poise__residual(const Layout* layout, const Task* task, Answer* answer);

/// damping.c: sets the same lambda for every dof, and the centre 0.
void poise__damping_even(const Layout* layout, Metric* metric, double lambda);
/// damping.c: sets the level's lambda of each group from eps and k, or to def->lambda if that is
/// not negative. Spreads lambda over dofs and rows and adds the terms of the references
/// (reference.c). The second function spreads the present lambda, the third one over the rows
/// alone.
void poise__damping_fill(const Layout* layout, Metric* metric, const Level* level, double eps,
                         const PoiseSolveDef* def);
void poise__damping_spread(const Layout* layout, Metric* metric, const Level* level);
void poise__damping_rows(const Layout* layout, Metric* metric, const LevelRows* rows);
/// Writes a ball's turn from its numbers along the axes of a column with a cone, each times
/// `scale`.
static inline void poise__cone_turn(const PoiseVec3* axes, const double* in, double scale,
                                    double* out) {
    PoiseVec3 sum = poise_scale(scale * in[0], axes[0]);
    sum = poise_add_scaled(sum, scale * in[1], axes[1]);
    sum = poise_add_scaled(sum, scale * in[2], axes[2]);
    out[0] = sum.x;
    out[1] = sum.y;
    out[2] = sum.z;
}
/// damping.c: returns a step in fixed axes, comparable with other steps. `scratch` holds the result
/// if some axes are not fixed.
const double* poise__comparable(const Layout* layout, const Task* task, const double* omega,
                                double* scratch);
/// damping.c: adapts the level's k of the groups to its step, in fixed axes. True if some step
/// turned back: its group is then solved again with a greater k.
bool poise__damping_adapt(const Layout* layout, const LevelRows* rows, const double* step);
/// The settings of poise__sweep_solve.
typedef struct Sweeps {
    int most;
    /// True: finds the velocity from the goals' velocities, without bounds, with the centre 0 and
    /// with stopped dofs at 0. False: finds omega from v, inside the bounds.
    bool velocity;
} Sweeps;
/// sweep.c, eq. 23 in residual form. Returns the number of sweeps.
int poise__sweep_solve(const Layout* layout, const Task* task, const Metric* metric, Answer* answer,
                       Sweeps sweeps);
/// level.c: stands for a level with the rows of all goals.
enum { POISE_ALL_ROWS = -1 };
/// level.c: returns the level with this index, or POISE_ALL_ROWS, before a step from `omega`; the
/// first level takes `omega` as 0. `target` has the target velocities of all rows.
Level poise__level_begin(Solver* solver, int index, const double* target, double* omega);
/// level.c: makes the level's program. It is matrix-free beyond POISE_MOST_DUAL_ROWS.
PoiseQp poise__level_program(const Layout* layout, const Metric* metric, const Level* level);
/// The result of a solve of level.c.
typedef struct Solved {
    int count;        ///< factorisations, iterations of CGLS, or cycles of BOX
    bool ranged;      ///< a bound was active
    bool budget_used; ///< True if the rounds ran out
} Solved;
/// level.c: adds the level's step to omega, inside the bounds. Keeps the best omega if the rounds
/// run out. Marks the dofs on their bounds `held`. DUAL, CGLS, BOX (cold) and AUTO run it.
Solved poise__level_solve(const Layout* layout, const Metric* metric, const Level* level);
/// level.c: finds the velocity over the dofs that are not held, with the damping of the level's
/// step.
void poise__level_velocity(const Layout* layout, const Metric* metric, const Level* level);
/// priority.c: makes the memory of the levels; call when the layout is fresh.
PoiseStatus poise__levels_make(PoiseTree* tree);
/// priority.c: computes the products of the first `count` levels' rows, once for each J.
void poise__levels_prepare(const Layout* layout, Levels* levels, int count);
/// priority.c: counts the rows of each group in a level, and reads their gains k from the points.
void poise__groups_count(const PoiseTree* tree, const LevelRows* rows);
/// solve.c: copies omega from the layout to the nodes' results, unscaled, in world axes. Numbers
/// that are not finite become 0.
void poise__publish(PoiseTree* tree, double* by_dof, size_t member);

/// followers.c, for nodes that follow others: bounds the leaders' columns by their step ranges,
/// adds their turns to the joint cap, and fills their results from their leaders.
void poise__ties_bound(PoiseTree* tree, double step);
void poise__ties_turn(PoiseTree* tree);
void poise__ties_publish(PoiseTree* tree, size_t member);

/// reachable.c: returns the most informative state of all points; call after poise__residual.
PoisePointState poise__tree_state(const PoiseTree* tree);

/// escape.c: adds kicks to the nodes' omega if a straight arm is stuck. Returns the number of
/// points with a kick.
int poise__escape(PoiseTree* tree);

#endif
