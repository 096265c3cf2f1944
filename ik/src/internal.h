// SPDX-License-Identifier: MIT
// What the files of ik share: the stages of a solve, and the small parts they are made of.
#ifndef POISE_INTERNAL_H
#define POISE_INTERNAL_H

#include "data.h"
#include "qp/matrix.h"

enum { COOKIE_SOLVE = 0x50530001 };
enum { COOKIE_REACH = 0x50520001 };

/// With more rows than this no matrix of rows x rows is kept: conjugate gradients instead.
enum { POISE_MOST_DUAL_ROWS = 60 };
/// The most that k of the damping is.
#define POISE_GAIN_MOST 2.0

/// solve/limits.c: bounds the columns of vectors (balls, translations, free nodes) whose omega in
/// the layout is faster than their nodes may go to what is as fast; whether there are any.
bool poise__speeds_hold(PoiseTree* tree, double step);
/// Cuts the nodes' omega to their speeds and cones.
void poise__limits_hold(PoiseTree* tree, double step);
/// reference.c: what the references wish of each dof and with which weight; before poise__damping_
/// fill.
void poise__reference_fill(PoiseTree* tree, double rate);
/// The omega of the nodes that serve no point, all the way to their references.
void poise__reference_track(PoiseTree* tree, const PoiseSolveDef* def);
// layout.c: the stages below need a valid one
PoiseStatus poise__layout_refresh(PoiseTree* tree);
/// Whether the point asks for something, but no enabled node serves it.
bool poise__point_is_idle(const PoiseTree* tree, const Point* point);
/// The tree's layout while it is that of its sets, else NULL.
static inline Layout* poise__layout_now(const PoiseTree* tree) {
    Layout* layout = tree && tree->solver ? &tree->solver->layout : NULL;
    return layout && layout->valid && layout->set_revision == tree->set_revision ? layout : NULL;
}
/// solver.c: leaves the layout's step before with the nodes, where it outlives the layout; and
/// takes it from there.
void poise__steps_keep(const PoiseTree* tree);
void poise__steps_take(PoiseTree* tree);
/// The nodes are others: the layout's step before is of no use to them.
void poise__steps_forget(PoiseTree* tree);
/// solver.c: the solver's memory of a tree that has none yet; false without memory.
bool poise__solver_make(PoiseTree* tree);

// the stages of a solve, in their order
/// goal.c: where the points are, and v, their whole error. Returns how many are not finite.
int poise__goal_fill(PoiseTree* tree);
/// goal.c: the largest distance and angle of the idle points from the frames as last filled, m and
/// rad. False where one is not finite, and left out.
bool poise__idle_measure(const PoiseTree* tree, double* distance, double* angle);
/// jacobian.c, eqs. 2-11: J from the frames. Returns how many nodes are not finite.
int poise__jacobian_fill(PoiseTree* tree);
/// goal.c: clamps v, and sets the goals' velocities when the def has a step. Returns |v|.
double poise__goal_clamp(PoiseTree* tree, const PoiseSolveDef* def);

/// solve.c: how far each dof may go before it reaches its range, scaled, from the posture.
/// `step` bounds speeds, 0: no bound.
void poise__bounds_fill(PoiseTree* tree, double step);

/// |v - J omega|, left in `residual`.
double poise__residual(Layout* layout);

/// damping.c: the same lambda for every dof, drawn to 0.
void poise__damping_even(Layout* layout, double lambda);
/// damping.c: each group's lambda from eps and its k, `lambda` itself where that is not negative,
/// or as it is (_spread), for its dofs and rows, with what the references add (reference.c).
void poise__damping_fill(Layout* layout, double eps, double lambda);
void poise__damping_spread(Layout* layout);
/// damping.c: a step in axes that stay, which `scratch` holds where some do not: what is compared
/// from step to step.
const double* poise__comparable(const Layout* layout, const double* omega, double* scratch);
/// damping.c: k of the groups, after a solve: whether some step turned back on the one before, so
/// that its group is to be solved again with a greater k.
bool poise__damping_adapt(Layout* layout);
// the solvers, all with the damping of damping.c
/// sweep.c, eq. 23 in residual form: `omega` (by dof, scaled) from `target`, inside lower and upper
/// when `bounded`; else, for velocities, drawn to 0 and dofs that are fixed stay 0. Returns the
/// sweeps done.
int poise__sweep_solve(Layout* layout, const double* target, int sweeps, bool bounded,
                       double* omega);
