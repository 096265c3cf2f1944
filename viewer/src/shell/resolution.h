// SPDX-License-Identifier: MIT
// Chooses the resolution of the window's frames when a processor renders them: `--quality auto`.
#ifndef POISE_RESOLUTION_H
#define POISE_RESOLUTION_H

#include <stdbool.h>

/// State of the choice. Starts as {.scale = 1.0, .part = 1.0}.
typedef struct PoiseResolution {
    /// PoisePicture.scale of the next frame, 0.5 to 1.
    double scale;
    /// Number of frames rendered.
    long frames;
    /// Frames since the scale was last chosen.
    int age;
    /// Average part of the picture that a moving frame draws, 0..1.
    double part;
    /// Sums over the measured frames of 1, x, x x, y and x y, with x = part scale^2 and y in s.
    double sums[5];
} PoiseResolution;

/// Takes the cost of the last frame, s, and the part of the picture that it drew, and sets the next
/// frame's scale. A scene at rest gets 1. A moving scene gets the finest scale whose predicted cost
/// allows 30 frames a second, or is at most half more than that of the coarsest, 0.5.
void poise__resolution_next(PoiseResolution* resolution, double seconds, bool rests, double part);

#endif
