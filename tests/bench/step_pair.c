// SPDX-License-Identifier: MIT
// Compares the two steps, see step_pair.h. ODE has no list of a world's bodies and does not return
// the definition of a contact. Both are recorded when they are made.
#define _POSIX_C_SOURCE 200809L
#include "step_pair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "poise/world.h"
#include "random.h"
#include "times.h"

enum { MOST_BODIES = 40000, MOST_CONTACTS = 40000, MOST_STEPS = 20000 };

dBodyID __real_dBodyCreate(dWorldID world);
void __real_dBodyDestroy(dBodyID body);
dJointID __real_dJointCreateContact(dWorldID world, dJointGroupID group, const dContact* contact);
int __real_dWorldStep(dWorldID world, dReal h);
dBodyID __wrap_dBodyCreate(dWorldID world);
void __wrap_dBodyDestroy(dBodyID body);
dJointID __wrap_dJointCreateContact(dWorldID world, dJointGroupID group, const dContact* contact);
int __wrap_dWorldStep(dWorldID world, dReal h);
PoiseWorld* __real_poise_world_create(const PoiseWorldDef* def);
PoiseWorld* __wrap_poise_world_create(const PoiseWorldDef* def);

/// The state of a body that a step changes.
typedef struct BodyState {
    dVector3 position;
    dQuaternion turn;
    dMatrix3 rotation;
    dVector3 linear;
    dVector3 angular;
    dVector3 force;
    dVector3 torque;
    bool enabled;
} BodyState;

typedef struct Made {
    dJointID joint;
    dContact contact;
} Made;

static struct {
    bool on;
    bool inside;
    PairOptions options;
    dWorldID world; ///< the first world that steps
    PoiseExact* exact;
    Random random;
    dBodyID bodies[MOST_BODIES];
    int body_count;
    Made contacts[MOST_CONTACTS];
    int contact_count;
    BodyState before[MOST_BODIES];
    BodyState after[MOST_BODIES];
    BodyState ode_after[MOST_BODIES];
    double ode_least[MOST_STEPS];
    double exact_least[MOST_STEPS];
    double rows;
    double outside;
    PairReport report;
} pairs;

static void require(bool holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "step-pairs: %s\n", what);
        exit(1);
    }
}

// --------------------------------------------------------------------------------- ODE's functions

// Makes a world that leaves its steps to dWorldStep, and therefore to the pairs.
PoiseWorld* __wrap_poise_world_create(const PoiseWorldDef* def) {
    PoiseWorldDef left = *def;
    left.stepper = POISE_STEP_ODE;
    return __real_poise_world_create(&left);
}

dBodyID __wrap_dBodyCreate(dWorldID world) {
    dBodyID body = __real_dBodyCreate(world);
    if (pairs.on) {
        require(pairs.body_count < MOST_BODIES, "too many bodies");
        pairs.bodies[pairs.body_count++] = body;
    }
    return body;
}

void __wrap_dBodyDestroy(dBodyID body) {
    for (int i = 0; i < pairs.body_count; i++) {
        if (pairs.bodies[i] == body) {
            memmove(&pairs.bodies[i], &pairs.bodies[i + 1],
                    (size_t)(--pairs.body_count - i) * sizeof body);
            break;
        }
    }
    __real_dBodyDestroy(body);
}

dJointID __wrap_dJointCreateContact(dWorldID world, dJointGroupID group, const dContact* contact) {
    dJointID joint = __real_dJointCreateContact(world, group, contact);
    if (pairs.on) {
        require(pairs.contact_count < MOST_CONTACTS, "too many contacts");
        pairs.contacts[pairs.contact_count++] = (Made){joint, *contact};
    }
    return joint;
}

// ------------------------------------------------------------------------------------------ states

static void copy_reals(const dReal* from, dReal* to, int count) {
    memcpy(to, from, (size_t)count * sizeof *to);
}

