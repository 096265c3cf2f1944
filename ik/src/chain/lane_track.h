// SPDX-License-Identifier: MIT
// Makes one tracking step of one posture. Defines the function CHAIN_STEP for the file that
// includes this header with CHAIN_LANES 1.
#ifndef POISE_LANE_TRACK_H
#define POISE_LANE_TRACK_H

#include "lane_step.h"

// lambda is gain * error^2: no step exceeds 1 / (2 sqrt(gain)) rad, even near singular postures
#define TRACK_GAIN 1.0

PoiseStatus CHAIN_STEP(const ChainSearch* search, ChainProblem* problem, double* posture) {
    const Chain* chain = search->chain;
    Iterate at;
    if (!poise__chain_load(chain, posture, at.q[0])) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    for (int i = chain->nq; i % 4 != 0; i++) {
        // zeros as padding, because loops over the coordinates use vectors of four
        at.q[i][0] = 0.0;
    }
    at.slack[0] = 0.0;
    at.leading = 1u;
    set_target(search->goal, &problem->target, &at, 0);
    const Frame tip = find_frames(chain, &at);
    const Rows error = find_error(search->goal, &at, &tip, problem->squares);
    if (problem->squares[0] < search->position_tolerance2 &&
        problem->squares[1] < search->angle_tolerance2) {
        return POISE_OK;
    }
    find_columns(chain, &at, tip.p);
    take_step(search, &at, error, TRACK_GAIN * (problem->squares[0] + problem->squares[1]),
              m_none());
    for (int i = 0; i < chain->nq; i++) {
        if (!isfinite(at.q[i][0])) {
            // Lengths near the largest double: the posture stays as it is
            return POISE_NOT_CONVERGED;
        }
    }
    poise__chain_store(chain, at.q[0], posture);
    return POISE_NOT_CONVERGED;
}

#endif
