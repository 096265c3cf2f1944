// SPDX-License-Identifier: MIT
// Resolves joints of a robot that mimic another joint: <mimic> of URDF, equality/joint of MJCF.
#include <math.h>

#include "coordinates.h"
#include "robot_builder.h"

// Finds the joint that this joint mimics. If there is no such joint, this joint is independent, as
// in other tools that ignore <mimic>.
static void find_leader(const RobotBuilder* robot, const RobotJoint* urdf) {
    Builder* builder = robot->builder;
    int own = poise__build_find_joint(builder, poise__robot_qualify(robot, urdf->name));
    if (!urdf->mimics || own < robot->first_joint) {
        return;
    }
    int leader = poise__build_find_joint(builder, poise__robot_qualify(robot, urdf->mimics));
    if (leader < robot->first_joint) {
        WARN(builder, urdf->mimic_mark,
             "joint '%.60s' mimics '%.60s', which is no moving joint: it moves by itself",
             urdf->name, urdf->mimics);
        return;
    }
    PoiseSceneJoint* joint = &builder->joints[own];
    if (leader == own || poise_kind_turns(builder->joints[leader].kind)) {
        REFUSE(builder, urdf->mimic_mark,
               leader == own ? "joint '%.60s' cannot mimic itself"
                             : "joint '%.60s' cannot mimic a ball",
               urdf->name);
        return;
    }
    joint->mimics = leader;
    joint->multiplier = urdf->multiplier;
    joint->offset = urdf->offset;
    if (!joint->tuned && !(joint->bind.original.stiffness > 0.0) &&
        !(joint->bind.ik.stiffness > 0.0)) {
        NOTE_KIND(builder, "mimics without a spring", urdf->mimic_mark,
                  "joint '%.60s' mimics '%.60s' and has no spring to follow it with: "
                  "give it one in the scene, as 'ik: {spring: ..., damper: ...}'",
                  urdf->name, urdf->mimics);
    }
}

void poise__build_mimic_starts(Builder* builder, int first) {
    // A follower may have another follower as its leader, so one pass is made for each joint.
    for (int round = first; round < builder->joint_count; round++) {
        for (int i = first; i < builder->joint_count; i++) {
            PoiseSceneJoint* joint = &builder->joints[i];
            if (joint->mimics >= 0) {
                double angle = joint->multiplier * builder->joints[joint->mimics].start[0];
                joint->start[0] = poise__limits_clamp(&joint->limits, 0, angle + joint->offset);
                joint->bind.natural[0] = joint->start[0];
            }
        }
    }
}

// Warns if the start that a follower gets from its leader is outside the follower's range.
static void suspect_starts(const RobotBuilder* robot) {
    const Builder* builder = robot->builder;
    for (int i = robot->first_joint; i < builder->joint_count; i++) {
        const PoiseSceneJoint* joint = &builder->joints[i];
        const PoiseSceneJoint* leader = joint->mimics >= 0 ? &builder->joints[joint->mimics] : NULL;
        const double asked =
            leader ? joint->multiplier * leader->start[0] + joint->offset : joint->start[0];
        if (leader && fabs(asked - joint->start[0]) > 1e-6) {
            WARN_KIND(builder, "a follower out of its range", joint->mark,
                      "joint '%.60s' starts at its limit %.4g: '%.60s', which it "
                      "mimics, asks for %.4g",
                      joint->name, joint->start[0], leader->name, asked);
        }
    }
}

void poise__robot_build_mimics(const RobotBuilder* robot) {
    for (int i = 0; i < robot->robot->joint_count; i++) {
        find_leader(robot, &robot->robot->joints[i]);
    }
    poise__build_mimic_starts(robot->builder, robot->first_joint);
    suspect_starts(robot);
}
