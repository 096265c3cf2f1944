// SPDX-License-Identifier: MIT
// The parts of a rig: its bindings (a node with its joint and motor), and the state that steps
// change.
#ifndef POISE_RIG_PRIVATE_H
#define POISE_RIG_PRIVATE_H

#include "block_arrays.h"
#include "closure.h"
#include "load_share.h"
#include "poise/stance.h"
#include "shared/node_numbers.h"
#include "springs.h"

enum { COOKIE_RIG = 0x50520001, COOKIE_BIND = 0x50420001 };

/// A stance point: a point at which the ground carries a floating base (stance_points.c).
typedef struct Stance {
    PoiseStanceDef def;
    // values of the present step:
    int binding; ///< index of the binding of the point's link, or of its nearest bound ancestor
    int root;
    /// the base of the point's chain floats, so that the point has to carry a part of the load
    bool stands;
    bool carries; ///< the point touches the ground, which may exert a force on it
    PoiseVec3 place;
    PoiseQuat turn;
    PoiseVec3 force; ///< force of the ground on the body, N
    PoiseVec3 moment;
} Stance;

/// The load of a floating base on the ground in this step: force and moment about the mean of its
/// stance points (stance_forces.c).
typedef struct Support {
    int root;
    PoiseVec3 centre;
    PoiseVec3 up;
    double weight[WRENCH];
    double pressed[WRENCH]; ///< load of the forces that points of the base are asked to press with
    double missing[WRENCH];
    bool carried;
} Support;

/// A body that fixed joints tie to the link of a node.
typedef struct Weld {
    PoiseNodeId node;
    dBodyID body;
    dBodyID holder; ///< the body to which it is fixed: the link's own, or that of an earlier weld
    PoisePose body_in_link;
} Weld;

/// The constraint rows of a mechanism, factored for poise__kkt_solve (kkt.h): feet in the order of
/// the stances, then closures. Columns are the velocities of all bindings, as poise_node_omega.
/// Rows may be dependent, such as those of a hinge that closes a plane loop.
typedef struct Kkt {
    void* memory;
    size_t size;
    int rows_room;
    int numbers_room;

    int row_count; ///< 0: no constraint
    int number_count;
    int free_count;
    /// velocities without springs; the first free_rank of them are determined by the rows
    int* free;
    int free_rank;          ///< number of free velocities that the rows determine
    double* j;              ///< the rows J: rows x velocities
    double* span;           ///< free x rows: orthonormal basis of the free columns of J
    double* part;           ///< upper triangular: the free columns of J in the basis `span`
    double* row_compliance; ///< A = J K^-1 J^T of the velocities with springs: rows x rows
    double* factor;         ///< pivoted Cholesky factor of P A P (kkt.c)
    int* order;             ///< index of the row of each pivot
    int rank;
    double* multipliers; ///< by row: the forces in the last solution
    double* work;        ///< by row: scratch
    double* turned;      ///< scratch by row, in the order of the pivots
    double* base;        ///< scratch by free velocity
} Kkt;

/// A point that is asked for a force or torque, or yields to one.
typedef struct PressPoint {
    PoisePointId point;
    PoisePose pose;
    PoiseVec3 force; ///< force asked of the point, N, world
    PoiseVec3 torque;
    /// vector from the point to the contact of its tip, a ball around the point, m, world
    PoiseVec3 arm;
    PoiseVec3 force_measured;
    PoiseVec3 torque_measured;
    bool touches; ///< the point does not move along its force, so a wall must be there
    bool yields;  ///< the point has yielding directions
} PressPoint;

