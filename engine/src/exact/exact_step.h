// SPDX-License-Identifier: MIT
// ODE's exact step in time linear in the joints: the same motion as dWorldStep's, to rounding.
#ifndef POISE_EXACT_STEP_H
#define POISE_EXACT_STEP_H

#include <ode/ode.h>

#include "poise/base.h"

/// The memory for steps of one world, and the structure found in it; no result depends on it.
typedef struct PoiseExact PoiseExact;

/// Groups of bodies that the last step solved, and that it left to ODE.
typedef struct PoiseExactReport {
    int solved;
    int left;
    int failed; ///< number of the groups left to ODE for which no solution was found
} PoiseExactReport;

/// A stepper for the world; NULL without memory.
PoiseExact* poise__exact_create(dWorldID world, const PoiseHost* host);
/// NULL is allowed.
void poise__exact_destroy(PoiseExact* x);

/// Names a living body for the next step: its structure is solved exactly, all others are left to
/// ODE. The same bodies in the same order cost the least.
void poise__exact_see(PoiseExact* x, dBodyID body);
/// Says what a contact joint of the step that follows was made from. It must live until then.
void poise__exact_contact(PoiseExact* x, dJointID joint, const dContact* contact);
/// Forgets them: they were destroyed without a step.
void poise__exact_forget_contacts(PoiseExact* x);
/// Solves small groups and piles too, which ODE's own step solves faster.
void poise__exact_take_all(PoiseExact* x);

/// Makes steps refuse bodies and results that are not finite: ODE ends the process at such. Results
/// of ODE's own solver are not checked.
void poise__exact_check_bodies(PoiseExact* x);
/// Finds the structure anew in the next step.
void poise__exact_renew(PoiseExact* x);

/// One step by h, s. Errors, with nothing moved: POISE_ERROR_OUT_OF_MEMORY;
/// POISE_ERROR_INVALID_ARGUMENT where poise__exact_check_bodies refuses.
PoiseStatus poise__exact_step(PoiseExact* x, double h);

/// The counts of the last step.
PoiseExactReport poise__exact_report(const PoiseExact* x);

#endif