static void read_states(BodyState* states) {
    for (int i = 0; i < pairs.body_count; i++) {
        dBodyID body = pairs.bodies[i];
        BodyState* state = &states[i];
        copy_reals(dBodyGetPosition(body), state->position, 3);
        copy_reals(dBodyGetQuaternion(body), state->turn, 4);
        copy_reals(dBodyGetRotation(body), state->rotation, 12);
        copy_reals(dBodyGetLinearVel(body), state->linear, 3);
        copy_reals(dBodyGetAngularVel(body), state->angular, 3);
        copy_reals(dBodyGetForce(body), state->force, 3);
        copy_reals(dBodyGetTorque(body), state->torque, 3);
        state->enabled = dBodyIsEnabled(body) != 0;
    }
}

// Writes through ODE's own pointers, because its setters round.
static void write_states(const BodyState* states) {
    for (int i = 0; i < pairs.body_count; i++) {
        dBodyID body = pairs.bodies[i];
        const BodyState* state = &states[i];
        copy_reals(state->position, (dReal*)dBodyGetPosition(body), 3);
        copy_reals(state->turn, (dReal*)dBodyGetQuaternion(body), 4);
        copy_reals(state->rotation, (dReal*)dBodyGetRotation(body), 12);
        copy_reals(state->linear, (dReal*)dBodyGetLinearVel(body), 3);
        copy_reals(state->angular, (dReal*)dBodyGetAngularVel(body), 3);
        copy_reals(state->force, (dReal*)dBodyGetForce(body), 3);
        copy_reals(state->torque, (dReal*)dBodyGetTorque(body), 3);
        if (!state->enabled) {
            dBodyDisable(body);
        }
    }
}

static void shake(void) {
    for (int i = 0; i < pairs.body_count && pairs.options.shake > 0.0; i++) {
        double n[6];
        random_fill(&pairs.random, n, 6);
        dReal* v = (dReal*)dBodyGetLinearVel(pairs.bodies[i]);
        dReal* w = (dReal*)dBodyGetAngularVel(pairs.bodies[i]);
        for (int k = 0; k < 3 && !dBodyIsKinematic(pairs.bodies[i]); k++) {
            v[k] += pairs.options.shake * n[k];
            w[k] += pairs.options.shake * n[3 + k];
        }
    }
}

// --------------------------------------------------------------------------------------- comparing

typedef struct Gap {
    double off;
    double largest;
} Gap;

static void widen(Gap* gap, const dReal* a, const dReal* b) {
    for (int k = 0; k < 3; k++) {
        const double off = fabs((double)a[k] - (double)b[k]);
        gap->off = isfinite(off) ? fmax(gap->off, off) : HUGE_VAL;
        gap->largest = fmax(gap->largest, fabs((double)a[k]));
    }
}

/// The sum of the feedback of a body's joints. Single joints cannot be compared: ODE and the exact
/// step may divide a force differently between redundant rows of two bodies.
typedef struct Sum {
    dVector3 force;
    dVector3 torque;
} Sum;

static Sum ode_sums[MOST_BODIES];
static Sum exact_sums[MOST_BODIES];

static void add_feedback(Sum* sum, dBodyID body, bool clear) {
    for (int k = 0; k < dBodyGetNumJoints(body); k++) {
        dJointID joint = dBodyGetJoint(body, k);
        dJointFeedback* feedback = dJointGetFeedback(joint);
        if (!feedback) {
            continue;
        }
        if (clear) {
            memset(feedback, 0, sizeof *feedback);
            continue;
        }
        const bool first = dJointGetBody(joint, 0) == body || !dJointGetBody(joint, 0);
        for (int c = 0; c < 3; c++) {
            sum->force[c] += first ? feedback->f1[c] : feedback->f2[c];
            sum->torque[c] += first ? feedback->t1[c] : feedback->t2[c];
        }
    }
}

static void sum_feedback(Sum* sums, bool clear) {
    for (int i = 0; i < pairs.body_count; i++) {
        memset(&sums[i], 0, sizeof sums[i]);
        add_feedback(&sums[i], pairs.bodies[i], clear);
    }
}

