// SPDX-License-Identifier: MIT
// What the files of a rig share. One Binding stands for one node, its joint and its motor.
#ifndef POISE_RIG_INTERNAL_H
#define POISE_RIG_INTERNAL_H

#include "rig/binding.h"
#include "stand/share.h"
#include "step/force.h"

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
    PoiseStatus noted; ///< see poise__note
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
    bool pressing; ///< some point asks for a force or yields, as of this step

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
/// Keeps the first error of an update's own calls on the tree, which reports it at its end.
void poise__note(PoiseRig* rig, PoiseStatus status);
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
/// Counts a body that is fixed to the node's link, by a joint to `holder`, as part of it.
PoiseStatus poise__weld_add(PoiseRig* rig, PoiseNodeId node, dBodyID holder, dBodyID body);
/// Whether the body of a weld is still held: one that was destroyed is noticed, not followed.
bool poise__weld_holds(const PoiseRig* rig, const Weld* weld);

/// Whether the solver moves it at all: driven, or a free root.
bool poise__binding_takes_part(const PoiseRig* rig, const Binding* binding);

// stand/: what carries a base that nothing holds
/// Whether points of a base carry it, as of this step.
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
/// Angles and frames of all bindings; how many are ready, or an error of the tree.
int poise__read_bodies(PoiseRig* rig);
/// Tells the tree where the base of a root is, and how it moves.
void poise__take_base(PoiseRig* rig, Binding* binding);
/// Second filler: bases and measured frames into the tree (after setting the postures, if asked).
PoiseStatus poise__fill_measured(PoiseRig* rig, bool posture_too);

// reference.c: which posture the solver starts from, and how far theta_ik may be
/// Refreshes what follows from the tree's sets: who follows the solver, the ranges, room for
/// forces. POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__read_sets(PoiseRig* rig);
/// Before the solve: frames of the reference posture.
PoiseStatus poise__reference_frames(PoiseRig* rig);
/// And, with a posture_rate, the natural posture as what the null space is pulled to.
PoiseStatus poise__reference_pull(const PoiseRig* rig, PoiseTree* tree, PoiseSolveDef* solve);
/// After it: theta_ik = reference + omega, as near as the anti-windup clamp wants it. Returns how
/// many it held, or an error of the tree.
int poise__reference_advance(PoiseRig* rig);

// clamp.c: how far theta_ik may be, so that its torque limit answers to it
/// Whether a joint has such a limit and follows the solver.
bool poise__clamp_acts(const Binding* binding);
/// Before the solve, where the posture is still that which it starts from: the clamp of a joint of
/// one velocity bounds its step, so that the solver finds what the others can do meanwhile.
PoiseStatus poise__reference_bound(PoiseRig* rig, double dt);
/// After it: brings theta_ik into its clamp, every block; whether it held.
bool poise__clamp_ik(Binding* binding);

// force.c
/// What of the weight is fed forward, world; whether any.
bool poise__fed_weight(const PoiseRig* rig, const PoiseTree* tree, const Binding* binding,
                       double torque[POISE_MAX_NV]);

// advice.c
/// Tells the log once of springs that do not suit.
void poise__advise_once(PoiseRig* rig, double dt);

// integral.c
/// What it has added up, world, as the drive feeds it forward.
void poise__integral_torque(const Binding* binding, double torque[POISE_MAX_NV]);
/// Whether it adds to this joint while that is not at its limit.
bool poise__integral_acts(const PoiseRig* rig, const Binding* binding);
/// The most it may add to velocities of a sort.
double poise__integral_most(const PoiseRig* rig, const Binding* binding, Sort sort);
void poise__integral_add(PoiseRig* rig, double dt);
/// Keeps what it has added up within its bound; nothing of it while there is none.
void poise__integral_bound(const PoiseRig* rig, Binding* binding);

// drive.c
/// Blends both springs of every binding and sets its motor; counts into the report.
void poise__drive(PoiseRig* rig, double dt, PoiseRigReport* report);

#endif
