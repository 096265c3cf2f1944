// SPDX-License-Identifier: MIT
// The data of a tree: nodes, points, and the functions that the files of this folder share.
#ifndef POISE_TREE_PRIVATE_H
#define POISE_TREE_PRIVATE_H

#include "joint.h"
#include "poise/ik.h"
#include "shared/dense.h"
#include "shared/node_numbers.h"

// Values of `cookie` that the poise_default_*_def functions set. A def with another value was not
// made by them and is refused.
enum { COOKIE_TREE = 0x50540001, COOKIE_POINT = 0x50500001 };

/// Number of the caller's priorities (0 to 15), and of levels of a solve.
enum {
    POISE_PRIORITIES = 16,
    POISE_LEVELS = POISE_PRIORITIES + 1 ///< one more for closures
};
enum { NO_SLOT = -1, MESSAGE_CAPACITY = 256 };

/// Returns the rows of a priority level as rows to add to a basis. A row is dependent if
/// orthogonalisation leaves at most this part of the longest row: 1e-6 for closures, because a
/// closed loop is open by its tolerance; else 1e-13.
static inline PoiseAddedRows poise__level_rows(int priority, int count, int stride,
                                               double* numbers) {
    const bool closure = priority == POISE_PRIORITY_CLOSURE;
    return (PoiseAddedRows){count, stride, numbers, closure ? 1e-6 : 1e-13, closure};
}

/// A node. The members that a step of a hinge reads are adjacent in memory, at the end of Node and
/// at the start of `joint`, to need few cache lines.
typedef struct Node {
    uint64_t sequence; ///< order of creation
    double step_lower;
    double step_upper;
    double mass;
    PoiseVec3 com_link;

    PoisePose base;
    PoiseVec3 base_velocity; ///< velocity of the base's origin, world, m/s
    PoiseVec3 base_spin;
    double reference[POISE_MAX_NQ]; ///< in the order of poise_node_posture
    double reference_weight;        ///< > 0: the reference has rows in the least squares

    double step_before[POISE_MAX_NV]; ///< last step, for the adaptive damping

    // sums over this link and all links that it carries (poise__gather_subtrees)
    double subtree_mass;
    PoiseVec3 subtree_moment; ///< sum of mass times centre of mass, world, kg m

    // results of poise_solve and poise_forces, in the order of their getters' arrays
    double force_torque[POISE_MAX_NV];
    double gravity_torque[POISE_MAX_NV];
    double omega[POISE_MAX_NV];
    double velocity[POISE_MAX_NV];

    int parent; ///< slot, or NO_SLOT on the base
    uint16_t generation;
    bool alive;
    bool enabled;
    bool has_step_range; ///< hinge or slider: step_lower and step_upper bound the solves
    bool has_reference;
    bool has_omega;      ///< poise_advance has not yet applied omega
    bool step_is_direct; ///< step_before has a number for each velocity, not for each column of J
    uint8_t step_before_count; ///< numbers in step_before, 0: none
    double max_speed;
    double scale;         ///< 1 / sqrt(bias)
    uint64_t frame_epoch; ///< equal to that of the tree if the joint's frames are fresh
    Joint joint;
} Node;

/// A node of a coupled group, the leader included: q_node = ratio * q_leader + offset (couple.c).
typedef struct Tie {
    int node;     ///< slot of the node
    int leader;   ///< slot of the leader
    double ratio; ///< not 0; 1 for the leader itself
    double offset;
    // the node's own limits; the leader's joint has the limits that the whole group allows
    double lower;
    double upper;
    double max_speed;
} Tie;

/// The state of the straight-arm escape for a point (escape.c).
typedef struct EscapeMemory {
    int steps_since_kick;
    int fruitless_kicks;
    double error_at_kick;
    PoiseVec3 goal_at_kick;
} EscapeMemory;

