// SPDX-License-Identifier: MIT
// Macros for calls on which a test depends but which it does not test. They end the program if the
// call fails, in programs without Criterion too.
#ifndef POISE_TEST_WORKS_H
#define POISE_TEST_WORKS_H

#include <stdio.h>
#include <stdlib.h>

static inline void works_or_ends(int fine, const char* call, const char* file, int line) {
    if (!fine) {
        fprintf(stderr, "%s:%d: on the way to the test, this failed: %s\n", file, line, call);
        abort();
    }
}

/// The status must not be an error.
#define WORKS(call) works_or_ends((call) >= 0, #call, __FILE__, __LINE__)
/// The result must be true, not 0 and not NULL.
#define GETS(call) works_or_ends((call) ? 1 : 0, #call, __FILE__, __LINE__)
/// Any result is right: the test checks the state afterwards.
#define MAY_FAIL(call) ((void)(call))

#endif
