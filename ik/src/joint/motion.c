// SPDX-License-Identifier: MIT
// The motion of a joint: computes axes and anchor from the frames, frames from the coordinates, and
// the coordinates after a step omega. The solver uses only the axes: a column of J is a rotation
// about an axis or a translation along it.
#include <string.h>

#include "joint.h"

// Returns the free axes as bits, one for each velocity of the type.
static unsigned free_bits(const Joint* joint, const PoiseJointType* type) {
    const unsigned all = (1U << type->nv) - 1U;
    return poise__joint_has_switches(type) ? joint->free_axes & all : all;
}

int poise__joint_dof(const Joint* joint) {
    int count = 0;
    for (unsigned bits = free_bits(joint, poise__joint_type(joint)); bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

bool poise__joint_is_direct(const Joint* joint) {
    return poise__joint_dof(joint) == poise__joint_type(joint)->nv && !poise__joint_has_cone(joint);
}

static PoiseQuat turn_about(PoiseVec3 axis, double angle) {
    const PoiseSinCos half = poise_sincos(0.5 * angle);
    const double s = half.sine;
    return poise_quat(half.cosine, s * axis.x, s * axis.y, s * axis.z);
}

// Writes the axes of a joint whose motions have axes of their own. The axes of translations and of
// the first rotation are fixed in the parent. The axis of the second rotation, the last motion, is
// fixed in the link.
static void own_axes(const Joint* joint, const PoiseJointType* type, PoiseVec3* axes) {
    const int first_turn = poise__joint_moves(type);
    for (int m = 0; m <= first_turn && m < type->motion_count; m++) {
        axes[m] = poise_quat_rotate(joint->joint_world.q, joint->axes[m]);
    }
    // no kind has more than two rotations about axes
    if (type->motion_count > first_turn + 1) {
        const int last = first_turn + 1;
        axes[last] = poise_quat_rotate(poise__joint_moved_rotation(joint), joint->axes[last]);
    }
}

void poise__joint_number_axes(const Joint* joint, PoiseVec3* axes, unsigned char* linear) {
    static const PoiseVec3 units[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const PoiseJointType* type = poise__joint_type(joint);
    if (type->nv == 1) {
        // hinges and sliders, the most frequent joints, need no loop
        axes[0] = poise_quat_rotate(joint->joint_world.q, joint->axes[0]);
        linear[0] = type->linear & 1;
        return;
    }
    if (poise__joint_is_vector(type)) {
        // a vector has three numbers, and a free joint has two vectors
        for (int first = 0; first < type->nv; first += 3) {
            memcpy(axes + first, units, sizeof units);
            memset(linear + first, type->linear >> first & 1, 3);
        }
        return;
    }
    for (int d = 0; d < type->nv; d++) {
        linear[d] = type->linear >> d & 1;
    }
    own_axes(joint, type, axes);
}

void poise__joint_column_axes(const Joint* joint, PoiseVec3* axes, unsigned char* linear) {
    if (poise__joint_is_direct(joint)) {
        // if all axes of a vector are free, the world axes are used, without a rotation
        poise__joint_number_axes(joint, axes, linear);
        return;
    }
    if (poise__joint_has_cone(joint)) {
        poise__cone_axes(joint, axes);
        memset(linear, 0, 3);
        return;
    }
    const PoiseJointType* type = poise__joint_type(joint);
    const unsigned bits = free_bits(joint, type);
    int count = 0;
    for (int i = 0; i < type->nv; i++) {
        if ((bits >> i & 1) != 0) {
            axes[count] = poise_quat_rotate(joint->joint_world.q, poise__unit_axis(i % 3));
            linear[count++] = type->linear >> i & 1;
        }
    }
}

PoiseVec3 poise__joint_anchor(const Joint* joint) {
    const PoiseJointType* type = poise__joint_type(joint);
    if (type->linear == 0 || poise__joint_moves(type) == type->nv) {
        return joint->joint_world.p;
    }
    // origin of the joint frame after the motion
    return poise_sub(joint->link_world.p,
                     poise_quat_rotate(poise__joint_moved_rotation(joint), joint->link_in_joint.p));
}

double* poise__joint_turn_of(const PoiseJointType* type, double omega[POISE_MAX_DOF]) {
    const int moves = poise__joint_moves(type);
    return moves < type->nv ? &omega[moves] : NULL;
}

void poise__joint_apply(const Joint* joint, PoisePose* frame) {
    const PoiseJointType* type = poise__joint_type(joint);
    const double* q = joint->q;
    int m = 0;
    if (type->linear != 0) {
        PoiseVec3 offset = poise_vec3(0.0, 0.0, 0.0);
        for (; m < poise__joint_moves(type); m++) {
            offset = poise_add_scaled(offset, *q++, joint->axes[m]);
        }
        frame->p = poise_add(frame->p, poise_quat_rotate(frame->q, offset));
    }
    for (; m < type->motion_count; m++, q++) {
        const bool spherical = type->motions[m] == POISE_SPHERICAL;
        const PoiseQuat turn = spherical ? poise__get_quat(q) : turn_about(joint->axes[m], *q);
        frame->q = poise_quat_mul(frame->q, turn);
    }
}

void poise__joint_forward(Joint* joint, const PoisePose* parent) {
    const PoiseJointType* type = poise__joint_type(joint);
    joint->joint_world.p = poise_pose_apply(*parent, joint->joint_in_parent.p);
    joint->joint_world.q =
        joint->parallel ? parent->q : poise_quat_mul(parent->q, joint->joint_in_parent.q);
    PoisePose moved = joint->joint_world;
    if (!poise__joint_only_turns(type)) {
        poise__joint_apply(joint, &moved);
    } else if (type->motions[0] == POISE_REVOLUTE) {
        // a hinge, the most frequent joint, is a third faster without the loop
        moved.q = poise_quat_mul(moved.q, turn_about(joint->axes[0], joint->q[0]));
    } else {
        moved.q = poise_quat_mul(moved.q, poise__get_quat(joint->q));
    }
    joint->link_world = joint->plain_link ? moved : poise_pose_mul(moved, joint->link_in_joint);
}

// ------------------------------------------------------------------------- theta (+) and (-) omega

// Rotates the vectors in `in` to world axes if `to_world`, else from world axes to the joint frame.
static void turn_vectors(const Joint* joint, const PoiseJointType* type, bool to_world,
                         const double* in, double* out) {
    const PoiseQuat q =
        to_world ? joint->joint_world.q : poise_quat_conjugate(joint->joint_world.q);
    for (int d = 0; d < type->nv; d += 3) {
        const PoiseVec3 v = poise_quat_rotate(q, poise_vec3(in[d], in[d + 1], in[d + 2]));
        out[d] = v.x;
        out[d + 1] = v.y;
        out[d + 2] = v.z;
    }
}

void poise__joint_move(Joint* joint, const double* omega) {
    const PoiseJointType* type = poise__joint_type(joint);
    if (type->nv == 1 || !poise__joint_is_vector(type)) {
        for (int d = 0; d < type->nv; d++) {
            const double q = joint->q[d] + omega[d];
            joint->q[d] = poise_min(poise_max(q, joint->lower[d]), joint->upper[d]);
        }
        return;
    }
    double v[POISE_MAX_NV];
    turn_vectors(joint, type, false, omega, v);
    poise_joint_integrate(type, joint->q, v);
    poise__joint_clip(joint);
}

void poise__joint_difference(const Joint* joint, const double* reference,
                             double omega[POISE_MAX_DOF]) {
    const PoiseJointType* type = poise__joint_type(joint);
    if (type->nv == 1) {
        omega[0] = reference[0] - joint->q[0];
        return;
    }
    poise_joint_difference(type, reference, joint->q, omega);
    if (poise__joint_is_vector(type)) {
        turn_vectors(joint, type, true, omega, omega);
    }
}
