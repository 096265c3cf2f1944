// SPDX-License-Identifier: MIT
#include "arithmetic_code.h"

#include <string.h>

// A new model, all zeros, predicts 1/2. While it has few bits it predicts their mean; later the
// prediction changes by 1/SLOWEST of each error.
enum { SLOWEST = 64, HALF = 0x8000 };

BitCode poise__bit_writer(const PoiseHost* host) {
    return (BitCode){.writes = true, .host = host, .high = UINT32_MAX};
}

static uint8_t next_byte(BitCode* code) {
    // The writer omits zero bytes at the end, so a reader may read up to 4 bytes more than were
    // written.
    if (code->at >= code->size + 4) {
        code->failed = true;
        return 0;
    }
    const uint8_t byte = code->at < code->size ? code->bytes[code->at] : 0;
    code->at++;
    return byte;
}

BitCode poise__bit_reader(const uint8_t* bytes, size_t size) {
    // `bytes` is a pointer to non-const memory for the writer's sake; a reader never writes to it.
    BitCode code = {.bytes = (uint8_t*)(uintptr_t)bytes, .size = size, .high = UINT32_MAX};
    for (int i = 0; i < 4; i++) {
        code.value = (code.value << 8) | next_byte(&code);
    }
    return code;
}

static void put_byte(BitCode* code, uint8_t byte) {
    if (code->size == code->capacity) {
        const size_t larger = code->capacity > 0 ? 2 * code->capacity : 256;
        uint8_t* moved = code->failed ? NULL : poise_host_allocate(code->host, larger);
        if (!moved) {
            code->failed = true;
            return;
        }
        if (code->size > 0) {
            memcpy(moved, code->bytes, code->size);
        }
        poise_host_release(code->host, code->bytes, code->capacity);
        code->bytes = moved;
        code->capacity = larger;
    }
    code->bytes[code->size++] = byte;
}

void poise__bit_end(BitCode* code) {
    if (!code->writes) {
        code->failed = code->failed || code->at < code->size;
        return;
    }
    // Writes the fewest bytes that identify the interval: the first bytes of its upper end.
    put_byte(code, (uint8_t)(code->high >> 24));
    if (((uint32_t)(code->high >> 24) << 24) < code->low) {
        put_byte(code, (uint8_t)(code->high >> 16));
        put_byte(code, (uint8_t)(code->high >> 8));
        put_byte(code, (uint8_t)code->high);
    }
}

bool poise__bit(BitCode* code, BitModel* model, bool bit) {
    const uint32_t one = model->count == 0 ? HALF : model->one;
    const uint32_t middle =
        code->low + (uint32_t)(((uint64_t)(code->high - code->low) * one) >> 16);
    if (!code->writes) {
        bit = code->value <= middle;
    }
    if (bit) {
        code->high = middle;
    } else {
        code->low = middle + 1;
    }
    const uint32_t part = 2u * model->count + 3;
    const uint32_t learned = bit ? one + 2 * (65535 - one) / part : one - 2 * one / part;
    // A probability of 0 or 1 would make a wrong prediction impossible to write.
    model->one = (uint16_t)(learned < 32 ? 32 : learned > 65503 ? 65503 : learned);
    if (model->count < SLOWEST) {
        model->count++;
    }
    while ((code->low ^ code->high) < (UINT32_C(1) << 24)) {
        if (code->writes) {
            put_byte(code, (uint8_t)(code->high >> 24));
        } else {
            code->value = (code->value << 8) | next_byte(code);
        }
        code->low <<= 8;
        code->high = (code->high << 8) | 255;
    }
    return bit;
}

static bool even_bit(BitCode* code, bool bit) {
    BitModel even = {.one = 0};
    return poise__bit(code, &even, bit);
}

uint64_t poise__number(BitCode* code, NumberModel* model, uint64_t value) {
    unsigned length = 0;
    while (length < NUMBER_LENGTHS - 1 &&
           poise__bit(code, &model->longer[length], value >> length != 0)) {
        length++;
    }
    if (length == 0) {
        return 0;
    }
    // Codes the bits after the first, which is always 1; only the leading bits are predicted.
    uint64_t number = 1;
    unsigned prefix = 1;
    for (unsigned i = length - 1; i-- > 0;) {
        const bool bit = (value >> i) & 1;
        bool known = false;
        if (prefix < NUMBER_PREFIXES) {
            known = poise__bit(code, &model->leading[length][prefix], bit);
            prefix = 2 * prefix + known;
        } else {
            known = even_bit(code, bit);
        }
        number = 2 * number + known;
    }
    return number;
}

int64_t poise__signed(BitCode* code, NumberModel* model, int64_t value) {
    const uint64_t folded = value < 0 ? 2 * (uint64_t)(-(value + 1)) + 1 : 2 * (uint64_t)value;
    const uint64_t number = poise__number(code, model, folded);
    return number & 1 ? -(int64_t)(number / 2) - 1 : (int64_t)(number / 2);
}

double poise__plain(BitCode* code, double value) {
    uint64_t bits = 0;
    uint64_t known = 0;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 63; i >= 0; i--) {
        known = 2 * known + even_bit(code, (bits >> i) & 1);
    }
    memcpy(&value, &known, sizeof value);
    return value;
}
