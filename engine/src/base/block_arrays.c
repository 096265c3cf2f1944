// SPDX-License-Identifier: MIT
#include "block_arrays.h"

#include <string.h>

void* poise__carve_from(char* base, size_t* used, size_t count, size_t element) {
    const size_t align = sizeof(double);
    size_t at = (*used + align - 1) / align * align;
    *used = at + count * element;
    return base ? base + at : NULL;
}

bool poise__arrays_open(Arrays* arrays, const PoiseHost* host, const BlockArray* list,
                        size_t count) {
    *arrays = (Arrays){.host = host};
    for (int pass = 0; pass < 2; pass++) {
        size_t used = 0;
        for (size_t i = 0; i < count; i++) {
            void* at =
                poise__carve_from((char*)arrays->memory, &used, list[i].count, list[i].element);
            memcpy(list[i].pointer, &at, sizeof at);
        }
        if (pass == 0) {
            arrays->memory = poise_host_allocate(host, used);
            arrays->size = used;
            if (!arrays->memory) {
                return false;
            }
            memset(arrays->memory, 0, used);
        }
    }
    return true;
}

void poise__arrays_close(Arrays* arrays) {
    if (arrays->memory) {
        poise_host_release(arrays->host, arrays->memory, arrays->size);
        arrays->memory = NULL;
    }
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