/// Constraint rows of the points that press; columns are the velocities of all bindings, as
/// poise_node_omega. Rows form three nested sets: the first yield_rows are yielding directions, the
/// first goal_rows all directions of points that yield; further rows serve to measure forces.
typedef struct Press {
    void* memory;
    size_t size;
    int points_room;
    int bindings_room;
    int numbers_room;
    bool reserved; ///< the memory suffices for the present sets

    int number_count;
    int* first; ///< first velocity of each binding

    int yield_rows;
    int goal_rows;
    int row_count;
    int* row_point;     ///< index in `points` of each row
    double* directions; ///< by row: a unit displacement and rotation, world: rows x 6
    double* j;          ///< J, the displacements of the directions by velocity: rows x velocities
    Kkt* kkt;           ///< system of the feet and loops
    // K: stiffness of the springs. C: compliance of the joints, K^-1 on a fixed base without loops.
    double* c_jt;   ///< (C J^T)^T, displacements under a unit wrench of each row: rows x velocities
    double* k_c_jt; ///< (K C J^T)^T, the spring torques at c_jt: rows x velocities
    double* factor; ///< Cholesky factor of J C J^T: rows x rows
    // by velocity: one number for each velocity of the bindings
    double* compliance; ///< K^-1 by velocity: 0 without a spring, or at a stop in a loop
    double* spring;     ///< by velocity: torque of the IK springs (press.c), else scratch
    double* posture;    ///< by velocity: torque that the natural spring adds to `spring`
    double* raised;     ///< factor with bounded pivots (press_rows.c)
    double* rate;       ///< by velocity: measured rates of the joints (approach.c)
    /// by velocity: added to the reference velocity so that the joints' own dampers do not brake it
    double* lead;
    double* brake; ///< by velocity: a damper in addition to the joint's own, N m s/rad
    /// by velocity: torque that cancels `brake` for the part of the motion that does not move the
    /// point along its force, N m
    double* keep;
    /// by goal row: displacement of the point by the springs, then the wrench on it
    /// (poise__press_across_wrench)
    double* across;
    double* work; ///< scratch by row

    PressPoint* points;
    int point_count;
} Press;

/// The motion of a link, and the force that accelerates it, about the world's origin: scratch of
/// step/inertia.c.
typedef struct LinkMotion {
    PoiseVec3 pivot; ///< a point on the joint's axis
    PoiseVec3 axis;  ///< axis of a joint of one velocity
    PoiseVec3 spin;
    PoiseVec3 velocity; ///< velocity of the link's material at the world's origin
    PoiseVec3 turning;
    PoiseVec3 acceleration; ///< change of `velocity` per second
    PoiseVec3 force;        ///< force on the link and on all links that it carries
    PoiseVec3 moment;
} LinkMotion;

/// Observations of how the caller steps the world (step/step_warnings.c).
typedef struct Watch {
    int unstepped;     ///< consecutive updates before which the world was not stepped
    bool logged_error; ///< warned once of steps that do not solve the springs
    int pairs;         ///< consecutive steps with two updates each
    bool logged_pairs;
    bool logged_length;
    dBodyID body;    ///< the watched body; NULL: none
    PoiseVec3 place; ///< position of `body` in the last update, world, m
    double dt;       ///< dt of the last update, s
    int idle;        ///< number of updates since `body` was chosen that could not measure a step
    int others;      ///< consecutive steps of a length other than `dt`
} Watch;

/// Bounds of ReconfigureState.iterations in a snapshot. Loading repeats the iterations, so their
/// number is bounded; negative values are the steps before the first iteration.
enum { RECONFIGURE_ITERATIONS = 100000, RECONFIGURE_FIRST = -2 };

/// The search for a posture from which the goals can be reached (step/reconfigure.c); saved in
/// snapshots.
typedef struct ReconfigureState {
    int32_t state;      ///< PoiseReconfiguration
    int32_t asked;      ///< 1: the search for the present goals is over
    int32_t iterations; ///< number of iterations of the search; negative: not started
    int32_t filler;
    uint64_t goals; ///< checksum of the goals and bases of the search
    /// Time since the joints got stuck, s; during a move: time until the move is given up.
    double clock;
    double nearest; ///< largest errors of the nearest posture, m and rad
    double nearest_angle;
} ReconfigureState;

/// The search with its memory, which a rig has after it was stuck once.
typedef struct Reconfigure {
    ReconfigureState state;
    PoiseTree* search; ///< copy of the tree, in which the search runs; NULL before the first search
    int searched;      ///< number of iterations done in `search`; negative: not begun
    int binding_count; ///< number of bindings that `postures` has room for
    uint64_t fits_revision; ///< revision of the rig's tree for which a search needs no memory
    /// POISE_MAX_NQ numbers for each binding: the posture at the start of the search. Then as many
    /// numbers for the posture that was found.
    double postures[];
} Reconfigure;

/// The state that steps change. The rig has one; a forecast has another one over the same joints,
/// springs and closures.
typedef struct RigState {
    PoisePointId balance;             ///< a centre of mass to keep over the stances, or null
    SupportContact* support_contacts; ///< scratch: contacts of one base
    int support_contact_capacity;
    int stance_capacity;
    int support_capacity;
    Stance* stances;
    Support* supports;
    Press press;

    // most steps read the members from here on
    const PoiseRig* rig; ///< the rig of this state
    /// The tree with posture, goals and frames. `claim` sets the rig's own to NULL when the tree is
    /// destroyed.
    union {
        PoiseTree* tree;
        PoiseTreeClaim claim;
    };
    JointState* joints; ///< in the order of the rig's bindings
    int stance_count;
    int support_count;
    bool pressing;     ///< some point yields or is asked for a force in this step
    PoiseStatus noted; ///< first error of an update, see poise__note
} RigState;