/// The motion of a goal, estimated from the goal's positions in successive solves of a simulation.
/// Arrays: [0] linear, [1] angular.
typedef struct GoalMotion {
    PoisePose last; ///< goal at its last change; `pointed`: direction at this change
    PoiseVec3 pointed;
    double age;          ///< time since the last change, s
    double period;       ///< time between the last two changes, s
    PoiseVec3 steps[2];  ///< last change divided by the period, m/s and rad/s; or a given velocity
    PoiseVec3 speeds[2]; ///< `steps` after the filter
    PoiseVec3 rates[2];  ///< derivatives of `speeds`
    // the goal predicted from its last changes if these are smooth
    double smooth;         ///< 0 (noise or a corner) to 1
    PoiseVec3 bends[2];    ///< change of `steps` divided by the period, m/s^2 and rad/s^2
    PoiseVec3 off[2];      ///< error of the prediction at the last change, which decays, m and rad
    PoiseVec3 off_rate[2]; ///< derivatives of `off`
    PoiseVec3 place[2];    ///< predicted goal minus the goal, m and rad
    PoiseVec3 pace[2];     ///< velocity of the predicted goal in the last step, m/s and rad/s
    PoiseVec3 velocity[2]; ///< estimated velocity of the goal: speeds and pace weighted by `smooth`
} GoalMotion;

/// The goal that solves of a simulation pursue while the point's acceleration or jerk is bounded,
/// in the goal's frame (goal_track.c). Arrays: [0] linear, [1] angular.
typedef struct GoalTrack {
    PoisePose place;
    PoiseVec3 direction; ///< axis of a direction point
    PoiseVec3 velocity[2];
    PoiseVec3 acceleration[2];
    bool runs; ///< false: the track starts at the point's pose in the next solve
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
    PoiseVec3 direction; ///< in the goal's frame
    unsigned rows;
    bool yields;      ///< the point yields in a direction, with its present force and torque
    bool follow[2];   ///< [0] linear, [1] angular: velocity estimated (true) or set by the caller
    bool is_followed; ///< `motion` has the goal of the solve before
    double max_speed;
    double max_turn_speed;
    double max_acceleration[2]; ///< [0] linear, [1] angular; infinity: no bound
    double max_jerk[2];
    GoalMotion motion;
    GoalTrack track;
    PoiseVec3 force;
    PoiseVec3 torque;
    double weight;

    // Nd(point) in the tree's lists, see poise__point_nodes
    int first_node;
    int node_count;

    double damping_gain; ///< gain k of the point's damping (damping.c)
    EscapeMemory escape;
    bool is_met;  ///< within the tolerances at the last solve
    int priority; ///< 0 is first; POISE_PRIORITY_CLOSURE comes before 0

    // members that few steps read
    uint64_t sequence;
    PoiseVec3 axis; ///< direction, look-at: axis in the point's frame
    PoiseRowAxes row_axes;
    PoiseYield yield;
    unsigned yield_rows;
    double tip_radius;
    PoiseVec3 goal_velocity; ///< set by the caller
    PoiseVec3 goal_angular_velocity;
} Point;

/// The members of a tree that a saved state contains besides nodes, points and ties.
typedef struct TreeState {
    uint64_t next_sequence;
    uint64_t frame_epoch;
    uint64_t kick_counter;
    double omega_step;           ///< s: length of the step of the nodes' omega; 0: none
    int32_t fresh_nodes;         ///< number of nodes whose frames have this epoch
    uint8_t has_omega;           ///< a node's omega may differ from 0
    uint8_t has_references;      ///< a node has or had a reference
    uint8_t bases_move;          ///< a base has or had a velocity
    uint8_t has_force_torques;   ///< a node's force_torque differs from 0
    uint8_t has_gravity_torques; ///< a node's gravity_torque may differ from 0
    uint8_t speeds_held;         ///< a speed limit bounded a joint in the last solve
    uint8_t unused[6];
} TreeState;

/// A source of inequality rows for the steps of a tree (solve/step_rows.c), a member of its owner's
/// struct.
typedef struct RowSource {
    struct RowSource* next;
    struct PoiseTree* tree; ///< NULL after the tree is destroyed
    int most_rows;          ///< largest number of rows of a step
    /// Adds the rows of a step of `step` s, 0 without a simulation, from the fresh frames.
    void (*fill)(struct RowSource* source, double step);
    /// Returns the factor, 0..1, by which the nodes' omega must be multiplied.
    double (*limit)(const struct RowSource* source);
} RowSource;

struct PoiseTree {
    PoiseHost host;
    PoiseBallAxes ball_axes;
    uint16_t tag;
    TreeState state;

