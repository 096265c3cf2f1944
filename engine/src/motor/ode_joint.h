// SPDX-License-Identifier: MIT
// What ODE's joints are as joints of a tree: one row for each of its types. Signs and orders were
// measured for every order of attaching; what is read is in the sense of the child's motion, in the
// order of the motions from the parent's side.
#ifndef POISE_ODE_JOINT_H
#define POISE_ODE_JOINT_H

#include <ode/ode.h>

#include "poise/joint.h"
#include "poise/math.h"

/// The most prismatic and revolute motions a joint of ODE has.
enum { ODE_MOTIONS = 3 };

/// A joint as its bodies stand, for the motions that are prismatic or revolute.
typedef struct OdeJoint {
    int motion_count;
    /// World: of the first rotation, on the parent's side; without one the child's origin.
    PoiseVec3 anchor;
    PoiseVec3 axes[ODE_MOTIONS]; ///< world
    double q[ODE_MOTIONS];       ///< as ODE counts
    double lower[ODE_MOTIONS];   ///< of q, by ODE's stops; infinite where it knows none
    double upper[ODE_MOTIONS];
} OdeJoint;

/// Whether a joint ties its bodies: enabled, and neither a contact, which is told of in other ways,
/// nor of ODE's type that holds nothing.
static inline bool poise__ode_joint_ties(dJointID joint) {
    const dJointType type = dJointGetType(joint);
    return type != dJointTypeContact && type != dJointTypeNull && dJointIsEnabled(joint) != 0;
}

/// The kind of node that stands for a joint whose link is `child`; 0 where there is none.
PoiseNodeKind poise__ode_joint_kind(dJointID joint, dBodyID child);
/// Whether a joint of some type stands for the kind.
bool poise__ode_joint_stands_for(PoiseNodeKind kind);
/// What keeps a joint of this type from being one of a tree, in words.
const char* poise__ode_joint_refusal(dJointType type);
/// The type's name, "dJointTypeHinge" say.
const char* poise__ode_joint_name(dJointType type);
/// The other body of the joint.
dBodyID poise__ode_joint_other(dJointID joint, dBodyID body);
/// Reads a joint that has a kind.
void poise__ode_joint_read(dJointID joint, dBodyID child, OdeJoint* out);

/// Whether a joint can be bound with `child` as the link of a node of `kind`: POISE_OK, or why not,
/// with a message that says what to do (no prefix; the caller names itself and the node); `kind` 0:
/// any that stands for the joint. Reads nothing of ODE before it is known to be safe.
/// POISE_ERROR_INVALID_ARGUMENT: a NULL, a joint that is attached to no body, does not hold
/// `child`, or is disabled, a body, an axis or an anchor that is not finite;
/// POISE_ERROR_WRONG_KIND; POISE_ERROR_FOREIGN_WORLD. `message` may be NULL.
PoiseStatus poise__ode_joint_check(dWorldID world, dJointID joint, dBodyID child,
                                   PoiseNodeKind kind, char message[200]);
/// The same for what no joint holds: `parent` NULL is the environment.
PoiseStatus poise__ode_body_check(dWorldID world, dBodyID parent, dBodyID child, char message[200]);

#endif
