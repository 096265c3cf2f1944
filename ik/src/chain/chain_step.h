// SPDX-License-Identifier: MIT
// One step of one posture, for tracking: an iteration of a single lane. Defines, for the file that
// includes it with CHAIN_LANES 1, CHAIN_NAME(poise__chain_step).
#ifndef POISE_CHAIN_STEP_H
#define POISE_CHAIN_STEP_H

#include "chain_newton.h"

// lambda = gain * error^2: no step is longer than 1 / (2 sqrt(gain)) rad, however near singular
#define TRACK_GAIN 1.0

bool CHAIN_NAME(poise__chain_step)(const ChainSearch* search, ChainProblem* problem) {
    const PoiseChain* chain = search->chain;
    Lanes lanes;
    Frame tip;
    V v[6];
    for (int i = 0; i < chain->slot_count; i++) {
        lanes.numbers[i][0] = problem->best[i];
    }
    for (int k = 0; k < 3; k++) {
        lanes.place[k][0] = problem->target.place[k];
    }
    for (int k = 0; k < 9; k++) {
        lanes.matrix[k][0] = problem->target.matrix[k];
    }
    lanes.slack[0] = 0.0;
    fill_frames(chain, &lanes, &tip);
    fill_error(search, &lanes, &tip, v, problem->squares);
    if (problem->squares[0] < search->place_tolerance2 &&
        problem->squares[1] < search->rotation_tolerance2) {
        return true;
    }
    fill_columns(chain, &lanes, tip.p);
    take_step(search, &lanes, v, TRACK_GAIN * (problem->squares[0] + problem->squares[1]),
              m_none());
    for (int i = 0; i < chain->slot_count; i++) {
        problem->best[i] = lanes.numbers[i][0];
    }
    return false;
}

#endif
