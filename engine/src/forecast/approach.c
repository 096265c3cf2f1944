// SPDX-License-Identifier: MIT
// Finds the balance of the springs that a copy approaches. The own posture creeps to its rest at
// the posture rate, so that a copy is still only after 20 s. Newton steps find the same rest at
// once: f(q) = 0 with the torques f of statics.c, and the own posture at its rest. The rest counts
// if the copy then moves towards it.
#include "approach.h"

#include <string.h>

#include "numbers.h"

// A farther balance is not believed, rad or m.
#define NEAR 0.1
// Distance and speed fall by this part in each block of an approach. A swing about the balance
// moves faster while its distance falls.
#define FALLS 0.9
// A smaller distance has been reached, rad or m; a smaller speed is none, rad/s or m/s.
#define REACHED 1e-7
// Largest difference of two searches for the same balance, rad or m.
#define AGREES 1e-5
// Two solves move the own posture by the same law if the ratio of their lengths changes by at most
// this.
#define STEADY 3e-3
// Largest extrapolated displacement, rad or m.
#define MOST_LEAP 0.3
// The own posture is at its rest if it moves by at most this in a solve, and would by the sum of
// all further ones, rad or m.
#define RESTS 1e-8

enum { NEARER_BLOCKS = 2, MOST_PAUSE = 7, SETTLING = 300 };

void poise__approach_close(Approach* approach) {
    if (approach->known) {
        poise__rest_close(&approach->rest);
    }
    memset(approach, 0, sizeof *approach);
}

// True if a balance of springs and weight is the end of the copy's motion, if it comes to rest.
static bool is_smooth(const Copy* copy) {
    bool smooth = !copy->touches && !copy->searches && copy->wall_count == 0 &&
                  !poise__rig_is_tied(copy->rig);
    for (int b = 0; b < copy->rig->binding_count; b++) {
        smooth = smooth && !(copy->rig->bindings[b].friction > 0.0);
    }
    return smooth;
}

// Returns the largest distance of a joint in two states, rad or m. NaN counts as far.
static double distance_of(const RigState* a, const RigState* b) {
    double largest = 0.0;
    for (int i = 0; i < a->rig->binding_count; i++) {
        const PoiseJointType* type = a->joints[i].of->type;
        double off[POISE_MAX_NV];
        poise_joint_difference(type, a->joints[i].q, b->joints[i].q, off);
        for (int d = 0; d < type->nv; d++) {
            largest = poise_max(largest, isfinite(off[d]) ? fabs(off[d]) : HUGE_VAL);
        }
    }
    return largest;
}

// True if a joint of the copy, or of its balance, is at its torque limit: then the clamp decides
// where the own posture rests.
static bool is_limited(const Copy* copy, const RigState* balance) {
    const PoiseRig* rig = copy->rig;
    bool limited = false;
    for (int b = 0; b < rig->binding_count; b++) {
        limited = limited || balance->joints[b].clamped || rig->state.joints[b].clamped ||
                  poise__binding_is_saturated(&rig->bindings[b]);
    }
    return limited;
}

// Fills the displacement of the own posture since `before`, by velocity; sets `before` to the
// present posture. Returns the length.
static double moved_own(const Rest* rest, double* before, double* displacement) {
    const RigState* state = &rest->statics.state;
    double square = 0.0;
    for (int b = 0; b < state->rig->binding_count; b++) {
        const JointState* joint = &state->joints[b];
        double* was = &before[b * POISE_MAX_POSTURE];
        double* off = &displacement[state->press.first[b]];
        poise_joint_difference(joint->of->type, joint->q_ik, was, off);
        memcpy(was, joint->q_ik, (size_t)joint->of->type->nq * sizeof *was);
        for (int d = 0; d < joint->of->type->nv; d++) {
            square += off[d] * off[d];
        }
    }
    return sqrt(square);
}

static void shift_own(Rest* rest, const double* displacement, double factor) {
    RigState* state = &rest->statics.state;
    for (int b = 0; b < state->rig->binding_count; b++) {
        const int count = state->rig->bindings[b].type->nv;
        double step[POISE_MAX_NV];
        for (int d = 0; d < count; d++) {
            step[d] = factor * displacement[state->press.first[b] + d];
        }
        poise__note(state, poise_node_shift(rest->statics.reference, state->rig->bindings[b].node,
                                            step, count));
    }
}

