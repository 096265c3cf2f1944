// SPDX-License-Identifier: MIT
// Chooses the resolution scale at which a frame's pixels cost at most a frame's time, as if all of
// the cost were proportional to pixels.
#include "resolution.h"

#include <math.h>

/// Part of a frame's 1/30 s that drawing may take, s; physics has the rest.
static const double BUDGET = 0.025;
/// Fraction of the whole picture's pixels that every machine renders, since fewer pixels hardly
/// shorten a frame. A moving robot changes 0.08 to 0.4 of a picture, measured on five scenes.
static const double LEAST_PIXELS = 0.4;
/// Factor on the budget for a scale that is finer than the present one, since the predicted cost is
/// too high: about 40 % of a frame's cost does not depend on pixels.
static const double FINER = 1.25;
/// Weight of a frame in the averages relative to the next frame: about the last 100 frames count, 3
/// s.
static const double MEMORY = 0.99;
/// Weight of a moving frame in the average of the rendered fractions of the picture.
static const double PART_WEIGHT = 0.1;
/// SKIPPED_FRAMES: the first frames compile shaders, and are not measured. LEAST_AGE: number of
/// frames for which a scale stays, since one that changes more than twice a second flickers.
enum { SKIPPED_FRAMES = 10, LEAST_AGE = 15 };

void poise__resolution_next(PoiseResolution* resolution, double seconds, bool rests, double part) {
    if (++resolution->frames > SKIPPED_FRAMES) {
        resolution->pixels =
            MEMORY * resolution->pixels + part * resolution->scale * resolution->scale;
        resolution->seconds = MEMORY * resolution->seconds + seconds;
    }
    resolution->part += rests ? 0.0 : PART_WEIGHT * (part - resolution->part);
    if (!rests && ++resolution->age < LEAST_AGE) {
        return;
    }
    // the first moving frame after a rest may choose another scale at once
    resolution->age = rests ? LEAST_AGE : 0;
    const double allowed = BUDGET * resolution->pixels / fmax(1e-9, resolution->seconds);
    double scale = 1.0;
    while (!rests && scale > 0.5) {
        const double more = scale > resolution->scale ? FINER : 1.0;
        if (resolution->part * scale * scale <= fmax(LEAST_PIXELS, more * allowed)) {
            break;
        }
        scale -= 0.25;
    }
    resolution->scale = scale;
}
