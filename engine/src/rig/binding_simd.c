// SPDX-License-Identifier: MIT
// Measures a hinge, slider or ball, as most joints are, by vectors of four doubles, with the bits
// of poise__joint_measure. Empty if the processor has none.
#include "binding.h"

#ifdef __AVX2__
#include "convert.h"
#include "poise/half_turn.h"
#include "poise/simd4.h"

static const PoiseFour conjugate = {1.0, -1.0, -1.0, -1.0};

static inline PoiseFour place_of(const PoisePose* pose) {
    return poise_four_place(&pose->p);
}

static inline PoiseFour rotation_of(const PoisePose* pose) {
    return poise_four_rotation(&pose->q);
}

// Computes the joint frame from the parent body.
static inline void fill_joint(JointState* joint, const JointState* below) {
    const Binding* binding = joint->of;
    const PoisePose* in_parent = &binding->joint_in_parent_body;
    if (!binding->motor.parent) {
        joint->joint_world = *in_parent;
        return;
    }
    PoisePose body;
    const PoisePose* parent = &body;
    if (below && below->of->plain_link) {
        parent = &below->link_world;
    } else {
        body = poise__body_pose(binding->motor.parent);
    }
    const PoiseFour turn = rotation_of(parent);
    const PoiseFour place =
        place_of(parent) + poise_four_rotate(turn, poise_four_fixed_place(in_parent));
    poise_four_put(&joint->joint_world, place,
                   binding->parallel ? turn : poise_four_mul(turn, rotation_of(in_parent)));
}

// Computes the link frame from the child body; returns its rotation.
static inline PoiseFour fill_link(JointState* joint, const PoisePose* child) {
    const Binding* binding = joint->of;
    const PoisePose* in_body = &binding->link_in_body;
    PoiseFour turn = rotation_of(child);
    PoiseFour place = place_of(child);
    if (!binding->plain_link) {
        place = place + poise_four_rotate(turn, poise_four_fixed_place(in_body));
        turn = poise_four_mul(turn, rotation_of(in_body));
    }
    poise_four_put(&joint->link_world, place, turn);
    return turn;
}

// Returns a slider's coordinate: the child's displacement along its axis in the joint frame.
static inline double along_axis(const JointState* joint) {
    const Binding* binding = joint->of;
    const PoisePose* link = &joint->link_world;
    const PoiseFour place =
        place_of(link) + poise_four_rotate(rotation_of(link), place_of(&binding->moved_in_link));
    const PoiseFour moved = poise_four_rotate(conjugate * rotation_of(&joint->joint_world),
                                              place - place_of(&joint->joint_world));
    return poise_dot(binding->axes[0], poise_vec3(moved[0], moved[1], moved[2]));
}

// Returns the child's rotation in the joint frame.
static inline PoiseFour turn_in_joint(const JointState* joint, PoiseFour link) {
    const Binding* binding = joint->of;
    const PoiseFour moved =
        binding->plain_moved ? link : poise_four_mul(link, rotation_of(&binding->moved_in_link));
    return poise_four_mul(conjugate * rotation_of(&joint->joint_world), moved);
}

void poise__joint_measure_four(JointState* joint, const PoisePose* child, const JointState* below) {
    const Binding* binding = joint->of;
    if (binding->type->motion_count > 1) {
        poise__joint_measure(joint, child, below);
        return;
    }
    fill_joint(joint, below);
    const PoiseFour link = fill_link(joint, child);
    double* q = joint->q;
    if (binding->blocks[0].sort == ALONG) {
        q[0] = along_axis(joint);
        return;
    }
    const PoiseFour moved = turn_in_joint(joint, link);
    if (binding->blocks[0].count == 3) {
        *(PoiseFourNumbers*)(void*)q = moved;
        return;
    }
    const PoiseVec3 axis = binding->axes[0];
    const double sine = axis.x * moved[1] + axis.y * moved[2] + axis.z * moved[3];
    q[0] = poise__on_turn_of(poise_turn_of_half(sine, moved[0]), q[0]);
}
#endif
