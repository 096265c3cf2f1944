// SPDX-License-Identifier: MIT
// Applies the scene's pushes, which are external forces for a limited time.
#include <math.h>

#include "running.h"

// Tolerance of the times at which a push begins and ends, in steps. Times are rounded by far less.
#define TIME_TOLERANCE 1e-6

// True if the step that begins at `time` lies in the push.
static bool is_on(const PoiseScenePush* push, double time, double step) {
    double since = time - push->from + TIME_TOLERANCE * step;
    if (since < 0.0) {
        return false;
    }
    if (isfinite(push->every)) {
        since = fmod(since, push->every);
    }
    return since < push->seconds;
}

void poise__simulation_apply_pushes(PoiseSimulation* simulation) {
    const PoiseScene* scene = simulation->scene;
    const double time = poise__simulation_now(simulation);
    for (int i = 0; i < scene->push_count; i++) {
        const PoiseScenePush* push = &scene->pushes[i];
        if (!is_on(push, time, scene->world.step)) {
            continue;
        }
        dBodyID body = simulation->bodies[push->body.index];
        // The ODE body has its origin at the centre of mass.
        PoiseVec3 at = poise_sub(push->at, scene->bodies[push->body.index].com);
        PoiseVec3 f = push->force;
        dBodyEnable(body);
        dBodyAddForceAtRelPos(body, ODE_XYZ(f), ODE_XYZ(at));
    }
}
