// SPDX-License-Identifier: MIT
// A robot while it becomes part of a scene: its links and joints, and the bodies and joints that
// they become.
#ifndef POISE_ROBOT_BUILDER_H
#define POISE_ROBOT_BUILDER_H

#include "builder.h"

typedef struct RobotBuilder {
    Builder* builder;
    const RobotSpec* spec;
    const UrdfRobot* robot;
    int* body_of_link;
    PoisePose* in_body;
    /// Of the scene's joints, the first that is this robot's.
    int first_joint;
    bool loops_driven;       ///< it has closed loops, and actuators that turn them
    double total_mass;       ///< kg, of what the file weighs
    const UrdfLink* weighed; ///< the first link whose mass is its shapes', and all of them together
    int weighed_count;
    double weighed_mass;
} RobotBuilder;

/// `robot/name`; the name itself for a robot without a scene.
const char* poise__robot_qualify(const RobotBuilder* robot, const char* name);
bool poise__robot_joint_moves(const UrdfJoint* joint);

/// The joint that lets the whole robot go, -1: none does.
int poise__robot_floating_base(const UrdfRobot* urdf);

/// Its links' bodies are there: makes its joints, with what the scene says of them.
void poise__robot_build_joints(RobotBuilder* robot);

/// After its joints: which of them mimic another; they start where their leaders' starts put them.
void poise__robot_build_mimics(const RobotBuilder* robot);

/// Tells that no joint of the robot that moves has the name, with a guess.
void poise__robot_refuse_joint(const RobotBuilder* robot, const char* name, PoiseMark mark);

#endif
