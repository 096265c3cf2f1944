// SPDX-License-Identifier: MIT
// Computes sines, cosines and angles of many joints, four at a time in AVX2 vectors.
#define CHAIN_LANES 4

#include "lane_kinematics.h"

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
