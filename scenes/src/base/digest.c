// SPDX-License-Identifier: MIT
#include "digest.h"

#include <string.h>

static const uint64_t begin[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                  0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                  0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

// Order of the words of a block in each round; rounds 10 and 11 repeat rounds 0 and 1.
static const unsigned char order[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                            {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                            {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                            {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                            {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                            {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                            {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                            {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                            {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                            {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

static uint64_t turn(uint64_t word, int bits) {
    return word >> bits | word << (64 - bits);
}

// Mixes two words of a block into four words of the state.
static void mix(uint64_t* v, const unsigned char at[4], uint64_t x, uint64_t y) {
    uint64_t a = v[at[0]], b = v[at[1]], c = v[at[2]], d = v[at[3]];
    a += b + x;
    d = turn(d ^ a, 32);
    c += d;
    b = turn(b ^ c, 24);
    a += b + y;
    d = turn(d ^ a, 16);
    c += d;
    b = turn(b ^ c, 63);
    v[at[0]] = a;
    v[at[1]] = b;
    v[at[2]] = c;
    v[at[3]] = d;
}

static void hash_block(Digest* digest, const unsigned char* block, size_t used, bool last) {
    // Words of the state that are mixed: the columns of its 4 x 4 matrix, then the diagonals.
    static const unsigned char at[8][4] = {{0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14},
                                           {3, 7, 11, 15}, {0, 5, 10, 15}, {1, 6, 11, 12},
                                           {2, 7, 8, 13},  {3, 4, 9, 14}};
    uint64_t v[16], words[16];
    digest->size += used;
    for (int i = 0; i < 16; i++) {
        words[i] = 0;
        for (int k = 7; k >= 0; k--) {
            words[i] = words[i] << 8 | block[8 * i + k];
        }
        v[i] = i < 8 ? digest->state[i] : begin[i - 8];
    }
    v[12] ^= digest->size;
    v[14] ^= last ? ~(uint64_t)0 : 0;
    for (int round = 0; round < 12; round++) {
        const unsigned char* own = order[round % 10];
        for (int i = 0; i < 8; i++) {
            mix(v, at[i], words[own[2 * i]], words[own[2 * i + 1]]);
        }
    }
    for (int i = 0; i < 8; i++) {
        digest->state[i] ^= v[i] ^ v[i + 8];
    }
}

void poise__digest_begin(Digest* digest) {
    memset(digest, 0, sizeof *digest);
    memcpy(digest->state, begin, sizeof begin);
    digest->state[0] ^= 0x01010000 ^ DIGEST_SIZE;
}

void poise__digest_add(Digest* digest, const void* bytes, size_t size) {
    const unsigned char* rest = bytes;
    while (size > 0) {
        // A full block is hashed when more bytes follow, since the last block is hashed
        // differently.
        if (digest->used == DIGEST_BLOCK) {
            hash_block(digest, digest->block, DIGEST_BLOCK, false);
            digest->used = 0;
        }
        const size_t room = DIGEST_BLOCK - digest->used;
        const size_t part = size < room ? size : room;
        memcpy(digest->block + digest->used, rest, part);
        digest->used += part;
        rest += part;
        size -= part;
    }
}

void poise__digest_end(Digest* digest, unsigned char result[DIGEST_SIZE]) {
    memset(digest->block + digest->used, 0, DIGEST_BLOCK - digest->used);
    hash_block(digest, digest->block, digest->used, true);
    for (int i = 0; i < DIGEST_SIZE; i++) {
        result[i] = (unsigned char)(digest->state[i / 8] >> 8 * (i % 8));
    }
}

bool poise__digest_add_file(Digest* digest, FILE* stream) {
    char bytes[65536];
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, stream)) > 0;) {
        poise__digest_add(digest, bytes, got);
    }
    return !ferror(stream);
}

void poise__digest_file(FILE* stream, unsigned char result[DIGEST_SIZE]) {
    Digest digest;
    poise__digest_begin(&digest);
    if (stream && poise__digest_add_file(&digest, stream)) {
        rewind(stream);
    }
    poise__digest_end(&digest, result);
}
