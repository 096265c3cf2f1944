// SPDX-License-Identifier: MIT
// The data of a tree: nodes, points, coupled groups, and functions that this folder shares.
#ifndef POISE_TREE_PRIVATE_H
#define POISE_TREE_PRIVATE_H

#include "joint.h"
#include "poise/ik.h"
#include "shared/dense.h"
#include "shared/node_numbers.h"

// Values of the member `cookie`. A def with another value was not made by a poise_default_*_def
// function, and is refused.
enum { COOKIE_TREE = 0x50540001, COOKIE_POINT = 0x50500001 };

/// Number of the priorities that callers use, 0 to 15, and number of the levels of a solve.
enum {
    POISE_PRIORITIES = 16,
    POISE_LEVELS = POISE_PRIORITIES + 1 ///< the level of closures comes first
};
enum { NO_SLOT = -1, MESSAGE_CAPACITY = 256 };

/// Describes the rows of a priority level for poise_basis_add_rows. A row is dependent if its
/// remainder is at most 1e-13 of the longest row. The limit is 1e-6 for closures, because a loop is
/// closed only within its tolerance.
static inline PoiseAddedRows poise__level_rows(int priority, int count, int stride,
                                               double* numbers) {
    const bool closure = priority == POISE_PRIORITY_CLOSURE;
    return (PoiseAddedRows){count, stride, numbers, closure ? 1e-6 : 1e-13, closure};
}

/// A node. Members that a step of a hinge reads are adjacent, at the end of Node and the start of
/// `joint`, so that they fill few cache lines.
typedef struct Node {
    uint64_t sequence; ///< number of nodes created before
    double step_lower;
    double step_upper;
    double mass;
    PoiseVec3 com_link;

    PoisePose base;
    PoiseVec3 base_velocity; ///< velocity of the base's origin, world, m/s
    PoiseVec3 base_spin;
    double reference[POISE_MAX_NQ]; ///< coordinates in the order of poise_node_posture
    double reference_weight;        ///< > 0: the least squares contain rows for the reference

    double step_before[POISE_MAX_NV]; ///< last step, from which the damping adapts

    // mass (kg) of this link and all links it carries (poise__gather_subtrees)
    double subtree_mass;
    PoiseVec3 subtree_moment; ///< sum of mass times centre of mass, world, kg m

    // results of poise_forces, poise_gravity and poise_solve, in the order of poise_node_omega
    double force_torque[POISE_MAX_NV];
    double gravity_torque[POISE_MAX_NV];
    double omega[POISE_MAX_NV];
    double velocity[POISE_MAX_NV];

    int parent; ///< slot of the parent, or NO_SLOT on the base
    uint16_t generation;
    bool alive;
    bool enabled;
    bool has_step_range; ///< step_lower and step_upper bound the step of this hinge or slider
    bool has_reference;
    bool has_omega;            ///< omega is a step that poise_advance has not applied yet
    bool step_is_direct;       ///< step_before is by velocity of the joint, not by column of J
    uint8_t step_before_count; ///< count of the numbers in step_before; 0: none
    double max_speed;
    double scale;         ///< 1 / sqrt(bias)
    uint64_t frame_epoch; ///< the joint's frames are fresh if this equals TreeState.frame_epoch
    Joint joint;
} Node;

/// A node of a coupled group, the leader included: q_node = ratio * q_leader + offset (couple.c).
typedef struct Tie {
    int node;     ///< slot of the node
    int leader;   ///< slot of the leader
    double ratio; ///< not 0; 1 for the leader itself
    double offset;
    // limits of this node alone; the joint of the leader has those of the group
    double lower;
    double upper;
    double max_speed;
} Tie;

/// A point's memory of the straight-arm escape (escape.c).
typedef struct EscapeMemory {
    int steps_since_kick;
    int fruitless_kicks;
    double error_at_kick;
    PoiseVec3 goal_at_kick;
} EscapeMemory;

/// How a goal moves, estimated from its changes in successive solves of a simulation
/// (solve/goal_motion.c). Arrays: [0] linear, [1] angular.
typedef struct GoalMotion {
    PoisePose last; ///< goal after its last change; `pointed`: its direction
    PoiseVec3 pointed;
    double age;          ///< time since the last change, s
    double period;       ///< time between the last two changes, s
    PoiseVec3 steps[2];  ///< last change over the period, or the caller's velocity, m/s, rad/s
    PoiseVec3 speeds[2]; ///< `steps` after the filter
    PoiseVec3 rates[2];  ///< derivatives of `speeds`
    // prediction from the last changes, in use while the goal moves smoothly
    double smooth;         ///< smoothness: 0 (noise or a corner) to 1
    PoiseVec3 bends[2];    ///< change of `steps` over the period, m/s^2 and rad/s^2
    PoiseVec3 off[2];      ///< prediction error at the last change, which decays, m and rad
    PoiseVec3 off_rate[2]; ///< derivatives of `off`
    PoiseVec3 place[2];    ///< displacement from the set goal to the predicted one, m and rad
    PoiseVec3 pace[2];     ///< velocity of the predicted goal in the last step, m/s and rad/s
    PoiseVec3 velocity[2]; ///< estimated velocity: mean of speeds and pace by `smooth`
} GoalMotion;

