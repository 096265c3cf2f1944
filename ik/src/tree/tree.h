// SPDX-License-Identifier: MIT
// The tree as it lies in memory: nodes, points, and what its files share.
#ifndef POISE_TREE_PRIVATE_H
#define POISE_TREE_PRIVATE_H

#include "joint.h"
#include "poise/ik.h"
#include "poise/node_numbers.h"

// set by the poise_default_*_def functions, so that a def made by hand is noticed
enum { COOKIE_TREE = 0x50540001, COOKIE_POINT = 0x50500001 };

/// Priorities are 0 to one less.
enum {
    POISE_PRIORITIES = 16,
    POISE_LEVELS = POISE_PRIORITIES + 1 ///< and that of closures
};
enum { NO_SLOT = -1, MESSAGE_CAPACITY = 256 };

/// What a step reads of a hinge stands together, at the end and in the beginning of the joint.
typedef struct Node {
    uint64_t sequence; ///< order of creation
    double step_lower;
    double step_upper;
    double mass;
    PoiseVec3 com_link;

    PoisePose base;
    PoiseVec3 base_velocity; ///< of its origin, world
    PoiseVec3 base_spin;
    double reference[POISE_MAX_NQ]; ///< as poise_node_posture
    double reference_weight;        ///< > 0: it has rows of its own

    double step_before[POISE_MAX_NV]; ///< what the damping compares the next step with

    // of what hangs on it: poise__gather_subtrees
    double subtree_mass;
    PoiseVec3 subtree_moment; ///< first moment, world

    // what the solve and the forces say of it, as the getters hand it out
    double force_torque[POISE_MAX_NV];
    double gravity_torque[POISE_MAX_NV];
    double omega[POISE_MAX_NV];
    double velocity[POISE_MAX_NV];

    int parent; ///< slot, or NO_SLOT on the base
    uint16_t generation;
    bool alive;
    bool enabled;
    bool has_step_range; ///< one degree of freedom: of the solves that follow
    bool has_reference;
    bool has_omega;            ///< a step waits for poise_advance
    bool step_is_direct;       ///< step_before is in the numbers of omega
    uint8_t step_before_count; ///< of so many numbers, 0 for none
    double max_speed;
    double scale;         ///< 1 / sqrt(bias)
    uint64_t frame_epoch; ///< the joint's frames are fresh when it is the tree's
    Joint joint;
} Node;

/// A node of a group that moves as one, the leader's own included: its number is ratio times the
/// leader's plus offset (follow.c).
typedef struct Tie {
    int node;     ///< slot
    int leader;   ///< slot
    double ratio; ///< not 0; 1 of the leader's own
    double offset;
    // what it was given; the leader's joint has what the whole group allows
    double lower;
    double upper;
    double max_speed;
} Tie;

/// What the straight-arm escape remembers of a point (escape.c).
typedef struct EscapeMemory {
    int steps_since_kick;
    int fruitless_kicks;
    double error_at_kick;
    PoiseVec3 goal_at_kick;
} EscapeMemory;

/// How a goal moves, by where it was set from solve to solve of a simulation.
typedef struct GoalMotion {
    PoisePose last; ///< the goal, and where a direction points, as of the last change
    PoiseVec3 pointed;
    double age;          ///< since that change, s
    double period;       ///< between the last two changes, s
    PoiseVec3 steps[2];  ///< the last change by its period, m/s and rad/s; a given velocity
    PoiseVec3 speeds[2]; ///< the same, filtered
    PoiseVec3 rates[2];  ///< how these change
    // the goal foretold from its last changes, as far as these are smooth
    double smooth;         ///< 0 (noise, a corner) to 1
    PoiseVec3 bends[2];    ///< the change of steps by the period, m/s^2 and rad/s^2
    PoiseVec3 off[2];      ///< what the foretold place was off at the last change, fading
    PoiseVec3 off_rate[2]; ///< how that changes
    PoiseVec3 place[2];    ///< foretold, less the goal, m and rad
    PoiseVec3 pace[2];     ///< how that place moved in the last step, m/s and rad/s
    PoiseVec3 velocity[2]; ///< of the goal: of speeds and pace by smoothness
} GoalMotion;

