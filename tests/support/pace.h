// SPDX-License-Identifier: MIT
// Defines POISE_TEST_WATCHED if a sanitizer is active, which makes each test slow.
#ifndef POISE_TEST_PACE_H
#define POISE_TEST_PACE_H

#if defined(__SANITIZE_ADDRESS__)
#define POISE_TEST_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define POISE_TEST_WATCHED 1
#endif
#endif

#endif