/// The tracked place of a point whose acceleration or jerk is bounded: solves of a simulation
/// pursue it instead of the goal. In the goal's frame (goal_track.c). Arrays: [0] linear, [1]
/// angular.
typedef struct GoalTrack {
    PoisePose place;
    PoiseVec3 direction; ///< tracked direction of the axis of a direction point
    PoiseVec3 velocity[2];
    PoiseVec3 acceleration[2];
    bool runs; ///< false: the next solve starts the track at the point's pose
} GoalTrack;

typedef struct Point {
    PoisePointKind kind;
    int link; ///< slot of the node whose link the point is on
    uint16_t generation;
    bool alive;
    bool enabled;
    int frame; ///< slot of the node whose link is the goal's frame, or NO_SLOT

    PoisePose in_link;
    PoisePose goal;
    PoiseVec3 direction; ///< goal of a direction point, in the goal's frame
    unsigned rows;
    bool yields; ///< the present force, torque or yield_rows make the point yield in some direction
    bool follow[2];   ///< [0] linear, [1] angular: velocity estimated (else set by the caller)
    bool is_followed; ///< the last solve has updated `motion`
    double max_speed;
    double max_turn_speed;
    double max_acceleration[2]; ///< [0] linear, [1] angular; infinity: no bound
    double max_jerk[2];
    GoalMotion motion;
    GoalTrack track;
    PoiseVec3 force;
    PoiseVec3 torque;
    double weight;

    // position and length of Nd(point) in PoiseTree.lists
    int first_node;
    int node_count;

    double damping_gain; ///< gain k of the point's damping (damping.c)
    EscapeMemory escape;
    bool is_met;  ///< the point was within the tolerances at the last solve
    int priority; ///< 0 is first; POISE_PRIORITY_CLOSURE comes before 0

    // members that steps rarely read
    uint64_t sequence;
    PoiseVec3 axis; ///< direction, look-at: axis in the point's frame
    PoiseRowAxes row_axes;
    PoiseYield yield;
    unsigned yield_rows;
    double tip_radius;
    PoiseVec3 goal_velocity; ///< set by the caller
    PoiseVec3 goal_angular_velocity;
} Point;

/// The plain members of a tree. A saved state contains them with the nodes, points and ties.
typedef struct TreeState {
    uint64_t next_sequence;
    uint64_t frame_epoch;
    uint64_t kick_counter;
    double omega_step;           ///< step of the solve that computed omega, s; 0: no simulation
    int32_t fresh_nodes;         ///< number of nodes with the frame_epoch of the tree
    uint8_t has_omega;           ///< omega of some node may differ from 0
    uint8_t has_references;      ///< some node has or had a reference
    uint8_t bases_move;          ///< some base has or had a velocity
    uint8_t has_force_torques;   ///< force_torque of some node differs from 0
    uint8_t has_gravity_torques; ///< gravity_torque of some node may differ from 0
    uint8_t speeds_held;         ///< a speed limit bounded a joint in the last solve
    uint8_t unused[6];
} TreeState;

/// A source of inequality rows for the steps of a tree (solve/step_rows.c). The owner, such as
/// collision avoidance, embeds it in its own struct.
typedef struct RowSource {
    struct RowSource* next;
    struct PoiseTree* tree; ///< NULL after the tree is destroyed
    int most_rows;          ///< largest number of rows in one step
    /// Adds the rows for a step of `step` s (0: no simulation). The frames are fresh.
    void (*fill)(struct RowSource* source, double step);
    /// Returns a factor, 0..1, that the step needs beyond the rows; it multiplies the nodes' omega.
    double (*limit)(const struct RowSource* source);
} RowSource;

struct PoiseTree {
    PoiseHost host;
    PoiseBallAxes ball_axes;
    uint16_t tag;
    TreeState state;

    PoiseTreeClaim* claim;  ///< the claim on this tree, or NULL
    RowSource* row_sources; ///< linked list, in the order of addition

    PoiseStatus status;

