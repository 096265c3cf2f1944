// SPDX-License-Identifier: MIT
// State of a robot while its links and joints become bodies and joints of a scene.
#ifndef POISE_ROBOT_BUILDER_H
#define POISE_ROBOT_BUILDER_H

#include "builder.h"

typedef struct RobotBuilder {
    Builder* builder;
    const RobotSpec* spec;
    const Robot* robot;
    int* body_of_link;
    PoisePose* in_body;
    /// Index of this robot's first joint in the scene.
    int first_joint;
    bool loops_driven;        ///< true if actuators drive its closed loops
    double total_mass;        ///< mass that the file gives, kg
    const RobotLink* weighed; ///< first link whose mass is computed from its shapes; NULL: none
    int weighed_count;
    double weighed_mass;
} RobotBuilder;

/// Returns `robot/name`; the name itself for a robot without a scene.
const char* poise__robot_qualify(const RobotBuilder* robot, const char* name);
bool poise__robot_joint_moves(const RobotJoint* joint);

/// Returns the joint of the floating base, -1: none.
int poise__robot_floating_base(const Robot* urdf);

/// Builds the robot's joints, after its bodies, with the settings of the scene.
void poise__robot_build_joints(RobotBuilder* robot);

/// Finds the leader of each joint that mimics another, and sets the follower's start from the
/// leader's. Call it after the joints exist.
void poise__robot_build_mimics(const RobotBuilder* robot);

/// Reports that no moving joint of the robot has the name, with a suggestion.
void poise__robot_refuse_joint(const RobotBuilder* robot, const char* name, PoiseMark mark);

#endif
