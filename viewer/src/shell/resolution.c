// SPDX-License-Identifier: MIT
// Fits y = fixed + pixel x to the frames, with x = scale^2, by least squares with exponential
// forgetting.
#include "resolution.h"

#include <math.h>

/// Time of a frame's 1/30 s that drawing may take, s. Physics has the rest.
static const double BUDGET = 0.025;
/// Weight of a frame relative to the next one: the last 100 frames count, about 3 s.
static const double MEMORY = 0.99;
/// Added to the variance of x = scale^2 in the fit. It brings the fitted cost of a pixel to 0 when
/// frames at other scales are forgotten. A finer scale is then tried again, after about 13 s.
static const double RIDGE = 0.1;
/// The first frames, which compile shaders, are not measured. A scale stays for at least 15 frames,
/// since one that changes more than twice a second flickers.
enum { SKIPPED_FRAMES = 10, LEAST_AGE = 15 };

void poise__resolution_next(PoiseResolution* resolution, double seconds, bool rests) {
    const double x = resolution->scale * resolution->scale;
    const double terms[5] = {1.0, x, x * x, seconds, x * seconds};
    double* sums = resolution->sums;
    resolution->frames++;
    for (int i = 0; i < 5 && resolution->frames > SKIPPED_FRAMES; i++) {
        sums[i] = MEMORY * sums[i] + terms[i];
    }
    if (!rests && ++resolution->age < LEAST_AGE) {
        return;
    }
    // the first moving frame after a rest may choose a scale at once
    resolution->age = rests ? LEAST_AGE : 0;
    const double count = fmax(1.0, sums[0]);
    const double middle = sums[1] / count;
    const double pixel =
        fmax(0.0, (sums[4] - middle * sums[3]) / (sums[2] - middle * sums[1] + RIDGE));
    double scale = 1.0;
    while (!rests && scale > 0.5 && sums[3] / count + pixel * (scale * scale - middle) > BUDGET) {
        scale -= 0.25;
    }
    resolution->scale = scale;
}
