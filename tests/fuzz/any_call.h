// SPDX-License-Identifier: MIT
// Calls any public function that returns a status and takes only objects, handles, numbers and
// arrays of numbers. The functions are those of the tables that tests/api/calls.awk makes.
#ifndef POISE_FUZZ_ANY_CALL_H
#define POISE_FUZZ_ANY_CALL_H

#include "input.h"

/// The values of one type from which calls get their arguments.
typedef struct Supply {
    const char* type; ///< the type as in the headers, without const
    const void* values;
    size_t size; ///< size of a value, bytes
    int count;
} Supply;

/// Calls a function, which the input chooses, with arguments from the supplies and the input.
void any_call(Input* input, const Supply* supplies, int count);

#endif
