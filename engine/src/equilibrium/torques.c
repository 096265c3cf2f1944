// SPDX-License-Identifier: MIT
// The torques of an equilibrium's joints at its posture: theta_ik by the law of the reference, the
// two springs, what is fed forward, inside the torque limits, less what the loads are. From the
// same functions as those of an update.
#include <string.h>

#include "statics.h"

// a torque within this part of its limit is at it
#define AT_LIMIT (1.0 - 1e-9)
// on its way a joint comes to it within this part; at rest, from where the least of loads takes it
#define COMES_TO_LIMIT (1.0 - 1e-4)
#define NEAR_LIMIT     (1.0 - 1e-3)
// s: so long a step of a solve that no speed bounds it
#define LONG_STEP 1e9

// a step of the own posture's solve, inside the clamps that torque limits set
static void solve_clamped(Equilibrium* equilibrium) {
    RigState* state = &equilibrium->state;
    PoiseSolveDef solve = equilibrium->solve;
    if (equilibrium->clamps) {
        // a range of the step counts in solves with a step
        solve.step = equilibrium->lags ? equilibrium->dt : LONG_STEP;
        poise__reference_bound(state, solve.step);
    }
    poise__note(state, poise_solve(state->tree, &solve, NULL));
}

// theta_ik out of the tree, into its clamp; returns how far it is from `was`
static double take_ik(RigState* state, JointState* joint, bool keep) {
    const Binding* binding = joint->of;
    double was[POISE_MAX_NQ];
    double displacement[POISE_MAX_NV];
    double largest = 0.0;
    memcpy(was, joint->q_ik, (size_t)binding->type->nq * sizeof *was);
    poise__joint_ik_from_tree(joint, state->tree);
    joint->clamped = poise__clamp_acts(joint) && poise__clamp_ik(joint);
    if (joint->clamped && keep) {
        poise__note(state, poise_node_set_posture(state->tree, binding->node, joint->q_ik,
                                                  binding->type->nq));
    }
    poise_joint_difference(binding->type, joint->q_ik, was, displacement);
    for (int d = 0; d < binding->type->nv; d++) {
        largest = poise_max(largest, fabs(displacement[d]));
    }
    return largest;
}

// the own posture: to where it yields, and on to its goal
static double lead_own(Equilibrium* equilibrium, bool lead) {
    RigState* state = &equilibrium->state;
    PoiseTree* copy = state->tree;
    state->tree = equilibrium->reference;
    // what does not follow stands where its body is, as in an update
    for (int b = 0; b < state->rig->binding_count; b++) {
        if (!state->rig->bindings[b].follows_ik) {
            poise__note(state, poise__joint_to_tree(&state->joints[b], state->tree));
        }
    }
    poise__note(state, poise_forward(state->tree));
    poise__force_follow(state);
    if (lead) {
        solve_clamped(equilibrium);
        poise__note(state, poise_advance(state->tree));
        poise__note(state, poise_forward(state->tree));
    }
    poise__force_place(state);
    double largest = 0.0;
    for (int b = 0; b < state->rig->binding_count; b++) {
        const double led = take_ik(state, &state->joints[b], lead);
        equilibrium->clamped = equilibrium->clamped || state->joints[b].clamped;
        largest = poise_max(largest, led);
    }
    state->tree = copy;
    return lead ? largest : 0.0;
}

// measured: theta_ik = theta + omega(theta)
static void lead_measured(Equilibrium* equilibrium) {
    RigState* state = &equilibrium->state;
    solve_clamped(equilibrium);
    for (int b = 0; b < state->rig->binding_count; b++) {
        JointState* joint = &state->joints[b];
        Binding* binding = &state->rig->bindings[b];
        double omega[POISE_MAX_DOF] = {0.0};
        double was[POISE_MAX_POSTURE];
        const int count = poise_node_omega(state->tree, binding->node, omega);
        const int numbers = poise_node_posture(state->tree, binding->node, was);
        poise__note(state, poise_node_shift(state->tree, binding->node, omega, count));
        poise__joint_ik_from_tree(joint, state->tree);
        joint->clamped = poise__clamp_acts(joint) && poise__clamp_ik(joint);
        poise__note(state, poise_node_set_posture(state->tree, binding->node, was, numbers));
    }
    poise__note(state, poise_forward(state->tree));
}

