// SPDX-License-Identifier: MIT
// What a rig holds: its bindings, one for each node with its joint and its motor, and what the
// rooms behind this one keep from step to step.
#ifndef POISE_RIG_PRIVATE_H
#define POISE_RIG_PRIVATE_H

#include "closure.h"
#include "load_share.h"
#include "poise/node_numbers.h"
#include "springs.h"

enum { COOKIE_RIG = 0x50520001, COOKIE_BIND = 0x50420001 };

/// A point that the ground carries a floating base by (stance.c).
typedef struct Stance {
    PoisePointId point;
    double share;
    double sole;
    double slide;
    double friction;
    double half_length;
    double half_width;
    PoiseVec3 normal;
    // as of this step
    int binding; ///< the node whose link it is on, or what that hangs on
    int root;
    bool stands;  ///< its base floats, so that it is to carry
    bool carries; ///< and it does: the ground pushes there
    PoiseVec3 place;
    PoiseQuat turn;
    PoiseVec3 force; ///< of the ground on the body
    PoiseVec3 moment;
} Stance;

/// What a floating base needs of the ground, force and moment about the middle of its points, as of
/// this step (carry.c).
typedef struct Support {
    int root;
    PoiseVec3 centre;
    PoiseVec3 up;
    double weight[WRENCH];
    double pressed[WRENCH]; ///< for the forces asked of its points
    double missing[WRENCH];
    bool carried;
} Support;

/// A body fixed to the link of a node.
typedef struct Weld {
    PoiseNodeId node;
    dBodyID body;
    dBodyID holder; ///< what it was found fixed to: the link's body, or that of an earlier weld
    PoisePose body_in_link;
} Weld;

/// Rows of what is held, for kkt.h (feet in the order of the stances, then closures), over the
/// numbers (as those of poise_node_omega) of all bindings; factored for poise__kkt_solve. Rows
/// may depend on each other, as those of a hinge that closes a plane loop do.
typedef struct Kkt {
    void* memory;
    size_t size;
    int rows_room;
    int numbers_room;

    int row_count; ///< 0: nothing is held
    int number_count;
    int free_count;
    int* free;     ///< numbers that nothing but the rows holds: those that the rows move first
    int free_rank; ///< so many of them, the first ones, the rows determine
    double* j;     ///< rows x numbers
    double* span;  ///< free x rows: orthonormal, of the columns of J of the free numbers
    double* part;  ///< free x free: these columns in it, upper triangular
    double* row_compliance; ///< rows x rows: A = J K^-1 J^T over the sprung numbers
    double* factor;         ///< pivoted, of A less what the free numbers take
    int* order;             ///< of its rows
    int rank;
    double* multipliers; ///< rows: what held it in the last answer
    double* work;        ///< rows
    double* turned;      ///< rows, in their order
    double* base;        ///< free
} Kkt;

/// A point that yields or is asked for a force.
typedef struct PressPoint {
    PoisePointId point;
    int slot; ///< of the tree's points, in the order of creation
    PoisePose pose;
    PoiseVec3 force; ///< asked
    PoiseVec3 torque;
    PoiseVec3 arm; ///< m: from the point to where its round tip touches, world
    PoiseVec3 force_measured;
    PoiseVec3 torque_measured;
    bool touches; ///< it stands still along its force
} PressPoint;

/// Rows of the points that press, over the numbers (as those of poise_node_omega) of all bindings.
/// Three nested sets of rows, the first ones first: directions that yield; all directions of points
/// that yield; all directions, to measure in.
typedef struct Press {
    void* memory;
    size_t size;
    int points_room;
    int bindings_room;
    int numbers_room;
    bool reserved; ///< there is room for the sets as they are

    int number_count;
    int* first; ///< number of each binding

    int yield_rows;
    int goal_rows;
    int row_count;
    int* row_point;     ///< of each row, in `points`
    double* directions; ///< rows x 6: place, rotation, world
    double* j;          ///< rows x numbers
    Kkt* kkt;           ///< the feet, where the body stands
    double* c_jt;       ///< rows x numbers: (C J^T)^T, the displacement by a unit wrench of a row
    double* k_c_jt;     ///< rows x numbers: (K C J^T)^T, the torques of that displacement
    double* factor;     ///< of J C J^T, rows x rows
    double* compliance; ///< K^-1 by number: 0 where nothing follows, or stands on a stop
    double* spring;     ///< by number: torque of the springs to theta_ik
    double* posture;    ///< by number: what the pull to the natural posture adds
    double* raised;     ///< likewise, where the springs would take it far
    double* rate;       ///< by number: the joints' velocities (approach.c)
    double* lead;       ///< by number: what their reference velocities are led by
    double* brake;      ///< by number: a damper beside the joint's own
    double* keep;       ///< by number: what that would give at rest
    double* across;     ///< goal rows: how far they would, then the wrench that this pulls with
    double* work;       ///< rows

    PressPoint* points;
    int point_count;
} Press;

