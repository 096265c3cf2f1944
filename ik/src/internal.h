// SPDX-License-Identifier: MIT
// What the files of ik share: the tree as it lies in memory, and the stages of a solve.
#ifndef POISE_INTERNAL_H
#define POISE_INTERNAL_H

#include "poise/ik.h"

#if defined(POISE_ASSERTS)
#include <assert.h>
#define POISE_ASSERT(condition) assert(condition)
#else
#define POISE_ASSERT(condition) ((void)0)
#endif

// set by the poise_default_*_def functions, so that a def made by hand is noticed
enum { COOKIE_TREE = 0x50540001, COOKIE_NODE = 0x504e0001, COOKIE_POINT = 0x50500001 };
enum { COOKIE_SOLVE = 0x50530001 };
enum { COOKIE_REACH = 0x50520001 };

/// With more rows than this no matrix of rows x rows is kept: cgls.c instead of dual.c.
enum { POISE_MOST_DUAL_ROWS = 60 };
/// Priorities are 0 to one less.
enum { POISE_PRIORITIES = 16 };

enum { NO_SLOT = -1, MESSAGE_CAPACITY = 256 };

typedef struct Node {
    PoiseNodeKind kind;
    int parent; ///< slot, or NO_SLOT on the base
    uint16_t generation;
    bool alive;
    bool enabled;
    uint64_t sequence; ///< order of creation

    PoisePose joint_in_parent;
    PoisePose link_in_joint;
    bool plain_link; ///< link_in_joint is the identity, as in robot files
    PoiseVec3 axis;
    PoiseVec3 axis2;
    double lower;
    double upper;
    double lower2;
    double upper2;
    unsigned free_axes;
    double swing_limit;
    double twist_lower;
    double twist_upper;
    double max_speed;
    double bias;
    double mass;
    PoiseVec3 com_link;

    // posture
    double angle;
    double angle2;
    PoiseQuat rotation;
    PoiseVec3 translation;
    PoisePose base;
    bool has_reference;
    double reference[POISE_MAX_POSTURE]; ///< as poise_node_posture

    // frames, fresh when frame_epoch is the tree's
    uint64_t frame_epoch;
    PoisePose joint_world;
    PoisePose link_world;
} Node;

/// What the solve and the forces say of a node, as the getters hand it out.
typedef struct NodeResult {
    double omega[POISE_MAX_DOF];
    double velocity[POISE_MAX_DOF];
    double force_torque[POISE_MAX_DOF];
    double gravity_torque[POISE_MAX_DOF];
} NodeResult;

/// What the straight-arm escape remembers of a point (escape.c).
typedef struct EscapeMemory {
    int steps_since_kick;
    int fruitless_kicks;
    double error_at_kick;
    PoiseVec3 goal_at_kick;
} EscapeMemory;

typedef struct Point {
    PoisePointKind kind;
    int link; ///< slot of the node whose link it is on
    uint16_t generation;
    bool alive;
    bool enabled;
    uint64_t sequence;

    int frame; ///< slot of the node in whose link's frame the goal is, or NO_SLOT

    PoisePose in_link;
    PoisePose goal;
    PoiseVec3 axis;      ///< direction, look-at: in the point's frame
    PoiseVec3 direction; ///< in the goal's frame
    unsigned rows;
    PoiseRowAxes row_axes;
    double max_speed;
    double max_turn_speed;
    PoiseVec3 goal_velocity;
    PoiseVec3 goal_angular_velocity;
    PoiseVec3 force;
    PoiseVec3 torque;
    double weight;
    int priority; ///< 0 first

    // Nd(point): slots, in the order of creation, so the farthest node comes first
    int* nodes;
    int node_count;
    int node_capacity;

    EscapeMemory escape;
} Point;

/// A node that some enabled point is registered with: its columns of J.
typedef struct Column {
    int node; ///< slot
    int first_dof;
    int dof;
    int first_block;
    int block_count;
    double scale; ///< 1 / sqrt(bias): J is kept as sqrt(weight) J / sqrt(bias)
    bool direct;  ///< its dofs are the numbers of the node's omega; else vectors along `axes`
    bool rotates; ///< some axis turns: counts for the joint cap
    bool bounded; ///< has a finite range
    bool frozen;  ///< not finite: its columns are 0
} Column;

/// One block of J: `rows` x dof numbers at `offset`, column after column.
typedef struct Block {
    int goal; ///< index of the Goal
    int offset;
    int part;    ///< centre of mass: slot of the node whose subtree moves
    double sign; ///< -1: moves the frame of the goal
} Block;