// The integral goes on while the springs pull: at rest it bears what they would have to, `load`, or
// the most it may of it (integral.c). Adds what it gives; where it waits, what it has.
static void relieve(Equilibrium* equilibrium, int b, const double* load, double* fed) {
    const JointState* joint = &equilibrium->state.joints[b];
    const Binding* binding = joint->of;
    const bool acts = poise__integral_acts(&equilibrium->state, joint);
    double has[POISE_MAX_NV];
    poise__integral_torque(joint, has);
    for (int i = 0; i < binding->block_count; i++) {
        const Block* block = &binding->blocks[i];
        Relief* relief = &equilibrium->reliefs[b * POISE_MAX_MOTIONS + i];
        const double* all = &load[block->first];
        double square = 0.0;
        for (int k = 0; k < block->count; k++) {
            square += all[k] * all[k];
        }
        const double length = sqrt(square);
        const double most =
            poise__integral_most(equilibrium->state.rig, binding, (Sort)block->sort);
        relief->acts = acts && most > 0.0;
        relief->whole = length <= most;
        relief->part = relief->whole ? 1.0 : most / length;
        for (int k = 0; k < block->count; k++) {
            relief->along[k] = length > 0.0 ? all[k] / length : 0.0;
            fed[block->first + k] += relief->acts ? relief->part * all[k] : has[block->first + k];
        }
    }
}

void poise__equilibrium_relieve(const Equilibrium* equilibrium, int b, double* load) {
    const Binding* binding = &equilibrium->state.rig->bindings[b];
    for (int i = 0; i < binding->block_count; i++) {
        const Block* block = &binding->blocks[i];
        const Relief* relief = &equilibrium->reliefs[b * POISE_MAX_MOTIONS + i];
        double* part = &load[block->first];
        double kept = 0.0;
        for (int k = 0; !relief->whole && k < block->count; k++) {
            kept += relief->along[k] * part[k];
        }
        // across the load it has, it turns to where the sum of both is
        for (int k = 0; relief->acts && k < block->count; k++) {
            part[k] =
                relief->whole ? 0.0 : part[k] - relief->part * (part[k] - kept * relief->along[k]);
        }
    }
}

// What a motor gives of `given` against `hold`, inside its limit. While it swings it is what is
// left at the end of the step, as a motor's row has it: where that is within the limit, the rest of
// the row resists the step.
static double cut(Equilibrium* equilibrium, const Binding* binding, int d, double given,
                  double hold) {
    const int number =
        equilibrium->state.press.first[binding - equilibrium->state.rig->bindings] + d;
    const PoiseSpring spring = poise__binding_spring(binding, poise__sort(binding->type, d));
    const double limit = binding->force_limit[poise__sort(binding->type, d)];
    const double dt = equilibrium->dt;
    double left = given;
    if (equilibrium->swings) {
        const double row = dt * spring.stiffness + spring.damping;
        const double inertia = equilibrium->inertia[number];
        const double speed =
            (inertia * equilibrium->speed[number] + dt * (given - hold)) / (inertia + dt * row);
        left -= row * speed;
        equilibrium->resists[number] = row / dt;
    }
    if (fabs(left) < limit * AT_LIMIT) {
        return given;
    }
    equilibrium->touched = true;
    equilibrium->resists[number] = 0.0;
    return left < 0.0 ? -limit : limit;
}

// what the load at a point takes off what the joints have to hold
static void take_load(const Equilibrium* equilibrium, const Binding* binding, double* hold) {
    const PoiseVec3 f = equilibrium->load;
    double block[6 * POISE_MAX_DOF];
    const int dof = equilibrium->loaded.index1 != 0
                        ? poise_point_jacobian(equilibrium->state.tree, equilibrium->loaded,
                                               binding->node, block)
                        : 0;
    for (int d = 0; d < dof; d++) {
        hold[d] -= block[d] * f.x + block[dof + d] * f.y + block[2 * dof + d] * f.z;
    }
}

