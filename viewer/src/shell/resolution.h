// SPDX-License-Identifier: MIT
// Chooses the resolution of the window's frames when a processor renders them: `--quality auto`.
#ifndef POISE_RESOLUTION_H
#define POISE_RESOLUTION_H

#include <stdbool.h>

/// State of the choice; at the start {.scale = 1.0, .part = 1.0}.
typedef struct PoiseResolution {
    /// PoisePicture.scale of the next frame, 0.5 to 1.
    double scale;
    /// Number of frames that were rendered.
    long frames;
    /// Number of frames since the scale was chosen.
    int age;
    /// Average fraction of the picture that a moving frame renders, 0..1.
    double part;
    /// Sums over the measured frames: rendered pixels, as fractions of the whole picture's, and
    /// times, s.
    double pixels;
    double seconds;
} PoiseResolution;

/// Sets the next frame's scale from the cost of the last frame, s, and the fraction `part` of the
/// picture that it rendered. A scene at rest gets 1. A moving scene gets the finest scale at which
/// a frame renders at most 0.4 of the whole picture's pixels or 30 frames a second are possible; at
/// least 0.5.
void poise__resolution_next(PoiseResolution* resolution, double seconds, bool rests, double part);

#endif
