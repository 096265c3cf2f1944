// SPDX-License-Identifier: MIT
// What the files of ik share: the stages of a solve, and the small parts they are made of.
#ifndef POISE_INTERNAL_H
#define POISE_INTERNAL_H

#include "data.h"

// set by the poise_default_*_def functions, so that a def made by hand is noticed
enum { COOKIE_TREE = 0x50540001, COOKIE_NODE = 0x504e0001, COOKIE_POINT = 0x50500001 };
enum { COOKIE_SOLVE = 0x50530001 };
enum { COOKIE_REACH = 0x50520001 };

/// With more rows than this no matrix of rows x rows is kept: cgls.c instead of dual.c.
enum { POISE_MOST_DUAL_ROWS = 60 };
/// Cycles of BOX; iterations of CGLS beyond the rows.
enum { POISE_MOST_BOX_CYCLES = 8, POISE_SPARE_ITERATIONS = 4 };
/// The most that k of the damping is.
#define POISE_GAIN_MOST 2.0

/// sum + j . r over a block's rows; a place's and a pose's are written out, for a loop of unknown
/// length costs more than they do. In order, so that it is the same sum to the last bit.
static inline double poise__rows_dot(double sum, const double* j, const double* r, int rows) {
    int k = 0;
    if (rows == 3 || rows == 6) {
        sum = sum + j[0] * r[0] + j[1] * r[1] + j[2] * r[2];
        k = 3;
    }
    if (rows == 6) {
        sum = sum + j[3] * r[3] + j[4] * r[4] + j[5] * r[5];
        k = 6;
    }
    for (; k < rows; k++) {
        sum += j[k] * r[k];
    }
    return sum;
}

/// r += x j over a block's rows, likewise.
static inline void poise__rows_add(double* r, double x, const double* j, int rows) {
    int k = 0;
    if (rows == 3 || rows == 6) {
        const double first = r[0] + j[0] * x, second = r[1] + j[1] * x, third = r[2] + j[2] * x;
        r[0] = first;
        r[1] = second;
        r[2] = third;
        k = 3;
    }
    if (rows == 6) {
        const double first = r[3] + j[3] * x, second = r[4] + j[4] * x, third = r[5] + j[5] * x;
        r[3] = first;
        r[4] = second;
        r[5] = third;
        k = 6;
    }
    for (; k < rows; k++) {
        r[k] += j[k] * x;
    }
}

