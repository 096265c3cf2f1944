// SPDX-License-Identifier: MIT
// Computes the poses of the bodies at the start from their joints' start coordinates.
#include "builder.h"
#include "coordinates.h"

// Returns the child's displacement at the start, in world axes while every joint is at 0.
static PoisePose displacement_of(const PoiseSceneJoint* joint) {
    const PoiseJointType* type = poise_joint_type(joint->kind);
    if (poise_kind_turns(joint->kind)) {
        const PoiseQuat turn = poise__quat_read(joint->start);
        return poise_pose(poise_sub(joint->anchor, poise_quat_rotate(turn, joint->anchor)), turn);
    }
    if (!type || type->nq != 1) {
        return poise_pose_identity(); // other kinds start at 0
    }
    if (type->motions[0] == POISE_PRISMATIC) {
        return poise_pose(poise_scale(joint->start[0], joint->axis), poise_quat_identity());
    }
    PoiseQuat turn = poise_quat_from_axis_angle(joint->axis, joint->start[0]);
    return poise_pose(poise_sub(joint->anchor, poise_quat_rotate(turn, joint->anchor)), turn);
}

void poise__build_start_places(const Builder* builder, PoisePose* poses) {
    // Until the last loop, poses[i] is the displacement of body i from its pose with every joint at
    // 0.
    for (int i = 0; i < builder->body_count; i++) {
        poses[i] = poise_pose_identity();
    }
    for (int i = 0; i < builder->driven_count; i++) {
        const PoiseSceneJoint* joint = &builder->joints[builder->joint_order[i]];
        PoisePose parent =
            joint->parent.index >= 0 ? poses[joint->parent.index] : poise_pose_identity();
        poses[joint->child.index] = poise_pose_mul(parent, displacement_of(joint));
    }
    for (int i = 0; i < builder->body_count; i++) {
        poses[i] = poise_pose_mul(poses[i], builder->bodies[i].pose);
    }
}

PoisePose* poise__build_start_poses(Builder* builder) {
    PoisePose* poses =
        poise__arena_allocate(builder->arena, (size_t)builder->body_count, sizeof *poses);
    if (poses) {
        poise__build_start_places(builder, poses);
    }
    return poses;
}
