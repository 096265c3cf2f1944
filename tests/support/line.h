// SPDX-License-Identifier: MIT
// The experiment of the log-quaternion article (rows 4.4, 4.5). Five links of 1 m start from random
// postures. The tip moves along the straight line through the base to the opposite side, in steps
// of 1 mm.
#ifndef POISE_TEST_LINE_H
#define POISE_TEST_LINE_H

#include "chains.h"

typedef enum LineOrder {
    LINE_FIRST = 1, ///< the joint motion of a step is computed at the step's beginning
    LINE_SECOND = 2 ///< the joint motion of a step is computed at the step's middle
} LineOrder;

typedef struct LineResult {
    double rms;         ///< root mean square of steps - floor(length / step)
    double worst_error; ///< largest error of a step, divided by its length
    double mean_error;
    long updates;
} LineResult;

/// Makes five links along z, with balls or with three hinges each, about y, x and z as the
/// article's Euler angles.
Model line_balls(void);
Model line_hinges(void);

/// Runs `trials` walks of the tip. Both kinds of chain get the same start postures.
LineResult line_walk(Chain chain, LineOrder order, int trials);

/// Writes the start posture of a trial.
void line_start(Chain chain, int trial, double* posture);

#endif
