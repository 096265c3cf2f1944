// SPDX-License-Identifier: MIT
// Whether there was a world step, and whether it did what the rows asked: lambda = D (Vel - v_new)
// is what a row gives in an exact step, and dWorldQuickStep may be far from it. Reads rows,
// feedback and velocities back from ODE; nothing is kept.
#include <limits.h>
#include <string.h>

#include "base/convert.h"
#include "rig_internal.h"

// how often an update looks, in updates, and how far off it says so
enum { LOOK_EVERY = 64 };
static const double WORTH_SAYING = 0.05;
// a row that gives this part of its limit is clamped, and answers to no law
static const double CLAMPED = 1.0 - 1e-9;

// a row asks for something when the rate it wants is off the one there is by more than this part
static const double ASKING = 1e-9;

typedef struct Worst {
    double off;
    double given; // the largest of all
    bool asked;   // some row asks
    const Binding* binding;
} Worst;

static PoiseVec3 rate_of(const Motor* motor, bool linear) {
    const dReal* (*velocity)(dBodyID) = linear ? dBodyGetLinearVel : dBodyGetAngularVel;
    PoiseVec3 child = poise__vec3_from(velocity(motor->child));
    return motor->parent ? poise_sub(child, poise__vec3_from(velocity(motor->parent))) : child;
}

static void look_at_row(Worst* worst, const Binding* binding, const MotorRows* rows, int row,
                        PoiseVec3 axis, PoiseVec3 given, PoiseVec3 rate) {
    const double torque = poise_dot(axis, given);
    const double limit = rows->limit[row];
    if (!(limit > 0.0) || !(rows->cfm[row] > 0.0) || fabs(torque) >= CLAMPED * limit) {
        return;
    }
    const double wanted = rows->velocity[row];
    const double there = poise_dot(axis, rate);
    double law = (wanted - there) / rows->cfm[row];
    worst->asked = worst->asked || fabs(wanted - there) > ASKING * (fabs(wanted) + fabs(there));
    double off = fabs(torque - law);
    worst->given = poise_max(worst->given, poise_max(fabs(torque), fabs(law)));
    if (off > worst->off) {
        worst->off = off;
        worst->binding = binding;
    }
}

static void look_at_three(Worst* worst, const Binding* binding, const MotorRows* rows, int first,
                          PoiseVec3 given, PoiseVec3 rate) {
    for (int i = 0; i < 3; i++) {
        PoiseVec3 axis = poise_vec3(i == 0, i == 1, i == 2);
        look_at_row(worst, binding, rows, first + i, axis, given, rate);
    }
}

static void look_at(Worst* worst, const Binding* binding) {
    const Motor* motor = &binding->motor;
    const MotorRows* rows = &motor->rows;
    const dJointFeedback* feedback = &motor->feedback;
    const bool linear =
        binding->kind == POISE_NODE_SLIDER || binding->kind == POISE_NODE_TRANSLATION;
    PoiseVec3 given = poise__vec3_from(linear ? feedback->f1 : feedback->t1);
    PoiseVec3 rate = rate_of(motor, linear);
    switch (binding->kind) {
    case POISE_NODE_UNIVERSAL:
        look_at_row(worst, binding, rows, 1, motor->axis2_world, given, rate);
        // fall through
    case POISE_NODE_HINGE:
    case POISE_NODE_SLIDER:
        look_at_row(worst, binding, rows, 0, motor->axis_world, given, rate);
        break;
    case POISE_NODE_FREE:
        look_at_three(worst, binding, rows, 3, poise__vec3_from(motor->linear_feedback.f1),
                      rate_of(motor, true));
        look_at_three(worst, binding, rows, 0, given, rate);
        break;
    default:
        look_at_three(worst, binding, rows, 0, given, rate);
        break;
    }
}

// sleeping bodies got nothing, and need not have
static bool is_awake(const Binding* binding) {
    const Motor* motor = &binding->motor;
    return motor->driven && poise__motor_alive(motor) &&
           (dBodyIsEnabled(motor->child) || (motor->parent && dBodyIsEnabled(motor->parent)));
}

static Worst look_at_all(const PoiseRig* rig) {
    Worst worst = {.off = 0.0};
    for (int i = 0; i < rig->binding_count; i++) {
        if (is_awake(&rig->bindings[i])) {
            look_at(&worst, &rig->bindings[i]);
        }
    }
    return worst;
}

static double relative_error(const Worst* worst) {
    return worst->given > 0.0 ? worst->off / worst->given : 0.0;
}

// An update leaves every feedback at 0 and a step writes that of every awake body: where none was
// written though a row asks, there was no step. A real step gives exactly 0 only where nothing is
// asked. The first motor that gave something ends the search.
static bool is_unstepped(const PoiseRig* rig) {
    static const dJointFeedback nothing;
    for (int i = 0; i < rig->binding_count; i++) {
        const Motor* motor = &rig->bindings[i].motor;
        if (memcmp(&motor->feedback, &nothing, sizeof nothing) != 0 ||
            memcmp(&motor->linear_feedback, &nothing, sizeof nothing) != 0) {
            return false;
        }
    }
    return look_at_all(rig).asked;
}

PoiseStatus poise_rig_step_error(const PoiseRig* rig, double* error, PoiseNodeId* node) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const Worst worst = look_at_all(rig);
    if (error) {
        *error = relative_error(&worst);
    }
    if (node) {
        *node = worst.binding ? worst.binding->node : poise_null_node();
    }
    return POISE_OK;
}

static void watch_error(PoiseRig* rig) {
    if (rig->told_step_error || ++rig->updates % LOOK_EVERY != 0) {
        return;
    }
    const Worst worst = look_at_all(rig);
    const double error = relative_error(&worst);
    if (error > WORTH_SAYING && worst.binding) {
        rig->told_step_error = true;
        (void)poise__rig_fail(rig, POISE_DEGRADED,
                              "poise_rig_update: the last world step left node %u off the law of "
                              "its spring by %.0f %% of the largest torque: step with dWorldStep, "
                              "or give dWorldQuickStep more iterations or softer springs",
                              (unsigned)worst.binding->node.index1, 100.0 * error);
    }
}

void poise__step_error_watch(PoiseRig* rig) {
    if (!is_unstepped(rig)) {
        rig->unstepped = 0;
        watch_error(rig);
        return;
    }
    rig->unstepped += rig->unstepped < INT_MAX ? 1 : 0;
    // the first may be an update more, to read what the last step did
    if (rig->unstepped == 2) {
        (void)poise__rig_fail(rig, POISE_DEGRADED,
                              "poise_rig_update: the world was not stepped between the last three "
                              "updates; dWorldStep and dWorldQuickStep return 0 when memory is "
                              "short");
    }
}
