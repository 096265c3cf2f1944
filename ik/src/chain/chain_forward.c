// SPDX-License-Identifier: MIT
// Computes tip frame and J of one posture for the caller, in metres, in the frame of the targets.
#define CHAIN_LANES 1
#include "lane_kinematics.h"

// Computes the frame of the tip. False if the posture is invalid.
static bool frame_at(const Chain* chain, const double* posture, Iterate* at, Frame* tip) {
    double q[CHAIN_MOST_Q];
    if (!poise__chain_is_posture(chain, posture)) {
        return false;
    }
    poise__chain_load_as_given(chain, posture, q);
    set_q(chain, q, at, 0);
    *tip = find_frames(chain, at);
    return true;
}

PoisePose poise__chain_forward(const Chain* chain, const double* posture) {
    Iterate at;
    Frame tip;
    if (!frame_at(chain, posture, &at, &tip)) {
        return poise_pose_identity();
    }
    const PoiseVec3 p = poise_vec3(tip.p.x, tip.p.y, tip.p.z);
    const PoiseQuat q = poise_quat_mul(quaternion_of(&tip, 0), chain->tip);
    return poise_pose_mul(chain->base, poise_pose(poise_scale(chain->unit, p), q));
}

// Rotates a vector from the first joint's frame to the frame of the targets.
static PoiseVec3 in_base(const Chain* chain, const double* v) {
    return poise_quat_rotate(chain->base.q, poise_vec3(v[0], v[1], v[2]));
}

static void put_column(double* jacobian, int columns, PoiseVec3 linear, PoiseVec3 angular) {
    const double column[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int k = 0; k < 6; k++) {
        jacobian[k * columns] = column[k];
    }
}

bool poise__chain_jacobian(const Chain* chain, const double* posture, double* jacobian) {
    Iterate at;
    Frame tip;
    if (!frame_at(chain, posture, &at, &tip)) {
        return false;
    }
    // a cone has the columns of a ball, so its moment arm is needed
    PoiseVec3 arms[CHAIN_MOST_JOINTS];
    double place[3];
    v3_store(place, tip.p);
    for (int i = 0; i < chain->joint_count; i++) {
        const PoiseVec3 arm = poise_sub(in_base(chain, place), in_base(chain, at.linear[i]));
        arms[i] = poise_scale(chain->unit, arm);
    }
    find_columns(chain, &at, tip.p);
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        double* out = jacobian + joint->dof;
        if (joint->kind == CHAIN_HINGE || joint->kind == CHAIN_SLIDER) {
            // per rad or m; a slider also rotates the tip if hinges follow it
            const double scale = joint->kind == CHAIN_HINGE ? 1.0 : chain->to_units;
            put_column(out, chain->nv,
                       poise_scale(chain->unit * scale, in_base(chain, at.linear[i])),
                       poise_scale(scale, in_base(chain, at.axis[i])));
        } else if (poise__chain_is_ball(joint)) {
            for (int k = 0; k < 3; k++) {
                const PoiseVec3 e = poise_vec3(k == 0, k == 1, k == 2);
                put_column(out + k, chain->nv, poise_cross(e, arms[i]), e);
            }
        }
    }
    return true;
}
