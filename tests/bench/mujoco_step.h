// SPDX-License-Identifier: MIT
// MuJoCo's step, where it is installed.
#ifndef POISE_BENCH_MUJOCO_STEP_H
#define POISE_BENCH_MUJOCO_STEP_H

/// us a step of the model in the file, the mean of the fastest of `passes` runs from its first
/// state; 0 if MuJoCo refuses the file.
double mujoco_step_time(const char* file, int steps, int passes);

#endif
