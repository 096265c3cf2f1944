// SPDX-License-Identifier: MIT
// Forward kinematics of hinges, sliders and balls, the most frequent joints, in vectors of four
// numbers. The results equal those of poise__joint_forward to the last bit. Empty without AVX2.
#include "joint.h"

#ifdef __AVX2__
#include "poise/simd4.h"

// Returns the rotation of the joint's own motion.
static inline PoiseFour turn_of(const Joint* joint, PoiseMotion motion) {
    if (motion == POISE_SPHERICAL) {
        return *(const PoiseFourNumbers*)(const void*)joint->q;
    }
    const PoiseSinCos half = poise_sincos(0.5 * joint->q[0]);
    const double s = half.sine;
    const PoiseVec3 axis = joint->axes[0];
    return (PoiseFour){half.cosine, s * axis.x, s * axis.y, s * axis.z};
}

void poise__joint_forward_four(Joint* joint, const PoisePose* parent) {
    const PoiseJointType* type = poise__joint_type(joint);
    const PoiseMotion motion = type->motions[0];
    if (type->motion_count > 1) {
        poise__joint_forward(joint, parent);
        return;
    }
    const bool slides = motion == POISE_PRISMATIC;
    const PoiseFour turn = slides ? POISE_FOUR_OF(0.0) : turn_of(joint, motion);
    const PoiseFour rotation = poise_four_rotation(&parent->q);
    const PoiseFour in_parent = poise_four_fixed_place(&joint->joint_in_parent);
    PoiseFour place = poise_four_place(&parent->p) + poise_four_rotate(rotation, in_parent);
    PoiseFour turned =
        joint->parallel ? rotation
                        : poise_four_mul(rotation, poise_four_rotation(&joint->joint_in_parent.q));
    poise_four_put(&joint->joint_world, place, turned);
    if (slides) {
        const PoiseFour axis = poise_four_place(&joint->axes[0]);
        const PoiseFour moved = POISE_FOUR_OF(0.0) + POISE_FOUR_OF(joint->q[0]) * axis;
        place = place + poise_four_rotate(turned, moved);
    } else {
        turned = poise_four_mul(turned, turn);
    }
    if (!joint->plain_link) {
        const PoisePose* link = &joint->link_in_joint;
        place = place + poise_four_rotate(turned, poise_four_fixed_place(link));
        turned = poise_four_mul(turned, poise_four_rotation(&link->q));
    }
    poise_four_put(&joint->link_world, place, turned);
}
#endif
