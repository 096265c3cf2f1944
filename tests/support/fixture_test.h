// SPDX-License-Identifier: MIT
// A test that begins by making something and ends by putting it away, as others do.
#ifndef POISE_TEST_FIXTURE_TEST_H
#define POISE_TEST_FIXTURE_TEST_H

#include <criterion/criterion.h>

/// The body that follows is a function with these parameters. It gets the arguments `given`, which
/// `make` made; `finish` runs after it.
#define FIXTURE_TEST(suite, name, parameters, make, given, finish)                                 \
    static void suite##_##name parameters;                                                         \
    Test(suite, name) {                                                                            \
        make;                                                                                      \
        suite##_##name given;                                                                      \
        finish;                                                                                    \
    }                                                                                              \
    static void suite##_##name parameters

#endif
