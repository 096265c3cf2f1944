// SPDX-License-Identifier: MIT
// Long tests: a sample of their cases in each run, a quarter of it where a sanitizer makes each
// case some five times as long, all of them in tests/nightly.
#ifndef POISE_TEST_SAMPLE_H
#define POISE_TEST_SAMPLE_H

#include <stdlib.h>

#include "pace.h"

#if defined(POISE_TEST_WATCHED)
#define SAMPLE_PART 4
#else
#define SAMPLE_PART 1
#endif

/// How many cases to try: `sample`, or `whole` where the environment has POISE_WHOLE.
static inline int sample_of(int sample, int whole) {
    return getenv("POISE_WHOLE") ? whole : (sample + SAMPLE_PART - 1) / SAMPLE_PART;
}

#endif
