// SPDX-License-Identifier: MIT
// Writes and checks the head of a saved state (shared/saved.h).
#include "shared/saved.h"

#include <string.h>

static const uint64_t FNV_BASIS = 0xcbf29ce484222325;
static const uint64_t FNV_PRIME = 0x100000001b3;

// offset of the first byte that the checksum covers
static const size_t SUMMED = offsetof(PoiseSavedHead, version);

static uint64_t sum_of(const void* memory, size_t size) {
    uint64_t sum = FNV_BASIS;
    for (size_t i = SUMMED; i + sizeof sum <= size; i += sizeof sum) {
        uint64_t word;
        memcpy(&word, (const char*)memory + i, sizeof word);
        sum = (sum ^ word) * FNV_PRIME;
    }
    return sum;
}

PoiseStatus poise_saved_seal(const PoiseSavedHead* head, void* memory, size_t size) {
    if (!head || !memory || size < sizeof *head || size % sizeof head->sum != 0) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseSavedHead sealed = *head;
    sealed.size = size;
    memcpy(memory, &sealed, sizeof sealed);
    sealed.sum = sum_of(memory, size);
    memcpy(memory, &sealed, sizeof sealed);
    return POISE_OK;
}

const char* poise_saved_problem(const PoiseSavedHead* own, const void* memory, size_t size,
                                PoiseSavedHead* found) {
    if (!own || !memory || !found || size < sizeof *found) {
        return "the memory is NULL or too small to hold a saved state";
    }
    memcpy(found, memory, sizeof *found);
    if (found->kind != own->kind) {
        return "the memory was not filled with a state of this kind";
    }
    if (found->size > size || found->size < sizeof *found ||
        found->sum != sum_of(memory, (size_t)found->size)) {
        return "the state is damaged or cut short";
    }
    if (found->version != own->version || found->layout != own->layout) {
        return "the state was saved by another build of the library";
    }
    return NULL;
}