typedef struct Point {
    PoisePointKind kind;
    int link; ///< slot of the node whose link it is on
    uint16_t generation;
    bool alive;
    bool enabled;
    int frame; ///< slot of the node in whose link's frame the goal is, or NO_SLOT

    PoisePose in_link;
    PoisePose goal;
    PoiseVec3 direction; ///< in the goal's frame
    unsigned rows;
    bool yields;      ///< somewhere, as things are
    bool follow[2];   ///< linear, angular: not as given, but from the goal's own motion
    bool is_followed; ///< the motion knows where the goal was
    double max_speed;
    double max_turn_speed;
    GoalMotion motion;
    PoiseVec3 force;
    PoiseVec3 torque;
    double weight;

    // Nd(point): slots, in the order of creation, so the farthest node comes first
    int* nodes;
    int node_count;
    int node_capacity;

    double damping_gain; ///< k of its group
    EscapeMemory escape;
    bool is_met;  ///< within the tolerances of the last solve
    int priority; ///< 0 first; closures before that

    // what few steps need
    uint64_t sequence;
    PoiseVec3 axis; ///< direction, look-at: in the point's frame
    PoiseRowAxes row_axes;
    PoiseYield yield;
    unsigned yield_rows;
    double tip_radius;
    PoiseVec3 goal_velocity; ///< as given
    PoiseVec3 goal_angular_velocity;
} Point;

/// What a tree is beside its nodes and points, without what lies elsewhere.
typedef struct TreeState {
    uint64_t next_sequence;
    uint64_t frame_epoch;
    uint64_t kick_counter;
    int32_t fresh_nodes;         ///< nodes whose frames are of this epoch
    uint8_t has_omega;           ///< some node's may not be 0
    uint8_t has_references;      ///< some node has one, or had
    uint8_t bases_move;          ///< some base does, or did
    uint8_t has_force_torques;   ///< some force_torque is not 0
    uint8_t has_gravity_torques; ///< some gravity_torque may not be 0
    uint8_t unused[7];
} TreeState;

struct PoiseTree {
    PoiseHost host;
    PoiseBallAxes ball_axes;
    uint16_t tag;
    TreeState state;

    PoiseTreeClaim* claim; ///< who drives it, or NULL

    PoiseStatus status;

    Node* nodes;
    int node_slots;
    int node_capacity;
    int* order; ///< slots of the living nodes, in the order of creation
    int node_count;

    Tie* ties; ///< group by group, its leader's own first
    int tie_count;
    int tie_capacity;

    Point* points;
    int point_slots;
    int point_capacity;
    int* point_order;
    int point_count;

    uint64_t revision;     ///< of the sets, limits, weights and biases
    uint64_t set_revision; ///< of the sets alone

    PoiseBeside* beside; ///< or NULL
    // what the solver keeps of the tree; the tree only gives it back
    struct Solver* solver;
    void (*finish_solver)(PoiseTree* tree);

    char message[MESSAGE_CAPACITY]; ///< of the status; no step reads it
};

