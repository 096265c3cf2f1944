// SPDX-License-Identifier: MIT
// Runs a model in MuJoCo and measures the time of its steps; see mujoco_step.h.
#define _POSIX_C_SOURCE 200809L
#include "mujoco_step.h"
#include "times.h"

#include <math.h>
#include <mujoco/mujoco.h>

double mujoco_step_time(const char* file, int steps, int passes) {
    char error[400] = "";
    mjModel* model = mj_loadXML(file, NULL, error, sizeof error);
    if (!model) {
        return 0.0;
    }
    mjData* data = mj_makeData(model);
    double least = HUGE_VAL;
    for (int pass = 0; pass < passes; pass++) {
        mj_resetData(model, data);
        const double begun = time_us(CLOCK_THREAD_CPUTIME_ID);
        for (int k = 0; k < steps; k++) {
            mj_step(model, data);
        }
        least = fmin(least, (time_us(CLOCK_THREAD_CPUTIME_ID) - begun) / steps);
    }
    mj_deleteData(data);
    mj_deleteModel(model);
    return least;
}
