// SPDX-License-Identifier: MIT
// The lane headers for four lanes.
#define CHAIN_LANES     4
#define CHAIN_KERNEL    poise__chain_avx2
#define CHAIN_REST      poise__chain_rest_avx2
#define CHAIN_REST_MOST CHAIN_REST_MOST_DOF
#define CHAIN_STEP      poise__chain_step_packed
#define CHAIN_ANGLES    poise__chain_angles_avx2

#include "lane_rest.h"
#include "lane_search.h"

// Sines, cosines and angles of many joints, four at a time.
void poise__chain_sines_avx2(const double* angles, int count, double* sines, double* cosines) {
    for (int i = 0; i < count; i += CHAIN_LANES) {
        V s;
        V c;
        v_sine_cosine(v_load(&angles[i]), &s, &c);
        v_store(&sines[i], s);
        v_store(&cosines[i], c);
    }
}

void poise__chain_angles_avx2(const double* sines, const double* cosines, int count,
                              double* angles) {
    for (int i = 0; i < count; i += CHAIN_LANES) {
        v_store(&angles[i], v_atan2(v_load(&sines[i]), v_load(&cosines[i])));
    }
}
