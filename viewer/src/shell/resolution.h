// SPDX-License-Identifier: MIT
// How finely a picture that moves is drawn where a processor draws it: `--quality auto`.
#ifndef POISE_RESOLUTION_H
#define POISE_RESOLUTION_H

#include <stdbool.h>

/// PoisePicture.scale of the next frame, after one at `scale` took so many seconds to draw: less
/// where that is under 30 frames a second, more where a finer one would still be quick enough, and
/// whole at once where nothing moves.
double poise__resolution_next(double scale, double seconds, bool rests);

#endif
