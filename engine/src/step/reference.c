// SPDX-License-Identifier: MIT
// The reference: which posture the solver starts from, and where theta_ik goes. In own-posture mode
// the tree carries theta_ik from step to step; in measured mode it starts anew at the bodies.
//
// The anti-windup clamp keeps theta_ik where the torque limit still answers to it:
// |p (theta_ik - theta) - d slip| <= limit. Whatever blocks a joint does not wind its spring up,
// and one that runs is not held back by its own damper.
#include <math.h>
#include <string.h>

#include "rig_internal.h"

PoiseStatus poise__read_sets(PoiseRig* rig) {
    uint64_t revision = poise_tree_revision(rig->tree);
    if (rig->revision_known && rig->tree_revision == revision) {
        return POISE_OK;
    }
    poise__drop_destroyed(rig);
    poise__drop_stances(rig);
    for (int i = 0; i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        binding->follows_ik = poise__binding_takes_part(rig, binding) &&
                              poise_node_points(rig->tree, binding->node, NULL, 0) > 0;
        poise__binding_read_limits(binding, rig->tree);
    }
    PoiseStatus status = poise__press_reserve(rig);
    rig->tree_revision = revision;
    rig->revision_known = status >= 0;
    return status;
}

PoiseStatus poise__reference_frames(PoiseRig* rig) {
    return rig->reference == POISE_REFERENCE_OWN ? poise_forward(rig->tree) : POISE_OK;
}

// the clamp is at most so much longer for a joint that runs, in parts of its length at rest:
// without a bound it would let a joint that comes free overshoot
#define MOST_DRAG 3.0
// a reference within this part of its clamp is at its end
#define AT_CLAMP (1.0 - 1e-9)

// how far theta_ik may be from theta at rest, rad or m; infinite without a limit or a spring
static double clamp_length(const Binding* binding, const Block* block) {
    const double p = binding->ik[block->sort].stiffness;
    return p > 0.0 ? binding->force_limit[block->sort] / p : HUGE_VAL;
}

static bool is_clamped(const Binding* binding) {
    return binding->ready && binding->follows_ik &&
           (isfinite(binding->force_limit[ABOUT]) || isfinite(binding->force_limit[ALONG]));
}

static double norm(const double* v, int count) {
    double square = 0.0;
    for (int i = 0; i < count; i++) {
        square += v[i] * v[i];
    }
    return sqrt(square);
}

// at most `most` long
static void shorten(double* v, int count, double most) {
    const double length = norm(v, count);
    for (int i = 0; length > most && i < count; i++) {
        v[i] *= most / length;
    }
}

// What each joint's own damper takes while it runs against its reference velocity, as a part of the
// way from theta to theta_ik, joint frame. From the last two readings, so that it is the motion of
// the joint and not of the bodies.
static void fill_drag(Binding* binding, double dt) {
    double* drag = binding->drag;
    if (!binding->has_last) {
        memset(drag, 0, sizeof binding->drag);
        return;
    }
    poise_joint_difference(binding->type, binding->q, binding->q_last, drag);
    for (int i = 0; i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        const PoiseSpring spring = binding->ik[b->sort];
        const double part = spring.stiffness > 0.0 ? spring.damping / spring.stiffness : 0.0;
        for (int d = b->first; d < b->first + b->count; d++) {
            drag[d] = part * (drag[d] / dt - binding->velocity[d]);
        }
        shorten(&drag[b->first], b->count, MOST_DRAG * clamp_length(binding, b));
    }
}

