// SPDX-License-Identifier: MIT
// Parts of a robot's file alone as a scene.
#ifndef POISE_LONE_H
#define POISE_LONE_H

#include "robot_builder.h"

// of its torque limit a joint may need so much to hold what hangs on it
#define LONE_HELD_PART 0.9

/// Starting angles for joints of which the file says nothing.
void poise__lone_choose_posture(Builder* builder, const UrdfRobot* robot);

/// From where to where the shape reaches along a direction of length 1, m; `body`: where its body
/// stands.
void poise__shape_span(const PoiseSceneShape* shape, PoisePose body, PoiseVec3 along,
                       double span[2]);

#endif