// springs, forces and what is fed forward, cut to the limit as a motor's row is; less the weight
static void add_up(Equilibrium* equilibrium) {
    RigState* state = &equilibrium->state;
    const PoiseNumbers numbers = poise_tree_numbers(state->tree);
    for (int b = 0; b < state->rig->binding_count; b++) {
        JointState* joint = &state->joints[b];
        Binding* binding = &state->rig->bindings[b];
        const int first = state->press.first[b];
        double spring[POISE_MAX_NV];
        double posture[POISE_MAX_NV];
        double force[POISE_MAX_DOF] = {0.0};
        double fed[POISE_MAX_NV];
        double hold[POISE_MAX_DOF] = {0.0};
        double load[POISE_MAX_NV];
        poise__joint_pull(joint, spring, posture);
        poise_node_force_torque(state->tree, binding->node, force);
        poise_node_gravity_torque(state->tree, binding->node, hold);
        poise__fed_weight(state, &numbers, joint, fed);
        take_load(equilibrium, binding, hold);
        for (int d = 0; d < binding->type->nv; d++) {
            // the ground holds a part of the weight
            hold[d] -= equilibrium->displacement[first + d];
            fed[d] += force[d] + joint->pressing[d] + joint->closing[d];
            load[d] = hold[d] - fed[d];
        }
        relieve(equilibrium, b, load, fed);
        const bool whole = poise__clamp_acts(joint);
        const double part = equilibrium->at_rest ? NEAR_LIMIT : COMES_TO_LIMIT;
        for (const Block* k = binding->blocks; k < binding->blocks + binding->block_count; k++) {
            double square = 0.0;
            for (int d = k->first; d < k->first + k->count; d++) {
                const double given = spring[d] + posture[d] + fed[d];
                const double left = cut(equilibrium, binding, d, given, hold[d]);
                square = whole ? square + given * given : poise_max(square, given * given);
                equilibrium->torque[first + d] = joint->ready ? left - hold[d] : 0.0;
            }
            // a clamp is of the whole torque of a block, a motor's row of that about its axis
            joint->clamped = joint->clamped || sqrt(square) >= binding->force_limit[k->sort] * part;
        }
        memcpy(joint->feed_forward, fed, (size_t)binding->type->nv * sizeof *fed);
    }
}

// Along what yields the contact holds it: no torque is left that would push there, and on the
// way to rest the one that brings it back from where finite steps along the rows have led
// it.
static void hold_yielding(Equilibrium* equilibrium) {
    Press* press = &equilibrium->state.press;
    const int rows = press->yield_rows;
    poise__press_share(press, rows, equilibrium->torque);
    poise__press_take(press, rows, equilibrium->torque);
    for (int r = 0; !equilibrium->at_rest && r < rows; r++) {
        const PressPoint* point = &press->points[press->row_point[r]];
        const PoisePose held = equilibrium->held[point->slot];
        const PoiseVec3 displacement = poise_sub(point->pose.p, held.p);
        const PoiseVec3 turn =
            poise_quat_log(poise_quat_mul(point->pose.q, poise_quat_conjugate(held.q)));
        const double* e = &press->directions[6 * r];
        press->work[r] = poise_dot(displacement, poise_vec3(e[0], e[1], e[2])) +
                         poise_dot(turn, poise_vec3(e[3], e[4], e[5]));
    }
    if (!equilibrium->at_rest) {
        poise__press_solve(press, rows);
        poise__press_take(press, rows, equilibrium->torque);
    }
}

double poise__equilibrium_torques(Equilibrium* equilibrium, bool lead) {
    RigState* state = &equilibrium->state;
    poise__note(state, poise_forward(state->tree));
    poise__note(state, poise_forces(state->tree));
    poise__note(state, poise_gravity(state->tree, equilibrium->gravity));
    for (int b = 0; b < state->rig->binding_count; b++) {
        JointState* joint = &state->joints[b];
        poise__joint_from_tree(joint, state->tree);
        memset(joint->pressing, 0, (size_t)joint->of->type->nv * sizeof *joint->pressing);
    }
    poise__equilibrium_feet(equilibrium, lead);
    poise__press_fill(state, state->tree, &state->press);
    double led = 0.0;
    if (equilibrium->reference) {
        led = lead_own(equilibrium, lead || equilibrium->leads);
    } else {
        lead_measured(equilibrium);
    }
    poise__force_share(state);
    poise__equilibrium_feet_load(equilibrium);
    add_up(equilibrium);
    if (state->press.point_count > 0 && state->press.yield_rows > 0) {
        hold_yielding(equilibrium);
    }
    return led;
}
