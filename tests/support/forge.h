// SPDX-License-Identifier: MIT
// Forged snapshots: one number is replaced and the checksums are corrected. A reader must refuse or
// survive them.
#ifndef POISE_TEST_FORGE_H
#define POISE_TEST_FORGE_H

#include <stddef.h>
#include <stdint.h>

/// Number of different values of forge_put.
enum { FORGE_VALUES = 10 };

/// Replaces the four or eight bytes at `at` by forged number `value`, up to the end of the memory.
void forge_put(unsigned char* memory, size_t size, size_t at, int value);

/// Corrects the checksums of all snapshots in the memory, nested ones first. A snapshot begins with
/// three words: the first word of its kind, its size, and the checksum of the rest (FNV-1a by
/// words). `starts` are the first words of the kinds.
void forge_mend(unsigned char* memory, size_t size, const uint64_t* starts, int count);

/// Returns the first word of a snapshot.
uint64_t forge_start(const void* memory);

#endif
