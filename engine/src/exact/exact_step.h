// SPDX-License-Identifier: MIT
// Steps with the motion of dWorldStep, to rounding, in time linear in the joints.
#ifndef POISE_EXACT_STEP_H
#define POISE_EXACT_STEP_H

#include <ode/ode.h>

#include "poise/base.h"

/// The memory for steps of one world, and the structure found in the world; no motion depends on
/// it.
typedef struct PoiseExact PoiseExact;

/// Number of groups of bodies that the last step solved, and left to ODE.
typedef struct PoiseExactReport {
    int solved;
    int left;
    int failed; ///< number of the groups left to ODE for which no solution was found
} PoiseExactReport;

/// Creates a stepper for the world. NULL without memory.
PoiseExact* poise__exact_create(dWorldID world, const PoiseHost* host);
/// Destroys the stepper. NULL is allowed.
void poise__exact_destroy(PoiseExact* x);

/// Names an existing body for the next step: its structure is solved here, structures without a
/// named body by ODE. Naming the same bodies in the same order in each step is fastest.
void poise__exact_see(PoiseExact* x, dBodyID body);
/// Stores the contact from which a contact joint of the next step was made. The joint must exist
/// until that step.
void poise__exact_contact(PoiseExact* x, dJointID joint, const dContact* contact);
/// Forgets the contacts, for callers that destroyed the joints without a step.
void poise__exact_forget_contacts(PoiseExact* x);
/// Solves small groups and piles too, which ODE's own step solves faster.
void poise__exact_take_all(PoiseExact* x);

/// Makes steps refuse bodies and results that are not finite, at which ODE ends the process.
/// Results of ODE's own solver are not checked.
void poise__exact_check_bodies(PoiseExact* x);
/// Makes the next step find the structure again.
void poise__exact_renew(PoiseExact* x);

/// Steps the world by h, s. Errors, with nothing moved: POISE_ERROR_OUT_OF_MEMORY;
/// POISE_ERROR_INVALID_ARGUMENT for numbers that poise__exact_check_bodies makes it refuse.
PoiseStatus poise__exact_step(PoiseExact* x, double h);

/// Returns the report of the last step.
PoiseExactReport poise__exact_report(const PoiseExact* x);

#endif