    Node* nodes;
    int node_slots;
    int node_capacity;
    int* order; ///< slots of the existing nodes, in the order of creation
    int node_count;

    Tie* ties; ///< group after group, the leader's tie first
    int tie_count;
    int tie_capacity;

    Point* points;
    int point_slots;
    int point_capacity;
    int* point_order;
    int point_count;

    int* lists; ///< Nd(point) of all points, one after the other by the points' slots; never NULL
    int list_count;
    int list_capacity;

    uint64_t revision;     ///< increases with every change of sets, limits, weights and biases
    uint64_t set_revision; ///< increases with every change of the sets

    // the solver's memory; finish_solver frees it
    struct Solver* solver;
    void (*finish_solver)(PoiseTree* tree);

    /// Message of `status`; the last member, because no step reads it.
    char message[MESSAGE_CAPACITY];
};

// tree.c
/// Logs the status with its message, and returns it. The tree stores the first error.
PoiseStatus poise__fail(PoiseTree* tree, PoiseStatus status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/// Enlarges the arrays to at least `count` slots. False without memory.
bool poise__tree_reserve_nodes(PoiseTree* tree, int count);
bool poise__tree_reserve_points(PoiseTree* tree, int count);
/// Returns the node of a handle, or NULL if the handle is invalid. poise__node_or_fail also records
/// this error with the name of the call.
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

/// Increments the generation of a slot, which makes its handles invalid. At the last generation the
/// slot stays unused, so that no old handle fits a new node or point.
static inline void poise__retire(uint16_t* generation) {
    if (*generation < UINT16_MAX) {
        ++*generation;
    }
}

/// The first function adds a source of rows at the end of the list. The second removes a source,
/// unless its tree is already destroyed.
void poise__row_source_add(PoiseTree* tree, RowSource* source);
void poise__row_source_remove(RowSource* source);
Node* poise__node_or_fail(PoiseTree* tree, PoiseNodeId id, const char* call);
Point* poise__point_or_fail(PoiseTree* tree, PoisePointId id, const char* call);
/// Returns the error for an invalid handle; `tree` may be NULL.
static inline PoiseStatus poise__no_handle(const PoiseTree* tree) {
    return tree ? POISE_ERROR_INVALID_HANDLE : POISE_ERROR_INVALID_ARGUMENT;
}
PoiseNodeId poise__node_id(const PoiseTree* tree, int slot);
PoisePointId poise__point_id(const PoiseTree* tree, int slot);
int poise__node_slot(const PoiseTree* tree, const Node* node);
int poise__point_slot(const PoiseTree* tree, const Point* point);
/// Returns Nd(point): slots in the order of creation, so that nodes nearer to the base come first.
static inline const int* poise__point_nodes(const PoiseTree* tree, const Point* point) {
    return &tree->lists[point->first_node];
}
/// Enlarges PoiseTree.lists by `more` elements. False without memory.
bool poise__lists_reserve(PoiseTree* tree, int more);
void poise__make_stale(PoiseTree* tree);
/// Increments revision and set_revision.
void poise__sets_changed(PoiseTree* tree);

// node.c
/// Returns the name of a node's kind, for messages.
static inline const char* poise__kind_name(const Node* node) {
    return poise__joint_type(&node->joint)->name;
}
/// True if a step of the node has bounds.
static inline bool poise__node_is_bounded(const Node* node) {
    return node->joint.limited || node->max_speed < HUGE_VAL || node->has_step_range;
}

// posture.c
// The first function fills all frames from the posture, the second applies omega to the posture.
void poise__forward(PoiseTree* tree);
void poise__advance(PoiseTree* tree);

// couple.c: coupled groups of nodes
/// Returns the tie of a coupled node; NULL if it is not coupled.
Tie* poise__tie(const PoiseTree* tree, int slot);
/// Returns the ties of the node's group, the leader's first. NULL and count 0 if it is not coupled.
const Tie* poise__tie_group(const PoiseTree* tree, int slot, int* count);
/// Returns the slot of the node's leader, or its own slot if it is not coupled.
int poise__leader(const PoiseTree* tree, int slot);
/// True if the node and all nodes coupled to it are enabled.
bool poise__group_is_enabled(const PoiseTree* tree, int slot);
/// Returns the coordinate of the tie's node that its leader's coordinate implies.
double poise__followed(const PoiseTree* tree, const Tie* tie);
/// Sets followers to the coordinates that their leaders imply, in groups that are enabled.
void poise__ties_follow(PoiseTree* tree);
/// Sets the node's own limits. False, with nothing changed, if its group has no common value then.
bool poise__tie_set_range(PoiseTree* tree, Tie* tie, double lower, double upper);
void poise__tie_set_speed(PoiseTree* tree, Tie* tie, double speed);
/// Removes the ties of destroyed nodes.
void poise__ties_forget(PoiseTree* tree);
bool poise__ties_reserve(PoiseTree* tree, int count);

// point_frame.c
bool poise__are_rows(PoisePointKind kind, unsigned rows, PoiseRowAxes axes);
/// True if the point has position rows, or orientation rows in the second function.
bool poise__point_has_position(const Point* point);
bool poise__point_has_orientation(const Point* point);
/// True if the goal's place, or its rotation, is tracked within a bound of acceleration or jerk.
/// The rotation of a look-at point never is.
bool poise__tracks_place(const Point* point);
bool poise__tracks_turn(const Point* point);
/// True if all three position rows are active.
bool poise__has_whole_place(const Point* point);
/// Returns the number of the point's active rows.
int poise__point_rows(const Point* point);
/// Returns the pose of the goal's frame, and in the second function of the goal itself, world.
PoisePose poise__point_frame(const PoiseTree* tree, const Point* point);
PoisePose poise__point_goal(const PoiseTree* tree, const Point* point);
/// Rotates a vector from the goal's frame to world axes.
PoiseVec3 poise__from_goal_frame(const PoiseTree* tree, const Point* point, PoiseVec3 v);
/// Returns the goal's velocity in the goal's frame, set or estimated: linear if k is 0, angular if
/// k is 1.
PoiseVec3 poise__goal_velocity(const Point* point, int k);
PoisePose poise__point_world(const PoiseTree* tree, const Point* point);
/// Removes an existing point from the tree.
void poise__point_remove(PoiseTree* tree, int slot);

// yield.c: in which directions a point yields to a force
bool poise__is_yield(PoiseYield yield, unsigned rows);
/// True if the caller asks for a force or a torque.
static inline bool poise__point_asks(const Point* point) {
    return poise_dot(point->force, point->force) + poise_dot(point->torque, point->torque) > 0.0;
}
/// Sets point->yields from the point's other members.
void poise__point_note_yield(Point* point);
/// Returns the rotation of the point's row axes, world; `turn`: rotation of the point's own frame.
PoiseQuat poise__point_row_turn(const PoiseTree* tree, const Point* point, PoiseQuat turn);
/// Removes from both vectors their components in the directions in which the point yields.
void poise__yield_drop(const PoiseTree* tree, const Point* point, PoiseQuat turn, PoiseVec3* linear,
                       PoiseVec3* angular);

// aim.c: axes that should have a given direction
/// The axis of a direction or look-at point and the direction that it should have, world.
typedef struct Aim {
    PoiseVec3 axis;  ///< present direction
    PoiseVec3 sight; ///< look-at: direction to the goal divided by the goal's distance, 1/m; else 0
    PoiseVec3 angle; ///< rotation vector from `axis` to the direction it should have
} Aim;
/// Returns the rotation vector from one unit direction to another, exact to rounding also near 0
/// and pi. `at_half_turn`, perpendicular to `from`, is the axis if they are opposite.
PoiseVec3 poise__turn_between(PoiseVec3 from, PoiseVec3 to, PoiseVec3 at_half_turn);
/// Returns a unit vector perpendicular to `axis`.
PoiseVec3 poise__perpendicular(PoiseVec3 axis);
/// Computes the aim of a point at the pose `pose`.
Aim poise__aim_of(const PoiseTree* tree, const Point* point, PoisePose pose);

// mass.c
// Fills subtree_mass and subtree_moment of all nodes from the frames.
void poise__gather_subtrees(PoiseTree* tree);
/// Returns the centre of mass of the links that `root` carries, world. It is the position of the
/// root's link if they have no mass.
PoiseVec3 poise__com(const PoiseTree* tree, int root);

// sets.c
/// True if the path from `slot` to the base, `slot` included, contains the node.
bool poise__carries(const PoiseTree* tree, int node, int slot);
/// Returns 1 if the node moves the point, -1 if it moves the goal's frame, 0 if neither.
int poise__point_sign(const PoiseTree* tree, int node, const Point* point);
/// Returns the root of the links that `node` moves, of those whose mass a centre-of-mass point
/// includes.
int poise__point_part(const PoiseTree* tree, int node, const Point* point);
/// Removes `root` and the nodes that it carries from the lists of all points.
void poise__sets_forget(PoiseTree* tree, int root);
/// Empties the list of a point.
void poise__list_clear(PoiseTree* tree, Point* point);
double poise__point_reach(const PoiseTree* tree, const Point* point);

#endif
