// SPDX-License-Identifier: MIT
#include "resolution.h"

/// Pixels drawn for one shown, each way.
static const double STEPS[] = {1.0, 0.75, 0.5, 0.375, 0.25};
enum { STEP_COUNT = (int)(sizeof STEPS / sizeof *STEPS) };
/// Of drawing alone: the rest of a thirtieth is for physics, s.
static const double LONGEST = 0.025;
/// A finer step is tried where it would take less than this part of that.
static const double SURE_PART = 0.7;

double poise__resolution_next(double scale, double seconds, bool rests) {
    int step = 0;
    while (step + 1 < STEP_COUNT && STEPS[step] > scale) {
        step++;
    }
    if (rests) {
        return STEPS[0];
    }
    if (seconds > LONGEST) {
        return STEPS[step + 1 < STEP_COUNT ? step + 1 : step];
    }
    if (step > 0) {
        const double finer = STEPS[step - 1];
        const double cost = seconds * (finer / scale) * (finer / scale);
        return cost < SURE_PART * LONGEST ? finer : scale;
    }
    return scale;
}
