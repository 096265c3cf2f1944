// SPDX-License-Identifier: MIT
// The lane headers for one lane in plain C, for any processor.
#define CHAIN_LANES     1
#define CHAIN_KERNEL    poise__chain_scalar
#define CHAIN_STEP      poise__chain_step_scalar
#define CHAIN_REST      poise__chain_rest_scalar
#define CHAIN_REST_MOST POISE_CHAIN_MAX_DOF
#define CHAIN_ANGLES    poise__chain_angles_scalar

#include "lane_rest.h"
#include "lane_track.h"

#include "lane_search.h"

void poise__chain_angles_scalar(const double* sines, const double* cosines, int count,
                                double* angles) {
    for (int i = 0; i < count; i++) {
        angles[i] = v_atan2(sines[i], cosines[i]);
    }
}
