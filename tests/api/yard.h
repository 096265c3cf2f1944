// SPDX-License-Identifier: MIT
// Rows of bad arguments for the functions of rigs. No call may reach ODE with them, because ODE
// would end the process.
#ifndef POISE_TEST_YARD_H
#define POISE_TEST_YARD_H

#include <ode/ode.h>

#include "fixture_test.h"
#include "poise/rig.h"
#include "refuse.h"

/// Creates a rod of 1 kg at (x, 0, 0); a hinge about z at this position.
dBodyID yard_body(dWorldID world, double x);
dJointID yard_hinge(dWorldID world, dBodyID parent, dBodyID child, double x);

/// A world with a base and three links on a hinge, a slider and a ball, all bound. Also joints and
/// bodies that cannot be bound.
typedef struct Yard {
    TestHost host;
    dWorldID world;
    dBodyID bodies[4];
    dJointID joints[3]; ///< hinge, slider, ball
    PoiseTree* tree;
    PoiseNodeId nodes[3];
    PoisePointId point;
    PoiseNodeId unbound_node; ///< a hinge that is not bound
    dBodyID unbound_body;
    dJointID unbound_joint; ///< a hinge between the base and the unbound body
    dJointID fixed_joint;
    dJointID open_joint; ///< attached to nothing
    dWorldID other_world;
    dBodyID foreign_body;
    dJointID foreign_joint;
    PoiseTree* other_tree;
    PoiseNodeId foreign_node;
    PoiseRig* rig;
} Yard;

void yard_init(Yard* yard);
/// Destroys the yard. Expects that no memory is left.
void yard_finish(Yard* yard);

/// Returns a def that is good except for its tree, which already has a rig.
PoiseRigDef yard_rig_def(Yard* yard);

/// Returns the readable state of tree, rig and bodies.
Snapshot yard_snapshot(Yard* yard);
/// Expects the status, from the call and from the rig, one message, and the state `before`. Clears
/// the status.
void yard_expect_refused(Yard* yard, const Snapshot* before, PoiseStatus expected,
                         PoiseStatus status, const char* call);

/// A row: the call must return the status.
#define RIG_REFUSES(expected, call)                                                                \
    do {                                                                                           \
        Snapshot before_ = yard_snapshot(yard);                                                    \
        PoiseStatus status_ = (PoiseStatus)(call);                                                 \
        yard_expect_refused(yard, &before_, expected, status_, #call);                             \
    } while (0)

/// A row: the call must return the null handle.
#define RIG_MAKES_NOTHING(expected, call)                                                          \
    do {                                                                                           \
        Snapshot before_ = yard_snapshot(yard);                                                    \
        cr_expect_eq((call).index1, 0u, "%s gave a handle", #call);                                \
        yard_expect_refused(yard, &before_, expected, poise_rig_status(yard->rig), #call);         \
    } while (0)

/// A test with its own yard.
#define YARD_TEST(suite, name)                                                                     \
    FIXTURE_TEST(suite, name, (Yard * yard), Yard made_;                                           \
                 yard_init(&made_), (&made_), yard_finish(&made_))

#endif
