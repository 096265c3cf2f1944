// SPDX-License-Identifier: MIT
// Finds updates without a step, and steps that do not solve the springs. In an exact step a row
// gives lambda = D (Vel - v_new); dWorldQuickStep may be far from it. Reads rows, feedback and
// velocities from ODE; keeps nothing.
#include <limits.h>

#include "convert.h"
#include "step.h"

// Number of updates between two checks, and the error that gives a warning.
enum { LOOK_EVERY = 64 };
static const double WARN_ERROR = 0.05;
// A row that gives this part of its limit is clamped, and has no law.
static const double CLAMPED = 1.0 - 1e-9;

// Bounds for two rows about axes: the part of their sum across both axes, and the squared sine
// between the axes.
static const double ACROSS = 1e-6;
static const double LEAST_SQUARE = 1e-6;

// A row asks for torque if its target rate differs from the present one by more than this part.
static const double ASKING = 1e-9;

typedef struct Worst {
    double off;
    double given; // largest torque of all rows
    bool asked;   // some row asks for torque
    const Binding* binding;
} Worst;

// Returns the power of a force and moment on a body.
static double power(const dReal* force, const dReal* moment, dBodyID body) {
    return poise_dot(poise__vec3_from(force), poise__vec3_from(dBodyGetLinearVel(body))) +
           poise_dot(poise__vec3_from(moment), poise__vec3_from(dBodyGetAngularVel(body)));
}

// Computes what a row gave, and the present rate of its joint. A single row of its sort in the step
// is the feedback over its size: since then the bodies have turned, or were placed elsewhere
// before. Several rows use the axes of the drive.
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

// Computes what each of two rows about axes gave. A joint may hold their axes at other than right
// angles; then the projection of the sum onto an axis differs from the row's torque. False if the
// sum has a part across both: the bodies were placed elsewhere before the step, and its axes are
// not known.
static bool part_two(const Motor* motor, double given[POISE_MAX_NV]) {
    const PoiseVec3 sum = poise__vec3_from(motor->feedback[ABOUT]->t1);
    const int first = motor->first[ABOUT];
    const PoiseVec3 a = poise__motor_row_axis(motor, first);
    const PoiseVec3 b = poise__motor_row_axis(motor, first + 1);
    const double both = poise_dot(a, b);
    const double square = 1.0 - both * both;
    if (square < LEAST_SQUARE) {
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
    // no joint has two rows along axes
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

// True if the motor's bodies are awake; sleeping bodies get no torque.
static bool is_awake(const Binding* binding) {
    const Motor* motor = &binding->motor;
    return motor->driven && poise__motor_alive(motor) &&
           (dBodyIsEnabled(motor->child) || (motor->parent && dBodyIsEnabled(motor->parent)));
}

static Worst check_all(const PoiseRig* rig) {
    Worst worst = {.off = 0.0};
    for (int i = 0; i < rig->binding_count; i++) {
        if (is_awake(&rig->bindings[i])) {
            check_binding(&worst, &rig->bindings[i]);
        }
    }
    return worst;
}

static double relative_error(const Worst* worst) {
    return worst->given > 0.0 ? worst->off / worst->given : 0.0;
}

// True if no step came after the last update: an update marks every feedback, and a step writes
// that of each awake body. The first motor with a written feedback ends the search.
static bool is_unstepped(const PoiseRig* rig) {
    for (int i = 0; i < rig->binding_count; i++) {
        if (poise__motor_gave(&rig->bindings[i].motor)) {
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
    if (rig->logged_step_error || ++rig->updates % LOOK_EVERY != 0) {
        return;
    }
    const Worst worst = check_all(rig);
    const double error = relative_error(&worst);
    if (error > WARN_ERROR && worst.binding) {
        rig->logged_step_error = true;
        poise__rig_warn(rig,
                        "poise_rig_update: the last world step left node %u off the law of "
                        "its spring by %.0f %% of the largest torque: step with dWorldStep, "
                        "or give dWorldQuickStep more iterations or softer springs",
                        (unsigned)worst.binding->node.index1, 100.0 * error);
    }
}

void poise__step_error_watch(PoiseRig* rig) {
    if (!is_unstepped(rig)) {
        poise__rhythm_pairs(rig);
        rig->unstepped = 0;
        watch_error(rig);
        return;
    }
    rig->unstepped += rig->unstepped < INT_MAX ? 1 : 0;
    // allow one: callers use it to read the last step
    if (rig->unstepped == 2) {
        poise__rig_warn(rig, "poise_rig_update: the world was not stepped between the last three "
                             "updates; dWorldStep and dWorldQuickStep return 0 when memory is "
                             "short");
    }
}
