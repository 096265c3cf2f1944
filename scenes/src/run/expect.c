// SPDX-License-Identifier: MIT
// Checks the bounds of a scene's `expect`.
#include <math.h>

#include "run.h"

bool poise__expect_check(const Run* run, FILE* out) {
    const PoiseFigureSource source = {run->simulation, run->points};
    bool kept = true;
    // The bounds are meant for the scene's whole length.
    if (run->options->seconds > 0.0 && run->options->seconds < run->scene->seconds) {
        fprintf(out, "poise: --expect: the bounds are for the scene's %g s, these are %g s\n",
                run->scene->seconds, run->options->seconds);
    }
    for (int i = 0; i < run->scene->bound_count; i++) {
        const PoiseSceneFigure* bound = &run->scene->bounds[i];
        double value = poise_figure_number(bound->figure, &source, bound->owner.index);
        if (value <= bound->upper) {
            continue;
        }
        kept = false;
        if (isnan(value)) {
            fprintf(out, "poise: missed: %s.%s has no value, at most %g is expected\n",
                    bound->owner.name, bound->field, bound->upper);
        } else {
            fprintf(out, "poise: missed: %s.%s is %g, at most %g is expected\n", bound->owner.name,
                    bound->field, value, bound->upper);
        }
    }
    return kept;
}
