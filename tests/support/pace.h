// SPDX-License-Identifier: MIT
// The number of random problems of a test: all, or a fixed part if a sanitizer makes each one slow.
#ifndef POISE_TEST_PACE_H
#define POISE_TEST_PACE_H

// a sanitizer is active
#if defined(__SANITIZE_ADDRESS__)
#define POISE_TEST_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define POISE_TEST_WATCHED 1
#endif
#endif
#if defined(POISE_TEST_WATCHED) && !defined(POISE_TEST_SLOW)
#define POISE_TEST_SLOW 1
#endif

#if defined(POISE_TEST_SLOW)
enum { PACE_PROBLEMS = 10000 };
#else
enum { PACE_PROBLEMS = 100000 };
#endif

#endif
