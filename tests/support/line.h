// SPDX-License-Identifier: MIT
// The experiment of the log-quaternion article (rows 4.4, 4.5): five unit links, random postures,
// the tip led along the straight line through the base to the opposite side in steps of 1 mm.
#ifndef POISE_TEST_LINE_H
#define POISE_TEST_LINE_H

#include "chains.h"

typedef enum LineOrder {
    LINE_FIRST = 1, ///< the joints' motion at the beginning of a step
    LINE_SECOND = 2 ///< at its middle
} LineOrder;

typedef struct LineResult {
    double rms;         ///< of the steps taken less floor(length / step)
    double worst_error; ///< of a step's motion, over its length
    double mean_error;
    long updates;
} LineResult;

/// Five links along z with balls, or with three hinges each, about y, x and z as the article's
/// Euler angles.
Model line_balls(void);
Model line_hinges(void);

/// `trials` walks of the tip, from postures drawn alike for both kinds.
LineResult line_walk(const PoiseChain* chain, LineOrder order, int trials);

/// The posture of a trial.
void line_start(const PoiseChain* chain, int trial, double* posture);

#endif
