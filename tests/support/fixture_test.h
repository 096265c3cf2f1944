// SPDX-License-Identifier: MIT
// Tests with a fixture: an object that is created before the body and destroyed after it.
#ifndef POISE_TEST_FIXTURE_TEST_H
#define POISE_TEST_FIXTURE_TEST_H

#include <criterion/criterion.h>

/// Defines a test. The body that follows is a function with these parameters and the arguments
/// `given`. `make` runs before it, `finish` after it.
#define FIXTURE_TEST(suite, name, parameters, make, given, finish)                                 \
    static void suite##_##name parameters;                                                         \
    Test(suite, name) {                                                                            \
        make;                                                                                      \
        suite##_##name given;                                                                      \
        finish;                                                                                    \
    }                                                                                              \
    static void suite##_##name parameters

#endif