// tree.c
/// Keeps the first error of the tree, logs it, and returns it.
PoiseStatus poise__fail(PoiseTree* tree, PoiseStatus status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
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
/// Gives back the list of a point.
void poise__point_finish(PoiseTree* tree, Point* point);
void poise__make_stale(PoiseTree* tree);
/// The sets have changed.
void poise__sets_changed(PoiseTree* tree);

// node.c
/// The kind of a node as a word, for messages.
static inline const char* poise__kind_name(const Node* node) {
    return poise__joint_type(&node->joint)->name;
}
/// Whether a column of the node is bounded in a step.
static inline bool poise__node_is_bounded(const Node* node) {
    return node->joint.limited || node->max_speed < HUGE_VAL || node->has_step_range;
}

// posture.c
/// Fills the frames from the posture; moves the posture on by the steps that wait.
void poise__forward(PoiseTree* tree);
void poise__advance(PoiseTree* tree);

// follow.c: groups of nodes that move as one
/// The node's tie, NULL for one of no group.
Tie* poise__tie(const PoiseTree* tree, int slot);
/// The ties of the node's group, the leader's first; NULL and 0 for a node of none.
const Tie* poise__tie_group(const PoiseTree* tree, int slot, int* count);
/// The slot of the node's leader, its own for one of no group.
int poise__leader(const PoiseTree* tree, int slot);
/// Whether the node and all of its group are enabled.
bool poise__group_is_enabled(const PoiseTree* tree, int slot);
/// Where a follower's leader has it.
double poise__followed(const PoiseTree* tree, const Tie* tie);
/// Brings the followers to where their leaders have them.
void poise__ties_follow(PoiseTree* tree);
/// What the node was given; false, with nothing changed, where the group has no place left.
bool poise__tie_set_range(PoiseTree* tree, Tie* tie, double lower, double upper);
void poise__tie_set_speed(PoiseTree* tree, Tie* tie, double speed);
/// Nodes have died.
void poise__ties_forget(PoiseTree* tree);
bool poise__ties_reserve(PoiseTree* tree, int count);

// point_frame.c
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
/// A vector of the goal's frame in world axes.
PoiseVec3 poise__from_goal_frame(const PoiseTree* tree, const Point* point, PoiseVec3 v);
/// The goal's velocity in its frame, as given or from its own motion: k 0 linear, 1 angular.
PoiseVec3 poise__goal_velocity(const Point* point, int k);
PoisePose poise__point_world(const PoiseTree* tree, const Point* point);
/// Takes a living point out of the tree.
void poise__point_remove(PoiseTree* tree, int slot);

// yield.c: in which directions a point yields to a force
bool poise__is_yield(PoiseYield yield, unsigned rows);
/// Whether a force or a torque is asked of it.
static inline bool poise__point_asks(const Point* point) {
    return poise_dot(point->force, point->force) + poise_dot(point->torque, point->torque) > 0.0;
}
/// Sets `yields` from the rest.
void poise__point_note_yield(Point* point);
/// The turn of the point's row axes, `turn` being that of its own frame.
PoiseQuat poise__point_row_turn(const PoiseTree* tree, const Point* point, PoiseQuat turn);
/// Takes off two vectors what lies in the directions in which a point yields.
void poise__yield_drop(const PoiseTree* tree, const Point* point, PoiseQuat turn, PoiseVec3* linear,
                       PoiseVec3* angular);

// aim.c: an axis along a direction
/// Where a direction or look-at point aims and where it should, world.
typedef struct Aim {
    PoiseVec3 axis;  ///< where it points
    PoiseVec3 sight; ///< look-at: where it should, over the distance to the place; else 0
    PoiseVec3 angle; ///< from one to the other, rotation vector
} Aim;
/// Of a point whose pose is `pose`.
Aim poise__aim_of(const PoiseTree* tree, const Point* point, PoisePose pose);

// mass.c
/// Fills mass and first moment of what hangs on each node, from the frames.
void poise__gather_subtrees(PoiseTree* tree);
/// mass_simd.c: those of its own link alone, by vectors of four numbers.
void poise__gather_links_four(PoiseTree* tree);
/// A node's subtree in which a centre of mass moves with it.
PoiseVec3 poise__com(const PoiseTree* tree, int root);

// sets.c
/// Whether node lies on the path from `slot` to the base, `slot` included.
bool poise__carries(const PoiseTree* tree, int node, int slot);
/// How moving the node moves the point: 1, -1 (it moves the goal's frame), 0 (not at all).
int poise__point_sign(const PoiseTree* tree, int node, const Point* point);
/// A centre of mass: the slot on which the part of it hangs that moving the node moves.
int poise__point_part(const PoiseTree* tree, int node, const Point* point);
/// Takes the nodes that hang on `root` out of the lists of the points.
void poise__sets_forget(PoiseTree* tree, int root);
double poise__point_reach(const PoiseTree* tree, const Point* point);

#endif
