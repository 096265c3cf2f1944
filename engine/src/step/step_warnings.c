// SPDX-License-Identifier: MIT
// Watches how the caller steps the world. Warns once of each fault: updates without a step; two
// updates for each step; steps of another length than dt; steps that do not solve the springs.
// spring_advice.c warns of springs that do not suit the steps.
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "convert.h"
#include "step.h"

// After an exact step the torque of a row obeys its law lambda = D (Vel - v_new): D is the row's
// damping, Vel its target rate, v_new its new rate. After dWorldQuickStep it may be far from the
// law. The check reads rows, feedback and velocities from ODE.

// Number of updates from one check of the springs' law to the next.
enum { LOOK_EVERY = 64 };
// A row whose torque is off its law by more than this fraction of the largest torque gives a
// warning.
static const double WARN_ERROR = 0.05;
// A row whose torque is above this fraction of its limit is clamped, and its law does not hold.
static const double CLAMPED = 1.0 - 1e-9;

// ODE gives the sum of two rows about axes. It can be divided if its part perpendicular to both
// axes is at most ACROSS (relative), and the squared sine between the axes at least MIN_SQUARE.
static const double ACROSS = 1e-6;
static const double MIN_SQUARE = 1e-6;

// A row exerts a torque if its target rate and its present rate differ by more than this fraction
// of their sum.
static const double ASKING = 1e-9;

typedef struct Worst {
    double off;
    double given; // largest torque of any row, N m or N
    bool asked;   // some row has to exert a torque
    const Binding* binding;
} Worst;

// Returns the power of a force and moment on a body.
static double power(const dReal* force, const dReal* moment, dBodyID body) {
    return poise_dot(poise__vec3_from(force), poise__vec3_from(dBodyGetLinearVel(body))) +
           poise_dot(poise__vec3_from(moment), poise__vec3_from(dBodyGetAngularVel(body)));
}

// Returns the present rate of velocity d of a motor. The axis of a single row is the direction of
// ODE's feedback, since the bodies have turned after the step; `given` becomes the length of that
// feedback. Several rows use the axes of the last drive.
static double rate_of(const Motor* motor, int d, double* given) {
    const Sort sort = poise__sort(motor->type, d);
    const dJointFeedback* feedback = motor->feedback[sort];
    const double size = poise_length(poise__vec3_from(sort == ALONG ? feedback->f1 : feedback->t1));
    if (motor->count[sort] == 1 && size > 0.0) {
        *given = copysign(size, *given);
        const double of_parent =
            motor->parent ? power(feedback->f2, feedback->t2, motor->parent) : 0.0;
        return (power(feedback->f1, feedback->t1, motor->child) + of_parent) / *given;
    }
    const PoiseVec3 place = poise__motor_place(motor);
    return poise_dot(poise__motor_row_axis(motor, d), poise__motor_velocity(motor, place, sort));
}

// Computes the torque of each of two rows about axes from the sum that ODE gives. Unless the axes
// are orthogonal, the projection of the sum onto an axis is not the row's torque. False if the sum
// has a part perpendicular to both axes: the caller moved the bodies after the update, and the axes
// are not known.
static bool part_two(const Motor* motor, double given[POISE_MAX_NV]) {
    const PoiseVec3 sum = poise__vec3_from(motor->feedback[ABOUT]->t1);
    const int first = motor->first[ABOUT];
    const PoiseVec3 a = poise__motor_row_axis(motor, first);
    const PoiseVec3 b = poise__motor_row_axis(motor, first + 1);
    const double both = poise_dot(a, b);
    const double square = 1.0 - both * both;
    if (square < MIN_SQUARE) {
        return false;
    }
    const double of_a = (poise_dot(a, sum) - both * poise_dot(b, sum)) / square;
    const double of_b = (poise_dot(b, sum) - both * poise_dot(a, sum)) / square;
    const PoiseVec3 across = poise_add_scaled(poise_add_scaled(sum, -of_a, a), -of_b, b);
    given[first] = of_a;
    given[first + 1] = of_b;
    return poise_length(across) <= ACROSS * poise_length(sum);
}

