// SPDX-License-Identifier: MIT
// Closed chains. A joint that closes a loop has no node: its bodies are held together through the
// others. It becomes a closure instead: control points between its two bodies that come before all
// others (POISE_PRIORITY_CLOSURE). The solve and the own posture keep the loop closed, joints
// without springs move along, and weight, asked forces, forecasts and what is measured are those of
// the closed chain. poise_rig_import makes closures by itself.
#ifndef POISE_CLOSURE_H
#define POISE_CLOSURE_H

#include "poise/rig.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a closure of a joint whose bodies are links of bound nodes, fixed to such links, bases of
/// theirs, or the environment, from where the bodies are now. A joint that has one already is
/// allowed. Balls hold 3 directions, hinges and sliders 5, fixed joints 6.
/// POISE_ERROR_INVALID_ARGUMENT for NULL, a joint that is disabled or bound to a node, or one whose
/// bodies no bound joint moves against each other; POISE_ERROR_FOREIGN_WORLD;
/// POISE_ERROR_WRONG_KIND for a joint of another type: it is left to ODE, and what it does to the
/// others is not known.
POISE_API PoiseStatus poise_rig_add_closure(PoiseRig* rig, dJointID joint);
/// Destroys the closure's points. A joint without one is allowed. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_remove_closure(PoiseRig* rig, dJointID joint);
/// How many closures the rig has. A closure whose joint is destroyed or disabled holds nothing.
POISE_API int poise_rig_closure_count(const PoiseRig* rig);
/// The joint of a closure, 0 <= index < count; NULL for another index.
POISE_API dJointID poise_rig_closure_joint(const PoiseRig* rig, int index);

#ifdef __cplusplus
}
#endif

#endif
