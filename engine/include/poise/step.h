// SPDX-License-Identifier: MIT
// Steps your world like dWorldStep, in time linear in the joints of a robot:
//
//     PoiseStepper* stepper = poise_stepper_create(world, NULL);
//     poise_stepper_watch(stepper, pelvis);   any one body of each structure
//     ...
//     poise_contact_create(stepper, group, &contact);   for dJointCreateContact
//     ...
//     poise_step(stepper, h);                           for dWorldStep
//
// The motion equals that of dWorldStep to rounding: 1e-9 of the largest velocity. The exception is
// the split of a load among redundant contacts, on which the bounds of friction depend. ODE still
// integrates, damps, disables sleeping bodies, calls back and fills the joints' feedback.
//
// The stepper solves each structure of joints and contacts that contains a watched body. It solves
// ball, hinge, slider, universal, fixed, piston, PR and PU joints, hinge-2 joints whose axes were
// set at right angles, AMotors in user mode and LMotors. A structure with other joints is left to
// dWorldStep, as are pistons, PR and PU joints attached as (0, body). The same holds for structures
// with contacts made by dJointCreateContact or rolling friction; the log names each of these
// reasons once. Structures with auto-disable are left while one of their bodies is slower than its
// thresholds. Structures that dWorldStep computes faster are left too. poise_step calls dWorldStep
// in any case.
//
// ODE gives no notice of changed joints. Call poise_stepper_renew after dJointSetFixed,
// dJointSetSliderAxis, dJointSetHingeAnchor or dJointSetHingeAxis on a joint that was stepped.
#ifndef POISE_STEP_H
#define POISE_STEP_H

#include <ode/ode.h>

#include "poise/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The memory for steps of one world, and the structure found in the world; no motion depends on
/// it. Only the thread of the world may use it.
typedef struct PoiseStepper PoiseStepper;

/// Creates a stepper for the world. The world must outlive the stepper. `host` may be NULL: malloc
/// and silence. Returns NULL for a NULL world, if memory is short, or for a host with only one of
/// its two memory hooks. Returns NULL too if ODE's precision differs from that of the headers of
/// this library.
POISE_API PoiseStepper* poise_stepper_create(dWorldID world, const PoiseHost* host);
/// Destroys the stepper and leaves the world as it is. NULL is allowed.
POISE_API void poise_stepper_destroy(PoiseStepper* stepper);

/// Registers a body: the stepper solves the structure that contains it. Unwatch the body before you
/// destroy it. Watching twice is the same as once. Errors: POISE_ERROR_INVALID_ARGUMENT for NULL,
/// POISE_ERROR_FOREIGN_WORLD, POISE_ERROR_OUT_OF_MEMORY.
POISE_API PoiseStatus poise_stepper_watch(PoiseStepper* stepper, dBodyID body);
/// Removes a body from the watched ones. A body that is not watched or already destroyed is
/// allowed.
POISE_API void poise_stepper_unwatch(PoiseStepper* stepper, dBodyID body);
/// Reads all joints again in the next step. NULL is allowed.
POISE_API void poise_stepper_renew(PoiseStepper* stepper);

/// Creates a contact joint like dJointCreateContact, and keeps its surface, which ODE cannot
/// return. Attach the joint as usual, and do not destroy it before the step. NULL for NULL.
POISE_API dJointID poise_contact_create(PoiseStepper* stepper, dJointGroupID group,
                                        const dContact* contact);

/// Steps the world by h, s, > 0. Errors, with nothing moved: POISE_ERROR_INVALID_ARGUMENT for NULL,
/// for another h, and if a pose, velocity, force or torque in a watched structure is not finite;
/// POISE_ERROR_OUT_OF_MEMORY if ODE or the stepper lacks memory for the step.
POISE_API PoiseStatus poise_step(PoiseStepper* stepper, double h);

/// The number of structures in the last step, by their solver.
typedef struct PoiseStepReport {
    int solved; ///< solved by poise_step
    int left;   ///< left to dWorldStep although a body is watched
} PoiseStepReport;
/// Returns the counts of the last step; zeros for NULL and before the first step.
POISE_API PoiseStepReport poise_stepper_report(const PoiseStepper* stepper);

#ifdef __cplusplus
}
#endif

#endif