/// How a link moves and what that takes, about the world's origin: scratch of step/inertia.c.
typedef struct LinkMotion {
    PoiseVec3 pivot; ///< of its joint
    PoiseVec3 axis;  ///< of a joint of one velocity
    PoiseVec3 spin;
    PoiseVec3 velocity; ///< of what of the link is at the origin
    PoiseVec3 turning;
    PoiseVec3 acceleration; ///< change of `velocity`
    PoiseVec3 force;        ///< of the link and all links farther out
    PoiseVec3 moment;
} LinkMotion;

/// Whether there is one update for each step, and both have the same dt (step/rhythm.c).
typedef struct Rhythm {
    int pairs; ///< steps in a row with two updates each
    bool told_pairs;
    bool told_length;
    dBodyID body;    ///< looked at; NULL: none
    int binding;     ///< of it
    PoiseVec3 place; ///< of it in the update before
    double dt;       ///< and what that was told
    int idle;        ///< updates that learned nothing, since it was chosen
    int others;      ///< steps in a row that were of another length
} Rhythm;

/// Reconfigure.iterations in a snapshot: the most that may be repeated, and the first value.
enum { RECONFIGURE_ITERATIONS = 100000, RECONFIGURE_FIRST = -2 };

/// What is done about goals that cannot be reached from the posture (step/reconfigure.c); a
/// snapshot keeps it.
typedef struct ReconfigureState {
    int32_t state;      ///< PoiseReconfiguration
    int32_t asked;      ///< 1: there was a search for these goals
    int32_t iterations; ///< of the search; negative: it has not begun
    int32_t filler;
    uint64_t goals; ///< sum of the goals and bases that the state is about
    double clock;   ///< s: stuck for so long; while it moves: left until it counts as blocked
    double nearest; ///< m and rad: largest errors of the nearest answer
    double nearest_angle;
} ReconfigureState;

/// The same with its memory, which a rig has once it was stuck.
typedef struct Reconfigure {
    ReconfigureState state;
    PoiseTree* search; ///< a second tree, to search another posture in; NULL: not needed yet
    int searched;      ///< iterations done there; negative: the search begins anew
    int binding_count; ///< that there are postures of
    /// Of each binding POISE_MAX_NQ: where the search began, then the posture found.
    double postures[];
} Reconfigure;

/// What steps change of a rig: its own state, or that of a forecast, which goes other ways by the
/// same joints, springs, settings and closures.
typedef struct RigState {
    PoisePointId balance;             ///< a centre of mass to be kept over the stances, or null
    SupportContact* support_contacts; ///< scratch: those of one base
    int support_contact_capacity;
    int stance_capacity;
    int support_capacity;
    Stance* stances;
    Support* supports;
    Press press;

    // from here on what most steps read
    const PoiseRig* rig; ///< whose state it is
    /// Its posture, goals and frames. The rig's own: NULL once it has been destroyed; that is what
    /// the claim on it does.
    union {
        PoiseTree* tree;
        PoiseTreeClaim claim;
    };
    JointState* joints; ///< in the order of the rig's bindings
    int stance_count;
    int support_count;
    bool pressing;     ///< some point asks for a force or yields, as of this step
    PoiseStatus noted; ///< see poise__note
} RigState;

struct PoiseRig {
    PoiseHost host;
    char message[256];
    MotorPool motors;
    double* values; ///< of the bindings' arrays and the states', behind them in the same block
    int value_count;
    int value_capacity;
    Weld* welds;
    int weld_count;
    int weld_capacity;
    Closure* closures;
    int closure_capacity;
    int binding_capacity;

    RigState state;
    // from its second half on what most steps read
    PoiseStatus status;
    int binding_count;
    /// In the order of the tree's nodes, so that parents come first.
    Binding* bindings;
    LinkMotion* links; ///< by binding
    dWorldID world;
    struct Forecast* forecast; ///< a copy whose budget was used up; NULL: none
    void (*forecast_release)(PoiseRig* rig);
    PoiseBeside* beside; ///< works while this one is updated (poise_rigs_update); or NULL
    PoiseRigSettings settings;
    int closure_count;
    int advised_bindings;
    double advised_step;      ///< s: of the last update, for which the springs were looked at
    Reconfigure* reconfigure; ///< NULL: it was never stuck
    bool finite_rotation;
    bool keeps_press;      ///< there is to be room for forces, asked for or not
    bool told_step_error;  ///< once is enough
    bool told_gone;        ///< that nothing can be driven any more
    bool told_skipped;     ///< why joints are left alone, until none is
    bool imported_nothing; ///< `message` says why, without an error
    bool told_support;     ///< likewise, until it is carried again
    bool revision_known;
    unsigned updates;       ///< counts on; for looking at the steps now and then
    int unstepped;          ///< updates in a row without a step before them
    uint64_t tree_revision; ///< for which follows_ik and the ranges were read
    Rhythm rhythm;
};