static void check_binding(Worst* worst, const Binding* binding) {
    const Motor* motor = &binding->motor;
    double given[POISE_MAX_NV];
    poise__motor_given(motor, given);
    // a joint has at most one row along axes
    if (motor->count[ABOUT] == 2 && !part_two(motor, given)) {
        return;
    }
    for (int d = 0; d < motor->type->nv; d++) {
        const SentRow* sent = &motor->sent[d];
        const double there = rate_of(motor, d, &given[d]);
        if (!(sent->limit > 0.0) || !(sent->cfm > 0.0) || fabs(given[d]) >= CLAMPED * sent->limit) {
            continue;
        }
        const double wanted = sent->velocity;
        const double law = (wanted - there) / sent->cfm;
        const double off = fabs(given[d] - law);
        worst->asked = worst->asked || fabs(wanted - there) > ASKING * (fabs(wanted) + fabs(there));
        worst->given = poise_max(worst->given, poise_max(fabs(given[d]), fabs(law)));
        if (off > worst->off) {
            worst->off = off;
            worst->binding = binding;
        }
    }
}

static Worst check_all(const PoiseRig* rig) {
    Worst worst = {.off = 0.0};
    for (int i = 0; i < rig->binding_count; i++) {
        // ODE gives sleeping bodies no torque, so their rows cannot be checked
        const Motor* motor = &rig->bindings[i].motor;
        if (motor->driven && poise__motor_alive(motor) &&
            (dBodyIsEnabled(motor->child) || (motor->parent && dBodyIsEnabled(motor->parent)))) {
            check_binding(&worst, &rig->bindings[i]);
        }
    }
    return worst;
}

static double relative_error(const Worst* worst) {
    return worst->given > 0.0 ? worst->off / worst->given : 0.0;
}

// True if the world was not stepped since the last update, which marks every feedback: a step
// overwrites that of each awake body. The first motor with an overwritten feedback ends the search.
static bool is_unstepped(const PoiseRig* rig) {
    for (int i = 0; i < rig->binding_count; i++) {
        if (poise__motor_has_feedback(&rig->bindings[i].motor)) {
            return false;
        }
    }
    return check_all(rig).asked;
}

PoiseStatus poise_rig_step_error(const PoiseRig* rig, double* error, PoiseNodeId* node) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const Worst worst = check_all(rig);
    if (error) {
        *error = relative_error(&worst);
    }
    if (node) {
        *node = worst.binding ? worst.binding->node : poise_null_node();
    }
    return POISE_OK;
}

static void watch_error(PoiseRig* rig) {
    Watch* watch = &rig->watch;
    if (watch->logged_error || ++rig->updates % LOOK_EVERY != 0) {
        return;
    }
    const Worst worst = check_all(rig);
    const double error = relative_error(&worst);
    if (error > WARN_ERROR && worst.binding) {
        watch->logged_error = true;
        poise__rig_warn(rig,
                        "poise_rig_update: the last world step left node %u off the law of "
                        "its spring by %.0f %% of the largest torque: step with dWorldStep, "
                        "or give dWorldQuickStep more iterations or softer springs",
                        (unsigned)worst.binding->node.index1, 100.0 * error);
    }
}

// Number of consecutive steps with two updates each before a warning, since a single pair may be
// intended.
enum { PAIRS = 4 };

// Counts steps that had two updates each; warns after several in a row.
static void watch_pairs(PoiseRig* rig) {
    Watch* watch = &rig->watch;
    watch->pairs = watch->unstepped == 1 ? watch->pairs + 1 : 0;
    if (watch->pairs < PAIRS || watch->logged_pairs) {
        return;
    }
    watch->logged_pairs = true;
    poise__rig_warn(rig,
                    "poise_rig_update: called twice for each of the last %d steps; call it "
                    "once before each dWorldStep",
                    (int)PAIRS);
}

