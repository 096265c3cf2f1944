// SPDX-License-Identifier: MIT
// Long tests. Each run tests a sample of their cases, a quarter of it under a sanitizer, which
// makes a case about five times as long. tests/nightly tests all cases.
#ifndef POISE_TEST_SAMPLE_H
#define POISE_TEST_SAMPLE_H

#include <stdlib.h>

#include "pace.h"

#if defined(POISE_TEST_WATCHED)
#define SAMPLE_PART 4
#else
#define SAMPLE_PART 1
#endif

/// Returns the number of cases: `sample`, or `whole` if POISE_WHOLE is set in the environment.
static inline int sample_of(int sample, int whole) {
    return getenv("POISE_WHOLE") ? whole : (sample + SAMPLE_PART - 1) / SAMPLE_PART;
}

/// Returns the number of random problems of a test.
static inline int sample_problems(void) {
    return sample_of(20000, 100000);
}

#endif
