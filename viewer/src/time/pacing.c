// SPDX-License-Identifier: MIT
// Keeps the physics clock of the viewer. app_loop.c bounds the time of the steps in a frame.
#include "pacing.h"

#include <math.h>

/// Largest wall-clock time of a frame that is simulated, s.
static const double LONGEST_FRAME = 1.0;
static const double SLOWEST = 1.0 / 64.0;
static const double FASTEST = 4.0;

PoisePacing poise__pacing_default(void) {
    return (PoisePacing){.speed = 1.0};
}

void poise__pacing_advance(PoisePacing* pacing, double wall_seconds) {
    if (pacing->paused || !(wall_seconds > 0.0)) {
        return;
    }
    pacing->due += pacing->speed * fmin(wall_seconds, LONGEST_FRAME);
}

bool poise__pacing_take_step(PoisePacing* pacing, double step_length) {
    if (pacing->single_steps > 0) {
        pacing->single_steps--;
        return true;
    }
    if (pacing->paused || pacing->due < step_length) {
        return false;
    }
    pacing->due -= step_length;
    return true;
}

void poise__pacing_drop_backlog(PoisePacing* pacing) {
    pacing->due = 0.0;
}

void poise__pacing_toggle_pause(PoisePacing* pacing) {
    pacing->paused = !pacing->paused;
    pacing->due = 0.0;
    pacing->single_steps = 0;
}

void poise__pacing_step(PoisePacing* pacing) {
    if (!pacing->paused) {
        poise__pacing_toggle_pause(pacing);
        return;
    }
    pacing->single_steps++;
}

void poise__pacing_change_speed(PoisePacing* pacing, int doublings) {
    double speed = ldexp(pacing->speed, doublings);
    pacing->speed = fmax(SLOWEST, fmin(FASTEST, speed));
}