struct PoiseRig {
    PoiseHost host;
    char message[256];
    MotorPool motors;
    double* values; ///< arrays of the bindings and states, in the same block
    int value_count;
    int value_capacity;
    Weld* welds;
    int weld_count;
    int weld_capacity;
    Closure* closures;
    int closure_capacity;
    int binding_capacity;

    RigState state;
    // most steps read the members from here on
    PoiseStatus status;
    int binding_count;
    /// in the order of the tree's nodes, so that parents come first
    Binding* bindings;
    LinkMotion* links; ///< by binding
    dWorldID world;
    struct Forecast* forecast; ///< copy of a forecast that used up its budget; NULL: none
    void (*forecast_release)(PoiseRig* rig);
    PoiseRigSettings settings;
    int closure_count;
    int advised_bindings;
    double advised_step;          ///< dt of the update that last checked the springs, s
    Reconfigure* reconfigure;     ///< the search for another posture; NULL until a point is stuck
    struct KeptApart* kept_apart; ///< the parts that are kept apart (keep_apart.c), or NULL
    bool finite_rotation;
    bool keeps_press;  ///< memory for forces is allocated at once (poise_rig_reserve_forces)
    bool keeps_search; ///< the search is prepared at once (poise_rig_reserve_search)
    bool logged_gone;  ///< a warning was logged that no joint can be driven
    /// a warning of joints that are left out was logged; false again when all joints are driven
    bool logged_skipped;
    bool imported_nothing; ///< an import made no node; `message` has the reason, without an error
    /// a warning was logged that the ground cannot carry a base; false again when it carries all
    bool logged_support;
    bool revision_known;
    unsigned updates;       ///< number of updates, for the occasional check of the steps
    uint64_t tree_revision; ///< revision at which follows_ik and the ranges were read
    Watch watch;
};

/// True if two handles name the same node, or point.
static inline bool poise__is_node(PoiseNodeId a, PoiseNodeId b) {
    return a.index1 == b.index1 && a.generation == b.generation && a.tree == b.tree;
}
static inline bool poise__is_point(PoisePointId a, PoisePointId b) {
    return a.index1 == b.index1 && a.generation == b.generation && a.tree == b.tree;
}