/// An enabled point that some enabled node serves: its rows of J and v.
typedef struct Goal {
    int point; ///< slot
    int first_row;
    int rows;
    bool has_position;
    bool has_orientation;
    int priority;    ///< 0 first
    bool plain;      ///< all rows, world axes, nothing but a place or frame in the world
    bool frozen;     ///< not finite: its rows are 0
    double scale;    ///< sqrt(weight)
    double reach;    ///< see poise_point_reach
    PoisePose pose;  ///< where the point is
    PoiseVec3 error; ///< to its goal: m
    PoiseVec3 angle; ///< rad, rotation vector
    PoiseVec3 row_axes[3];
    PoiseVec3 axis;  ///< direction, look-at: where it points
    PoiseVec3 sight; ///< look-at: where it should, over the distance to the place; else 0
    double mass;     ///< of the subtree a centre of mass is that of
} Goal;

/// What the levels of priority need beside it (priority.c): made when there are several, or when
/// null-space vectors are asked for.
typedef struct Levels {
    void* memory;
    size_t size;
    bool valid;
    unsigned present; ///< bit p: a goal of priority p is enabled
    int first;        ///< priority
    int last;
    double* basis; ///< basis_count x dofs, orthonormal: the rows that come before a level
    int basis_count;
    double* rows;                  ///< a level's rows x dofs
    double* normal;                ///< rows x rows
    double* previous;              ///< levels x dofs: each level's step before
    double* before;                ///< dofs
    double* rest;                  ///< rows
    double gain[POISE_PRIORITIES]; ///< k by level
    double lambda;                 ///< of the first level, as used
    double used_gain;
} Levels;

/// How the levels are damped, each by its own rows.
typedef struct LevelDamping {
    double eps;
    double floor; ///< the least k, or k itself
    bool adaptive;
    bool bounded; ///< inside lower and upper; else dofs that are fixed stay 0
} LevelDamping;

/// The solve's data, in one piece of memory that is laid out when the sets change.
typedef struct Layout {
    bool valid;
    bool filled; ///< J and v have been filled since it was laid out
    void* memory;
    size_t size;

    int column_count;
    int block_count;
    int goal_count;
    int dof_count;
    int row_count;

    Column* columns; ///< in the order of creation: root first
    Block* blocks;   ///< of a column: in the order of the goals
    Goal* goals;
    int* column_of_node;   ///< by slot, or NO_SLOT
    PoiseVec3* axes;       ///< of each dof, world frame
    unsigned char* linear; ///< of each dof: moves along its axis, else turns about it
    double* jacobian;      ///< scaled, see Column.scale and Goal.scale; by column, block, dof
    int jacobian_size;
    double mean_square; ///< trace(J J^T) / rows
    bool bounded;       ///< some column is
    bool has_com;       ///< some goal is a centre of mass

    // by dof, scaled like the columns: omega here is sqrt(bias) omega
    double* omega;
    double* velocity;
    double* alpha;
    double* previous_omega;
    double* lower; ///< the range that is left in this step
    double* upper;
    double* start;     ///< scratch of box.c
    double* direction; ///< scratch of cgls.c
    double* gradient;
    unsigned char* fixed; ///< held on its bound

    // by row, scaled
    double* v;
    double* goal_velocity;
    double* residual;
    double* work;   ///< rows
    double* normal; ///< rows x rows: J W J^T + lambda I, then its Cholesky factor; for as many
                    ///< rows as POISE_MOST_DUAL_ROWS only

    Levels levels;
} Layout;

/// alpha, beta and gamma of the paper's stages (stages.c); made when first asked for.
typedef struct Stages {
    void* memory;
    size_t size;
    bool valid;
    double* alpha; ///< by dof
    double* beta;
    int* row_start;      ///< by column: first neighbour
    int* neighbours;     ///< columns, in order
    size_t* gamma_start; ///< by neighbour: where its block lies
    double* gamma;
} Stages;

/// What poise_advance moves of a node.
typedef struct Posture {
    double angle;
    double angle2;
    PoiseQuat rotation;
    PoiseVec3 translation;
} Posture;

/// Postures that poise_reach goes back to, by column (reach_seed.c); made when first asked for.
typedef struct ReachMemory {
    void* memory;
    size_t size;
    Posture* given; ///< what it was called with
    Posture* best;  ///< of the least error
    Posture* kept;  ///< before the step that is tried
} ReachMemory;

struct PoiseTree {
    PoiseHost host;
    PoiseBallAxes ball_axes;
    uint16_t tag;
    uint64_t next_sequence;

