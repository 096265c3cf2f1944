// SPDX-License-Identifier: MIT
// The fuzzer's input, read byte by byte from its beginning. After its end the bytes are 0.
#ifndef POISE_FUZZ_INPUT_H
#define POISE_FUZZ_INPUT_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "poise/math.h"

typedef struct Input {
    const uint8_t* data;
    size_t size;
} Input;

static inline unsigned input_byte(Input* input) {
    if (input->size == 0) {
        return 0;
    }
    input->size--;
    return *input->data++;
}

/// Returns a number from -2 to 2, or a special one: 0, tiny, huge, infinite, NaN.
static inline double input_number(Input* input) {
    static const double odd[] = {0.0,   1.0,    -1.0,  0.3,      -0.7,      3.14159265358979,
                                 2.0,   1e-9,   -1e-3, 10.0,     1e6,       1e-300,
                                 1e300, -1e300, 0.01,  HUGE_VAL, -HUGE_VAL, (double)NAN};
    const unsigned which = input_byte(input);
    return which < 128 ? ((int)which - 64) / 32.0 : odd[which % (sizeof odd / sizeof *odd)];
}

static inline PoiseVec3 input_vec3(Input* input) {
    const double x = input_number(input), y = input_number(input), z = input_number(input);
    return poise_vec3(x, y, z);
}

#endif
