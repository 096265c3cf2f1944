// SPDX-License-Identifier: MIT
// The step of dWorldStep for a world of yours, in time linear in the joints of a robot:
//
//     PoiseStepper* stepper = poise_stepper_create(world, NULL);
//     poise_stepper_watch(stepper, pelvis);   any one body of each structure
//     ...
//     poise_contact_create(stepper, group, &contact);   for dJointCreateContact
//     ...
//     poise_step(stepper, h);                           for dWorldStep
//
// The motion is dWorldStep's to rounding: 1e-9 of the largest velocity, but for the split of a load
// among redundant contacts, on which bounds of friction depend. ODE still integrates, damps, puts
// to sleep, calls back and fills the joints' feedback.
//
// What hangs together with a watched body by joints and contacts is solved here, unless it has
// joints other than ball, hinge, slider, universal, fixed, AMotor in user mode and LMotor, contacts
// made by dJointCreateContact, rolling friction, or bodies that put themselves to sleep. That, and
// what ODE does faster, is left to dWorldStep, which is called in any case.
//
// ODE tells nobody that a joint was set anew: after dJointSetFixed, dJointSetSliderAxis,
// dJointSetHingeAnchor or dJointSetHingeAxis on a joint that was stepped, call poise_stepper_renew.
#ifndef POISE_STEP_H
#define POISE_STEP_H

#include <ode/ode.h>

#include "poise/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The memory for steps of one world, and the structure found in it; no motion depends on it. One
/// thread uses it at a time, that of its world.
typedef struct PoiseStepper PoiseStepper;

/// A stepper for the world, which must outlive it. `host` may be NULL: malloc and silence. NULL
/// for a NULL world, an ODE of another precision than the headers this library was built with, a
/// host with one hook of two, or without memory.
POISE_API PoiseStepper* poise_stepper_create(dWorldID world, const PoiseHost* host);
/// Leaves the world as it is. NULL is allowed.
POISE_API void poise_stepper_destroy(PoiseStepper* stepper);

/// Names a body: all that hangs together with it is solved here. Unwatch it before you destroy it.
/// Watching twice is once. Errors: POISE_ERROR_INVALID_ARGUMENT for NULL,
/// POISE_ERROR_FOREIGN_WORLD, POISE_ERROR_OUT_OF_MEMORY.
POISE_API PoiseStatus poise_stepper_watch(PoiseStepper* stepper, dBodyID body);
/// Forgets a body. One that is not watched is allowed, and one that is destroyed.
POISE_API void poise_stepper_unwatch(PoiseStepper* stepper, dBodyID body);
/// Looks at all joints anew in the next step. NULL is allowed.
POISE_API void poise_stepper_renew(PoiseStepper* stepper);

/// dJointCreateContact, whose surface ODE does not give back: attach the joint as ever, and let it
/// live until the step. NULL for NULL.
POISE_API dJointID poise_contact_create(PoiseStepper* stepper, dJointGroupID group,
                                        const dContact* contact);

/// One step by h, s, > 0. Errors, with nothing moved: POISE_ERROR_INVALID_ARGUMENT for NULL, for
/// another h, and if the pose, velocity, force or torque of a body of a watched structure is not
/// finite; POISE_ERROR_OUT_OF_MEMORY if ODE or the stepper lacks memory for the step.
POISE_API PoiseStatus poise_step(PoiseStepper* stepper, double h);

/// Groups of bodies in the last step, by who solved them.
typedef struct PoiseStepReport {
    int solved; ///< by poise_step
    int left;   ///< by dWorldStep, though a body is watched
} PoiseStepReport;
/// The counts of the last step; zeros for NULL and before the first.
POISE_API PoiseStepReport poise_stepper_report(const PoiseStepper* stepper);

#ifdef __cplusplus
}
#endif

#endif