    PoiseStatus status;
    char message[MESSAGE_CAPACITY];

    Node* nodes;
    NodeResult* results;
    int node_slots;
    int node_capacity;
    int* order; ///< slots of the living nodes, in the order of creation
    int node_count;

    Point* points;
    int point_slots;
    int point_capacity;
    int* point_order;
    int point_count;

    uint64_t frame_epoch;
    int fresh_nodes; ///< nodes whose frames are of this epoch
    bool has_omega;
    bool tracks; ///< nodes without columns have an omega too

    uint64_t revision; ///< of the sets

    double damping_gain; ///< k
    uint64_t kick_counter;
    bool has_force_torques; ///< some force_torque is not 0

    Layout layout;
    Stages stages;
    ReachMemory reach;

    // (mass, first moment) of what hangs on each node, by slot, for gravity
    double* subtree_mass;
    PoiseVec3* subtree_moment;
};

// host.c
/// count * size, or 0 on overflow.
size_t poise__array_size(size_t count, size_t size);
/// An array that grows: the address of the pointer to it, and the size of an element.
typedef struct Array {
    void* pointer;
    size_t element;
} Array;
/// Makes room for `needed` elements in each of the arrays, which share `capacity`, keeping the old
/// elements and zeroing the new ones. All or nothing: false without memory.
bool poise__arrays_grow(const PoiseHost* host, const Array* arrays, int count, int* capacity,
                        int needed);
void poise__arrays_finish(const PoiseHost* host, const Array* arrays, int count, int* capacity);

/// Hands out parts of one piece of memory, one after the other; with `base` NULL it only counts.
typedef struct Carver {
    char* base;
    size_t used;
} Carver;
void* poise__carve(Carver* carver, size_t count, size_t size);

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

// kinds.c: what tells the kinds of nodes apart
/// The most columns a kind has, and the numbers of its omega.
int poise__kind_dof(PoiseNodeKind kind);
const char* poise__kind_name(PoiseNodeKind kind);
/// Whether `angle` is (the first number of) its posture.
bool poise__kind_has_angle(PoiseNodeKind kind);
/// The columns the node has when it serves a point: its free axes.
int poise__node_dof(const Node* node);
/// Whether the numbers of its omega are its dofs, rather than vectors along its axes.
bool poise__node_is_direct(const Node* node);
/// The axis of each dof from the frames, world, and whether it moves along it.
void poise__node_axes(const Node* node, PoiseVec3* axes, unsigned char* linear);
/// Where its turning axes meet, world.
PoiseVec3 poise__node_anchor(const Node* node);
/// The three numbers of a node's omega that are a turn, NULL for a kind without; of a hinge or
/// universal node the unused ones are 0.
double* poise__turn_of(PoiseNodeKind kind, double omega[POISE_MAX_DOF]);
PoisePose poise__joint_motion(const Node* node);
/// theta (+) omega, inside the ranges.
void poise__node_move(Node* node, const double omega[POISE_MAX_DOF]);
/// limits.c: whether the numbers are a cone.
bool poise__is_cone(double swing_limit, double twist_lower, double twist_upper);
bool poise__node_has_cone(const Node* node);
/// The ball's axes while it has a cone, world: to swing farther, across, to twist.
void poise__cone_axes(const Node* node, PoiseVec3 axes[3]);
/// How far it may go about them.
void poise__cone_room(const Node* node, int dof, double* lower, double* upper);
/// The rotation nearest by swing and twist that the cone allows; bits 1 and 2 of the result: the
/// swing, the twist was held.
int poise__cone_hold(const Node* node, PoiseQuat* rotation);
/// Cuts the nodes' omega to their speeds and cones.
void poise__limits_hold(PoiseTree* tree, double step);
/// What is wrong with the numbers of a posture of the kind, or NULL.
const char* poise__posture_problem(PoiseNodeKind kind, const double* numbers, int count);
/// reference.c: adds rate N (theta_ref - theta) to the layout's omega, after poise__dual_solve.
void poise__reference_add(PoiseTree* tree, double rate);
/// The omega of the nodes that serve no point, all the way to their references.
void poise__reference_track(PoiseTree* tree, const PoiseSolveDef* def);
/// Whether a dof of the node has a range, and how far it may go before it ends.
bool poise__node_has_range(const Node* node);
void poise__node_room(const Node* node, int dof, double* lower, double* upper);

// point.c
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
void poise__layout_finish(PoiseTree* tree);

