// SPDX-License-Identifier: MIT
// Snapshots with one number forged and their checksums mended: what a reader must refuse or
// survive.
#ifndef POISE_TEST_FORGE_H
#define POISE_TEST_FORGE_H

#include <stddef.h>
#include <stdint.h>

/// How many different numbers forge_put knows.
enum { FORGE_VALUES = 10 };

/// Puts forged number `value` in place of the four or eight bytes at `at`, as far as they lie in
/// the memory.
void forge_put(unsigned char* memory, size_t size, size_t at, int value);

/// Mends the checksum of each snapshot that lies in the memory, those inside others first. A
/// snapshot begins with three words: what its kind always begins with, its size, and the sum of
/// what follows (FNV-1a by words). `starts` are the first words of the kinds.
void forge_mend(unsigned char* memory, size_t size, const uint64_t* starts, int count);

/// The first word of a snapshot.
uint64_t forge_start(const void* memory);

#endif
