// SPDX-License-Identifier: MIT
// Compiles a robot's file in MuJoCo.
#ifndef POISE_TEST_MUJOCO_MODEL_H
#define POISE_TEST_MUJOCO_MODEL_H

#include <mujoco/mujoco.h>

/// Returns NULL with MuJoCo's reason in `why` if the file is refused. Missing textures are black. A
/// URDF is compiled without its shapes.
mjModel* mujoco_model(const char* file, char* why, int capacity);

#endif