// the stages of a solve, in their order
/// goal.c: where the points are, and v, their whole error. Returns how many are not finite.
int poise__goal_fill(PoiseTree* tree);
/// jacobian.c, eqs. 2-11: J from the frames. Returns how many nodes are not finite.
int poise__jacobian_fill(PoiseTree* tree);
/// goal.c: clamps v, and sets the goals' velocities when the def has a step. Returns |v|.
double poise__goal_clamp(PoiseTree* tree, const PoiseSolveDef* def);

/// solve.c: how far each dof may go before it reaches its range, scaled, from the posture.
/// `step` bounds speeds, 0: no bound.
void poise__bounds_fill(const PoiseTree* tree, double step);

/// |v - J omega|, left in `residual`.
double poise__residual(Layout* layout);

/// sweep.c, eq. 23 in residual form: `omega` (by dof, scaled) from `target`, inside lower and upper
/// when `bounded`; else dofs that are fixed stay 0. Returns the sweeps done.
int poise__sweep_solve(Layout* layout, const double* target, double lambda, int sweeps,
                       bool bounded, double* omega);
/// sweep.c: so many sweeps more from the omega there is, inside lower and upper; leaves alpha.
void poise__sweep_on(Layout* layout, const double* target, double lambda, int sweeps);
/// dual.c: omega of the dofs that are not fixed, by factorisation, whatever their ranges. At most
/// POISE_MOST_DUAL_ROWS rows.
void poise__dual_solve(Layout* layout, const double* target, double lambda);
/// dual.c: J^# target with the factor and the free dofs that poise__dual_solve left, into `out` (by
/// dof, scaled).
void poise__dual_again(Layout* layout, const double* target, double* out);
/// cgls.c: the same for any number of rows, from the `omega` there is (by dof, scaled). Returns the
/// iterations done.
int poise__cgls_solve(Layout* layout, const double* target, double lambda, double* omega);
/// cgls.c: |target - J omega|^2 + lambda |omega|^2; leaves target - J omega in `residual`.
double poise__cost(Layout* layout, const double* target, double lambda, const double* omega);
/// cgls.c: J x and J^T rows, scaled, over all dofs.
void poise__jacobian_times(const Layout* layout, const double* x, double* rows);
void poise__jacobian_transpose_times(const Layout* layout, const double* rows, double* x);
/// box.c: omega inside lower and upper; leaves the dofs that ended on their bounds `fixed`. Returns
/// the cycles done.
int poise__box_solve(Layout* layout, const double* target, double lambda);
/// box.c: the plain least squares (DUAL, or CGLS when `matrix_free`), and BOX where its answer
/// leaves a range, which `ranged` tells. What AUTO does.
int poise__ranged_solve(Layout* layout, const double* target, double lambda, bool matrix_free,
                        bool* ranged);
/// box.c: whether some omega is outside its range.
bool poise__is_outside(const Layout* layout);
/// dual.c: b becomes a^-1 b by Cholesky; a is positive, m x m, its lower triangle is used up.
void poise__factor_solve(double* a, int m, double* b);
/// priority.c: makes the memory of the levels; call when the layout is fresh.
PoiseStatus poise__levels_make(PoiseTree* tree);
void poise__levels_finish(PoiseTree* tree);
static inline bool poise__has_levels(const Layout* layout) {
    return layout->levels.first < layout->levels.last;
}
/// priority.c: omega (by dof, scaled), level after level. Returns how many levels there are.
int poise__levels_solve(Layout* layout, const double* target, const LevelDamping* damping,
                        double* omega);
/// solve.c: whether a step turned back on the one before; what k becomes then, or else.
bool poise__turned_back(const double* omega, const double* previous, int count);
double poise__gain_grown(double gain);
double poise__gain_faded(double gain);
/// solve.c: omega from the layout to the nodes' results, unscaled, and back into world axes.
void poise__publish(PoiseTree* tree, const double* by_dof, size_t member);

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

// reach_step.c: one start of a reach
typedef struct Search {
    PoiseTree* tree;
    const PoiseReachDef* def;
    bool hurried; ///< other starts wait: ends where the error falls too slowly
    double damping;
    double error; ///< E of the posture
    int iterations;
    PoiseReachReason reason;
    double best_error; ///< of the posture in ReachMemory.best, which is the best of all starts
    int best_start;
} Search;
/// E and the frames, goals and v of the posture; HUGE_VAL where it is not finite.
double poise__reach_measure(PoiseTree* tree);
bool poise__reach_is_met(const PoiseTree* tree, const PoiseReachDef* def);
/// From the posture as it is to where it ends; `reason` says why.
void poise__reach_search(Search* search, int start);

#endif
