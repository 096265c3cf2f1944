// SPDX-License-Identifier: MIT
// What the files of a rig share. One Binding stands for one node, its joint and its motor.
#ifndef POISE_RIG_INTERNAL_H
#define POISE_RIG_INTERNAL_H

#include "motor/motor.h"
#include "poise/rig.h"
#include "stand/share.h"
#include "step/force.h"

#define POISE_TWO_PI 6.28318530717958647693

enum { COOKIE_RIG = 0x50520001, COOKIE_BIND = 0x50420001, NO_BINDING = -1 };

typedef struct Binding {
    PoiseNodeId node;
    PoiseNodeKind kind;
    Motor motor;
    int parent; ///< binding of the node this one stands on, or NO_BINDING on the base
    int root;   ///< binding at the bottom of its chain, itself where it is the bottom

    // fixed geometry: the joint frame in the parent body, the link in the child body, the base that
    // the tree knows in the body it stands on, and the link's turn past the joint's motion
    PoisePose joint_in_parent_body;
    PoisePose link_in_body;
    bool plain_link; ///< link_in_body is the identity
    PoisePose base_in_body;
    bool base_moves; ///< by hand: the tree was told how
    PoiseQuat link_turn;
    PoiseQuat half_cosine; ///< hinge: of half its angle, times the child's turn past the parent
    PoiseQuat half_sine;
    PoisePose back_to_joint; ///< from the link to the moved joint frame
    PoiseVec3 axis;          ///< hinge, slider, universal; ball: of its cone; in the joint frame
    PoiseVec3 axis2;         ///< universal: at angle 0
    bool odes_angle;         ///< the angle is ODE's and a zero; else what the frames show (cheaper)
    double asked_zero;       ///< PoiseBindDef's
    double unbound_angle;    ///< the tree's before it was bound: on which turn a hinge is

    // springs
    PoiseSpring original;
    double natural_angle;
    PoiseQuat natural_rotation;
    PoiseSpring ik;
    double torque_limit;
    double lower;
    double upper;
    // of the kinds that have them (bind_kinds.c, drive_kinds.c)
    double natural_angle2;
    PoiseVec3 natural_translation;
    PoiseSpring original_linear; ///< free: along the axes
    PoiseSpring ik_linear;
    double force_limit; ///< free: N
    double lower2;
    double upper2;
    bool has_cone;
    double swing_limit;
    double twist_lower;
    double twist_upper;

    // mass of the link and what is welded to it, and its centre in the link's frame
    double mass;
    PoiseVec3 com_link;
    bool weighs; ///< the mass counts: the body feels gravity and is not kinematic

    // whether the solver's answer is for it: p_ik > 0 and registered with a point
    bool follows_ik;
    // as of this step
    bool ready;
    bool lost;     ///< was not ready in the last step, so that the solver leaves it out
    bool cut;      ///< it, or what it stands on, has come off
    bool anchored; ///< of a root: the base stands firm, so gravity can be fed forward
    PoisePose joint_world;
    PoisePose link_world;
    double angle;       ///< measured
    PoiseQuat rotation; ///< measured
    double last_angle;  ///< measured, the step before
    PoiseQuat last_rotation;
    bool has_last;
    PoiseVec3 drag;                 ///< hinge, slider: see reference.c; as of this step
    double velocity[POISE_MAX_DOF]; ///< the reference's own, as of the last solve
    bool bounds_step;               ///< the tree was told a range of its step
    PoiseQuat own_joint;            ///< joint frame's rotation where omega was found
    double angle2;                  ///< universal
    PoiseVec3 translation;          ///< translation, free
    double ik_angle2;
    PoiseVec3 ik_translation;
    PoiseHingeDrive hinge2; ///< universal: the second blended drive
    PoiseSpring linear;     ///< translation, free: the blended spring
    PoiseVec3 target_translation;
    PoiseVec3 feed_forward_force; ///< free
    double ik_angle;              ///< theta_ik
    PoiseQuat ik_rotation;
    PoiseHingeDrive hinge; ///< the blended drive
    PoiseBallDrive ball;
    PoiseVec3 ball_error; ///< of the last drive, so that it does not flip past half a turn
    PoiseVec3 feed_forward;
    /// What the drive must add while a point presses (force.c), as poise_node_force_torque.
    double pressing[POISE_MAX_DOF];
    PoiseVec3 added_up; ///< the integral's torque; a ball's in its joint frame
    bool on_stop;       ///< pushed against the end of its range: as of the last force that pressed
    double carrying[3]; ///< what the stance points' forces take of it: -J_s^T f_s
    bool has_driven;
    bool finite_rotation_was; ///< the body's mode before us
    bool finite_rotation_set;
} Binding;

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

struct PoiseRig {
    PoiseHost host;
    /// NULL once it has been destroyed: that is what the claim on it does.
    union {
        PoiseTree* tree;
        PoiseTreeClaim claim;
    };
    dWorldID world;
    PoiseReference reference;
    bool gravity;
    bool finite_rotation;
    PoiseSolveDef solve;
    double posture_rate;
    double integral;
    double integral_most;

