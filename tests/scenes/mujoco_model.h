// SPDX-License-Identifier: MIT
// A robot's file compiled by MuJoCo.
#ifndef POISE_TEST_MUJOCO_MODEL_H
#define POISE_TEST_MUJOCO_MODEL_H

#include <mujoco/mujoco.h>

/// NULL with MuJoCo's reason in `why`. Textures that are not there are black; a URDF has no shapes.
mjModel* mujoco_model(const char* file, char* why, int capacity);

#endif
