// SPDX-License-Identifier: MIT
// A mechanism of boxes in an ODE world, with a tree, a rig and one point: shared by the tests of
// rigs. All measurements come from ODE's bodies, never from the rig.
#ifndef POISE_TEST_MECHANISM_H
#define POISE_TEST_MECHANISM_H

#include <criterion/criterion.h>

#include "host.h"
#include "poise/forecast.h"

/// Changes one setting of a rig.
#define RIG_SET(rig, member, value)                                                                \
    do {                                                                                           \
        PoiseRigSettings settings_ = poise_rig_settings(rig);                                      \
        settings_.member = (value);                                                                \
        cr_assert_eq(poise_rig_set_settings(rig, &settings_), POISE_OK);                           \
    } while (0)

enum { MECHANISM_BODIES = 32 };

typedef struct Mechanism {
    TestHost host; ///< of tree and rig
    dWorldID world;
    PoiseTree* tree;
    PoiseRig* rig;
    int body_count;
    dBodyID bodies[MECHANISM_BODIES]; ///< in the order of creation, like the joints
    int joint_count;
    dJointID joints[MECHANISM_BODIES];
    PoisePointId point;
    dBodyID point_body;
    PoiseVec3 point_in_body;
    long steps;
} Mechanism;

/// Makes an empty world with an empty rig.
void mechanism_open(Mechanism* m, PoiseVec3 gravity, PoiseReference reference);
/// Turns off the solver's damping, which leaves a part of the error to the next step: in measured
/// mode it softens the springs by that part.
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

/// Adds a joint between two bodies (NULL: the environment), attached in the given order.
dJointID mechanism_join(Mechanism* m, PoiseNodeKind kind, dBodyID first, dBodyID second, Pivot at);
/// Adds a fixed joint.
dJointID mechanism_weld(Mechanism* m, dBodyID first, dBodyID second);

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
void mechanism_goal(Mechanism* m, PoiseVec3 goal);
/// Forecasts a point over at most 300 s, with steps of `dt`; 0: those of the last update.
PoiseForecast foresee(PoiseRig* rig, PoisePointId point, double dt);
PoiseForecast mechanism_foresee(const Mechanism* m, double dt);

/// Updates, asserts success, and steps the world.
PoiseRigReport mechanism_step(Mechanism* m, double dt);
void mechanism_run(Mechanism* m, double dt, int steps);

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
