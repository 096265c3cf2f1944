// SPDX-License-Identifier: MIT
// The exact step for a world of the user's: poise_step and what it needs to know.
#include <math.h>
#include <string.h>

#include "exact_step.h"
#include "poise/step.h"

struct PoiseStepper {
    PoiseHost host;
    dWorldID world;
    PoiseExact* exact;
    dBodyID* watched;
    int watched_count;
    int watched_capacity;
};

PoiseStepper* poise_stepper_create(dWorldID world, const PoiseHost* host) {
    const PoiseHost hooks = host ? *host : (PoiseHost){0};
    const bool has_double = dCheckConfiguration("ODE_double_precision") != 0;
    // one way: the tests link the ODE whose headers they are built with
    if (!world || has_double != (sizeof(dReal) == sizeof(double)) ||
        !hooks.allocate != !hooks.release) {
        return NULL;
    }
    PoiseStepper* stepper = (PoiseStepper*)poise_host_allocate(&hooks, sizeof *stepper);
    if (!stepper) {
        return NULL;
    }
    *stepper = (PoiseStepper){.host = hooks, .world = world};
    stepper->exact = poise__exact_create(world, &hooks);
    if (!stepper->exact) {
        poise_stepper_destroy(stepper);
        return NULL;
    }
    poise__exact_check_bodies(stepper->exact);
    return stepper;
}

void poise_stepper_destroy(PoiseStepper* stepper) {
    if (!stepper) {
        return;
    }
    const PoiseHost host = stepper->host;
    poise__exact_destroy(stepper->exact);
    poise_host_release(&host, stepper->watched,
                       (size_t)stepper->watched_capacity * sizeof(dBodyID));
    poise_host_release(&host, stepper, sizeof *stepper);
}

static bool grow_watched(PoiseStepper* stepper) {
    if (stepper->watched_count < stepper->watched_capacity) {
        return true;
    }
    const int wanted = stepper->watched_capacity > 0 ? 2 * stepper->watched_capacity : 16;
    dBodyID* grown =
        (dBodyID*)poise_host_allocate(&stepper->host, (size_t)wanted * sizeof(dBodyID));
    if (!grown) {
        return false;
    }
    const size_t size = (size_t)stepper->watched_capacity * sizeof(dBodyID);
    if (size > 0) {
        memcpy(grown, stepper->watched, size);
    }
    poise_host_release(&stepper->host, stepper->watched, size);
    stepper->watched = grown;
    stepper->watched_capacity = wanted;
    return true;
}

PoiseStatus poise_stepper_watch(PoiseStepper* stepper, dBodyID body) {
    if (!stepper || !body) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (dBodyGetWorld(body) != stepper->world) {
        return POISE_ERROR_FOREIGN_WORLD;
    }
    for (int i = 0; i < stepper->watched_count; i++) {
        if (stepper->watched[i] == body) {
            return POISE_OK;
        }
    }
    if (!grow_watched(stepper)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    stepper->watched[stepper->watched_count++] = body;
    return POISE_OK;
}

void poise_stepper_unwatch(PoiseStepper* stepper, dBodyID body) {
    for (int i = 0; stepper && i < stepper->watched_count; i++) {
        if (stepper->watched[i] == body) {
            stepper->watched_count--;
            memmove(&stepper->watched[i], &stepper->watched[i + 1],
                    (size_t)(stepper->watched_count - i) * sizeof(dBodyID));
            // its neighbours in the structure are found from the bodies that stay watched
            poise__exact_renew(stepper->exact);
            return;
        }
    }
}

void poise_stepper_renew(PoiseStepper* stepper) {
    if (stepper) {
        poise__exact_renew(stepper->exact);
    }
}

dJointID poise_contact_create(PoiseStepper* stepper, dJointGroupID group, const dContact* contact) {
    if (!stepper || !contact) {
        return NULL;
    }
    dJointID joint = dJointCreateContact(stepper->world, group, contact);
    poise__exact_contact(stepper->exact, joint, contact);
    return joint;
}

PoiseStatus poise_step(PoiseStepper* stepper, double h) {
    if (!stepper || !isfinite(h) || !(h > 0.0)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    for (int i = 0; i < stepper->watched_count; i++) {
        poise__exact_see(stepper->exact, stepper->watched[i]);
    }
    return poise__exact_step(stepper->exact, h);
}

PoiseStepReport poise_stepper_report(const PoiseStepper* stepper) {
    const PoiseExactReport report =
        stepper ? poise__exact_report(stepper->exact) : (PoiseExactReport){0};
    return (PoiseStepReport){report.solved, report.left};
}
