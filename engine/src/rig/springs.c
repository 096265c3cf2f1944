// SPDX-License-Identifier: MIT
// A binding's two springs as one (eqs. 24-26), what they pull with, and what the motor gave.
#include <math.h>
#include <string.h>

#include "convert.h"
#include "springs.h"

// a torque within this part of its limit is at it
#define AT_LIMIT (1.0 - 1e-9)

static PoiseQuat quat_at(const double* q) {
    return poise_quat(q[0], q[1], q[2], q[3]);
}

static PoiseVec3 vec_at(const double* v) {
    return poise_vec3(v[0], v[1], v[2]);
}

static void put3(double* out, PoiseVec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

void poise__binding_set_natural(Binding* binding, const double* natural) {
    memcpy(binding->natural, natural, (size_t)binding->type->nq * sizeof *natural);
    for (int i = 0; i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        if (b->count == 3 && b->sort == ABOUT) {
            double* at = &binding->natural[b->q];
            const PoiseQuat q = quat_at(at);
            const bool none = q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
            const PoiseQuat rotation = none ? poise_quat_identity() : poise_quat_normalize(q);
            const double put[4] = {rotation.w, rotation.x, rotation.y, rotation.z};
            memcpy(at, put, sizeof put);
        }
    }
}

// of a single motion; where a range says which turn is meant, that one
static inline double natural_near(const Binding* binding, const Block* b, double near) {
    const double at = binding->natural[b->q];
    const bool ranged = binding->lower[b->first] > -HUGE_VAL || binding->upper[b->first] < HUGE_VAL;
    return b->sort == ABOUT && !ranged ? poise__on_turn_of(at, near) : at;
}

void poise__binding_natural(const Binding* binding, const double* near,
                            double natural[POISE_MAX_NQ]) {
    poise__numbers_copy(natural, binding->natural, binding->type->nq);
    for (int i = 0; i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        if (b->count == 1) {
            natural[b->q] = natural_near(binding, b, near[b->q]);
        }
    }
}

// a spherical motion: the arc of before is kept where either would do
static void blend_rotation(const Binding* binding, const Block* b, PoiseSpring ik, Blend* blend) {
    const PoiseBallDrive first = {binding->original[ABOUT], quat_at(&binding->natural[b->q]),
                                  poise_vec3(0.0, 0.0, 0.0)};
    const PoiseBallDrive second = {ik, quat_at(&binding->q_ik[b->q]),
                                   vec_at(&binding->velocity[b->first])};
    const PoiseBallDrive sum =
        binding->has_driven
            ? poise_blend_ball_near(first, second, quat_at(&binding->q_target[b->q]))
            : poise_blend_ball(first, second);
    const double rotation[4] = {sum.target.w, sum.target.x, sum.target.y, sum.target.z};
    memcpy(&blend->target[b->q], rotation, sizeof rotation);
    put3(&blend->velocity[b->first], sum.velocity);
}

// what of the velocity of theta_ik is left where the other spring is a damper at most
static inline double part_of_ik(const Binding* binding, Sort sort, PoiseSpring ik) {
    const double damping = binding->original[sort].damping + ik.damping;
    return damping > 0.0 ? ik.damping / damping : 0.0;
}

// three numbers, or a rotation
static void blend_vector(const Binding* binding, const Block* b, Blend* blend) {
    const PoiseSpring ik = poise__binding_ik(binding, (Sort)b->sort);
    const bool rotates = b->sort == ABOUT;
    if (binding->original[b->sort].stiffness == 0.0) {
        const double part = part_of_ik(binding, (Sort)b->sort, ik);
        memcpy(&blend->target[b->q], &binding->q_ik[b->q],
               (rotates ? 4 : 3) * sizeof *blend->target);
        put3(&blend->velocity[b->first], poise_scale(part, vec_at(&binding->velocity[b->first])));
        return;
    }
    if (rotates) {
        blend_rotation(binding, b, ik, blend);
        return;
    }
    for (int k = 0; k < 3; k++) {
        const int d = b->first + k;
        const int q = b->q + k;
        const PoiseHingeDrive first = {binding->original[ALONG], binding->natural[q], 0.0};
        const PoiseHingeDrive second = {ik, binding->q_ik[q], binding->velocity[d]};
        const PoiseHingeDrive sum = poise_blend_hinge(first, second);
        blend->target[q] = sum.target;
        blend->velocity[d] = sum.velocity;
    }
}

SingleBlend poise__binding_blend_single(const Binding* binding, const Block* b) {
    const Sort sort = (Sort)b->sort;
    const int q = b->q, d = b->first;
    const PoiseSpring ik = poise__binding_ik(binding, sort);
    SingleBlend blend;
    if (binding->original[sort].stiffness == 0.0) {
        blend.target = binding->q_ik[q];
        blend.velocity = part_of_ik(binding, sort, ik) * binding->velocity[d];
    } else {
        // what the solver does not lead keeps the turn that its spring is wound on
        const bool wound = binding->has_driven && !binding->follows_ik;
        const double near = wound ? binding->q_target[q] : binding->q_ik[q];
        const PoiseHingeDrive first = {binding->original[sort], natural_near(binding, b, near),
                                       0.0};
        const PoiseHingeDrive second = {ik, binding->q_ik[q], binding->velocity[d]};
        const PoiseHingeDrive sum = poise_blend_hinge(first, second);
        blend.target = sum.target;
        blend.velocity = sum.velocity;
    }
    blend.target = poise_min(poise_max(blend.target, binding->lower[d]), binding->upper[d]);
    return blend;
}

void poise__binding_blend(const Binding* binding, Blend* blend) {
    for (int i = 0; i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        if (b->count == 3) {
            blend_vector(binding, b, blend);
            continue;
        }
        const SingleBlend single = poise__binding_blend_single(binding, b);
        blend->target[b->q] = single.target;
        blend->velocity[b->first] = single.velocity;
    }
}

// a rotation vector or that of the same rotation in the other sense, whichever is nearer to the
// last: a spring that is wound past half a turn does not let go
static PoiseVec3 nearest_rotation(PoiseVec3 rotation, PoiseVec3 last) {
    const double angle = poise_length(rotation);
    if (!(angle > 0.0)) {
        return rotation;
    }
    const PoiseVec3 other = poise_scale(1.0 - POISE_TWO_PI / angle, rotation);
    const double here = poise_length(poise_sub(rotation, last));
    return poise_length(poise_sub(other, last)) < here ? other : rotation;
}

void poise__binding_difference_any(const Binding* binding, const double* to, bool wound,
                                   double* v) {
    const PoiseJointType* type = binding->type;
    poise_joint_difference(type, to, binding->q, v);
    if (wound && type->nq > type->nv) {
        const int rotation = type->nv - 3; // a spherical motion comes last
        put3(&v[rotation],
             nearest_rotation(vec_at(&v[rotation]), vec_at(&binding->error[rotation])));
    }
}

void poise__binding_pull(const Binding* binding, double spring[POISE_MAX_NV],
                         double posture[POISE_MAX_NV]) {
    Blend blend;
    poise__binding_blend(binding, &blend);
    poise__binding_difference(binding, binding->q_ik, binding->has_driven, spring);
    poise__binding_difference(binding, blend.target, binding->has_driven, posture);
    for (int d = 0; d < binding->type->nv; d++) {
        const Sort sort = poise__sort(binding->type, d);
        spring[d] *= poise__binding_ik(binding, sort).stiffness;
        posture[d] = poise__binding_spring(binding, sort).stiffness * posture[d] - spring[d];
    }
    poise__binding_to_world(binding, spring);
    poise__binding_to_world(binding, posture);
}

void poise__binding_given(const Binding* binding, double given[POISE_MAX_NV]) {
    poise__motor_given(&binding->motor, given);
    if (binding->motor.count[ABOUT] == 0 || binding->motor.count[ALONG] == 0) {
        return;
    }
    // the force pulls where ODE has it pull, the torques are about the pivot
    double moment[POISE_MAX_NV];
    const PoiseVec3 force = poise__motor_force(&binding->motor);
    poise__binding_torques(binding, poise__vec3_from(dBodyGetPosition(binding->motor.child)), force,
                           poise_vec3(0.0, 0.0, 0.0), moment);
    for (int d = 0; d < binding->type->nv; d++) {
        given[d] += poise__sort(binding->type, d) == ABOUT ? moment[d] : 0.0;
    }
}

bool poise__binding_is_saturated(const Binding* binding) {
    if (isinf(binding->force_limit[ABOUT]) && isinf(binding->force_limit[ALONG])) {
        return false;
    }
    double given[POISE_MAX_NV];
    bool at_limit = false;
    poise__motor_given(&binding->motor, given);
    for (int d = 0; d < binding->type->nv; d++) {
        const double limit = binding->force_limit[poise__sort(binding->type, d)];
        at_limit = at_limit || fabs(given[d]) >= AT_LIMIT * limit;
    }
    return at_limit;
}
