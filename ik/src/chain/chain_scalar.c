// SPDX-License-Identifier: MIT
// Compiles the lane headers (lane_*.h) for one lane in plain C: tracking, long descents, angles.
#define CHAIN_LANES     1
#define CHAIN_STEP      poise__chain_step_scalar
#define CHAIN_REST      poise__chain_rest_scalar
#define CHAIN_REST_MOST CHAIN_MOST_DOF
#define CHAIN_ANGLES    poise__chain_angles_scalar

#include "lane_rest.h"
#include "lane_track.h"

void poise__chain_angles_scalar(const double* sines, const double* cosines, int count,
                                double* angles) {
    for (int i = 0; i < count; i++) {
        angles[i] = v_atan2(sines[i], cosines[i]);
    }
}
