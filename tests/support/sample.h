// SPDX-License-Identifier: MIT
// Long tests: a sample of their cases in each run, all of them in tests/nightly.
#ifndef POISE_TEST_SAMPLE_H
#define POISE_TEST_SAMPLE_H

#include <stdlib.h>

/// How many cases to try: `sample`, or `whole` where the environment has POISE_WHOLE.
static inline int sample_of(int sample, int whole) {
    return getenv("POISE_WHOLE") ? whole : sample;
}

#endif
