// SPDX-License-Identifier: MIT
// Fits y = fixed + pixel x to the frames, with x = part scale^2, by least squares with exponential
// forgetting.
#include "resolution.h"

#include <math.h>

/// Time of a frame's 1/30 s that drawing may take, s. Physics has the rest.
static const double BUDGET = 0.025;
/// Where even the coarsest scale takes longer, a frame may take this multiple of its time: a
/// coarser picture that is hardly faster is no gain.
static const double WORTH = 1.5;
static const double COARSEST = 0.5;
/// Weight of a frame relative to the next one: the last 100 frames count, about 3 s.
static const double MEMORY = 0.99;
/// Weight of a moving frame in the average of the parts that are drawn.
static const double PART_WEIGHT = 0.1;
/// Added to the variance of x in the fit, as a fraction of the square of its mean. It brings the
/// fitted cost of a pixel to 0, and what WORTH allows, when frames at other x are forgotten.
/// Another scale is then tried again.
static const double RIDGE = 0.01;
/// The first frames, which compile shaders, are not measured. A scale stays for at least 15 frames,
/// since one that changes more than twice a second flickers.
enum { SKIPPED_FRAMES = 10, LEAST_AGE = 15 };

void poise__resolution_next(PoiseResolution* resolution, double seconds, bool rests, double part) {
    const double x = part * resolution->scale * resolution->scale;
    const double terms[5] = {1.0, x, x * x, seconds, x * seconds};
    double* sums = resolution->sums;
    resolution->frames++;
    for (int i = 0; i < 5 && resolution->frames > SKIPPED_FRAMES; i++) {
        sums[i] = MEMORY * sums[i] + terms[i];
    }
    resolution->part += rests ? 0.0 : PART_WEIGHT * (part - resolution->part);
    if (!rests && ++resolution->age < LEAST_AGE) {
        return;
    }
    // the first moving frame after a rest may choose a scale at once
    resolution->age = rests ? LEAST_AGE : 0;
    const double count = fmax(1.0, sums[0]);
    const double middle = sums[1] / count;
    const double spread = sums[2] - middle * sums[1];
    const double ridge = RIDGE * middle * sums[1] + 1e-9;
    const double pixel = fmax(0.0, (sums[4] - middle * sums[3]) / (spread + ridge));
    const double fixed = sums[3] / count - pixel * middle;
    const double pixels = pixel * resolution->part;
    const double known = spread / (spread + ridge);
    const double most = fmax(BUDGET, known * WORTH * (fixed + pixels * COARSEST * COARSEST));
    double scale = 1.0;
    while (!rests && scale > COARSEST && fixed + pixels * scale * scale > most) {
        scale -= 0.25;
    }
    resolution->scale = scale;
}