/// least_squares.c: |J omega - target|^2 with damping and centre, without bounds; matrix-free
/// beyond POISE_MOST_DUAL_ROWS. And the layout's scratch for it.
PoiseQp poise__least_squares(const Layout* layout, const double* target);
PoiseQpWork poise__layout_work(const Layout* layout);
/// How a solve of least_squares.c went.
typedef struct Solved {
    int count;   ///< factorisations, iterations of CGLS, or cycles of BOX
    bool ranged; ///< a range was met
    bool spent;  ///< it ended by its rounds
} Solved;
/// least_squares.c: omega from `v` inside lower and upper; leaves the dofs that ended on their
/// bounds `fixed`. What DUAL, CGLS, BOX (`cold`: without a guess) and AUTO do.
Solved poise__ranged_solve(Layout* layout, bool matrix_free, bool cold);
/// least_squares.c: J^# target over the dofs that are not fixed, into `out` (by dof, scaled): with
/// the factor that is left of a solve, or without.
void poise__velocity_solve(Layout* layout, const double* target, bool factored, double* out);
/// priority.c: makes the memory of the levels; call when the layout is fresh.
PoiseStatus poise__levels_make(PoiseTree* tree);
static inline bool poise__has_levels(const Layout* layout) {
    return layout->levels.first < layout->levels.last;
}
/// level.c: one level's part, from the omega of those before it; leaves each group's lambda.
void poise__level_run(Layout* layout, const Level* level, const LevelDamping* damping,
                      double* omega);
/// level.c: the level's rows stay as they are in those to come.
void poise__level_keep(Layout* layout, const Level* level);
/// priority.c: omega (by dof, scaled), level after level. Returns how many levels there are.
int poise__levels_solve(Layout* layout, const double* target, const LevelDamping* damping,
                        double* omega);
/// damping.c: whether a step turned back on the one before; what k becomes then, or else.
bool poise__turned_back(const double* omega, const double* previous, int count);
double poise__gain_grown(double gain);
double poise__gain_faded(double gain);
/// solve.c: omega from the layout to the nodes' results, unscaled, and back into world axes.
void poise__publish(PoiseTree* tree, const double* by_dof, size_t member);

/// point_state.c: of all points, the one that says most; after poise__residual.
PoisePointState poise__tree_state(const PoiseTree* tree);

/// escape.c: adds kicks to the nodes' omega where a straight arm is stuck; returns for how many
/// points.
int poise__escape(PoiseTree* tree);

// reach_seed.c: the postures of a reach. All need a valid layout, and leave the frames stale
/// Room for the postures; false without memory.
bool poise__reach_reserve(PoiseTree* tree);
void poise__posture_keep(const PoiseTree* tree, Posture* postures);
void poise__posture_restore(PoiseTree* tree, const Posture* postures);
/// Brings every node that has columns inside its range.
void poise__posture_clip(PoiseTree* tree);
/// The posture of random start `start`, inside the ranges.
void poise__reach_scatter(PoiseTree* tree, uint64_t seed, int start);
/// A step of 1e-3 rad a dof to one side or the other, held inside the ranges. Frames are needed.
void poise__reach_kick(PoiseTree* tree, uint64_t kick);

// reach_step.c: the ways downhill
typedef struct Search {
    PoiseTree* tree;
    const PoiseReachDef* def;
    bool hurried; ///< other postures wait: ends where the error falls too slowly
    int start;
    int left;   ///< iterations that the start may still take
    double due; ///< E that must be had in a few iterations, else it rests; HUGE_VAL: none
    bool level; ///< where it came to rest no dof had a slope
    double damping;
    double error; ///< E of the posture
    int iterations;
    int half_turns;
    PoiseReachReason reason;
    double best_error; ///< of the posture in ReachMemory.best, which is the best of all starts
    int best_start;
} Search;
/// E and the frames, goals and v of the posture; HUGE_VAL where it is not finite.
double poise__reach_measure(PoiseTree* tree);
bool poise__reach_is_met(const PoiseTree* tree, const PoiseReachDef* def);
/// Downhill from the posture as it is, to where `reason` says. True when it came to rest.
bool poise__reach_descend(Search* search);
/// The posture is the best when it is better than the best.
void poise__reach_keep(Search* search);
/// From the best posture, where nothing lowers E to first order: small steps to one side and
/// downhill from there, while they lead lower.
void poise__reach_kick_off(Search* search);
// reach_turn.c
/// From the posture as it is with hinges turned half round, two at a time and one.
void poise__reach_turn_over(Search* search);

#endif
