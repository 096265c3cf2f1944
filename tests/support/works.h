// SPDX-License-Identifier: MIT
// What is done with the result of a call that a test makes on the way: it must have worked, or
// must have given something, or any outcome is right. Ends the program where that is not so, in
// programs without Criterion too.
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

/// A status that is no error.
#define WORKS(call) works_or_ends((call) >= 0, #call, __FILE__, __LINE__)
/// A count that is not 0, a pointer that is not NULL, true.
#define GETS(call) works_or_ends((call) ? 1 : 0, #call, __FILE__, __LINE__)
/// Whatever comes of it: the test is about what holds afterwards.
#define MAY_FAIL(call) ((void)(call))

#endif