void poise__watch_steps(PoiseRig* rig) {
    Watch* watch = &rig->watch;
    if (!is_unstepped(rig)) {
        watch_pairs(rig);
        watch->unstepped = 0;
        watch_error(rig);
        return;
    }
    watch->unstepped += watch->unstepped < INT_MAX ? 1 : 0;
    // Callers read the last step by an update without a step, so one such update is allowed.
    if (watch->unstepped == 2) {
        poise__rig_warn(rig, "poise_rig_update: the world was not stepped between the last three "
                             "updates; dWorldStep and dWorldQuickStep return 0 when memory is "
                             "short");
    }
}

// -------------------------------------------------------------------------------- lengths of steps

// OTHERS: consecutive steps of another length before a warning, since a single one may be intended.
// CHOOSE_EVERY: updates that could not measure a step before another body is watched.
enum { OTHERS = 8, CHOOSE_EVERY = 64 };
// Relative difference from dt at which a step has another length.
#define OTHER_LENGTH 0.05
// A step's length is not measured from a displacement of the watched body shorter than this, m.
#define MIN_DISPLACEMENT 1e-7
// A body whose displacement across its velocity exceeds this fraction of the whole was moved by the
// caller.
#define SIDEWAYS 0.2

// Returns the length of the step from the watched body's displacement and velocity, s: ODE moves a
// body with its velocity at the end of the step. Returns 0 if the two do not determine it.
static double length_of_step(const Watch* watch) {
    const PoiseVec3 velocity = poise__vec3_from(dBodyGetLinearVel(watch->body));
    const PoiseVec3 displacement =
        poise_sub(poise__vec3_from(dBodyGetPosition(watch->body)), watch->place);
    const double square = poise_dot(velocity, velocity);
    const double size = poise_length(displacement);
    if (!(square > 0.0) || !(size > MIN_DISPLACEMENT) || isinf(size)) {
        return 0.0;
    }
    const double length = poise_dot(displacement, velocity) / square;
    const double sideways = poise_length(poise_add_scaled(displacement, -length, velocity));
    return length > 0.0 && sideways <= SIDEWAYS * size ? length : 0.0;
}

// Watches the fastest body without linear damping.
static void choose(PoiseRig* rig) {
    double most = 0.0;
    rig->watch.body = NULL;
    for (int b = 0; b < rig->binding_count; b++) {
        const Motor* motor = &rig->bindings[b].motor;
        if (!poise__motor_alive(motor) || dBodyIsKinematic(motor->child) ||
            dBodyGetLinearDamping(motor->child) > 0.0) {
            continue;
        }
        const double speed = poise_length(poise__vec3_from(dBodyGetLinearVel(motor->child)));
        if (speed > most) {
            rig->watch.body = motor->child;
            most = speed;
        }
    }
}

void poise__watch_lengths(PoiseRig* rig, double dt) {
    Watch* watch = &rig->watch;
    if (watch->logged_length) {
        return;
    }
    const double before = watch->dt;
    // the watched body may be destroyed, or no longer bound
    const Binding* binding = poise__binding_of_body(rig, watch->body);
    bool there = binding && poise__motor_alive(&binding->motor);
    const double length =
        watch->unstepped == 0 && before > 0.0 && there ? length_of_step(watch) : 0.0;
    const bool other = length > 0.0 && fabs(length - before) > OTHER_LENGTH * before;
    watch->others = other ? watch->others + 1 : length > 0.0 ? 0 : watch->others;
    if (watch->others == OTHERS) {
        watch->logged_length = true;
        poise__rig_warn(rig,
                        "poise_rig_update: was told %g s, but the bodies went on as in %g s: "
                        "give it the dt of the dWorldStep that follows",
                        before, length);
    }
    if (length == 0.0 && ++watch->idle >= CHOOSE_EVERY) {
        choose(rig);
        there = watch->body != NULL;
        watch->idle = 0;
    }
    watch->dt = 0.0;
    if (there) {
        watch->place = poise__vec3_from(dBodyGetPosition(watch->body));
        watch->dt = dt;
    }
}
