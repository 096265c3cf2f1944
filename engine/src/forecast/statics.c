// SPDX-License-Identifier: MIT
// Computes the unbalanced torques of a rig's joints at a posture: the sum of springs and
// feed-forward, cut to the torque limits, minus weight, loads and the forces of ground and loops.
#include "statics.h"

#include <string.h>

#include "convert.h"
#include "numbers.h"

// A torque above this fraction of its limit counts as at the limit.
#define AT_LIMIT (1.0 - 1e-9)
// A joint above this fraction of its limit is reported as limited: a small load takes it to the
// limit.
#define NEAR_LIMIT (1.0 - 1e-3)
// A step for poise_solve that is so long that joint speed limits do not matter, s.
#define LONG_STEP 1e9
// A joint at an end of its range presses against the stop if its unbalanced torque would displace
// its spring by more than this, rad or m.
#define SLACK 1e-6
// The own posture has arrived if a solve moves it by at most this, rad or m.
#define FOLLOWED 1e-12
// A body below this speed is still, rad/s and m/s.
#define STILL 1e-6
// Tolerances of poise__statics_is_supported: BALANCED as a fraction of the torque, LOADED as a
// displacement of the spring, rad or m. A larger residual means that something else holds the
// joint.
#define BALANCED 1e-3
#define LOADED   1e-5

enum { MOST_FOLLOWING = 2000 };

// ------------------------------------------------------------------------------------------ memory

static bool take_memory(Statics* statics, const PoiseRig* rig) {
    const RigState* state = &statics->state;
    const int n = statics->count, bindings = rig->binding_count;
    const BlockArray list[] = {
        BLOCK_ARRAY(statics->stops, bindings),
        BLOCK_ARRAY(statics->reliefs, bindings * POISE_MAX_MOTIONS),
        BLOCK_ARRAY(statics->closing, CLOSURE_ROWS * (state->stance_count + rig->closure_count)),
        BLOCK_ARRAY(statics->torque, n),
        BLOCK_ARRAY(statics->stiffness, n),
        BLOCK_ARRAY(statics->compliance, n),
        BLOCK_ARRAY(statics->ground_load, n),
        BLOCK_ARRAY(statics->displacement, n),
        BLOCK_ARRAY(statics->at, poise__statics_numbers(statics))};
    return poise__arrays_open(&statics->arrays, &rig->host, list, sizeof list / sizeof *list);
}

