// SPDX-License-Identifier: MIT
// Closed chains. A joint that closes a loop has no node, because the other joints of the loop
// already connect its bodies. It becomes a closure: control points between its two bodies with the
// priority POISE_PRIORITY_CLOSURE, before all others. The solve keeps the loop closed, and joints
// without springs follow. Gravity torques, forces at points and forecasts are then those of the
// closed chain. poise_rig_import makes closures by itself.
#ifndef POISE_CLOSURE_H
#define POISE_CLOSURE_H

#include "poise/rig.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a closure of a joint, from the present poses of its bodies. Each body must be a link of a
/// bound node, fixed to such a link, a base, or the environment. A joint that is a closure already
/// is allowed. A ball fixes 3 directions, a hinge or slider 5, a fixed joint 6. Errors:
/// POISE_ERROR_INVALID_ARGUMENT for NULL, and for a joint that is disabled, bound to a node, or
/// closes no loop of bound joints; POISE_ERROR_FOREIGN_WORLD; POISE_ERROR_WRONG_KIND for a joint of
/// another type, which stays with ODE: the rig does not know its forces.
POISE_API PoiseStatus poise_rig_add_closure(PoiseRig* rig, dJointID joint);
/// Destroys the closure's points. A joint without a closure is allowed. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_remove_closure(PoiseRig* rig, dJointID joint);
/// Returns the number of closures of the rig. A closure whose joint is destroyed or disabled is
/// counted, but fixes nothing.
POISE_API int poise_rig_closure_count(const PoiseRig* rig);
/// Returns the joint of a closure, 0 <= index < count; NULL for another index.
POISE_API dJointID poise_rig_closure_joint(const PoiseRig* rig, int index);

#ifdef __cplusplus
}
#endif

#endif
