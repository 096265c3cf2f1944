// SPDX-License-Identifier: MIT
// Conditions that must hold for any input.
#ifndef POISE_FUZZ_DEMAND_H
#define POISE_FUZZ_DEMAND_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline void demand(bool holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "broken promise: %s\n", what);
        abort();
    }
}

#endif
