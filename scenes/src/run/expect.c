// SPDX-License-Identifier: MIT
// Checks the bounds of a scene's `expect`.
#include <math.h>
#include <string.h>

#include "run.h"

static int find_point(const PoiseSimulation* simulation, const char* name) {
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        if (strcmp(poise_simulation_point(simulation, i).name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static double find_figure(const Run* run, const PoiseSceneBound* bound) {
    const PoiseFigureSource source = {run->simulation, run->points};
    PoiseFigureOwner kind = POISE_FIGURE_OF_RUN;
    int owner = find_point(run->simulation, bound->owner);
    char name[80];
    snprintf(name, sizeof name, "%s", bound->field);
    if (strcmp(bound->owner, "cost") == 0) {
        snprintf(name, sizeof name, "cost.%.60s", bound->field);
    } else if (owner >= 0) {
        kind = POISE_FIGURE_OF_POINT;
    } else {
        kind = POISE_FIGURE_OF_JOINT;
        owner = poise_scene_find_joint(run->scene, bound->owner);
    }
    const PoiseFigure* figure = poise_figure_find(kind, POISE_FIGURE_EXPECT, name);
    return figure ? poise_figure_number(figure, &source, owner) : (double)NAN;
}

bool poise__expect_check(const Run* run, FILE* out) {
    bool kept = true;
    // The bounds are meant for the scene's whole length.
    if (run->options->seconds > 0.0 && run->options->seconds < run->scene->seconds) {
        fprintf(out, "poise: --expect: the bounds are for the scene's %g s, these are %g s\n",
                run->scene->seconds, run->options->seconds);
    }
    for (int i = 0; i < run->scene->bound_count; i++) {
        const PoiseSceneBound* bound = &run->scene->bounds[i];
        double value = find_figure(run, bound);
        if (value <= bound->upper) {
            continue;
        }
        kept = false;
        if (isnan(value)) {
            fprintf(out, "poise: missed: %s.%s has no value, at most %g is expected\n",
                    bound->owner, bound->field, bound->upper);
        } else {
            fprintf(out, "poise: missed: %s.%s is %g, at most %g is expected\n", bound->owner,
                    bound->field, value, bound->upper);
        }
    }
    return kept;
}
