// SPDX-License-Identifier: MIT
// The reference: the posture where the solve starts, and theta_ik. In the mode POISE_REFERENCE_OWN
// the tree carries theta_ik from step to step. In the mode POISE_REFERENCE_MEASURED each step
// starts from the bodies.

#include "press.h"
#include "shared/clones.h"
#include "step.h"

// Creep is the motion of theta_ik in the null space while constant goals are met. The reference
// velocities follow it while the fastest joint creeps at most this fast, rad/s or m/s; a faster
// creep is scaled to it. When creep begins or ends, a joint moves by d / p times its reference
// velocity.
#define MAX_CREEP 0.02
// The damper of a creeping joint needs at most this fraction of the torque limit when creep begins
// or ends. If it needed all, the clamp would hold theta_ik in one step and release it in the next.
#define CREEP_TORQUE 0.25
// A slower motion of theta_ik is no creep, rad/s or m/s.
#define MIN_CREEP 1e-6

void poise__reference_frames(PoiseRig* rig) {
    if (rig->settings.reference == POISE_REFERENCE_OWN) {
        poise__note(&rig->state, poise_forward(rig->state.tree));
    }
}

void poise__reference_pull(RigState* state, PoiseTree* tree, PoiseSolveDef* solve) {
    if (!(state->rig->settings.posture_rate > 0.0)) {
        return;
    }
    const PoiseNumbers numbers = poise_tree_numbers(tree);
    solve->posture_rate = state->rig->settings.posture_rate;
    for (int i = 0; i < state->rig->binding_count; i++) {
        const Binding* binding = &state->rig->bindings[i];
        double natural[POISE_MAX_NQ];
        if (binding->follows_ik && poise__binding_is_driven(binding)) {
            const double* now = &numbers.posture[poise_numbers_at(&numbers, binding->node)];
            poise__binding_natural(binding, now, natural);
            poise_node_put_reference(tree, binding->node, natural);
        }
    }
}

// Sets the reference velocity of a joint from the goals' motion. If `creep` (1/s) is above 0, sets
// the velocity to creep times omega: dampers without a reference velocity would delay joints by
// different times d / p, and move points off goals that theta_ik meets.
static inline void take_velocity(const PoiseRig* rig, JointState* joint,
                                 const PoiseNumbers* numbers, double creep) {
    const Binding* binding = joint->of;
    const size_t at = poise_numbers_at(numbers, binding->node);
    poise__numbers_copy(joint->velocity, &numbers->velocity[at], binding->type->nv);
    for (int d = 0; creep > 0.0 && binding->follows_ik && d < binding->type->nv; d++) {
        joint->velocity[d] = creep * numbers->omega[at + (size_t)d];
    }
    if (poise__binding_is_vector(binding)) {
        // poise_advance has not changed the tree's frames
        const PoiseQuat frame = poise_node_joint_world(rig->state.tree, binding->node).q;
        poise__world_to_joint(binding, frame, joint->velocity);
    }
}

// Returns the factor from the joints' steps to their velocities, 1/s, if the joints creep: the
// goals are constant and met, and the own posture moves towards its references. Returns 0
// otherwise.
static double find_creep(const PoiseRig* rig, double dt, bool clamped) {
    if (rig->settings.reference != POISE_REFERENCE_OWN || rig->state.pressing || clamped) {
        return 0.0;
    }
    const double most = poise_tree_creep(rig->state.tree);
    if (!(most > MIN_CREEP * dt)) {
        return 0.0;
    }
    double creep = poise_min(1.0 / dt, MAX_CREEP / most);
    const PoiseNumbers numbers = poise_tree_numbers(rig->state.tree);
    for (int i = 0; i < rig->binding_count; i++) {
        const Binding* binding = &rig->bindings[i];
        const double* omega = &numbers.omega[poise_numbers_at(&numbers, binding->node)];
        for (int d = 0; poise__clamp_acts(&rig->state.joints[i]) && d < binding->type->nv; d++) {
            const Sort sort = poise__sort(binding->type, d);
            const double damper = binding->ik[sort].damping * fabs(omega[d]);
            const double most_torque = CREEP_TORQUE * binding->force_limit[sort];
            creep = creep * damper > most_torque ? most_torque / damper : creep;
        }
    }
    return creep;
}

// Keeps the velocities of the last update, for the accelerations.
static void keep_velocities(RigState* state) {
    for (int i = 0; i < state->rig->binding_count; i++) {
        JointState* joint = &state->joints[i];
        poise__numbers_copy(joint->last_velocity, joint->velocity, joint->of->type->nv);
    }
}

bool poise__reference_is_clamped(const PoiseRig* rig) {
    for (int i = 0; i < rig->binding_count; i++) {
        if (rig->state.joints[i].clamped) {
            return true;
        }
    }
    return false;
}

// all calls are inlined, because this runs for each joint in each step
POISE_CLONES __attribute__((flatten)) int poise__reference_advance(PoiseRig* rig, double dt) {
    const PoiseNumbers numbers = poise_tree_numbers(rig->state.tree);
    const bool moves = poise_tree_smoothness(rig->state.tree) > 0.0;
    const bool clamped = poise__reference_is_clamped(rig);
    const double creep = find_creep(rig, dt, clamped);
    int clamped_count = 0;
    // a clamp changes the velocities of all joints, but that is no acceleration of the goals
    if (moves && !clamped) {
        keep_velocities(&rig->state);
    }
    poise__note(&rig->state, poise_advance(rig->state.tree));
    JointState* joint = rig->state.joints;
    for (int i = 0; i < rig->binding_count; i++, joint++) {
        const Binding* binding = joint->of;
        const size_t at = poise_numbers_at(&numbers, binding->node);
        poise__numbers_copy(joint->q_ik, &numbers.posture[at], binding->type->nq);
        joint->clamped = poise__clamp_acts(joint) && poise__clamp_ik(joint);
        if (joint->clamped) {
            poise__note(&rig->state, poise_node_set_posture(rig->state.tree, binding->node,
                                                            joint->q_ik, binding->type->nq));
            clamped_count++;
        }
        take_velocity(rig, joint, &numbers, creep);
        // most joints have one velocity: set it without memset
        joint->motion_feed[0] = 0.0;
        for (int d = 1; d < binding->type->nv; d++) {
            joint->motion_feed[d] = 0.0;
        }
        if (joint->ready) {
            poise__numbers_copy(joint->q_last, joint->q, binding->type->nq);
            joint->has_last = true;
        }
    }
    if (moves && clamped) {
        keep_velocities(&rig->state);
    }
    return clamped_count;
}
