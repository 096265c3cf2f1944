// SPDX-License-Identifier: MIT
#include "block_arrays.h"

#include <string.h>

void* poise__carve_from(char* base, size_t* used, size_t count, size_t element) {
    const size_t align = sizeof(double);
    size_t at = (*used + align - 1) / align * align;
    *used = at + count * element;
    return base ? base + at : NULL;
}

bool poise__grow(const PoiseHost* host, void* pointer, int* capacity, int needed, size_t element) {
    if (needed <= *capacity) {
        return true;
    }
    const int more = *capacity + *capacity / 4;
    const int wanted = more < needed ? needed : more;
    void* grown = poise_host_allocate(host, (size_t)wanted * element);
    if (!grown) {
        return false;
    }
    void* old;
    memcpy(&old, pointer, sizeof old);
    memset(grown, 0, (size_t)wanted * element);
    if (old) {
        memcpy(grown, old, (size_t)*capacity * element);
    }
    poise_host_release(host, old, (size_t)*capacity * element);
    memcpy(pointer, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}