/// Returns the acceleration that the row's force alone gives to its two bodies, along the row.
static double own_acceleration(const PoiseExact* x, const ExactRow* row) {
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        if (row->body[side] == EXACT_NONE) {
            continue;
        }
        const ExactNode* node = &x->nodes[row->body[side]];
        const double* j = row->j[side];
        sum += (j[0] * j[0] + j[1] * j[1] + j[2] * j[2]) / node->mass;
        dMatrix3 inverse;
        dMatrix3 inertia = {0.0};
        for (int k = 0; k < 9; k++) {
            inertia[4 * (k / 3) + k % 3] = (dReal)node->inertia[k / 3][k % 3];
        }
        if (dInvertMatrix3(inverse, inertia) > 0.0) {
            dVector3 turn = {(dReal)j[3], (dReal)j[4], (dReal)j[5], 0.0};
            dVector3 turned;
            dMultiply0_331(turned, inverse, turn);
            sum += (double)dCalcVectorDot3(turn, turned);
        }
    }
    return fabs(row->force) * sum;
}

/// Returns the largest violation of complementarity in the group that was solved last: w = 0 inside
/// the bounds, w >= 0 at the lower bound, w <= 0 at the upper bound. It is relative to the terms of
/// w and to the largest force.
static double find_fault(const PoiseExact* x) {
    double worst = 0.0;
    double most = 0.0;
    for (int k = 0; k < x->row_count; k++) {
        most = fmax(most, fabs(x->rows[k].force));
    }
    for (int k = 0; k < x->row_count; k++) {
        const ExactRow* row = &x->rows[k];
        double low = row->low;
        double high = row->high;
        if (row->normal != EXACT_NONE) {
            const double force = x->rows[row->normal].normal_force;
            high = force == 0.0 ? 0.0 : fabs(high * force);
            low = -high;
        }
        double size = fabs(row->d) + own_acceleration(x, row) + 1.0;
        for (int side = 0; side < 2; side++) {
            for (int c = 0; c < 6 && row->body[side] != EXACT_NONE; c++) {
                size += fabs(row->j[side][c] * x->nodes[row->body[side]].a[c]);
            }
        }
        const double w = (poise__exact_row_speed(x, row) - row->d) / size;
        const double margin = 1e-9 * most;
        const double beyond = fmax(row->force - high, low - row->force) / fmax(most, 1e-300);
        double fault = fmax(beyond, 0.0);
        if (row->force > low + margin && w > 0.0) {
            fault = fmax(fault, w);
        }
        if (row->force < high - margin && w < 0.0) {
            fault = fmax(fault, -w);
        }
        worst = fmax(worst, fault);
    }
    return worst;
}

static void compare(double h) {
    // the largest velocity counts as at least 9.81 h, the change by gravity in a step
    Gap speed = {0.0, 9.81 * h};
    Gap force = {0.0, 0.0};
    for (int i = 0; i < pairs.body_count; i++) {
        widen(&speed, pairs.ode_after[i].linear, pairs.after[i].linear);
        widen(&speed, pairs.ode_after[i].angular, pairs.after[i].angular);
        widen(&force, ode_sums[i].force, exact_sums[i].force);
        widen(&force, ode_sums[i].torque, exact_sums[i].torque);
    }
    PairReport* report = &pairs.report;
    const double part = speed.off / speed.largest;
    report->speed = fmax(report->speed, part);
    report->faults += part > 1e-9;
    report->force = fmax(report->force, force.largest > 0.0 ? force.off / force.largest : 0.0);
    if (part > 1e-9 && getenv("STEP_PAIRS_SAY")) {
        fprintf(stderr, "step %ld: %.2e of %.2e, forces to %.1e\n", report->steps, speed.off,
                speed.largest, force.largest);
    }
}

// ------------------------------------------------------------------------------------------- steps

