// SPDX-License-Identifier: MIT
// Norms of vectors of numbers.
#ifndef POISE_TEST_SIZE_H
#define POISE_TEST_SIZE_H

#include <math.h>

static inline double norm(const double* v, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += v[i] * v[i];
    }
    return sqrt(sum);
}

static inline double largest_of(const double* v, int count) {
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, fabs(v[i]));
    }
    return largest;
}

#endif
