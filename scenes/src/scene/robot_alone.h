// SPDX-License-Identifier: MIT
// Parts of a robot's file alone as a scene.
#ifndef POISE_ROBOT_ALONE_H
#define POISE_ROBOT_ALONE_H

#include "robot_builder.h"

// of its torque limit a joint may need so much to hold what hangs on it
#define LONE_HELD_PART 0.9

/// Starting angles for joints of which the file says nothing.
void poise__alone_choose_posture(Builder* builder, const UrdfRobot* robot);

/// Whether the body carries nothing that moves further, and IK can move it.
bool poise__alone_is_tip(const Builder* builder, int body);
/// The frame on the body that is farthest from its joint, and where that is on the body.
const char* poise__alone_end(const Builder* builder, int body, PoisePose* in_body);
/// Joints between the body and what floats or stands fast.
int poise__alone_chain_length(const Builder* builder, int body);

/// For each body, the one that carries the gripper whose finger, or part of one, it is; -1: none
/// is. NULL where memory is short.
int* poise__alone_find_grippers(const Builder* builder);
/// A frame on the gripper beyond the middle of its fingers, `in_body`, and between them: the
/// maker's own, which `in_body` is then; else `name`.
const char* poise__alone_tool(const Builder* builder, const char* name, int gripper,
                              PoisePose* in_body);

/// From where to where the shape reaches along a direction of length 1, m; `body`: where its body
/// stands.
void poise__shape_span(const PoiseSceneShape* shape, PoisePose body, PoiseVec3 along,
                       double span[2]);

#endif