static void step_exactly(double h) {
    sum_feedback(exact_sums, true);
    for (int i = 0; i < pairs.body_count; i++) {
        poise__exact_see(pairs.exact, pairs.bodies[i]);
    }
    for (int k = 0; k < pairs.contact_count; k++) {
        poise__exact_contact(pairs.exact, pairs.contacts[k].joint, &pairs.contacts[k].contact);
    }
    const double begun = time_us(CLOCK_THREAD_CPUTIME_ID);
    require(poise__exact_step(pairs.exact, h) == POISE_OK, "an exact step failed");
    double* least = &pairs.exact_least[pairs.report.steps];
    *least = fmin(*least, time_us(CLOCK_THREAD_CPUTIME_ID) - begun);
    sum_feedback(exact_sums, false);
}

/// Adds the groups and rows that the exact step solved to the report.
static void count_step(void) {
    const PoiseExactReport counts = poise__exact_report(pairs.exact);
    pairs.report.left += counts.left > 0;
    pairs.report.failed += counts.failed > 0;
    if (counts.solved > 0 && counts.left == 0) {
        pairs.rows += pairs.exact->row_count;
        pairs.outside += pairs.exact->extra_count + pairs.exact->pinned_count;
        pairs.report.fault = fmax(pairs.report.fault, find_fault(pairs.exact));
    }
}

static int step_by_ode(dReal h) {
    sum_feedback(ode_sums, true);
    const double begun = time_us(CLOCK_THREAD_CPUTIME_ID);
    const int stepped = __real_dWorldStep(pairs.world, h);
    double* least = &pairs.ode_least[pairs.report.steps];
    *least = fmin(*least, time_us(CLOCK_THREAD_CPUTIME_ID) - begun);
    sum_feedback(ode_sums, false);
    return stepped;
}

int __wrap_dWorldStep(dWorldID world, dReal h) {
    if (!pairs.on || pairs.inside || (pairs.world && pairs.world != world)) {
        return __real_dWorldStep(world, h);
    }
    require(pairs.report.steps < MOST_STEPS, "too many steps");
    if (!pairs.world) {
        const PoiseHost none = {0};
        pairs.world = world;
        pairs.exact = poise__exact_create(world, &none);
        if (pairs.options.takes_all) {
            poise__exact_take_all(pairs.exact);
        }
    }
    pairs.inside = true;
    read_states(pairs.before);
    shake();
    static BodyState begin[MOST_BODIES];
    read_states(begin);
    // Each step is made twice, and the shorter time is kept: dWorldStep uses megabytes, so the step
    // after it begins with cold caches.
    step_exactly((double)h);
    write_states(begin);
    step_exactly((double)h);
    count_step();
    read_states(pairs.after);
    write_states(begin);
    int stepped = step_by_ode(h);
    write_states(begin);
    stepped = step_by_ode(h) && stepped;
    read_states(pairs.ode_after);
    compare((double)h);
    write_states(pairs.options.shake > 0.0 ? pairs.before : pairs.ode_after);
    if (pairs.options.shake > 0.0) {
        stepped = __real_dWorldStep(world, h);
    }
    pairs.inside = false;
    pairs.contact_count = 0;
    pairs.report.steps++;
    return stepped;
}

void pairs_begin(const PairOptions* options, bool first_pass) {
    for (int k = 0; k < MOST_STEPS && first_pass; k++) {
        pairs.ode_least[k] = pairs.exact_least[k] = HUGE_VAL;
    }
    pairs.on = true;
    pairs.options = *options;
    pairs.world = NULL;
    pairs.exact = NULL;
    pairs.random = random_from(1);
    pairs.body_count = 0;
    pairs.contact_count = 0;
    pairs.rows = pairs.outside = 0.0;
    pairs.report = (PairReport){0};
}

PairReport pairs_end(void) {
    PairReport* report = &pairs.report;
    // the first step finds the structure
    for (long k = 1; k < report->steps; k++) {
        report->ode += pairs.ode_least[k] / (double)(report->steps - 1);
        report->exact += pairs.exact_least[k] / (double)(report->steps - 1);
    }
    const double solved = fmax((double)(report->steps - report->left), 1.0);
    report->rows = pairs.rows / solved;
    report->outside = pairs.outside / solved;
    pairs.on = false;
    poise__exact_destroy(pairs.exact);
    pairs.exact = NULL;
    return *report;
}