// Advances the own posture to its rest; false if it does not rest soon. The null space falls by
// the posture rate in each solve: its displacements are a geometric series, whose sum is added at
// once (Aitken): x + D r / (1 - r), D the last displacement, r the ratio of the last two.
static bool settle(Rest* rest) {
    Statics* statics = &rest->statics;
    double moved = statics->reference ? HUGE_VAL : 0.0;
    double length = 0.0, ratio = 0.0;
    // Without a joint at its limit no clamp acts on the own posture.
    statics->clamps = false;
    for (int i = 0; i < SETTLING && moved > RESTS; i++) {
        moved = poise__statics_torques(statics, true);
        const double now = moved_own(rest, rest->own, rest->step);
        const double next = length > 0.0 ? now / length : 0.0;
        const bool steady = fabs(next - ratio) <= STEADY && next < 1.0;
        length = now;
        ratio = next;
        const double factor = steady ? next / (1.0 - next) : 0.0;
        if (factor * moved > RESTS) {
            shift_own(rest, rest->step, poise_min(factor, MOST_LEAP / moved));
            moved = HUGE_VAL;
            length = 0.0;
        }
    }
    return moved <= RESTS;
}

// Searches the balance from the copy's posture: first the rest of the own posture, then the springs
// to it. POISE_DEGRADED: none is found. Close the rest in any case.
static PoiseStatus search(Rest* rest, const Copy* copy) {
    Tangent tangent = {0};
    PoiseStatus status = poise__rest_open(rest, copy->rig);
    // the limits of a loop change its compliance before a joint is at its limit
    const bool limited_loop = rest->statics.clamps && copy->rig->closure_count > 0;
    if (status >= 0 && (limited_loop || !settle(rest))) {
        status = POISE_DEGRADED;
    }
    if (status == POISE_OK) {
        poise__rest_keep(rest);
        status = poise__rest_tangent(rest, &tangent, NULL, 0, 0);
    }
    poise__tangent_close(&tangent);
    if (status == POISE_OK && is_limited(copy, &rest->statics.state)) {
        status = POISE_DEGRADED;
    }
    return status;
}

// Searches the balance again. `arrives`: the copy is near the balance before.
static PoiseStatus renew(Approach* approach, const Copy* copy, bool arrives) {
    Rest rest;
    const PoiseStatus status = search(&rest, copy);
    approach->arrives = arrives && status == POISE_OK &&
                        distance_of(&rest.statics.state, &approach->rest.statics.state) <= AGREES;
    if (approach->known) {
        poise__rest_close(&approach->rest);
    }
    approach->known = status == POISE_OK;
    if (approach->known) {
        approach->rest = rest;
    } else {
        poise__rest_close(&rest);
    }
    approach->nearer = 0;
    approach->pause = (int)poise_min(2 * approach->pause + 1, MOST_PAUSE);
    approach->wait = approach->pause;
    return status == POISE_ERROR_OUT_OF_MEMORY ? status : POISE_OK;
}

PoiseStatus poise__approach_look(Approach* approach, Copy* copy) {
    if (!is_smooth(copy)) {
        poise__approach_close(approach);
        return POISE_OK;
    }
    const RigState* at = &copy->rig->state;
    const double distance =
        approach->known ? distance_of(at, &approach->rest.statics.state) : HUGE_VAL;
    const bool closer = distance <= poise_max(FALLS * approach->distance, REACHED);
    const bool slower = copy->block_speed <= poise_max(FALLS * approach->speed, REACHED);
    PoiseStatus status = POISE_OK;
    approach->nearer = closer && slower && distance <= NEAR ? approach->nearer + 1 : 0;
    approach->distance = distance;
    approach->speed = copy->block_speed;
    approach->wait--;
    const bool arrives = approach->nearer >= NEARER_BLOCKS;
    if (arrives || (!closer && approach->wait <= 0)) {
        status = renew(approach, copy, arrives);
        approach->distance =
            approach->known ? distance_of(at, &approach->rest.statics.state) : HUGE_VAL;
    }
    return status;
}
