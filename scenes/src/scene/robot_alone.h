// SPDX-License-Identifier: MIT
// Parts of the scene that is made from a robot's file.
#ifndef POISE_ROBOT_ALONE_H
#define POISE_ROBOT_ALONE_H

#include "robot_builder.h"

// A robot can hold a start posture if no joint needs more than this fraction of its torque limit
// against gravity.
#define LONE_HELD_PART 0.9

/// Chooses start angles of joints if the file gives none.
void poise__alone_choose_posture(Builder* builder, const Robot* robot);

/// Starts all joints near 0, with each foot below its hip. Returns false if the robot then does not
/// stand on two or more feet; the start postures are changed in any case.
bool poise__alone_stand_up(Builder* builder, PoisePose* poses);

/// Writes the lowest and highest places of a body's colliding shapes, m. Without such shapes writes
/// infinity and -infinity, and returns false.
bool poise__alone_span(const Builder* builder, const PoisePose* poses, int body, double span[2]);
/// True if IK can move the body and the body carries no moving body.
bool poise__alone_is_tip(const Builder* builder, int body);
/// Returns the heaviest moving body that a loop-closing joint connects; -1: none.
int poise__alone_heaviest_in_loop(const Builder* builder);
/// Returns the name of the frame on the body that is farthest from the body's joint, and writes its
/// pose. If all frames of a limb are at its hinge and the robot has no loops, writes the farthest
/// end of the limb's shapes instead.
const char* poise__alone_end(const Builder* builder, int body, PoisePose* in_body);
/// Returns the number of joints between the body and the floating or fixed base.
int poise__alone_chain_length(const Builder* builder, int body);

/// Returns, for each body that is part of a gripper's finger, the body that carries the gripper; -1
/// for other bodies. NULL if memory is short.
int* poise__alone_find_grippers(const Builder* builder);
/// Finds the gripper's tool frame: the farthest frame beyond `in_body`, the middle between the
/// fingers, near the line from the gripper to this middle. Returns its name and writes its pose to
/// `in_body`; returns `name` if there is none.
const char* poise__alone_tool(const Builder* builder, const char* name, int gripper,
                              PoisePose* in_body);

#endif
