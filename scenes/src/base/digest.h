// SPDX-License-Identifier: MIT
// BLAKE2b with 32 bytes (RFC 7693). No two texts with the same digest are known. poise__hash is
// faster, but only detects accidental changes.
#ifndef POISE_DIGEST_H
#define POISE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { DIGEST_SIZE = 32, DIGEST_BLOCK = 128 };

typedef struct Digest {
    uint64_t state[8];
    uint64_t size; ///< bytes hashed so far, without those of the block
    size_t used;   ///< bytes of the block that are filled
    unsigned char block[DIGEST_BLOCK];
} Digest;

void poise__digest_begin(Digest* digest);
void poise__digest_add(Digest* digest, const void* bytes, size_t size);
/// Adds the rest of a stream; false if it cannot be read.
bool poise__digest_add_file(Digest* digest, FILE* stream);
void poise__digest_end(Digest* digest, unsigned char result[DIGEST_SIZE]);
/// Computes the digest of the stream's bytes and rewinds the stream. NULL has the digest of 0
/// bytes.
void poise__digest_file(FILE* stream, unsigned char result[DIGEST_SIZE]);

#endif