// Opens the second state of the rig, with memory for the results.
static PoiseStatus open_state(Statics* statics, const PoiseRig* rig) {
    PoiseStatus status = poise__state_open(&statics->state, &rig->state);
    status = status < 0 ? status : poise__press_reserve(&statics->state);
    if (status < 0) {
        return status;
    }
    const bool own = rig->settings.reference == POISE_REFERENCE_OWN;
    statics->reference = own ? poise_tree_clone(rig->state.tree) : NULL;
    statics->solve = rig->settings.solve;
    statics->solve.step = 0.0;
    // If a goal is out of reach, the damping decides where the own posture rests: it keeps its
    // present value. The measured reference takes the least damping: there, under a load, the steps
    // stay equal, and such steps lower the damping in an update.
    statics->solve.damping_frozen = own;
    // poise_solve does not escape from singular postures here
    statics->solve.escape = false;
    statics->solve.adaptive = statics->solve.adaptive && own;
    statics->count = poise__rig_velocities(rig);
    if (!take_memory(statics, rig) || (own && !statics->reference)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    return poise__kkt_reserve(&statics->state, &statics->ground, statics->count)
               ? POISE_OK
               : POISE_ERROR_OUT_OF_MEMORY;
}

void poise__statics_read_springs(Statics* statics) {
    for (int b = 0; b < statics->state.rig->binding_count; b++) {
        const Binding* binding = &statics->state.rig->bindings[b];
        for (int d = 0; d < binding->type->nv; d++) {
            const Sort sort = poise__sort(binding->type, d);
            statics->stiffness[statics->state.press.first[b] + d] =
                poise__binding_spring(binding, sort).stiffness;
        }
    }
}

// Sets a joint to the pose of its body, without a velocity.
static void open_joint(Statics* statics, int b) {
    JointState* joint = &statics->state.joints[b];
    joint->stops = 0;
    joint->has_last = false;
    statics->clamps = statics->clamps || poise__clamp_acts(joint);
    if (joint->ready) {
        poise__note(&statics->state, poise__joint_to_tree(joint, statics->state.tree));
    }
}

PoiseStatus poise__statics_open(Statics* statics, PoiseRig* rig) {
    memset(statics, 0, sizeof *statics);
    PoiseStatus status = poise__read_sets(rig);
    if (status < 0) {
        return status;
    }
    // reads all frames, and which bases are fixed
    if (poise__read_bodies(rig) == 0) {
        return POISE_ERROR_GONE;
    }
    status = open_state(statics, rig);
    if (status < 0) {
        return status;
    }
    RigState* state = &statics->state;
    statics->gravity = poise__gravity(rig->world);
    state->noted = POISE_OK;
    // pull the null space to the natural postures, as in an update
    poise__reference_pull(state, state->tree, &statics->solve);
    if (statics->reference) {
        poise__reference_pull(state, statics->reference, &statics->solve);
        poise__note(state, poise_forward(statics->reference));
    }
    poise__statics_read_springs(statics);
    for (int b = 0; b < rig->binding_count; b++) {
        open_joint(statics, b);
    }
    poise__note(state, poise_forward(state->tree));
    return state->noted;
}

void poise__statics_close(Statics* statics) {
    if (statics->state.rig) {
        poise__kkt_finish(&statics->state, &statics->ground);
    }
    poise__arrays_close(&statics->arrays);
    poise_tree_destroy(statics->reference);
    poise__state_close(&statics->state);
    memset(statics, 0, sizeof *statics);
}

// -------------------------------------------------------------------------------------- references

// Computes one solve. If there are torque limits, poise__reference_bound bounds its displacement.
static void solve_clamped(Statics* statics) {
    RigState* state = &statics->state;
    PoiseSolveDef solve = statics->solve;
    if (statics->clamps) {
        // poise_solve has bounds only with a step
        solve.step = LONG_STEP;
        poise__reference_bound(state, solve.step);
    }
    poise__note(state, poise_solve(state->tree, &solve, NULL));
}

// Reads theta_ik from the tree and clamps it. `keep`: writes a clamped theta_ik back to the tree.
// Returns the largest change of theta_ik, rad or m.
static double take_ik(Statics* statics, JointState* joint, bool keep) {
    RigState* state = &statics->state;
    const Binding* binding = joint->of;
    double was[POISE_MAX_NQ];
    double displacement[POISE_MAX_NV];
    double largest = 0.0;
    memcpy(was, joint->q_ik, (size_t)binding->type->nq * sizeof *was);
    poise__joint_ik_from_tree(joint, state->tree);
    joint->clamped = statics->clamps && poise__clamp_acts(joint) && poise__clamp_ik(joint);
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

// Displaces the own posture as the forces of pressing points require. `advance`: also advances it
// by one solve to its goals. Returns the largest change of theta_ik in an advance, rad or m.
static double solve_own(Statics* statics, bool advance) {
    RigState* state = &statics->state;
    PoiseTree* measured = state->tree;
    state->tree = statics->reference;
    // a joint that IK does not drive follows its body, as in an update
    for (int b = 0; b < state->rig->binding_count; b++) {
        if (!state->rig->bindings[b].follows_ik) {
            poise__note(state, poise__joint_to_tree(&state->joints[b], state->tree));
        }
    }
    poise__note(state, poise_forward(state->tree));
    poise__force_follow(state);
    if (advance) {
        solve_clamped(statics);
        poise__note(state, poise_advance(state->tree));
        poise__note(state, poise_forward(state->tree));
    }
    poise__force_place(state);
    double largest = 0.0;
    for (int b = 0; b < state->rig->binding_count; b++) {
        largest = poise_max(largest, take_ik(statics, &state->joints[b], advance));
    }
    state->tree = measured;
    return advance ? largest : 0.0;
}

void poise__statics_solve(Statics* statics) {
    (void)solve_own(statics, true);
}

// Computes theta_ik = theta + omega(theta), the target of the measured reference.
static void solve_measured(Statics* statics) {
    RigState* state = &statics->state;
    solve_clamped(statics);
    for (int b = 0; b < state->rig->binding_count; b++) {
        JointState* joint = &state->joints[b];
        const Binding* binding = joint->of;
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

// ------------------------------------------------------------------------------------------ ground

// Fills `ground` with the constraint rows of feet and loops, and `ground_load` with their torques.
static void fill_ground(Statics* statics) {
    RigState* state = &statics->state;
    Kkt* kkt = &statics->ground;
    memset(statics->ground_load, 0, (size_t)statics->count * sizeof *statics->ground_load);
    if (state->stance_count == 0 && state->rig->closure_count == 0) {
        return;
    }
    if (state->stance_count > 0) {
        poise__stance_find(state);
        poise__stance_share(state, statics->gravity);
    }
    // poise__closures_share clears the stops of loops if no point presses; restore them after it
    for (int b = 0; b < state->rig->binding_count; b++) {
        statics->stops[b] = state->joints[b].stops;
    }
    poise__closures_share(state);
    for (int b = 0; b < state->rig->binding_count; b++) {
        state->joints[b].stops = statics->stops[b];
        for (int d = 0; d < state->joints[b].of->type->nv; d++) {
            const int i = state->press.first[b] + d;
            const bool stopped = poise__joint_stopped_in_loop(&state->joints[b], d);
            statics->compliance[i] =
                statics->stiffness[i] > 0.0 && !stopped ? 1.0 / statics->stiffness[i] : 0.0;
        }
    }
    poise__kkt_fill(state, state->tree, kkt, state->press.first, statics->compliance);
    int row = 0;
    for (int i = 0; i < state->stance_count && kkt->row_count > 0; i++) {
        const Stance* stance = &state->stances[i];
        const double load[6] = {stance->force.x,  stance->force.y,  stance->force.z,
                                stance->moment.x, stance->moment.y, stance->moment.z};
        for (int r = 0; stance->carries && r < poise__foot_rows(stance); r++, row++) {
            for (int n = 0; n < statics->count; n++) {
                statics->ground_load[n] += kkt->j[row * kkt->number_count + n] * load[r];
            }
        }
    }
    // away from rest the rows of closing joints rotate, but their forces are still those at rest
    for (; statics->at_rest && row < kkt->row_count; row++) {
        for (int n = 0; n < statics->count; n++) {
            statics->ground_load[n] -= kkt->j[row * kkt->number_count + n] * statics->closing[row];
        }
    }
}

bool poise__statics_is_carried(const Statics* statics) {
    bool carried = true;
    for (int i = 0; i < statics->state.support_count; i++) {
        carried = carried && statics->state.supports[i].carried;
    }
    return carried;
}

// ----------------------------------------------------------------------------------------- torques

// Adds the integral's torque to `fed`. The integral grows while the springs pull. Therefore at rest
// it carries `load`, at most poise__integral_most. A paused integral keeps its torque.
static void relieve(Statics* statics, int b, const double* load, double* fed) {
    const JointState* joint = &statics->state.joints[b];
    const Binding* binding = joint->of;
    const bool acts = poise__integral_acts(&statics->state, joint);
    double has[POISE_MAX_NV];
    poise__integral_torque(joint, has);
    for (int i = 0; i < binding->block_count; i++) {
        const Block* block = &binding->blocks[i];
        Relief* relief = &statics->reliefs[b * POISE_MAX_MOTIONS + i];
        const double* all = &load[block->first];
        double square = 0.0;
        for (int k = 0; k < block->count; k++) {
            square += all[k] * all[k];
        }
        const double length = sqrt(square);
        const double most = poise__integral_most(statics->state.rig, binding, (Sort)block->sort);
        relief->acts = acts && most > 0.0;
        relief->whole = length <= most;
        relief->part = relief->whole ? 1.0 : most / length;
        for (int k = 0; k < block->count; k++) {
            relief->along[k] = length > 0.0 ? all[k] / length : 0.0;
            fed[block->first + k] += relief->acts ? relief->part * all[k] : has[block->first + k];
        }
    }
}

void poise__statics_relieve(const Statics* statics, int b, double* load) {
    const Binding* binding = &statics->state.rig->bindings[b];
    for (int i = 0; i < binding->block_count; i++) {
        const Block* block = &binding->blocks[i];
        const Relief* relief = &statics->reliefs[b * POISE_MAX_MOTIONS + i];
        double* part = &load[block->first];
        double kept = 0.0;
        for (int k = 0; !relief->whole && k < block->count; k++) {
            kept += relief->along[k] * part[k];
        }
        // an integral at its bound keeps its size, and turns to the direction of the new load
        for (int k = 0; relief->acts && k < block->count; k++) {
            part[k] =
                relief->whole ? 0.0 : part[k] - relief->part * (part[k] - kept * relief->along[k]);
        }
    }
}

// Fills J^T load: the binding's torques of the external load at the point `loaded`.
static void fill_outer(const Statics* statics, const Binding* binding, double outer[POISE_MAX_NV]) {
    double block[6 * POISE_MAX_DOF];
    memset(outer, 0, POISE_MAX_NV * sizeof *outer);
    if (statics->loaded.index1 == 0) {
        return;
    }
    const int dof =
        poise_point_jacobian(statics->state.tree, statics->loaded, binding->node, block);
    for (int r = 0; r < 6; r++) {
        for (int d = 0; d < dof; d++) {
            outer[d] += block[r * dof + d] * statics->load[r];
        }
    }
}

// Sums the torques of springs, asked forces and feed-forward, cuts the sum to the torque limit as
// the motor does, and subtracts weight and loads.
static void add_up(Statics* statics) {
    RigState* state = &statics->state;
    const PoiseNumbers numbers = poise_tree_numbers(state->tree);
    for (int b = 0; b < state->rig->binding_count; b++) {
        JointState* joint = &state->joints[b];
        const Binding* binding = joint->of;
        const int first = state->press.first[b];
        double spring[POISE_MAX_NV];
        double posture[POISE_MAX_NV];
        double force[POISE_MAX_DOF] = {0.0};
        double fed[POISE_MAX_NV];
        double hold[POISE_MAX_DOF] = {0.0};
        double load[POISE_MAX_NV];
        double outer[POISE_MAX_NV];
        poise__joint_pull(joint, spring, posture);
        fill_outer(statics, binding, outer);
        poise_node_force_torque(state->tree, binding->node, force);
        poise_node_gravity_torque(state->tree, binding->node, hold);
        poise__fed_weight(state, &numbers, joint, fed);
        for (int d = 0; d < binding->type->nv; d++) {
            // the ground and the external load carry a part of the weight
            hold[d] -= statics->ground_load[first + d] + outer[d];
            fed[d] += force[d] + joint->pressing[d] + joint->closing[d];
            load[d] = hold[d] - fed[d];
        }
        relieve(statics, b, load, fed);
        const bool whole = poise__clamp_acts(joint);
        for (const Block* k = binding->blocks; k < binding->blocks + binding->block_count; k++) {
            const double limit = binding->force_limit[k->sort];
            double square = 0.0;
            for (int d = k->first; d < k->first + k->count; d++) {
                const double given = spring[d] + posture[d] + fed[d];
                const double cut = poise_min(poise_max(given, -limit), limit);
                square = whole ? square + given * given : poise_max(square, given * given);
                statics->torque[first + d] = !joint->ready                    ? 0.0
                                             : fabs(given) < limit * AT_LIMIT ? given - hold[d]
                                                                              : cut - hold[d];
            }
            // the clamp limits the norm of a block's torque; the motor limits each axis
            joint->clamped = joint->clamped || sqrt(square) >= limit * NEAR_LIMIT;
        }
        memcpy(joint->feed_forward, fed, (size_t)binding->type->nv * sizeof *fed);
    }
}

double poise__statics_torques(Statics* statics, bool advance) {
    RigState* state = &statics->state;
    Press* press = &state->press;
    poise__note(state, poise_forward(state->tree));
    poise__note(state, poise_forces(state->tree));
    poise__note(state, poise_gravity(state->tree, statics->gravity));
    for (int b = 0; b < state->rig->binding_count; b++) {
        JointState* joint = &state->joints[b];
        poise__joint_from_tree(joint, state->tree);
        memset(joint->pressing, 0, (size_t)joint->of->type->nv * sizeof *joint->pressing);
    }
    fill_ground(statics);
    poise__press_fill(state, state->tree, press);
    double moved = 0.0;
    if (statics->reference) {
        moved = solve_own(statics, advance || statics->advances);
    } else {
        solve_measured(statics);
    }
    poise__force_share(state);
    add_up(statics);
    // the contacts balance the torques along the yielding rows
    if (press->point_count > 0 && press->yield_rows > 0) {
        poise__press_wrench(press, press->yield_rows, statics->torque);
        poise__press_subtract_wrench(press, press->yield_rows, statics->torque);
    }
    return moved;
}

// True if some joint is at its clamp or torque limit.
static bool is_clamped(const RigState* state) {
    bool clamped = false;
    for (int b = 0; b < state->rig->binding_count; b++) {
        clamped = clamped || state->joints[b].clamped;
    }
    return clamped;
}

void poise__statics_follow(Statics* statics, bool goals) {
    const bool own = statics->reference != NULL;
    const bool loops = statics->state.rig->closure_count > 0;
    double moved = statics->clamps || (own && goals) ? HUGE_VAL : 0.0;
    for (int i = 0; moved > FOLLOWED && i < MOST_FOLLOWING; i++) {
        moved = poise__statics_torques(statics, own);
        // the own posture depends on the bodies only through clamps; otherwise one evaluation
        // suffices
        moved = own && !goals && !loops && !is_clamped(&statics->state) ? 0.0 : moved;
    }
}

void poise__statics_rest(Statics* statics) {
    RigState* state = &statics->state;
    Kkt* kkt = &statics->ground;
    const Press* press = &state->press;
    poise__statics_torques(statics, false);
    statics->advances = statics->reference &&
                        (statics->clamps || (press->point_count > 0 && press->yield_rows > 0));
    if (kkt->row_count > 0) {
        poise__kkt_solve(kkt, statics->compliance, statics->torque, statics->displacement);
        memcpy(statics->closing, kkt->multipliers,
               (size_t)kkt->row_count * sizeof *kkt->multipliers);
    }
    for (int b = 0; b < state->rig->binding_count; b++) {
        JointState* joint = &state->joints[b];
        double push[POISE_MAX_NV] = {0.0};
        for (int d = 0; d < joint->of->type->nv; d++) {
            const int n = press->first[b] + d;
            double torque = statics->torque[n];
            for (int r = 0; r < kkt->row_count; r++) {
                torque -= kkt->j[r * kkt->number_count + n] * kkt->multipliers[r];
            }
            push[d] = fabs(torque) > SLACK * statics->stiffness[n] ? torque : 0.0;
        }
        joint->stops = poise__joint_find_stops(joint, push);
    }
    statics->at_rest = true;
    poise__statics_torques(statics, false);
}

// ------------------------------------------------------------------------------- what is known

bool poise__statics_is_unsprung(const Statics* statics, PoisePointId point) {
    const RigState* state = &statics->state;
    bool unsprung = false;
    for (int b = 0; b < state->rig->binding_count; b++) {
        const Binding* binding = &state->rig->bindings[b];
        double block[6 * POISE_MAX_DOF];
        const bool free =
            !binding->looped && !poise__stands(state, b) && state->joints[b].stops == 0;
        const int dof = free ? poise_point_jacobian(state->tree, point, binding->node, block) : 0;
        for (int i = 0; i < dof; i++) {
            unsprung = unsprung || !(statics->stiffness[state->press.first[b] + i] > 0.0);
        }
    }
    return unsprung;
}

// Returns the largest component of the velocity of a body of the rig, m/s or rad/s.
static double speed_of(const PoiseRig* rig) {
    double most = 0.0;
    for (int b = 0; b < rig->binding_count; b++) {
        dBodyID body = rig->bindings[b].motor.child;
        most = poise_max(most, poise_length(poise__vec3_from(dBodyGetLinearVel(body))));
        most = poise_max(most, poise_length(poise__vec3_from(dBodyGetAngularVel(body))));
    }
    return most;
}

// True if the user's joint has a motor or friction of its own, which the copied joint has too.
static bool has_motor(dJointID joint) {
    const dJointType type = joint ? dJointGetType(joint) : dJointTypeNone;
    return (type == dJointTypeHinge && dJointGetHingeParam(joint, dParamFMax) > 0) ||
           (type == dJointTypeSlider && dJointGetSliderParam(joint, dParamFMax) > 0) ||
           (type == dJointTypeUniversal && (dJointGetUniversalParam(joint, dParamFMax1) > 0 ||
                                            dJointGetUniversalParam(joint, dParamFMax2) > 0));
}

bool poise__statics_is_supported(const Statics* statics) {
    const RigState* state = &statics->state;
    bool held = false;
    if (state->stance_count > 0 || state->rig->closure_count > 0 || state->press.point_count > 0 ||
        speed_of(state->rig) > STILL) {
        return false;
    }
    for (int b = 0; b < state->rig->binding_count; b++) {
        const JointState* joint = &state->joints[b];
        double over[POISE_MAX_NV] = {0.0}, hold[POISE_MAX_DOF] = {0.0};
        if (!joint->ready || !joint->has_driven || has_motor(joint->of->motor.joint)) {
            continue;
        }
        poise__joint_given(joint, over);
        poise_node_gravity_torque(state->tree, joint->of->node, hold);
        bool off = false;
        for (int d = 0; d < joint->of->type->nv; d++) {
            const double k = statics->stiffness[state->press.first[b] + d];
            const double most = poise_max(fabs(over[d]), fabs(hold[d]));
            over[d] -= hold[d];
            // the joint's dry friction, which the rig knows, may hold this torque
            off = off || fabs(over[d]) > BALANCED * most + LOADED * k + joint->of->friction;
        }
        held = held || (off && poise__joint_find_stops(joint, over) == 0);
    }
    return held;
}

// ------------------------------------------------------------------------------------- postures

size_t poise__statics_numbers(const Statics* statics) {
    return 2 * POISE_MAX_POSTURE * (size_t)poise_tree_node_count(statics->state.tree);
}

void poise__statics_save(const Statics* statics, double* postures) {
    PoiseTree* const trees[] = {statics->state.tree, statics->reference};
    for (int t = 0; t < 2 && trees[t]; t++) {
        for (int i = 0; i < poise_tree_node_count(trees[t]); i++, postures += POISE_MAX_POSTURE) {
            poise_node_posture(trees[t], poise_tree_node(trees[t], i), postures);
        }
    }
}

void poise__statics_restore(Statics* statics, const double* postures) {
    RigState* state = &statics->state;
    PoiseTree* const trees[] = {state->tree, statics->reference};
    for (int t = 0; t < 2 && trees[t]; t++) {
        for (int i = 0; i < poise_tree_node_count(trees[t]); i++, postures += POISE_MAX_POSTURE) {
            const PoiseNodeId node = poise_tree_node(trees[t], i);
            double was[POISE_MAX_POSTURE];
            const int count = poise_node_posture(trees[t], node, was);
            poise__note(state, poise_node_set_posture(trees[t], node, postures, count));
        }
        poise__note(state, poise_forward(trees[t]));
    }
}

void poise__statics_shift(Statics* statics, const double* displacement, double part) {
    RigState* state = &statics->state;
    for (int b = 0; b < state->rig->binding_count; b++) {
        const int count = state->rig->bindings[b].type->nv;
        double step[POISE_MAX_NV];
        for (int d = 0; d < count; d++) {
            step[d] = part * *displacement++;
        }
        if (poise__numbers_largest(step, count) > 0.0) {
            poise__note(state,
                        poise_node_shift(state->tree, state->rig->bindings[b].node, step, count));
        }
    }
}