/// Whether two handles name one node, or one point.
static inline bool poise__is_node(PoiseNodeId a, PoiseNodeId b) {
    return a.index1 == b.index1 && a.generation == b.generation && a.tree == b.tree;
}
static inline bool poise__is_point(PoisePointId a, PoisePointId b) {
    return a.index1 == b.index1 && a.generation == b.generation && a.tree == b.tree;
}

// rig.c
/// Tells the log of an error, keeps the first and returns it.
PoiseStatus poise__rig_fail(PoiseRig* rig, PoiseStatus status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/// Tells the log of what is no error.
void poise__rig_warn(PoiseRig* rig, const char* format, ...) __attribute__((format(printf, 2, 3)));
Binding* poise__binding(const PoiseRig* rig, PoiseNodeId node);
Binding* poise__binding_of_body(const PoiseRig* rig, dBodyID body);
/// storage.c: room for so many bindings more, with so many numbers in all; the bindings may move.
/// False without memory. How many numbers a binding and its state have together.
int poise__values_of(const PoiseJointType* type);
bool poise__bindings_reserve(PoiseRig* rig, int more, int numbers);
/// And for one of this type, whose numbers it returns, 0: the state's, then the binding's. NULL
/// without memory.
double* poise__bindings_take(PoiseRig* rig, const PoiseJointType* type);
/// Gives back the memory of the bindings.
void poise__bindings_release(PoiseRig* rig);
/// How many velocities all bindings have.
int poise__rig_velocities(const PoiseRig* rig);
/// Room for `needed` elements in the array whose pointer is at `pointer`; false without memory.
bool poise__grow(const PoiseHost* host, void* pointer, int* capacity, int needed, size_t element);

// state.c
/// Keeps the first error of an update's own calls on the tree, which reports it at its end.
void poise__note(RigState* state, PoiseStatus status);
/// A second state over the same rig: like the first, with a tree of its own; without room for
/// forces (poise__press_reserve). POISE_ERROR_OUT_OF_MEMORY; to be closed in any case.
PoiseStatus poise__state_open(RigState* state, const RigState* from);
/// The memory of a rig that is stuck, for the bindings there are: made anew, all 0, where they
/// changed. NULL without memory. And gives it back.
Reconfigure* poise__reconfigure_make(PoiseRig* rig);
void poise__reconfigure_release(PoiseRig* rig);
/// Nothing for a state all zero.
void poise__state_close(RigState* state);
/// Gives back what a state has but its tree and joints; and of that, the room for forces.
void poise__state_finish(RigState* state);
void poise__press_finish(RigState* state);
/// Room for so many stances; false without memory.
bool poise__stances_reserve(RigState* state, int count);

// closure.c: joints that close loops
/// Which bindings a closure moves (looped): they take part in the solve, driven or not.
void poise__closures_find(PoiseRig* rig);
/// Forgets those whose points have been destroyed.
void poise__closures_drop(PoiseRig* rig);
/// Which closures hold in this step; the goals of those on a base go along with it.
void poise__closures_follow(PoiseRig* rig);

// settings.c
/// What is wrong with a spring, or NULL; and with other settings.
const char* poise__spring_check(PoiseSpring spring);
/// What is wrong with the springs and limits of a def, whatever it is to bind, or NULL (bind.c).
const char* poise__bind_like_problem(const PoiseBindDef* def);
const char* poise__settings_problem(const PoiseRigSettings* settings);

/// The most that the integral may add to velocities of a sort.
double poise__integral_most(const PoiseRig* rig, const Binding* binding, Sort sort);
/// Keeps what the integral has added up within its bound; nothing of it while there is none.
void poise__integral_bound(const PoiseRig* rig, JointState* joint);

// bind.c
/// Unbinds the nodes that have been destroyed in the tree.
void poise__drop_destroyed(PoiseRig* rig);
// ties.c: ODE's joints at its bodies
/// Whether the joint is one of ours, that drives or stops a node.
bool poise__rig_is_motor(const PoiseRig* rig, dJointID joint);
/// Whether a joint that the rig does not know joins one of its bodies to anything.
bool poise__rig_is_tied(const PoiseRig* rig);

/// Adds a body to the link's mass, centre and inertia, from its frame in the child body's.
void poise__inertia_add(Binding* binding, const dMass* mass, PoisePose body_in_child);
/// Counts a body that is fixed to the node's link, by a joint to `holder`, as part of it.
PoiseStatus poise__weld_add(PoiseRig* rig, PoiseNodeId node, dBodyID holder, dBodyID body);
/// Whether the body of a weld is still held: one that was destroyed is noticed, not followed.
bool poise__weld_holds(const PoiseRig* rig, const Weld* weld);

/// Whether the solver moves it at all: driven, or a free root.
bool poise__binding_takes_part(const PoiseRig* rig, const Binding* binding);

#endif
