// SPDX-License-Identifier: MIT
// Warns of updates that do not match the steps: two updates for each step, or steps of another
// length than the updates' dt. Warns once of each, after several in a row, because a single one may
// be intended.
#include <math.h>

#include "convert.h"
#include "step.h"

enum { PAIRS = 4, OTHERS = 8, CHOOSE_EVERY = 64 };
// A length that differs by this part is another length.
#define OTHER_LENGTH 0.05
// A displacement shorter than this in a step does not show its length, m.
#define LEAST_DISPLACEMENT 1e-7
// A body that moves sideways by more than this part of its displacement was placed there.
#define SIDEWAYS 0.2

void poise__rhythm_pairs(PoiseRig* rig) {
    Rhythm* rhythm = &rig->rhythm;
    rhythm->pairs = rig->unstepped == 1 ? rhythm->pairs + 1 : 0;
    if (rhythm->pairs < PAIRS || rhythm->logged_pairs) {
        return;
    }
    rhythm->logged_pairs = true;
    poise__rig_warn(rig,
                    "poise_rig_update: called twice for each of the last %d steps; call it "
                    "once before each dWorldStep",
                    (int)PAIRS);
}

// Returns the length of the step from the body's displacement and velocity: ODE moves a body with
// its velocity at the end of the step. 0 if they do not show it.
static double length_of_step(const Rhythm* rhythm) {
    const PoiseVec3 velocity = poise__vec3_from(dBodyGetLinearVel(rhythm->body));
    const PoiseVec3 displacement =
        poise_sub(poise__vec3_from(dBodyGetPosition(rhythm->body)), rhythm->place);
    const double square = poise_dot(velocity, velocity);
    const double size = poise_length(displacement);
    if (!(square > 0.0) || !(size > LEAST_DISPLACEMENT) || isinf(size)) {
        return 0.0;
    }
    const double length = poise_dot(displacement, velocity) / square;
    const double sideways = poise_length(poise_add_scaled(displacement, -length, velocity));
    return length > 0.0 && sideways <= SIDEWAYS * size ? length : 0.0;
}

// Chooses the fastest body without linear damping.
static void choose(PoiseRig* rig) {
    double most = 0.0;
    rig->rhythm.body = NULL;
    for (int b = 0; b < rig->binding_count; b++) {
        const Motor* motor = &rig->bindings[b].motor;
        if (!poise__motor_alive(motor) || dBodyIsKinematic(motor->child) ||
            dBodyGetLinearDamping(motor->child) > 0.0) {
            continue;
        }
        const double speed = poise_length(poise__vec3_from(dBodyGetLinearVel(motor->child)));
        if (speed > most) {
            rig->rhythm.body = motor->child;
            rig->rhythm.binding = b;
            most = speed;
        }
    }
}

// True if the watched body is still that of its binding.
static bool is_there(const PoiseRig* rig) {
    const Rhythm* rhythm = &rig->rhythm;
    if (!rhythm->body || rhythm->binding >= rig->binding_count) {
        return false;
    }
    const Motor* motor = &rig->bindings[rhythm->binding].motor;
    return poise__motor_alive(motor) && motor->child == rhythm->body;
}

void poise__rhythm_watch(PoiseRig* rig, double dt) {
    Rhythm* rhythm = &rig->rhythm;
    if (rhythm->logged_length) {
        return;
    }
    const double before = rhythm->dt;
    bool there = is_there(rig);
    const double length =
        rig->unstepped == 0 && before > 0.0 && there ? length_of_step(rhythm) : 0.0;
    const bool other = length > 0.0 && fabs(length - before) > OTHER_LENGTH * before;
    rhythm->others = other ? rhythm->others + 1 : length > 0.0 ? 0 : rhythm->others;
    if (rhythm->others == OTHERS) {
        rhythm->logged_length = true;
        poise__rig_warn(rig,
                        "poise_rig_update: was told %g s, but the bodies went on as in %g s: "
                        "give it the dt of the dWorldStep that follows",
                        before, length);
    }
    if (length == 0.0 && ++rhythm->idle >= CHOOSE_EVERY) {
        choose(rig);
        there = rhythm->body != NULL;
        rhythm->idle = 0;
    }
    rhythm->dt = 0.0;
    if (there) {
        rhythm->place = poise__vec3_from(dBodyGetPosition(rhythm->body));
        rhythm->dt = dt;
    }
}
