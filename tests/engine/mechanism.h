// SPDX-License-Identifier: MIT
// The builder of the tests of rigs: a world, boxes, joints, a tree, a rig and points. All
// measurements come from ODE's bodies, never from the rig.
#ifndef POISE_TEST_MECHANISM_H
#define POISE_TEST_MECHANISM_H

#include <criterion/criterion.h>

#include "host.h"
#include "poise/design.h"
#include "poise/forecast.h"
#include "poise/world.h"

/// Sets one member of a rig's settings.
#define RIG_SET(rig, member, value)                                                                \
    do {                                                                                           \
        PoiseRigSettings settings_ = poise_rig_settings(rig);                                      \
        settings_.member = (value);                                                                \
        cr_assert_eq(poise_rig_set_settings(rig, &settings_), POISE_OK);                           \
    } while (0)

enum { MECHANISM_BODIES = 32 };

typedef struct Mechanism {
    TestHost host;   ///< host of the tree and the rig
    PoiseWorld* own; ///< the world, if Poise made it; NULL: ODE did
    dWorldID world;
    bool shares;    ///< True if the world belongs to another mechanism
    dSpaceID space; ///< space of the boxes' geoms; NULL: the boxes have none
    PoiseTree* tree;
    PoiseRig* rig;
    int body_count;
    dBodyID bodies[MECHANISM_BODIES]; ///< the bodies in the order of creation; the joints likewise
    int joint_count;
    dJointID joints[MECHANISM_BODIES];
    PoisePointId point;
    dBodyID point_body;
    PoiseVec3 point_in_body;
    long steps;
} Mechanism;

/// Makes an empty world of ODE with an empty rig.
void mechanism_open(Mechanism* m, PoiseVec3 gravity, PoiseReference reference);
/// Makes an empty rig in a new world of Poise. The boxes of the mechanism have geoms, in one group.
void mechanism_open_world(Mechanism* m, const PoiseWorldDef* def, PoiseReference reference);
/// Makes an empty rig in the world of another mechanism, which is closed later.
void mechanism_open_in(Mechanism* m, const Mechanism* other);
/// Returns a def of a rig of this tree and world.
PoiseRigDef mechanism_rig_def(Mechanism* m);
/// Turns off the solver's damping. Damping leaves a part of the error to the next step, and in
/// measured mode softens the springs by this part.
void mechanism_solve_exactly(Mechanism* m);
/// Destroys rig, tree and world; expects that no memory block is left.
void mechanism_close(Mechanism* m);

/// Adds a box of `size` and `mass` with its centre at `at`, unrotated.
dBodyID mechanism_box(Mechanism* m, PoiseVec3 at, PoiseVec3 size, double mass);
/// Adds a box of 0.2 x 0.3 x 0.4 m and 2 kg.
dBodyID mechanism_brick(Mechanism* m, PoiseVec3 at);
/// Place of a joint and axis of a hinge or slider, world.
typedef struct Pivot {
    PoiseVec3 anchor;
    PoiseVec3 axis;
} Pivot;

static inline Pivot pivot(PoiseVec3 anchor, PoiseVec3 axis) {
    return (Pivot){anchor, axis};
}

/// A joint of ODE: its type, its bodies in ODE's order (NULL: the environment), and its anchor and
/// axes in the world, in the order of its motions. Axis 1 belongs to the first body.
typedef struct JointDef {
    dJointType type;
    dBodyID first;
    dBodyID second;
    PoiseVec3 anchor;
    PoiseVec3 axes[3];
} JointDef;

/// Makes a joint of any type that a node can have, or a fixed one.
dJointID joint_make(dWorldID world, const JointDef* def);
/// Sets the stops of every motion of a joint.
void joint_set_stops(dJointID joint, double lower, double upper);

/// Adds a joint between two bodies (NULL: the environment), attached in the given order.
dJointID mechanism_join(Mechanism* m, PoiseNodeKind kind, dBodyID first, dBodyID second, Pivot at);
/// Adds a fixed joint.
dJointID mechanism_weld(Mechanism* m, dBodyID first, dBodyID second);

/// A box on a joint. A member of 0 means its default.
typedef struct LinkDef {
    dBodyID parent; ///< body that carries the box; NULL: the environment
    PoiseNodeKind kind;
    Pivot pivot; ///< place and axis of the joint; default axis z
    PoiseVec3 at;
    PoiseVec3 size; ///< side lengths of the box; default: a cube of 0.2 m
    double mass;    ///< mass of the box; default: 1 kg
    /// Springs with which the joint is added to the rig; NULL: it is left to an import.
    const PoiseBindDef* like;
} LinkDef;

