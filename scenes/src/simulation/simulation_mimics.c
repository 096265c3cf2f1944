// SPDX-License-Identifier: MIT
// Joints that mimic others. In IK, follower and leader share one coordinate. Outside IK, the
// follower's natural posture is set from its leader's angle: if no control point moves them, or IK
// excludes one of them. The spring p_orig then gets the stiffness of p_ik, as on tuned joints that
// no control point moves.

#include "coordinates.h"
#include "poise/follow.h"
#include "running.h"

static const PoiseSceneJoint* leader_of(const PoiseScene* scene, const PoiseSceneJoint* joint) {
    return joint->mimics >= 0 && joint->driven && scene->joints[joint->mimics].driven
               ? &scene->joints[joint->mimics]
               : NULL;
}

bool poise__simulation_tie(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics) {
    const PoiseScene* scene = simulation->scene;
    for (int i = 0; i < scene->joint_count; i++) {
        const PoiseSceneJoint* joint = &scene->joints[i];
        const PoiseSceneJoint* leader = leader_of(scene, joint);
        if (!leader || joint->multiplier == 0.0 || !(joint->bind.ik.stiffness > 0.0) ||
            !(leader->bind.ik.stiffness > 0.0)) {
            continue;
        }
        const PoiseStatus status =
            poise_node_couple(simulation->tree, simulation->nodes[i],
                              simulation->nodes[joint->mimics], joint->multiplier, joint->offset);
        if (status == POISE_ERROR_OUT_OF_MEMORY) {
            poise__diagnose(diagnostics, POISE_ERROR, joint->mark, "joint '%.60s': %s", joint->name,
                            poise_tree_message(simulation->tree));
            return false;
        }
        if (status < 0) {
            poise_tree_clear_status(simulation->tree);
            poise__diagnose(diagnostics, POISE_WARNING, joint->mark,
                            "joint '%.60s' cannot be where it mimics '%.60s', %g times its angle "
                            "plus %g, inside both ranges: IK moves '%.60s' alone",
                            joint->name, scene->joints[joint->mimics].name, joint->multiplier,
                            joint->offset, scene->joints[joint->mimics].name);
        }
    }
    return true;
}

// True if the joint follows its leader by IK, since control points move them.
static bool is_led(const PoiseSimulation* simulation, int index) {
    const PoiseNodeId node = simulation->nodes[index];
    return poise_node_leader(simulation->tree, node, NULL, NULL).index1 != 0 &&
           poise_node_points(simulation->tree, node, NULL, 0) > 0;
}

// True if the joint has only the spring p_orig, toward its natural posture.
static bool holds_posture(const PoiseSimulation* simulation, int index) {
    const PoiseScene* scene = simulation->scene;
    const PoiseSceneJoint* joint = &scene->joints[index];
    if (leader_of(scene, joint)) {
        return !is_led(simulation, index);
    }
    return joint->tuned && joint->driven &&
           poise_node_points(simulation->tree, simulation->nodes[index], NULL, 0) == 0;
}

PoiseStatus poise__simulation_set_posture_springs(PoiseSimulation* simulation) {
    const PoiseScene* scene = simulation->scene;
    PoiseStatus status = POISE_OK;
    for (int i = 0; i < scene->joint_count; i++) {
        PoiseBindDef* bind = &simulation->running_joints[i].bind;
        if (!holds_posture(simulation, i) || !(bind->ik.stiffness > bind->original.stiffness)) {
            continue;
        }
        // The file's damping acts in addition, as on joints that control points move.
        bind->original.stiffness = bind->ik.stiffness;
        bind->original.damping += bind->ik.damping;
        status = poise__first_error(
            status, poise_rig_set_original(simulation->rig, simulation->nodes[i], bind->original));
    }
    return status;
}

PoiseStatus poise__simulation_follow_leaders(PoiseSimulation* simulation) {
    const PoiseScene* scene = simulation->scene;
    PoiseStatus status = POISE_OK;
    for (int i = 0; i < scene->joint_count; i++) {
        const PoiseSceneJoint* joint = &scene->joints[i];
        PoiseJointReading leader;
        if (!leader_of(scene, joint) || is_led(simulation, i)) {
            continue;
        }
        const PoiseStatus read =
            poise_rig_read_joint(simulation->rig, simulation->nodes[joint->mimics], &leader);
        if (read < 0) {
            status = poise__first_error(status, read);
            continue;
        }
        double angle = joint->multiplier * leader.q[0] + joint->offset;
        angle = poise__limits_clamp(&joint->limits, 0, angle);
        status = poise__first_error(status, poise_rig_set_natural_posture(
                                                simulation->rig, simulation->nodes[i], &angle, 1));
    }
    return status;
}
