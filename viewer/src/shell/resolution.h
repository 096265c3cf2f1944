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
    /// Average part of the picture that a moving frame renders, 0..1.
    double part;
    /// Sums over the measured frames: rendered parts of the whole picture's pixels, and times, s.
    double pixels;
    double seconds;
} PoiseResolution;

/// Takes the cost of the last frame, s, and the part of the picture that it drew, and sets the next
/// frame's scale. A scene at rest gets 1. A moving scene gets the finest scale at which a frame
/// draws 0.4 of the whole picture's pixels, or allows 30 frames a second; at least 0.5.
void poise__resolution_next(PoiseResolution* resolution, double seconds, bool rests, double part);

#endif
