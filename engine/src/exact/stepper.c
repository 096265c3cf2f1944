// SPDX-License-Identifier: MIT
// The public functions of poise/step.h, which call the exact step.
#include <math.h>
#include <string.h>

#include "exact.h"
#include "poise/step.h"

/// Returns the private struct to which the public handle points.
static PoiseExact* exact_of(PoiseStepper* stepper) {
    return (PoiseExact*)(void*)stepper;
}

PoiseStepper* poise_stepper_create(dWorldID world, const PoiseHost* host) {
    const PoiseHost hooks = host ? *host : (PoiseHost){0};
    if (!world || !poise__ode_fits() || !hooks.allocate != !hooks.release) {
        return NULL;
    }
    PoiseExact* x = poise__exact_create(world, &hooks);
    if (x) {
        poise__exact_check_bodies(x);
    }
    return (PoiseStepper*)(void*)x;
}

void poise_stepper_destroy(PoiseStepper* stepper) {
    poise__exact_destroy(exact_of(stepper));
}

PoiseStatus poise_stepper_watch(PoiseStepper* stepper, dBodyID body) {
    PoiseExact* x = exact_of(stepper);
    if (!x || !body) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (dBodyGetWorld(body) != x->world) {
        return POISE_ERROR_FOREIGN_WORLD;
    }
    for (int i = 0; i < x->watched_count; i++) {
        if (x->watched[i] == body) {
            return POISE_OK;
        }
    }
    dBodyID* watched = (dBodyID*)poise__exact_reserve(
        x, EXACT_WATCHED, (size_t)x->watched_count + 1, sizeof *watched);
    if (!watched) {
        // the flag is reset, because the next step does not use the memory that ran out
        x->out_of_memory = false;
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    x->watched = watched;
    x->watched[x->watched_count++] = body;
    return POISE_OK;
}

void poise_stepper_unwatch(PoiseStepper* stepper, dBodyID body) {
    PoiseExact* x = exact_of(stepper);
    for (int i = 0; x && i < x->watched_count; i++) {
        if (x->watched[i] == body) {
            x->watched_count--;
            memmove(&x->watched[i], &x->watched[i + 1],
                    (size_t)(x->watched_count - i) * sizeof(dBodyID));
            // the next step finds structures from the bodies that are still watched
            poise__exact_renew(x);
            return;
        }
    }
}

void poise_stepper_renew(PoiseStepper* stepper) {
    if (stepper) {
        poise__exact_renew(exact_of(stepper));
    }
}

dJointID poise_contact_create(PoiseStepper* stepper, dJointGroupID group, const dContact* contact) {
    if (!stepper || !contact) {
        return NULL;
    }
    dJointID joint = dJointCreateContact(exact_of(stepper)->world, group, contact);
    poise__exact_contact(exact_of(stepper), joint, contact);
    return joint;
}

PoiseStatus poise_step(PoiseStepper* stepper, double h) {
    PoiseExact* x = exact_of(stepper);
    if (!x || !isfinite(h) || !(h > 0.0)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    for (int i = 0; i < x->watched_count; i++) {
        poise__exact_see(x, x->watched[i]);
    }
    return poise__exact_step(x, h);
}

PoiseStepReport poise_stepper_report(const PoiseStepper* stepper) {
    const PoiseExact* x = (const PoiseExact*)(const void*)stepper;
    return x ? (PoiseStepReport){x->report.solved, x->report.left} : (PoiseStepReport){0, 0};
}
