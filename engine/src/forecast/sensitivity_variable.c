// SPDX-License-Identifier: MIT
// Changes a variable u of a rest (a stiffness, natural posture, goal or load), and computes df/du
// by central differences of the torques f at the rest.
#include "sensitivity_variable.h"

#include <string.h>

// Steps of the differences df/du. STIFFNESS_PART is a fraction of the stiffness, in which torques
// are linear. The other steps are rad or m, large compared with the 1e-12 to which the own posture
// reaches a goal.
#define STIFFNESS_PART 1e-3
#define NATURAL_STEP   1e-5
#define GOAL_STEP      3e-6

bool poise__is_stiffness(PoiseVariableKind kind) {
    return kind == POISE_VARIABLE_IK_STIFFNESS || kind == POISE_VARIABLE_ORIGINAL_STIFFNESS;
}

Variable poise__variable_open(Rest* rest, const PoiseVariable* of) {
    const PoiseRig* rig = rest->statics.state.rig;
    Variable variable = {.of = of};
    const PoiseVariableKind kind = of->kind;
    if (poise__is_stiffness(kind) || kind == POISE_VARIABLE_NATURAL) {
        variable.binding = poise__binding(rig, of->node);
        const Sort sort = poise__binding_main_sort(variable.binding);
        variable.stiffness = kind == POISE_VARIABLE_IK_STIFFNESS
                                 ? &variable.binding->ik[sort].stiffness
                                 : &variable.binding->original[sort].stiffness;
        variable.value = *variable.stiffness;
        memcpy(variable.natural, variable.binding->natural,
               (size_t)variable.binding->type->nq * sizeof *variable.natural);
        variable.follows = kind == POISE_VARIABLE_NATURAL && rig->settings.posture_rate > 0.0;
    } else {
        variable.goal = poise_point_goal(rest->statics.state.tree, of->point);
        variable.follows = kind == POISE_VARIABLE_GOAL;
    }
    return variable;
}

static void set_goal(const Variable* variable, RigState* state, PoiseTree* tree, double change) {
    const int axis = variable->of->axis;
    double by[3] = {0.0, 0.0, 0.0};
    by[axis % 3] = change;
    const PoiseVec3 v = poise_vec3(by[0], by[1], by[2]);
    if (axis < 3) {
        poise__note(state, poise_point_set_position(tree, variable->of->point,
                                                    poise_add(variable->goal.p, v)));
    } else {
        poise__note(state, poise_point_set_orientation(
                               tree, variable->of->point,
                               poise_quat_mul(poise_quat_exp(v), variable->goal.q)));
    }
}

void poise__variable_change(Rest* rest, const Variable* variable, double by) {
    Statics* statics = &rest->statics;
    RigState* state = &statics->state;
    if (poise__is_stiffness(variable->of->kind)) {
        *variable->stiffness = variable->value + by;
        poise__statics_read_springs(statics);
    } else if (variable->of->kind == POISE_VARIABLE_NATURAL) {
        double natural[POISE_MAX_NQ];
        double v[POISE_MAX_NV] = {0.0};
        v[variable->of->axis] = by;
        memcpy(natural, variable->natural, sizeof natural);
        poise_joint_integrate(variable->binding->type, natural, v);
        poise__binding_set_natural(variable->binding, by == 0.0 ? variable->natural : natural);
        poise__reference_pull(state, state->tree, &statics->solve);
        if (statics->reference) {
            poise__reference_pull(state, statics->reference, &statics->solve);
        }
    } else if (variable->of->kind == POISE_VARIABLE_GOAL) {
        set_goal(variable, state, state->tree, by);
        if (statics->reference) {
            set_goal(variable, state, statics->reference, by);
        }
    } else {
        memset(statics->load, 0, sizeof statics->load);
        statics->load[variable->of->axis] = by;
        statics->loaded = by == 0.0 ? poise_null_point() : variable->of->point;
    }
}

// Returns the step of the variable for the differences df/du; 1 for a load, in which f is linear.
static double torque_step(const Variable* variable) {
    const double least = 1.0;
    return poise__is_stiffness(variable->of->kind)
               ? STIFFNESS_PART * (variable->value > 0.0 ? variable->value : least)
           : variable->of->kind == POISE_VARIABLE_NATURAL ? NATURAL_STEP
           : variable->of->kind == POISE_VARIABLE_GOAL    ? GOAL_STEP
                                                          : 1.0;
}

// Fills df/du by velocity. A stiffness of 0 has a one-sided difference, which is exact since f is
// linear in the stiffness.
static void fill_torques(Rest* rest, const Variable* variable, double* torque) {
    Statics* statics = &rest->statics;
    const double step = torque_step(variable);
    const bool one_sided = poise__is_stiffness(variable->of->kind) && !(variable->value > 0.0);
    const double sides[2] = {step, one_sided ? 0.0 : -step};
    memset(torque, 0, (size_t)statics->count * sizeof *torque);
    for (int side = 0; side < 2; side++) {
        poise__rest_return(rest);
        poise__variable_change(rest, variable, sides[side]);
        poise__statics_follow(statics, variable->follows);
        poise__statics_torques(statics, false);
        for (int i = 0; i < statics->count; i++) {
            torque[i] += (side == 0 ? 1.0 : -1.0) * statics->torque[i] / (sides[0] - sides[1]);
        }
    }
    poise__variable_change(rest, variable, 0.0);
    poise__rest_return(rest);
    poise__statics_torques(statics, false);
}

PoiseStatus poise__variables_solve(Rest* rest, Tangent* tangent, const Derived* derived) {
    const int velocities = rest->statics.count, count = derived->count;
    const int first = derived->point_count * LOADS;
    PoiseStatus status =
        poise__rest_tangent(rest, tangent, derived->points, derived->point_count, count);
    for (int v = 0; v < count && status == POISE_OK; v++) {
        const Variable variable = poise__variable_open(rest, &derived->variables[v]);
        fill_torques(rest, &variable, rest->step);
        poise__tangent_set_load(tangent, v, rest->step);
    }
    if (status == POISE_OK &&
        (!poise__tangent_solve(tangent) || !poise__tangent_balances(tangent, first, count))) {
        status = POISE_DEGRADED;
    }
    for (int i = 0; i < count * velocities && status == POISE_OK; i++) {
        derived->moved[i] = poise__tangent_moved(tangent, first + i / velocities, i % velocities);
    }
    return status;
}