// rig.c
/// Logs an error, keeps the first one and returns its status.
PoiseStatus poise__rig_fail(PoiseRig* rig, PoiseStatus status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/// Logs a warning.
void poise__rig_warn(PoiseRig* rig, const char* format, ...) __attribute__((format(printf, 2, 3)));
Binding* poise__binding(const PoiseRig* rig, PoiseNodeId node);
Binding* poise__binding_of_body(const PoiseRig* rig, dBodyID body);
/// Returns the index of the binding of a node, or of its nearest bound ancestor in a tree of this
/// rig; or NO_BINDING.
int poise__bound_below(const PoiseRig* rig, const PoiseTree* tree, PoiseNodeId node);
/// storage.c: poise__bindings_reserve makes room for `more` bindings with `numbers` doubles in all;
/// the bindings may move; false if memory runs out. poise__values_of returns the number of doubles
/// of a binding and its state.
int poise__values_of(const PoiseJointType* type);
bool poise__bindings_reserve(PoiseRig* rig, int more, int numbers);
/// Makes room for one binding of this type. Returns its doubles, all 0, first those of the state,
/// then those of the binding; NULL if memory runs out.
double* poise__bindings_extend(PoiseRig* rig, const PoiseJointType* type);
/// Releases the memory of the bindings.
void poise__bindings_release(PoiseRig* rig);
/// Returns the number of velocities of all bindings.
int poise__rig_velocities(const PoiseRig* rig);

// state.c
/// Keeps the first error of an update's own calls on the tree; the update reports it at its end.
void poise__note(RigState* state, PoiseStatus status);
/// Opens a second state over the same rig: a copy of `from` with its own tree, without memory for
/// forces (poise__press_reserve). POISE_ERROR_OUT_OF_MEMORY. Call poise__state_close in any case.
PoiseStatus poise__state_open(RigState* state, const RigState* from);
/// Returns the memory of the search for the present bindings, all 0 if the bindings have changed;
/// NULL if memory runs out. poise__reconfigure_release releases it.
Reconfigure* poise__reconfigure_make(PoiseRig* rig);
void poise__reconfigure_release(PoiseRig* rig);
/// Closes a second state. A state of zeros is allowed.
void poise__state_close(RigState* state);
/// poise__state_finish releases all memory of a state except its tree and joints;
/// poise__press_finish only the memory for forces.
void poise__state_finish(RigState* state);
void poise__press_finish(RigState* state);
/// Makes room for `count` stances; false if memory runs out.
bool poise__stances_reserve(RigState* state, int count);

/// The state of a bound joint: four pieces of plain memory, of which three are parts of structs.
enum { BINDING_PLAIN, MOTOR_PLAIN, JOINT_PLAIN, JOINT_VALUES, JOINT_PIECES };
enum {
    BINDING_PLAIN_AT = offsetof(Binding, moved_in_link),
    MOTOR_PLAIN_AT = offsetof(Motor, by_hand),
    JOINT_PLAIN_AT = offsetof(JointState, joint_world)
};
typedef struct Piece {
    void* at;
    size_t size; ///< size of the piece, bytes
} Piece;
void poise__joint_pieces(const PoiseRig* rig, int binding, Piece pieces[JOINT_PIECES]);
/// Sets the state of a bound joint from saved pieces, of any alignment, and sets ODE's motors.
/// Handles, addresses and motor axes stay; ranges and cone are read from the rig's tree.
void poise__joint_take(PoiseRig* rig, int binding, const void* const from[JOINT_PIECES]);

// closure.c: joints that close loops
/// Marks the bindings that a closure moves (looped): they take part in the solve, with or without
/// springs.
void poise__closures_find(PoiseRig* rig);
/// Removes closures whose points were destroyed.
void poise__closures_drop(PoiseRig* rig);
/// Finds the closures whose joints exist and are enabled in this step. Moves the goals of closures
/// on a base with the base.
void poise__closures_follow(PoiseRig* rig);

// keep_apart.c
/// Reads the poses and velocities of the obstacles from their geoms, before the solve.
void poise__obstacles_follow(PoiseRig* rig);
void poise__kept_apart_release(PoiseRig* rig);
/// Makes the copied rig `to` keep apart the parts that `from` keeps apart, with obstacles at rest.
/// False if memory runs out.
bool poise__kept_apart_copy(PoiseRig* to, const PoiseRig* from);
/// Writes the pose of an obstacle, or the identity for a part of a link. Returns the next part, or
/// -1 if there is no such part.
int poise__obstacle_pose(const PoiseRig* rig, int part, PoisePose* pose);
/// Returns the node of a part; null for an obstacle. Needs rig->kept_apart.
PoiseNodeId poise__apart_link(const PoiseRig* rig, int part);

// problem.c
/// True if the point is registered with a joint that the solver may move.
bool poise__point_is_served(const PoiseRig* rig, PoisePointId point);

// settings.c
/// Returns why the springs or limits of a def are invalid for any joint, or NULL (bind.c).
const char* poise__bind_like_problem(const PoiseBindDef* def);
/// Returns why the settings of a rig are invalid, or NULL.
const char* poise__settings_problem(const PoiseRigSettings* settings);

/// Returns the largest torque of the integral on velocities of a sort, N m or N.
double poise__integral_most(const PoiseRig* rig, const Binding* binding, Sort sort);
/// Cuts the sum of the integral to its bound, which is 0 if the integral is off.
void poise__integral_bound(const PoiseRig* rig, JointState* joint);

// bind.c
/// Unbinds nodes that were destroyed in the tree.
void poise__drop_destroyed(PoiseRig* rig);
// unknown_joints.c: ODE's joints at the rig's bodies
/// True if the joint is a motor or a cone's stop of the rig.
bool poise__rig_is_motor(const PoiseRig* rig, dJointID joint);
/// True if a joint that the rig does not know ties one of its bodies to another body or the
/// environment.
bool poise__rig_is_tied(const PoiseRig* rig);

/// Adds the body's mass to the link's mass, centre and inertia. `body_in_child`: the body's frame
/// in the frame of the link's own body.
void poise__inertia_add(Binding* binding, const dMass* mass, PoisePose body_in_child);
/// Adds a body that a joint fixes to `holder` to the node's link.
PoiseStatus poise__weld_add(PoiseRig* rig, PoiseNodeId node, dBodyID holder, dBodyID body);
/// True if the body of a weld is still fixed to the link. Searches the body in the holder's joints
/// without reading it, so that a destroyed body is only missing.
bool poise__weld_holds(const PoiseRig* rig, const Weld* weld);

/// True if the solver may move the joint: it is driven, in a loop, or a free root with stances.
bool poise__binding_takes_part(const PoiseRig* rig, const Binding* binding);

#endif