/// Adds a box and its joint, attached (box, parent).
dBodyID mechanism_link(Mechanism* m, const LinkDef* def);
/// Adds a bar of 1 m along x, 1 kg, on a joint at the origin; hinges turn about z.
dBodyID mechanism_add_bar(Mechanism* m, PoiseNodeKind kind, const PoiseBindDef* like);
/// Makes a mechanism with a bar of 1 m along x, 1 kg, on a hinge about z at the origin; returns its
/// node. The point is at the bar's end.
PoiseNodeId mechanism_bar(Mechanism* m, PoiseReference reference, const PoiseBindDef* like);
/// Adds a universal joint at height z above the origin, attached in the given order: axis x on the
/// parent, y on the child. Suppresses ODE's message about axes that are not set yet.
dJointID mechanism_universal(dWorldID world, dBodyID first, dBodyID second, dBodyID child,
                             double z);

/// Returns a def of IK springs without original springs.
PoiseBindDef mechanism_springs(double stiffness, double damping);
/// Adds a position point at a place of the world on a link, registered down to the base; its goal
/// is its place.
PoisePointId mechanism_point(Mechanism* m, PoiseNodeId link, dBodyID body, PoiseVec3 place);
/// Adds a point of any kind on a body, at a place of the body; registered down to the base.
PoisePointId mechanism_add_point(Mechanism* m, PoisePointDef def, dBodyID body, PoiseVec3 in_body);
void mechanism_goal(Mechanism* m, PoiseVec3 goal);
/// Returns a def of the derivatives of the point's rest by one variable, found with steps of 0.01
/// s.
PoiseSensitivityDef mechanism_derivatives(const Mechanism* m, const PoiseVariable* variable);
/// Reads a joint of the rig.
PoiseJointReading mechanism_read(const Mechanism* m, PoiseNodeId node);
/// Reads the point.
PoisePointReading mechanism_read_point(const Mechanism* m);
/// Pushes the point's body at the point, N.
void mechanism_push(const Mechanism* m, PoiseVec3 load);
/// Makes steps with this push; returns the place of the point.
PoiseVec3 mechanism_settle(Mechanism* m, PoiseVec3 load, double dt, int steps);
/// A wall of ODE's contacts, made anew in each step.
typedef struct Plane {
    PoiseVec3 into;  ///< unit vector into the wall
    double at;       ///< coordinate of the wall along `into`, m
    double friction; ///< Coulomb's coefficient of friction
    dJointGroupID group;
} Plane;

/// Makes the contact of a body with a wall at a place of the body; NULL if the place does not
/// touch.
dJointID mechanism_touch(const Mechanism* m, const Plane* wall, dBodyID body, PoiseVec3 place);
/// Forecasts a point over at most 300 s, with steps of `dt`; 0: those of the last update.
PoiseForecast foresee(PoiseRig* rig, PoisePointId point, double dt);
PoiseForecast mechanism_foresee(const Mechanism* m, double dt);

/// Updates, asserts success, and steps the world.
PoiseRigReport mechanism_step(Mechanism* m, double dt);
/// Makes steps; returns the last report.
PoiseRigReport mechanism_run(Mechanism* m, double dt, int steps);

/// Adds three bars of 1 m on hinges about z to an open mechanism, the first at the origin, at these
/// angles (rad) and with these springs. The point is at the end of the last bar.
void mechanism_planar(Mechanism* m, const double angles[3], const PoiseBindDef likes[3]);

/// Returns a world by the default def.
PoiseWorld* world_make(void);
/// Adds a cube of 2 kg to a space of a world; NULL: its own space.
dBodyID world_cube(PoiseWorld* world, dSpaceID space, double side, PoiseVec3 place);
/// Makes steps of a world; each must succeed.
void world_run(PoiseWorld* world, double dt, int steps);

/// Return the place of the point on its body, and its distance from the goal, m.
PoiseVec3 mechanism_tip(const Mechanism* m);
double mechanism_error(const Mechanism* m);
double mechanism_kinetic_energy(const Mechanism* m);
/// Returns the hash of all bodies.
uint64_t mechanism_hash(const Mechanism* m);

/// Returns the rotation of four coordinates; sets it as theta_orig of a def.
PoiseQuat quat_of(const double* q);
void set_natural_rotation(PoiseBindDef* def, PoiseQuat rotation);

PoiseVec3 body_place(dBodyID body);
/// Returns a place of a body in the world.
PoiseVec3 body_point(dBodyID body, PoiseVec3 in_body);
void body_put(dBodyID body, PoisePose at);
PoiseQuat body_turn(dBodyID body);

/// `count` hinges, sliders or balls in a row along y from a fixed anchor at (0, 0.1 scale, 0):
/// boxes of 0.2 x 1 x 0.2 times `scale`, each joint at the end of the link before it, hinges about
/// z. The point is at the end of the last link. Imported with `like`.
typedef struct ChainDef {
    PoiseNodeKind kind;
    int count;
    double scale;
    double mass;
    PoiseVec3 gravity;
    PoiseReference reference;
    PoiseBindDef like;
} ChainDef;

ChainDef chain_def(PoiseNodeKind kind, int count, double stiffness, double damping);
void chain_open(Mechanism* m, const ChainDef* def);
/// Adds only the chain to a mechanism that is open.
void chain_build(Mechanism* m, const ChainDef* def);
/// Returns the length of the straight chain with the 0.1 to its anchor, m: the L of the scenes.
double chain_length(const ChainDef* def);

#endif