// status.c
/// Keeps the first error of the tree, logs it, and returns it.
PoiseStatus poise__fail(PoiseTree* tree, PoiseStatus status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// tree.c
/// Room for so many slots in all.
bool poise__tree_reserve_nodes(PoiseTree* tree, int count);
bool poise__tree_reserve_points(PoiseTree* tree, int count);
/// The node behind a handle, or NULL; `_or_fail` says so with the name of the call.
static inline Node* poise__node(const PoiseTree* tree, PoiseNodeId id) {
    if (!tree || id.tree != tree->tag || id.index1 == 0 || id.index1 > (uint32_t)tree->node_slots) {
        return NULL;
    }
    Node* node = &tree->nodes[id.index1 - 1];
    return node->alive && node->generation == id.generation ? node : NULL;
}

static inline Point* poise__point(const PoiseTree* tree, PoisePointId id) {
    if (!tree || id.tree != tree->tag || id.index1 == 0 ||
        id.index1 > (uint32_t)tree->point_slots) {
        return NULL;
    }
    Point* point = &tree->points[id.index1 - 1];
    return point->alive && point->generation == id.generation ? point : NULL;
}

/// The handles of a slot are no good any more. The last generation is kept: such a slot is not used
/// again, so that no old handle fits a new node or point.
static inline void poise__retire(uint16_t* generation) {
    if (*generation < UINT16_MAX) {
        ++*generation;
    }
}

Node* poise__node_or_fail(PoiseTree* tree, PoiseNodeId id, const char* call);
Point* poise__point_or_fail(PoiseTree* tree, PoisePointId id, const char* call);
/// What a call without its node or point ends with; without a tree there is none to be of.
static inline PoiseStatus poise__no_handle(const PoiseTree* tree) {
    return tree ? POISE_ERROR_INVALID_HANDLE : POISE_ERROR_INVALID_ARGUMENT;
}
PoiseNodeId poise__node_id(const PoiseTree* tree, int slot);
PoisePointId poise__point_id(const PoiseTree* tree, int slot);
int poise__node_slot(const PoiseTree* tree, const Node* node);
int poise__point_slot(const PoiseTree* tree, const Point* point);
void poise__make_stale(PoiseTree* tree);
/// The sets have changed: the layout is out of date.
void poise__sets_changed(PoiseTree* tree);

/// solve/limits.c: bounds the columns of vectors (balls, translations, free nodes) whose omega in
/// the layout is faster than their nodes may go to what is as fast; whether there are any.
bool poise__speeds_hold(PoiseTree* tree, double step);
/// Cuts the nodes' omega to their speeds and cones.
void poise__limits_hold(PoiseTree* tree, double step);
/// The kind of a node as a word, for messages.
static inline const char* poise__kind_name(const Node* node) {
    return poise__joint_type(&node->joint)->name;
}
/// Whether the three numbers are a cone.
bool poise__is_cone(double swing_limit, double twist_lower, double twist_upper);
/// reference.c: what the references wish of each dof and with which weight; before poise__damping_
/// fill.
void poise__reference_fill(PoiseTree* tree, double rate);
/// The omega of the nodes that serve no point, all the way to their references.
void poise__reference_track(PoiseTree* tree, const PoiseSolveDef* def);
/// Whether a column of the node is bounded in a step.
static inline bool poise__node_is_bounded(const Node* node) {
    return node->joint.limited || node->max_speed < HUGE_VAL || node->has_step_range;
}

// point.c
bool poise__are_rows(PoisePointKind kind, unsigned rows, PoiseRowAxes axes);
/// Whether it has rows of a place, and of a rotation.
bool poise__point_has_position(const Point* point);
bool poise__point_has_orientation(const Point* point);
/// Whether all three rows of a place count.
bool poise__has_whole_place(const Point* point);
/// How many of its rows count.
int poise__point_rows(const Point* point);
/// Where the goal's frame and the goal are in the world.
PoisePose poise__point_frame(const PoiseTree* tree, const Point* point);
PoisePose poise__point_goal(const PoiseTree* tree, const Point* point);
PoisePose poise__point_world(const PoiseTree* tree, const Point* point);
void poise__point_finish(PoiseTree* tree, Point* point);

// yield.c: where a point gives way to a force
bool poise__is_yield(PoiseYield yield, unsigned rows);
/// Sets `yields` from the rest.
void poise__point_note_yield(Point* point);
/// The turn of the point's row axes, `turn` being that of its own frame.
PoiseQuat poise__point_row_turn(const PoiseTree* tree, const Point* point, PoiseQuat turn);
/// Takes off two vectors what lies in the directions in which a point yields.
void poise__yield_drop(const PoiseTree* tree, const Point* point, PoiseQuat turn, PoiseVec3* linear,
                       PoiseVec3* angular);

// aim.c: an axis along a direction
/// The rotation vector from one direction to another, both of length 1; exact near 0 and near pi,
/// and about `at_half_turn` (across `from`) where they are opposite.
PoiseVec3 poise__turn_between(PoiseVec3 from, PoiseVec3 to, PoiseVec3 at_half_turn);
/// Fills axis, sight and angle of a direction or look-at goal whose pose is filled.
void poise__aim_fill(const PoiseTree* tree, const Point* point, Goal* goal);

// forces.c
/// Mass and first moment of what hangs on each node, from the frames.
void poise__gather_subtrees(PoiseTree* tree);
/// A node's subtree in which a centre of mass moves with it.
PoiseVec3 poise__com(const PoiseTree* tree, int root);

// sets.c
/// Whether node lies on the way from `slot` to the base, `slot` included.
bool poise__carries(const PoiseTree* tree, int node, int slot);
/// How moving the node moves the point: 1, -1 (it moves the goal's frame), 0 (not at all).
int poise__point_sign(const PoiseTree* tree, int node, const Point* point);
/// Takes the nodes that hang on `root` out of the lists of the points.
void poise__sets_forget(PoiseTree* tree, int root);
bool poise__is_between(const PoiseTree* tree, int node, const Point* point);
bool poise__point_has_node(const PoiseTree* tree, const Point* point, int node);
double poise__point_reach(const PoiseTree* tree, const Point* point);

// layout.c: the stages below need a valid one
PoiseStatus poise__layout_refresh(PoiseTree* tree);
/// Whether the point asks for something, but no enabled node serves it.
bool poise__point_is_idle(const PoiseTree* tree, const Point* point);
/// The step before, by node, so that a layout to come or another tree can go on from it.
void poise__steps_save(const PoiseTree* tree, NodeResult* results);
void poise__steps_load(PoiseTree* tree);
/// The sets are others: it is to be made again.
void poise__layout_outdate(PoiseTree* tree);
void poise__layout_finish(PoiseTree* tree);

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
/// What the damping draws to, NULL for 0.
static inline const double* poise__centre(const Layout* layout) {
    return layout->drawn ? layout->centre : NULL;
}

// the solvers, all with the damping of damping.c
/// sweep.c, eq. 23 in residual form: `omega` (by dof, scaled) from `target`, inside lower and upper
/// when `bounded`; else, for velocities, drawn to 0 and dofs that are fixed stay 0. Returns the
/// sweeps done.
int poise__sweep_solve(Layout* layout, const double* target, int sweeps, bool bounded,
                       double* omega);
/// sweep.c: so many sweeps more from the omega there is, inside lower and upper; leaves alpha.
void poise__sweep_on(Layout* layout, const double* target, int sweeps);
/// dual.c: omega of the dofs that are not fixed, by factorisation, whatever their ranges. At most
/// POISE_MOST_DUAL_ROWS rows.
void poise__dual_solve(Layout* layout, const double* target);
/// dual.c: J^# target with the factor and the free dofs that poise__dual_solve left, into `out` (by
/// dof, scaled).
void poise__dual_again(Layout* layout, const double* target, double* out);
/// cgls.c: the same as poise__dual_solve for any number of rows, from the `omega` there is (by dof,
/// scaled), drawn to `centre` (NULL: 0). Returns the iterations done.
int poise__cgls_solve(Layout* layout, const double* target, const double* centre, double* omega);
/// cgls.c: |target - J omega|^2 + sum lambda_i (omega_i - centre_i)^2; leaves target - J omega in
/// `residual`.
double poise__cost(Layout* layout, const double* target, const double* centre, const double* omega);
/// cgls.c: J x and J^T rows, scaled, over all dofs.
void poise__jacobian_times(const Layout* layout, const double* x, double* rows);
void poise__jacobian_transpose_times(const Layout* layout, const double* rows, double* x);
/// box.c: omega inside lower and upper; leaves the dofs that ended on their bounds `fixed`. Returns
/// the cycles done.
int poise__box_solve(Layout* layout, const double* target);
/// box.c: the plain least squares (DUAL, or CGLS when `matrix_free`), and BOX where its answer
/// leaves a range, which `ranged` tells. What AUTO does.
int poise__ranged_solve(Layout* layout, const double* target, bool matrix_free, bool* ranged);
/// box.c: whether some omega is outside its range.
bool poise__is_outside(const Layout* layout);
/// priority.c: makes the memory of the levels; call when the layout is fresh.
PoiseStatus poise__levels_make(PoiseTree* tree);
void poise__levels_finish(PoiseTree* tree);
static inline bool poise__has_levels(const Layout* layout) {
    return layout->levels.first < layout->levels.last;
}
/// null_space.c: a basis of no rows yet, over all dofs; then of the rows of all goals of priority
/// `from` up to, not with, `to`, over the dofs that are loose.
void poise__basis_start(Layout* layout);
void poise__basis_extend(Layout* layout, int from, int to);
/// null_space.c: the level's rows into Levels.rows, and which they are. Returns how many.
int poise__level_rows(Layout* layout, int priority, int* row_of);
/// level.c: one level's part, from the omega of those before it; leaves each group's lambda.
void poise__level_run(Layout* layout, const Level* level, const LevelDamping* damping,
                      double* omega);
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

void poise__stages_finish(PoiseTree* tree);

// reach_seed.c: the postures of a reach. All need a valid layout, and leave the frames stale
/// Room for the postures; false without memory.
bool poise__reach_reserve(PoiseTree* tree);
void poise__reach_finish(PoiseTree* tree);
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
