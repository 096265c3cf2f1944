// SPDX-License-Identifier: MIT
// Writes a replay as YAML, with its bytes as base64 text.
#include <inttypes.h>
#include <string.h>

#include "replay_text.h"

const char POISE_BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

uint32_t poise__replay_sum(const uint8_t* bytes, size_t size) {
    uint32_t sum = UINT32_C(2166136261);
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ bytes[i]) * UINT32_C(16777619);
    }
    return sum;
}

/// Prints bits as base64, six to a letter. The lowest `count` bits of `bits` are not printed yet.
typedef struct Letters {
    FILE* out;
    uint32_t bits;
    int count;
} Letters;

static void put_byte(Letters* letters, uint8_t byte) {
    letters->bits = (letters->bits << 8) | byte;
    letters->count += 8;
    while (letters->count >= 6) {
        letters->count -= 6;
        fputc(POISE_BASE64[(letters->bits >> letters->count) & 63], letters->out);
    }
}

static void print_bytes(const char* key, const uint8_t* bytes, size_t size, FILE* out) {
    Letters letters = {.out = out};
    const uint32_t sum = poise__replay_sum(bytes, size);
    fprintf(out, "  %s: \"", key);
    for (size_t i = 0; i < size; i++) {
        put_byte(&letters, bytes[i]);
    }
    for (int i = 0; i < 4; i++) {
        put_byte(&letters, (uint8_t)(sum >> (8 * i)));
    }
    if (letters.count > 0) {
        fputc(POISE_BASE64[(letters.bits << (6 - letters.count)) & 63], letters.out);
    }
    fputs("\"\n", out);
}

/// Prints a text as a quoted YAML scalar.
static void print_text(const char* text, FILE* out) {
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

static PoiseStatus print_inputs(const PoiseReplay* replay, FILE* out) {
    const PoiseHost host = {.allocate = NULL};
    const size_t count = (size_t)replay->input_count;
    PoiseReplayInput* inputs = poise_host_allocate(&host, (count + 1) * sizeof *inputs);
    BitCode code = poise__bit_writer(&host);
    PoiseStatus status = POISE_ERROR_OUT_OF_MEMORY;
    if (inputs) {
        if (count > 0) {
            memcpy(inputs, replay->inputs, count * sizeof *inputs);
        }
        status = poise__replay_pack(&code, inputs, replay->input_count, &host);
    }
    if (status == POISE_OK) {
        print_bytes("input", code.bytes, code.size, out);
    }
    poise_host_release(&host, code.bytes, code.capacity);
    poise_host_release(&host, inputs, (count + 1) * sizeof *inputs);
    return status;
}

static PoiseStatus print_marks(const PoiseReplay* replay, FILE* out) {
    const PoiseHost host = {.allocate = NULL};
    const size_t size = 2 * (size_t)replay->mark_count;
    uint8_t* bytes = poise_host_allocate(&host, size + 1);
    if (!bytes) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < replay->mark_count; i++) {
        bytes[2 * i] = (uint8_t)replay->marks[i];
        bytes[2 * i + 1] = (uint8_t)(replay->marks[i] >> 8);
    }
    print_bytes("states", bytes, size, out);
    poise_host_release(&host, bytes, size + 1);
    return POISE_OK;
}

bool poise__replay_is_complete(const PoiseReplay* replay) {
    return replay && replay->scene && replay->steps >= 0 && replay->override_count >= 0 &&
           (replay->overrides || replay->override_count == 0) && replay->input_count >= 0 &&
           (replay->inputs || replay->input_count == 0) && replay->mark_count >= 0 &&
           (replay->marks || replay->mark_count == 0);
}

PoiseStatus poise_replay_print(const PoiseReplay* replay, FILE* out) {
    if (!poise__replay_is_complete(replay) || !out) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const PoiseVersion version = poise_version();
    fprintf(out, "replay:\n  poise: %d.%d.%d\n  scene: ", version.major, version.minor,
            version.patch);
    print_text(replay->scene, out);
    fprintf(out, "\n  scene_hash: \"%016" PRIx64 "\"\n", replay->scene_hash);
    if (replay->override_count > 0) {
        fputs("  set:\n", out);
    }
    for (int i = 0; i < replay->override_count; i++) {
        fputs("    - ", out);
        print_text(replay->overrides[i], out);
        fputc('\n', out);
    }
    fprintf(out, "  steps: %ld\n  changes: %d\n", replay->steps, replay->input_count);
    PoiseStatus status = print_inputs(replay, out);
    status = status == POISE_OK ? print_marks(replay, out) : status;
    fprintf(out, "  end: \"%016" PRIx64 "\"\n", replay->state_hash);
    return status;
}