    PoiseStatus status;
    char message[256];

    /// In the order of the tree's nodes, so that parents come first.
    Binding* bindings;
    int binding_count;
    int binding_capacity;
    Weld* welds;
    int weld_count;
    int weld_capacity;
    Stance* stances;
    PoisePointId balance; ///< a centre of mass to be kept over them, or null
    int stance_count;
    int stance_capacity;
    Footing* footings; ///< scratch: those of one base
    int footing_capacity;
    Support* supports;
    int support_count;
    int support_capacity;

    Press press;

    double advised_step; ///< for which the log was told of the springs
    int advised_bindings;
    unsigned updates;     ///< counts on; for looking at the steps now and then
    bool told_step_error; ///< once is enough
    int unstepped;        ///< updates in a row without a step before them
    bool told_support;    ///< likewise, until it is carried again

    uint64_t tree_revision; ///< for which follows_ik and the ranges were read
    bool revision_known;
};

// rig.c
PoiseStatus poise__rig_fail(PoiseRig* rig, PoiseStatus status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
Binding* poise__binding(const PoiseRig* rig, PoiseNodeId node);
Binding* poise__binding_of_body(const PoiseRig* rig, dBodyID body);
/// Room for `needed` elements in the array whose pointer is at `pointer`; false without memory.
bool poise__grow(const PoiseHost* host, void* pointer, int* capacity, int needed, size_t element);

// step_error.c
/// Looks whether the world was stepped since the last update (rig->unstepped), and now and then
/// whether its steps are exact; says once if not.
void poise__step_error_watch(PoiseRig* rig);

// settings.c
/// What is wrong with a spring, or NULL; and with other settings.
const char* poise__spring_check(PoiseSpring spring);
const char* poise__posture_rate_check(double rate);
const char* poise__integral_check(double integral, double most);

// bind.c
/// Unbinds the nodes that have been destroyed in the tree.
void poise__drop_destroyed(PoiseRig* rig);
/// Takes the motor away and puts back what was changed on the body, as far as they are there.
void poise__binding_finish(Binding* binding);
/// Counts a body that is fixed to the node's link, by a joint to `holder`, as part of it.
PoiseStatus poise__weld_add(PoiseRig* rig, PoiseNodeId node, dBodyID holder, dBodyID body);
/// Whether the body of a weld is still held: one that was destroyed is noticed, not followed.
bool poise__weld_holds(const PoiseRig* rig, const Weld* weld);

// bind_kinds.c: what the kinds with more than one number do in read.c and bind.c
/// Their measured posture from the frames.
void poise__read_kind(Binding* binding);
/// Into the tree; and theta_ik out of it.
PoiseStatus poise__kind_take_posture(PoiseRig* rig, const Binding* binding);
void poise__kind_read_ik(const PoiseRig* rig, Binding* binding);
/// The second range and the cone out of the tree.
void poise__read_limits(const PoiseRig* rig, Binding* binding);
/// The leash of reference.c, `most` long; whether it held.
bool poise__leash_kind(PoiseRig* rig, Binding* binding, double most);
/// Whether it is one of universal, translation, free.
static inline bool poise__is_other_kind(PoiseNodeKind kind) {
    return kind == POISE_NODE_UNIVERSAL || kind == POISE_NODE_TRANSLATION ||
           kind == POISE_NODE_FREE;
}
/// Whether springs of its own drive it towards theta_ik, rather than what it stands on.
bool poise__binding_is_driven(const Binding* binding);
/// Whether it can carry what hangs on it: a joint, or springs along all axes.
bool poise__binding_holds_up(const Binding* binding);
/// Whether the solver moves it at all: driven, or a free root.
bool poise__binding_takes_part(const PoiseRig* rig, const Binding* binding);

// stand/: what carries a base that nothing holds
/// Whether some point is there to carry.
bool poise__has_stance(const PoiseRig* rig);
/// Whether it is a base that nothing holds; and whether points of it carry one, as of this step.
bool poise__base_floats(const Binding* binding);
bool poise__stands(const PoiseRig* rig, int binding);
/// Room for so many; false without memory.
bool poise__stances_reserve(PoiseRig* rig, int count);
/// Forgets the points that have been destroyed.
void poise__drop_stances(PoiseRig* rig);
/// The bound node a point's link hangs on, or NO_BINDING.
int poise__binding_below(const PoiseRig* rig, PoisePointId point);
/// Where the points are, and which of them have to carry; their goals, and that of the balance, go
/// along with them. Needs measured frames.
void poise__stance_find(PoiseRig* rig);
void poise__stance_follow(PoiseRig* rig, double dt);
/// Shares what floating bases need out over their points, into `carrying`, and says who is anchored
/// by it. Needs measured frames, and their forces and weights.
void poise__stance_share(PoiseRig* rig, PoiseVec3 gravity);
/// m: how large a sole is, and how many of its directions the ground holds: place, and rotation
/// where it is not 0.
double poise__stance_arm(const Stance* stance);
int poise__foot_rows(const Stance* stance);
/// The coefficient of a point, bounded; how it stands, and all that carry a base into the rig's
/// footings, returning how many.
double poise__stance_friction(const Stance* stance);
void poise__stance_footing(const Stance* stance, PoiseVec3 centre, PoiseVec3 up, Footing* footing);
int poise__support_footings(PoiseRig* rig, const Support* support);
/// Shares out the weight and `part` of what is pressed; whether that can be carried.
bool poise__support_share(PoiseRig* rig, const Support* support, int footings, double part,
                          double missing[WRENCH]);
/// How many bases the ground cannot carry; tells the log when it comes to that.
int poise__support_watch(PoiseRig* rig);
/// What the ground has to give to a base for the forces asked of its points, about `centre`.
void poise__pressed_load(const PoiseRig* rig, const Binding* base, PoiseVec3 centre,
                         double load[WRENCH]);

// read.c: ODE -> bindings -> tree
/// Angles and frames of one binding; of all of them, returning how many are ready.
void poise__read_binding(Binding* binding);
int poise__read_bodies(PoiseRig* rig);
/// Second filler: bases and measured frames into the tree (after setting the postures, if asked).
PoiseStatus poise__fill_measured(PoiseRig* rig, bool posture_too);
/// The measured posture of one binding into the tree.
void poise__take_posture(PoiseRig* rig, const Binding* binding);

// reference.c: which posture the solver starts from, and how far theta_ik may be
/// Refreshes what follows from the tree's sets: who follows the solver, the ranges, room for
/// forces. POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__read_sets(PoiseRig* rig);
/// Before the solve: frames of the reference posture.
PoiseStatus poise__reference_frames(PoiseRig* rig);
/// Then: the leash as bounds of the solver's step.
void poise__reference_bound(PoiseRig* rig, double dt);
/// And, with a posture_rate, the natural posture as what the null space is pulled to.
void poise__reference_pull(PoiseRig* rig, PoiseSolveDef* solve);
/// After it: theta_ik = reference + omega, inside the leash. Returns how many the leash held.
int poise__reference_advance(PoiseRig* rig, double dt);

// drive.c
/// theta_orig of a hinge or slider, on the turn of theta_ik.
double poise__natural_angle(const Binding* binding, double ik_angle);
/// Whether the motor gave its limit in the last step.
bool poise__is_saturated(const Binding* binding);

// numbers.c: by the numbers of poise_node_omega and poise_node_force_torque
/// p_ik of a number, 0 where the solver's answer is not for it; p_orig; the limit.
double poise__number_ik(const Binding* binding, int d);
double poise__number_original(const Binding* binding, int d);
double poise__number_limit(const Binding* binding, int d);
/// What the motor gave in the last step.
void poise__motor_numbers(const Binding* binding, double out[POISE_MAX_DOF]);
/// What the spring to theta_ik gives at the measured posture, and what the pull to the natural one
/// adds to it.
void poise__spring_torques(const Binding* binding, double spring[POISE_MAX_DOF],
                           double posture[POISE_MAX_DOF]);
/// What of the weight is fed forward; whether any.
bool poise__fed_weight(const PoiseRig* rig, const PoiseTree* tree, const Binding* binding,
                       double torque[POISE_MAX_DOF]);
/// Measured posture and frames, or theta_ik, as a tree has them.
void poise__binding_from_tree(Binding* binding, const PoiseTree* tree);
void poise__binding_ik_from_tree(Binding* binding, const PoiseTree* tree);

// advice.c
/// Tells the log once of springs that do not suit.
void poise__advise_once(PoiseRig* rig, double dt);

// integral.c
/// What it has added up, as the drive feeds it forward.
PoiseVec3 poise__integral_torque(const Binding* binding);
/// Whether it adds to this joint while that is not at its limit.
bool poise__integral_acts(const PoiseRig* rig, const Binding* binding);
/// The most it may add to the joint.
double poise__integral_most(const PoiseRig* rig, const Binding* binding);
void poise__integral_add(PoiseRig* rig, double dt);
/// Keeps what it has added up within its bound; nothing of it while there is none.
void poise__integral_bound(const PoiseRig* rig, Binding* binding);

/// Wakes the body where its reference `moved` by so much (rad, m) or its springs changed.
void poise__wake_if_moved(Binding* binding, double moved, PoiseVec3 feed, PoiseSpring was,
                          PoiseSpring is);
/// drive_kinds.c: universal, translation and free nodes; and a ball's cone.
void poise__drive_kind(const PoiseRig* rig, Binding* binding, double dt);
void poise__drive_cone(Binding* binding);
/// Blends both springs of every binding and sets its motor; counts into the report.
void poise__drive(PoiseRig* rig, double dt, PoiseRigReport* report);

#endif
