// SPDX-License-Identifier: MIT
// Steps an ODE world with the motion of dWorldStep, to rounding, in a time linear in the number of
// joints.
#ifndef POISE_EXACT_STEP_H
#define POISE_EXACT_STEP_H

#include <ode/ode.h>

#include "poise/base.h"

/// The memory for steps of one world, and the structure found in the world. The motion does not
/// depend on it.
typedef struct PoiseExact PoiseExact;

/// Numbers of groups of bodies that the last step solved (`solved`) or left to ODE (`left`).
typedef struct PoiseExactReport {
    int solved;
    int left;
    int failed; ///< number of groups left to ODE because no solution was found
} PoiseExactReport;

/// Creates a stepper for the world. NULL if memory runs out.
PoiseExact* poise__exact_create(dWorldID world, const PoiseHost* host);
/// Destroys the stepper. NULL is allowed.
void poise__exact_destroy(PoiseExact* x);

/// Names an existing body for the next step, which solves the body's structure; ODE solves
/// structures without a named body. It is fastest to name the same bodies in the same order in each
/// step.
void poise__exact_see(PoiseExact* x, dBodyID body);
/// Stores the contact from which a contact joint of the next step was made. The joint must exist
/// until that step.
void poise__exact_contact(PoiseExact* x, dJointID joint, const dContact* contact);
/// Forgets the contacts, for callers that destroy their joints without a step.
void poise__exact_forget_contacts(PoiseExact* x);
/// Makes exact steps also solve small groups and piles, which they otherwise leave to ODE.
void poise__exact_take_all(PoiseExact* x);

/// Makes steps refuse bodies and results that are not finite, at which ODE ends the process.
/// Results of ODE's own solver are not checked.
void poise__exact_check_bodies(PoiseExact* x);
/// Makes the next step find the structure of bodies and joints again.
void poise__exact_renew(PoiseExact* x);

/// Steps the world by h, s. Errors, with nothing moved: POISE_ERROR_OUT_OF_MEMORY;
/// POISE_ERROR_INVALID_ARGUMENT for numbers that are not finite, if poise__exact_check_bodies was
/// called.
PoiseStatus poise__exact_step(PoiseExact* x, double h);

/// Returns the report of the last step.
PoiseExactReport poise__exact_report(const PoiseExact* x);

#endif
