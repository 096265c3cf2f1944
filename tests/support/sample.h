// SPDX-License-Identifier: MIT
// Long tests: a sample of their cases in each run, a quarter of it where a sanitizer makes each
// case some five times as long, all of them in tests/nightly.
#ifndef POISE_TEST_SAMPLE_H
#define POISE_TEST_SAMPLE_H

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define SAMPLE_PART 4
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SAMPLE_PART 4
#endif
#endif
#ifndef SAMPLE_PART
#define SAMPLE_PART 1
#endif

/// How many cases to try: `sample`, or `whole` where the environment has POISE_WHOLE.
static inline int sample_of(int sample, int whole) {
    return getenv("POISE_WHOLE") ? whole : (sample + SAMPLE_PART - 1) / SAMPLE_PART;
}

#endif
