// SPDX-License-Identifier: MIT
// ODE's exact step in time linear in the joints: the same motion as dWorldStep's, to rounding.
#ifndef POISE_EXACT_STEP_H
#define POISE_EXACT_STEP_H

#include <ode/ode.h>

#include "poise/base.h"

/// What a stepper keeps of one world: memory and the structure found, nothing that a step's result
/// depends on.
typedef struct PoiseExact PoiseExact;

/// Groups of bodies that the last step solved, and that it left to ODE.
typedef struct PoiseExactReport {
    int solved;
    int left;
} PoiseExactReport;

/// A stepper for the world; NULL without memory.
PoiseExact* poise__exact_create(dWorldID world, const PoiseHost* host);
/// NULL is allowed.
void poise__exact_destroy(PoiseExact* x);

/// Names a living body for the step that follows: it and all that hangs together with it is
/// solved, all else is left to ODE. The same bodies in the same order cost the least.
void poise__exact_see(PoiseExact* x, dBodyID body);
/// Says what a contact joint of the step that follows was made from. It must live until then.
void poise__exact_contact(PoiseExact* x, dJointID joint, const dContact* contact);
/// Forgets them: they were destroyed without a step.
void poise__exact_forget_contacts(PoiseExact* x);
/// Solves small groups and piles too, which ODE's own step solves faster.
void poise__exact_take_all(PoiseExact* x);

/// Refuses steps with bodies that are not finite, and those that would make them so, as far as
/// they are solved here: they end the process in ODE.
void poise__exact_check_bodies(PoiseExact* x);
/// Finds the structure anew in the next step.
void poise__exact_renew(PoiseExact* x);

/// One step by h, s. POISE_ERROR_OUT_OF_MEMORY where ODE has none for it and
/// POISE_ERROR_INVALID_ARGUMENT for bodies that are not finite, if they are checked: nothing moved.
PoiseStatus poise__exact_step(PoiseExact* x, double h);

/// What the last step did.
PoiseExactReport poise__exact_report(const PoiseExact* x);

#endif
