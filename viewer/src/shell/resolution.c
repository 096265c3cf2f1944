// SPDX-License-Identifier: MIT
// Chooses a scale whose pixels cost at most a frame's time, as if pixels were all of the cost.
#include "resolution.h"

#include <math.h>

/// Time of a frame's 1/30 s that drawing may take, s. Physics has the rest.
static const double BUDGET = 0.025;
/// Part of the whole picture's pixels that every machine renders. Fewer pixels make frames hardly
/// shorter. A moving robot changes 0.08 to 0.4 of a picture, measured on five scenes.
static const double LEAST_PIXELS = 0.4;
/// Factor of the budget for a finer scale than the present one. The prediction is too high: about
/// 40 % of a frame's cost does not depend on pixels.
static const double FINER = 1.25;
/// Weight of a frame relative to the next one: the last 100 frames count, about 3 s.
static const double MEMORY = 0.99;
/// Weight of a moving frame in the average of the rendered parts.
static const double PART_WEIGHT = 0.1;
/// The first frames, which compile shaders, are not measured. A scale stays for at least 15 frames,
/// since one that changes more than twice a second flickers.
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
    // the first moving frame after a rest may choose a scale at once
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
