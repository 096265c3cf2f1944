// SPDX-License-Identifier: MIT
// Blends a binding's natural and IK spring (eqs. 24-26). Reads the torques of the springs and of
// the motor.
#include <math.h>
#include <string.h>

#include "convert.h"
#include "numbers.h"
#include "shared/spring_blend.h"
#include "springs.h"

// A torque above this fraction of its limit is at the limit.
#define AT_LIMIT (1.0 - 1e-9)

void poise__binding_set_natural(Binding* binding, const double* natural) {
    memcpy(binding->natural, natural, (size_t)binding->type->nq * sizeof *natural);
    for (int i = 0; i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        if (poise__block_is_rotation(b)) {
            double* at = &binding->natural[b->q];
            const PoiseQuat rotation = poise_quat_normalize(poise__quat_at(at));
            const double numbers[4] = {rotation.w, rotation.x, rotation.y, rotation.z};
            memcpy(at, numbers, sizeof numbers);
        }
    }
}

// Returns the natural coordinate of a single motion. An angle without a range is moved by whole
// turns to be nearest to `near`.
static inline double natural_near(const Binding* binding, const Block* b, double near) {
    const double at = binding->natural[b->q];
    const double turned = poise__on_turn_of(at, near);
    if (turned == at || b->sort != ABOUT) {
        return at;
    }
    const bool ranged = binding->lower[b->first] > -HUGE_VAL || binding->upper[b->first] < HUGE_VAL;
    return ranged ? at : turned;
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

// Blends a spherical motion. If two arcs from theta_orig to theta_ik are equally long, keeps the
// arc of the last target.
static void blend_rotation(const JointState* joint, const Block* b, PoiseSpring ik, Blend* blend) {
    const PoiseBallDrive first = {joint->of->original[ABOUT],
                                  poise__quat_at(&joint->of->natural[b->q]),
                                  poise_vec3(0.0, 0.0, 0.0)};
    const PoiseBallDrive second = {ik, poise__quat_at(&joint->q_ik[b->q]),
                                   poise__vec3_at(&joint->velocity[b->first])};
    const PoiseBallDrive sum =
        joint->has_driven
            ? poise_blend_ball_near(first, second, poise__quat_at(&joint->q_target[b->q]))
            : poise_blend_ball(first, second);
    const double rotation[4] = {sum.target.w, sum.target.x, sum.target.y, sum.target.z};
    memcpy(&blend->target[b->q], rotation, sizeof rotation);
    poise__put3(&blend->velocity[b->first], sum.velocity);
}

// Returns d_ik / (d_orig + d_ik): if p_orig is 0, this is the ratio of the blended velocity to that
// of theta_ik.
static inline double part_of_ik(const Binding* binding, Sort sort, PoiseSpring ik) {
    const double damping = binding->original[sort].damping + ik.damping;
    return damping > 0.0 ? ik.damping / damping : 0.0;
}

// Blends a block of three velocities: displacements, or a rotation.
static void blend_vector(const JointState* joint, const Block* b, Blend* blend) {
    const Binding* binding = joint->of;
    const PoiseSpring ik = poise__binding_ik(binding, (Sort)b->sort);
    const bool rotates = b->sort == ABOUT;
    if (binding->original[b->sort].stiffness == 0.0) {
        const double part = part_of_ik(binding, (Sort)b->sort, ik);
        poise__numbers_copy(&blend->target[b->q], &joint->q_ik[b->q], rotates ? 4 : 3);
        poise__put3(&blend->velocity[b->first],
                    poise_scale(part, poise__vec3_at(&joint->velocity[b->first])));
        return;
    }
    if (rotates) {
        blend_rotation(joint, b, ik, blend);
        return;
    }
    for (int k = 0; k < 3; k++) {
        const int d = b->first + k;
        const int q = b->q + k;
        const PoiseHingeDrive first = {binding->original[ALONG], binding->natural[q], 0.0};
        const PoiseHingeDrive second = {ik, joint->q_ik[q], joint->velocity[d]};
        const PoiseHingeDrive sum = poise_hinge_blended(first, second);
        blend->target[q] = sum.target;
        blend->velocity[d] = sum.velocity;
    }
}

SingleBlend poise__joint_blend_single(const JointState* joint, const Block* b) {
    const Binding* binding = joint->of;
    const Sort sort = (Sort)b->sort;
    const int q = b->q, d = b->first;
    const PoiseSpring ik = poise__binding_ik(binding, sort);
    SingleBlend blend;
    if (binding->original[sort].stiffness == 0.0) {
        blend.target = joint->q_ik[q];
        blend.velocity = part_of_ik(binding, sort, ik) * joint->velocity[d];
    } else {
        // an angle that the solve does not drive has its natural angle within half a turn of the
        // last target
        const bool wound = joint->has_driven && !binding->follows_ik;
        const double near = wound ? joint->q_target[q] : joint->q_ik[q];
        const PoiseHingeDrive first = {binding->original[sort], natural_near(binding, b, near),
                                       0.0};
        const PoiseHingeDrive second = {ik, joint->q_ik[q], joint->velocity[d]};
        const PoiseHingeDrive sum = poise_hinge_blended(first, second);
        blend.target = sum.target;
        blend.velocity = sum.velocity;
    }
    blend.target = poise__stop_target(binding, d, blend.target);
    return blend;
}

void poise__joint_blend(const JointState* joint, Blend* blend) {
    for (int i = 0; i < joint->of->block_count; i++) {
        const Block* b = &joint->of->blocks[i];
        if (b->count == 3) {
            blend_vector(joint, b, blend);
            continue;
        }
        const SingleBlend single = poise__joint_blend_single(joint, b);
        blend->target[b->q] = single.target;
        blend->velocity[b->first] = single.velocity;
    }
}

// Returns the rotation vector, or the vector of the same rotation in the opposite sense if that is
// nearer to `last`: a spring wound past half a turn stays wound.
static PoiseVec3 nearest_rotation(PoiseVec3 rotation, PoiseVec3 last) {
    const double angle = poise_length(rotation);
    if (!(angle > 0.0)) {
        return rotation;
    }
    const PoiseVec3 other = poise_scale(1.0 - 2.0 * POISE_PI / angle, rotation);
    const double here = poise_length(poise_sub(rotation, last));
    return poise_length(poise_sub(other, last)) < here ? other : rotation;
}

void poise__joint_error_any(const JointState* joint, const double* to, bool wound, double* v) {
    const PoiseJointType* type = joint->of->type;
    poise_joint_difference(type, to, joint->q, v);
    if (wound && type->nq > type->nv) {
        const int rotation = type->nv - 3; // a spherical motion comes last
        poise__put3(&v[rotation], nearest_rotation(poise__vec3_at(&v[rotation]),
                                                   poise__vec3_at(&joint->error[rotation])));
    }
}

void poise__joint_pull(const JointState* joint, double spring[POISE_MAX_NV],
                       double posture[POISE_MAX_NV]) {
    const Binding* binding = joint->of;
    Blend blend;
    poise__joint_blend(joint, &blend);
    poise__joint_error(joint, joint->q_ik, joint->has_driven, spring);
    poise__joint_error(joint, blend.target, joint->has_driven, posture);
    for (int d = 0; d < binding->type->nv; d++) {
        const Sort sort = poise__sort(binding->type, d);
        spring[d] *= poise__binding_ik(binding, sort).stiffness;
        posture[d] = poise__binding_spring(binding, sort).stiffness * posture[d] - spring[d];
    }
    poise__joint_to_world(joint, spring);
    poise__joint_to_world(joint, posture);
}

void poise__joint_given(const JointState* joint, double given[POISE_MAX_NV]) {
    const Binding* binding = joint->of;
    poise__motor_given(&binding->motor, given);
    if (binding->motor.count[ABOUT] == 0 || binding->motor.count[ALONG] == 0) {
        return;
    }
    // ODE applies the force at the child's centre of mass, but the torques are about the pivot
    double moment[POISE_MAX_NV];
    const PoiseVec3 force = poise__motor_force(&binding->motor);
    poise__joint_torques(joint, poise__vec3_from(dBodyGetPosition(binding->motor.child)), force,
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
