// SPDX-License-Identifier: MIT
// Computes the poses of tips, the centre of mass and J of a body at a posture, for the caller.
#include "body.h"

// Returns the frame of the link before a part, world: its chain has the targets in this frame.
static PoisePose frame_below(const BodyGroup* group, int p, const double* posture) {
    PoisePose frame = poise_pose_identity();
    for (int i = group->parts[p].parent; i >= 0; i = group->parts[i].parent) {
        const BodyPart* part = &group->parts[i];
        frame = poise_pose_mul(poise__chain_forward(part->chain, &posture[part->number]), frame);
    }
    return frame;
}

// Converts a frame on the last frame of a part to the world.
static PoisePose frame_on(const BodyGroup* group, int p, const double* posture, PoisePose frame) {
    const BodyPart* part = &group->parts[p];
    // poise__chain_forward applies the rotation chain->tip, which `frame` contains as well
    const PoisePose turn = poise_pose(poise_vec3(0.0, 0.0, 0.0), part->chain->tip);
    const PoisePose end = poise_pose_mul(poise__chain_forward(part->chain, &posture[part->number]),
                                         poise_pose_inverse(turn));
    return poise_pose_mul(frame_below(group, p, posture), poise_pose_mul(end, frame));
}

// Returns the centre of mass of the body, world.
static PoiseVec3 centre_at(const BodyGroup* group, const double* posture) {
    double q[BODY_MOST_Q];
    for (int p = 0; p < group->part_count; p++) {
        const BodyPart* part = &group->parts[p];
        double own[CHAIN_MOST_Q];
        poise__chain_load_as_given(part->chain, &posture[part->number], own);
        poise__group_put(group, part, own, q);
    }
    const PoiseVec3 at = poise__body_kernel(POISE_BODY_EXACT)->centre(group, q);
    return poise_pose_apply(group->base, poise_scale(group->unit, at));
}

PoisePose poise_body_forward(const PoiseBody* body, const double* posture, int tip) {
    if (!body || !posture || tip < 0 || tip >= body->tip_count ||
        !poise__body_is_posture(body, posture)) {
        return poise_pose_identity();
    }
    const BodyGroup* group = body->groups[body->tip_group[tip]];
    const BodyTip* at = &group->tips[body->tip_index[tip]];
    if (at->kind == BODY_TIP_CENTRE) {
        return poise_pose(centre_at(group, posture), poise_quat_identity());
    }
    if (at->limb) {
        const BodyPart* part = &group->parts[at->part];
        const PoisePose pose = poise__chain_forward(part->chain, &posture[part->number]);
        return poise_pose_mul(frame_below(group, at->part, posture), pose);
    }
    const PoisePose pose = frame_on(group, at->part, posture, at->frame);
    if (at->kind == BODY_TIP_WORLD) {
        return pose;
    }
    const PoisePose frame = frame_on(group, at->other, posture, at->other_frame);
    return poise_pose_mul(poise_pose_inverse(frame), pose);
}

/// A Jacobian of the body that is being written, and its tip.
typedef struct Columns {
    const double* posture;
    PoiseVec3 place; ///< position of the tip, world
    int stride;      ///< number of degrees of freedom of the body
    PoiseQuat axes;  ///< axes in which the columns are written
    double sign;     ///< 1; -1 for columns that move the frame of the target
    double* out;
} Columns;

// Writes the columns of a part's joints. False if the posture is invalid.
static bool put_columns(const BodyPart* part, PoisePose below, const Columns* columns) {
    double own[6 * CHAIN_MOST_DOF];
    const int count = part->chain->nv;
    const double* numbers = &columns->posture[part->number];
    if (!poise__chain_jacobian(part->chain, numbers, own)) {
        return false;
    }
    const PoisePose end = poise_pose_mul(below, poise__chain_forward(part->chain, numbers));
    const PoiseVec3 arm = poise_sub(columns->place, end.p);
    for (int i = 0; i < count; i++) {
        double column[6];
        for (int k = 0; k < 6; k++) {
            column[k] = own[k * count + i];
        }
        const PoiseVec3 w = poise_quat_rotate(below.q, poise_vec3(column[3], column[4], column[5]));
        const PoiseVec3 at_end =
            poise_quat_rotate(below.q, poise_vec3(column[0], column[1], column[2]));
        const PoiseVec3 v =
            poise_quat_unrotate(columns->axes, poise_add(at_end, poise_cross(w, arm)));
        const PoiseVec3 turn = poise_quat_unrotate(columns->axes, w);
        const double out[6] = {v.x, v.y, v.z, turn.x, turn.y, turn.z};
        for (int k = 0; k < 6; k++) {
            columns->out[k * columns->stride + part->dof + i] += columns->sign * out[k];
        }
    }
    return true;
}

PoiseStatus poise_body_jacobian(const PoiseBody* body, const double* posture, int tip,
                                double* jacobian) {
    if (!body || !posture || !jacobian || tip < 0 || tip >= body->tip_count ||
        !poise__body_is_posture(body, posture)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const BodyGroup* group = body->groups[body->tip_group[tip]];
    const BodyTip* at = &group->tips[body->tip_index[tip]];
    if (at->kind == BODY_TIP_CENTRE) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Columns columns = {posture,  frame_on(group, at->part, posture, at->frame).p,
                       body->nv, poise_quat_identity(),
                       1.0,      jacobian};
    if (at->kind == BODY_TIP_FRAME) {
        columns.axes = frame_on(group, at->other, posture, at->other_frame).q;
    }
    memset(jacobian, 0, 6 * (size_t)body->nv * sizeof jacobian[0]);
    bool made = true;
    for (int p = at->part; made && p >= 0; p = group->parts[p].parent) {
        made = put_columns(&group->parts[p], frame_below(group, p, posture), &columns);
    }
    columns.sign = -1.0;
    for (int p = at->other; made && p >= 0; p = group->parts[p].parent) {
        made = put_columns(&group->parts[p], frame_below(group, p, posture), &columns);
    }
    return made ? POISE_OK : POISE_ERROR_INVALID_ARGUMENT;
}
