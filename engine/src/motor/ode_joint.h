// SPDX-License-Identifier: MIT
// Reads ODE's joints as joints of a tree, by a table with a row for each of ODE's joint types. Its
// signs were measured with the bodies attached in each order. Coordinates increase with the child's
// motion, and have the order of the motions from the parent to the child.
#ifndef POISE_ODE_JOINT_H
#define POISE_ODE_JOINT_H

#include <ode/ode.h>

#include "poise/joint.h"
#include "poise/math.h"

/// The largest number of prismatic and revolute motions of an ODE joint.
enum { ODE_MOTIONS = 3 };

/// The present anchor, axes and coordinates of a joint, for its prismatic and revolute motions.
typedef struct OdeJoint {
    int motion_count;
    /// A point on the first axis of rotation that is fixed in the parent (piston: in the child),
    /// world, m; the child's origin if no motion is a rotation.
    PoiseVec3 anchor;
    PoiseVec3 axes[ODE_MOTIONS]; ///< axes of the motions, world, length 1
    double q[ODE_MOTIONS];     ///< ODE's coordinates, in the sense of the child's motion, rad or m
    double lower[ODE_MOTIONS]; ///< bounds of q by ODE's stops; infinite if ODE has none
    double upper[ODE_MOTIONS];
} OdeJoint;

/// True if a joint ties its bodies: it is enabled, and neither a contact nor a dJointTypeNull.
static inline bool poise__ode_joint_ties(dJointID joint) {
    const dJointType type = dJointGetType(joint);
    return type != dJointTypeContact && type != dJointTypeNull && dJointIsEnabled(joint) != 0;
}

/// Returns the kind of node for a joint whose link is `child`; 0 if there is no such kind.
PoiseNodeKind poise__ode_joint_kind(dJointID joint, dBodyID child);
/// True if some type of ODE joint can be bound to a node of this kind.
bool poise__ode_joint_stands_for(PoiseNodeKind kind);
/// Returns the type's name, such as "dJointTypeHinge".
const char* poise__ode_joint_name(dJointType type);
/// Returns an anchor or axis, world, that ODE's function `get` reads.
PoiseVec3 poise__ode_joint_vector(void (*get)(dJointID, dVector3), dJointID joint);
/// Returns the other body of a joint that has `body`; NULL for the environment.
dBodyID poise__ode_joint_other(dJointID joint, dBodyID body);
/// Reads a joint that has a kind of node.
void poise__ode_joint_read(dJointID joint, dBodyID child, OdeJoint* out);

/// Checks that a joint can be bound, with `child` as the link, to a node of `kind` (0: any kind
/// that the joint has). `message` gets a sentence that says what to do, to which the caller adds
/// its own name and the node. Reads each value of ODE only after the checks that make the read
/// safe. Returns POISE_OK; POISE_ERROR_INVALID_ARGUMENT: a NULL; a joint that is attached to no
/// body, does not hold `child`, or is disabled; a body, an axis or an anchor that is not finite;
/// POISE_ERROR_WRONG_KIND; POISE_ERROR_FOREIGN_WORLD.
PoiseStatus poise__ode_joint_check(dWorldID world, dJointID joint, dBodyID child,
                                   PoiseNodeKind kind, char message[200]);
/// Checks the bodies of a node without a joint, with the results of poise__ode_joint_check.
/// `parent` NULL is the environment.
PoiseStatus poise__ode_body_check(dWorldID world, dBodyID parent, dBodyID child, char message[200]);

#endif
