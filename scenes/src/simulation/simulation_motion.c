// SPDX-License-Identifier: MIT
// Recorded motion as natural posture: before each step the posture is set from the motion, weighted
// by `motion.blend`. Springs p_orig pull toward it; the solver follows it where control points
// leave freedom (posture_rate).
#include <string.h>

#include "coordinates.h"
#include "running.h"

bool poise__simulation_follows_motion(const PoiseSimulation* simulation) {
    for (int i = 0; i < simulation->scene->joint_count; i++) {
        if (simulation->scene->joints[i].track) {
            return true;
        }
    }
    return false;
}

// Writes the coordinates of a floating base: its start pose, blended by `part` toward the pose
// `to`. Returns the number of coordinates. They are those of the centre of mass, but `to` is a pose
// of the body's frame.
static int base_posture(const PoiseSimulation* simulation, const PoiseSceneJoint* joint,
                        PoisePose to, double part, double* posture) {
    const PoiseSceneBody* body = &simulation->scene->bodies[joint->child.index];
    const PoiseQuat start = body->pose.q;
    const PoiseVec3 own_place = poise_add(body->pose.p, poise_quat_rotate(start, body->com));
    const PoiseQuat turn = poise_quat_slerp(start, poise_quat_mul(to.q, start), part);
    const PoiseVec3 there =
        poise_add(to.p, poise_quat_rotate(poise_quat_mul(to.q, start), body->com));
    const PoiseVec3 place = poise_add_scaled(poise_scale(1.0 - part, own_place), part, there);
    posture[0] = place.x;
    posture[1] = place.y;
    posture[2] = place.z;
    poise__quat_write(turn, posture + 3);
    return 7;
}

int poise__simulation_natural(const PoiseSimulation* simulation, int index, double time,
                              double posture[POISE_MAX_NQ]) {
    static const PoiseSceneTrack none = {0};
    const PoiseSceneTrack* led = simulation->scene->joints[index].track;
    const PoiseSceneTrack* track = led ? led : &none;
    const double part = led ? simulation->now.motion.blend : 0.0;
    const PoiseSceneJoint* joint = &simulation->running_joints[index];
    const PoiseQuat turn = poise_orientation_goal_at(&track->turn, time, NULL);
    if (poise_kind_floats(joint->kind)) {
        const PoisePose to = poise_pose(poise_position_goal_at(&track->place, time, NULL), turn);
        return base_posture(simulation, joint, to, part, posture);
    }
    if (!led) {
        memcpy(posture, joint->bind.natural, sizeof joint->bind.natural);
        return poise_joint_type(joint->kind)->nq;
    }
    if (poise_kind_turns(joint->kind)) {
        const PoiseQuat own = poise__quat_read(joint->bind.natural);
        const PoiseQuat seen = poise__simulation_seen_by_parent(simulation, joint, turn);
        poise__quat_write(poise_quat_slerp(own, seen, part), posture);
        return 4;
    }
    const double angle = poise_quat_twist(turn, joint->axis, NULL);
    const double inside = poise__limits_clamp(&joint->limits, 0, angle);
    posture[0] = (1.0 - part) * joint->bind.natural[0] + part * inside;
    return 1;
}

PoiseStatus poise__simulation_follow_motion(PoiseSimulation* simulation, double time) {
    const PoiseScene* scene = simulation->scene;
    PoiseStatus status = POISE_OK;
    for (int i = 0; i < scene->joint_count; i++) {
        if (!scene->joints[i].track || simulation->nodes[i].index1 == 0) {
            continue;
        }
        double posture[POISE_MAX_NQ];
        const int count = poise__simulation_natural(simulation, i, time, posture);
        status = poise__first_error(
            status,
            poise_rig_set_natural_posture(simulation->rig, simulation->nodes[i], posture, count));
    }
    return status;
}