    PoiseTreeClaim* claim;  ///< the claim on this tree, or NULL
    RowSource* row_sources; ///< in the order in which they were added

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

    int* lists; ///< Nd(point) of all points, contiguous, in the order of the points' slots; never
                ///< NULL
    int list_count;
    int list_capacity;

    uint64_t revision;     ///< changes with the sets, limits, weights and biases
    uint64_t set_revision; ///< changes with the sets alone

    // the solver's memory; the tree only calls finish_solver to free it
    struct Solver* solver;
    void (*finish_solver)(PoiseTree* tree);

    char message[MESSAGE_CAPACITY]; ///< message of `status`; last, because no step reads it
};

// tree.c
/// Logs the status and its message, and returns the status. The tree keeps the first error.
PoiseStatus poise__fail(PoiseTree* tree, PoiseStatus status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/// Makes room for `count` slots in all.
bool poise__tree_reserve_nodes(PoiseTree* tree, int count);
bool poise__tree_reserve_points(PoiseTree* tree, int count);
/// Returns the node of a handle, or NULL. poise__node_or_fail also records the error with the name
/// of the call.
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

/// Makes the handles of a slot invalid by its next generation. A slot with the last generation is
/// not used again, so that no old handle names a new node or point.
static inline void poise__retire(uint16_t* generation) {
    if (*generation < UINT16_MAX) {
        ++*generation;
    }
}

/// Adds a source of rows after the others; removes a source, if its tree still exists.
void poise__row_source_add(PoiseTree* tree, RowSource* source);
void poise__row_source_remove(RowSource* source);
Node* poise__node_or_fail(PoiseTree* tree, PoiseNodeId id, const char* call);
Point* poise__point_or_fail(PoiseTree* tree, PoisePointId id, const char* call);
/// Returns the status for an invalid handle, also if the tree is NULL.
static inline PoiseStatus poise__no_handle(const PoiseTree* tree) {
    return tree ? POISE_ERROR_INVALID_HANDLE : POISE_ERROR_INVALID_ARGUMENT;
}
PoiseNodeId poise__node_id(const PoiseTree* tree, int slot);
PoisePointId poise__point_id(const PoiseTree* tree, int slot);
int poise__node_slot(const PoiseTree* tree, const Node* node);
int poise__point_slot(const PoiseTree* tree, const Point* point);
/// Returns Nd(point): slots in the order of creation, so nodes nearer the base come first.
static inline const int* poise__point_nodes(const PoiseTree* tree, const Point* point) {
    return &tree->lists[point->first_node];
}
/// Makes room for `more` elements in the lists of all points together.
bool poise__lists_reserve(PoiseTree* tree, int more);
void poise__make_stale(PoiseTree* tree);
/// Increments both revisions after a change of the sets.
void poise__sets_changed(PoiseTree* tree);

// node.c
/// Returns the name of a node's kind, for messages.
static inline const char* poise__kind_name(const Node* node) {
    return poise__joint_type(&node->joint)->name;
}
/// True if a step bounds a column of the node.
static inline bool poise__node_is_bounded(const Node* node) {
    return node->joint.limited || node->max_speed < HUGE_VAL || node->has_step_range;
}

// posture.c
// Fills all frames from the posture (poise_forward). Applies omega to the posture (poise_advance).
void poise__forward(PoiseTree* tree);
void poise__advance(PoiseTree* tree);

// couple.c: coupled groups of nodes
/// Returns the node's tie, or NULL if it is in no group.
Tie* poise__tie(const PoiseTree* tree, int slot);
/// Returns the ties of the node's group, the leader's first. NULL and count 0 if it is in no group.
const Tie* poise__tie_group(const PoiseTree* tree, int slot, int* count);
/// Returns the slot of the node's leader, or the node's own slot if it is in no group.
int poise__leader(const PoiseTree* tree, int slot);
/// True if the node and all nodes of its group are enabled.
bool poise__group_is_enabled(const PoiseTree* tree, int slot);
/// Returns the coordinate that the leader implies for the node of the tie.
double poise__followed(const PoiseTree* tree, const Tie* tie);
/// Sets the followers of enabled groups to the coordinates that their leaders imply.
void poise__ties_follow(PoiseTree* tree);
/// Sets the node's own limits. False, with nothing changed, if they leave the group no common
/// value.
bool poise__tie_set_range(PoiseTree* tree, Tie* tie, double lower, double upper);
void poise__tie_set_speed(PoiseTree* tree, Tie* tie, double speed);
/// Removes the ties of destroyed nodes.
void poise__ties_forget(PoiseTree* tree);
bool poise__ties_reserve(PoiseTree* tree, int count);

// point_frame.c
bool poise__are_rows(PoisePointKind kind, unsigned rows, PoiseRowAxes axes);
/// True if the point has position rows; true if it has orientation rows.
bool poise__point_has_position(const Point* point);
bool poise__point_has_orientation(const Point* point);
/// True if the place, or the rotation, of the goal is tracked: its acceleration or jerk is bounded.
/// The rotation of a look-at point never is.
bool poise__tracks_place(const Point* point);
bool poise__tracks_turn(const Point* point);
/// True if all three position rows are active.
bool poise__has_whole_place(const Point* point);
/// Returns the number of the point's active rows.
int poise__point_rows(const Point* point);
/// Returns the pose of the goal's frame in the world; returns the goal's pose in the world.
PoisePose poise__point_frame(const PoiseTree* tree, const Point* point);
PoisePose poise__point_goal(const PoiseTree* tree, const Point* point);
/// Rotates a vector from the goal's frame to world axes.
PoiseVec3 poise__from_goal_frame(const PoiseTree* tree, const Point* point, PoiseVec3 v);
/// Returns the goal's velocity in its frame, set or estimated. k: 0 linear, 1 angular.
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
/// Returns the rotation of the point's row axes. `turn` is the rotation of the point's own frame.
PoiseQuat poise__point_row_turn(const PoiseTree* tree, const Point* point, PoiseQuat turn);
/// Removes from two vectors their components along the directions in which the point yields.
void poise__yield_drop(const PoiseTree* tree, const Point* point, PoiseQuat turn, PoiseVec3* linear,
                       PoiseVec3* angular);

// aim.c: an axis that should have a direction
/// The axis of a direction or look-at point, and its goal, world.
typedef struct Aim {
    PoiseVec3 axis;  ///< present direction
    PoiseVec3 sight; ///< look-at: unit vector to the goal divided by the goal's distance, 1/m; else
                     ///< 0
    PoiseVec3 angle; ///< rotation vector from the axis to its goal
} Aim;
/// Returns the rotation vector from one direction to another, both of length 1. Exact to rounding
/// near 0 and near pi. The axis for opposite directions is `at_half_turn`, perpendicular to `from`.
PoiseVec3 poise__turn_between(PoiseVec3 from, PoiseVec3 to, PoiseVec3 at_half_turn);
/// Returns a direction perpendicular to a direction.
PoiseVec3 poise__perpendicular(PoiseVec3 axis);
/// Computes the aim of a point whose pose is `pose`.
Aim poise__aim_of(const PoiseTree* tree, const Point* point, PoisePose pose);

// mass.c
// Fills subtree_mass and subtree_moment of all nodes, from the frames.
void poise__gather_subtrees(PoiseTree* tree);
/// Returns the centre of mass, world, of the links that `root` carries; the position of its link if
/// they have no mass.
PoiseVec3 poise__com(const PoiseTree* tree, int root);

// sets.c
/// True if the node lies on the path from `slot` to the base, `slot` included.
bool poise__carries(const PoiseTree* tree, int node, int slot);
/// Returns how the node moves the point: 1, -1 (it moves the goal's frame), 0 (it does not).
int poise__point_sign(const PoiseTree* tree, int node, const Point* point);
/// Returns the slot of the root of the links that `node` moves and whose mass counts for a
/// centre-of-mass point.
int poise__point_part(const PoiseTree* tree, int node, const Point* point);
/// Removes the nodes that `root` carries, and `root`, from the lists of the points.
void poise__sets_forget(PoiseTree* tree, int root);
/// Empties the list of a point.
void poise__list_clear(PoiseTree* tree, Point* point);
double poise__point_reach(const PoiseTree* tree, const Point* point);

#endif
