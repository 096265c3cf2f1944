// SPDX-License-Identifier: MIT
// Times MuJoCo's step, if MuJoCo is installed.
#ifndef POISE_BENCH_MUJOCO_STEP_H
#define POISE_BENCH_MUJOCO_STEP_H

/// Returns the time of a step of the model in the file, us: the mean of the fastest of `passes`
/// runs from its first state. Returns 0 if MuJoCo refuses the file.
double mujoco_step_time(const char* file, int steps, int passes);

#endif
