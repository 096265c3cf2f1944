// SPDX-License-Identifier: MIT
// Numbers as files write them, and pi.
#ifndef POISE_NUMBER_H
#define POISE_NUMBER_H

#include <stdbool.h>

#define PI 3.14159265358979323846

typedef enum NumberKind {
    NUMBER_FINE,
    NUMBER_INFINITE, ///< inf, +inf, -inf, .inf: written as a word
    NUMBER_NAN,
    NUMBER_TOO_LARGE, ///< 1e999
    NUMBER_NONE       ///< anything else, hexadecimal and octal forms included
} NumberKind;

/// Reads a decimal number that is the whole text, spaces around it allowed. `value` gets the number
/// (FINE) or the infinity (INFINITE), else 0.
NumberKind poise__number_parse(const char* text, double* value);

/// Reads `count` numbers with spaces or commas between them. Returns how many there were; more than
/// `count` are counted, but not kept. `kind` gets the worst of their kinds.
int poise__number_list(const char* text, double* values, int count, NumberKind* kind);

#endif
