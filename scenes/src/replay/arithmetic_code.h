// SPDX-License-Identifier: MIT
// An adaptive arithmetic code: the better a bit is predicted, the less space it takes. Each
// function writes its value or reads it, depending on the code, and returns it, so one function
// serves both directions.
#ifndef POISE_ARITHMETIC_CODE_H
#define POISE_ARITHMETIC_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "poise/base.h"

/// The probability that a bit is 1, learned from the bits before.
typedef struct BitModel {
    uint16_t one;  ///< probability that the next bit is 1, in units of 1/65536
    uint8_t count; ///< number of bits learned from, at most 255
} BitModel;

enum { NUMBER_LENGTHS = 64, NUMBER_PREFIXES = 16 };

/// Predicts a number by its length in bits and by its leading bits.
typedef struct NumberModel {
    BitModel longer[NUMBER_LENGTHS];
    BitModel leading[NUMBER_LENGTHS][NUMBER_PREFIXES];
} NumberModel;

typedef struct BitCode {
    bool writes;
    /// The bytes. A writer grows the array by memory of `host`.
    uint8_t* bytes;
    size_t size;
    size_t capacity;
    size_t at; ///< index of the next byte to read
    const PoiseHost* host;
    uint32_t low;
    uint32_t high;
    uint32_t value; ///< position within the interval, when reading
    /// True if memory was short, or if reading went past the end.
    bool failed;
} BitCode;

/// Returns a code that writes. The caller frees `bytes` by the host.
BitCode poise__bit_writer(const PoiseHost* host);
/// Returns a code that reads these bytes.
BitCode poise__bit_reader(const uint8_t* bytes, size_t size);
/// A writer writes the last bytes. A reader checks that all bytes were read.
void poise__bit_end(BitCode* code);

bool poise__bit(BitCode* code, BitModel* model, bool bit);
/// Codes a number from 0 to 2^63 - 1.
uint64_t poise__number(BitCode* code, NumberModel* model, uint64_t value);
/// Codes a number with a sign, of size below 2^62.
int64_t poise__signed(BitCode* code, NumberModel* model, int64_t value);
/// Codes all 64 bits of a number, without prediction.
double poise__plain(BitCode* code, double value);

#endif
