// SPDX-License-Identifier: MIT
// Times of benchmarks.
#ifndef POISE_TEST_TIMES_H
#define POISE_TEST_TIMES_H

#include <time.h>

/// Returns the time of a clock, us.
static inline double time_us(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

/// Orders doubles by their size, for qsort.
static inline int by_size(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

#endif