// Before the solve, where the posture is still that which it starts from: the clamp of a joint of
// one velocity bounds its step, so that the solver finds what the others can do meanwhile.
PoiseStatus poise__reference_bound(PoiseRig* rig, double dt) {
    PoiseStatus status = POISE_OK;
    for (int i = 0; status >= 0 && i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        if (is_clamped(binding)) {
            fill_drag(binding, dt);
        }
        const bool clamped = binding->type->nv == 1 && is_clamped(binding);
        if (!clamped && !binding->bounds_step) {
            continue;
        }
        binding->bounds_step = clamped;
        double lower = -HUGE_VAL;
        double upper = HUGE_VAL;
        if (clamped) {
            double from[POISE_MAX_NQ];
            (void)poise_node_posture(rig->tree, binding->node, from);
            const double length = clamp_length(binding, &binding->blocks[0]);
            lower = binding->q[0] + binding->drag[0] - length - from[0];
            upper = binding->q[0] + binding->drag[0] + length - from[0];
        }
        status = poise_node_set_step_range(rig->tree, binding->node, lower, upper);
    }
    return status;
}

PoiseStatus poise__reference_pull(const PoiseRig* rig, PoiseTree* tree, PoiseSolveDef* solve) {
    if (!(rig->posture_rate > 0.0)) {
        return POISE_OK;
    }
    PoiseStatus status = POISE_OK;
    solve->posture_rate = rig->posture_rate;
    for (int i = 0; status >= 0 && i < rig->binding_count; i++) {
        const Binding* binding = &rig->bindings[i];
        double now[POISE_MAX_NQ];
        double natural[POISE_MAX_NQ];
        if (binding->follows_ik) {
            const int count = poise_node_posture(tree, binding->node, now);
            poise__binding_natural(binding, now, natural);
            status = poise_node_set_reference(tree, binding->node, natural, count);
        }
    }
    return status;
}

// the clamp of every block, round theta and its drag; whether it held
static bool clamp_ik(Binding* binding) {
    const double* drag = binding->drag;
    double off[POISE_MAX_NV];
    bool held = false;
    poise_joint_difference(binding->type, binding->q_ik, binding->q, off);
    for (int i = 0; i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        const double most = clamp_length(binding, b);
        double* pull = &off[b->first];
        for (int k = 0; k < b->count; k++) {
            pull[k] -= drag[b->first + k];
        }
        held = held || norm(pull, b->count) >= most * AT_CLAMP;
        shorten(pull, b->count, most);
        for (int k = 0; k < b->count; k++) {
            pull[k] += drag[b->first + k];
        }
    }
    if (held) {
        memcpy(binding->q_ik, binding->q, sizeof binding->q);
        poise_joint_integrate(binding->type, binding->q_ik, off);
        for (int i = 0; i < binding->block_count; i++) {
            const Block* b = &binding->blocks[i];
            double* at = &binding->q_ik[b->q];
            if (b->count == 1) {
                *at = poise_min(poise_max(*at, binding->lower[b->first]), binding->upper[b->first]);
            }
        }
    }
    return held;
}

static PoiseStatus read_velocity(const PoiseRig* rig, Binding* binding, PoiseQuat joint) {
    if (poise_node_velocity(rig->tree, binding->node, binding->velocity) != binding->type->nv) {
        return POISE_ERROR_INVALID_HANDLE;
    }
    poise__binding_to_joint(binding, joint, binding->velocity);
    return POISE_OK;
}

int poise__reference_advance(PoiseRig* rig) {
    PoiseStatus status = poise_advance(rig->tree);
    int held = 0;
    for (int i = 0; status >= 0 && i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        poise__binding_ik_from_tree(binding, rig->tree);
        if (binding->ready && is_clamped(binding) && clamp_ik(binding)) {
            status =
                poise_node_set_posture(rig->tree, binding->node, binding->q_ik, binding->type->nq);
            held++;
        }
        // advancing leaves the frames of before
        const PoiseQuat joint = poise_node_joint_world(rig->tree, binding->node).q;
        status = status < 0 ? status : read_velocity(rig, binding, joint);
        if (binding->ready) {
            memcpy(binding->q_last, binding->q, sizeof binding->q);
            binding->has_last = true;
        }
    }
    return status < 0 ? (int)status : held;
}
