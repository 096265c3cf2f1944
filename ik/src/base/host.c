// SPDX-License-Identifier: MIT
// All memory of ik goes through here: the host's hooks, or malloc and free.
#include <stdlib.h>
#include <string.h>

#include "base.h"

void* poise_host_allocate(const PoiseHost* host, size_t size) {
    if (size == 0) {
        return NULL;
    }
    return host->allocate ? host->allocate(size, _Alignof(max_align_t), host->user) : malloc(size);
}

void poise_host_release(const PoiseHost* host, void* memory, size_t size) {
    if (!memory) {
        return;
    }
    if (host->release) {
        host->release(memory, size, host->user);
    } else {
        free(memory);
    }
}

size_t poise__array_size(size_t count, size_t size) {
    return size != 0 && count > SIZE_MAX / size ? 0 : count * size;
}

// the pointer an Array names; copied, since its type is known to the owner alone
static void* load(const Array* array) {
    void* data;
    memcpy(&data, array->pointer, sizeof data);
    return data;
}

static void store(const Array* array, void* data) {
    memcpy(array->pointer, &data, sizeof data);
}

bool poise__arrays_grow(const PoiseHost* host, const Array* arrays, int count, int* capacity,
                        int needed) {
    enum { MOST_ARRAYS = 8 };
    POISE_ASSERT(count <= MOST_ARRAYS);
    if (needed <= *capacity) {
        return true;
    }
    // by half again: the cost of many small growths stays linear
    int wanted = *capacity + *capacity / 2;
    wanted = wanted < needed ? needed : wanted;
    void* grown[MOST_ARRAYS] = {NULL};
    int made = 0;
    while (made < count) {
        grown[made] =
            poise_host_allocate(host, poise__array_size((size_t)wanted, arrays[made].element));
        if (!grown[made]) {
            break;
        }
        made++;
    }
    for (int i = 0; i < made; i++) {
        size_t old_size = (size_t)*capacity * arrays[i].element;
        size_t size = (size_t)wanted * arrays[i].element;
        if (made < count) {
            poise_host_release(host, grown[i], size);
            continue;
        }
        memset(grown[i], 0, size);
        if (old_size > 0) {
            memcpy(grown[i], load(&arrays[i]), old_size);
        }
        poise_host_release(host, load(&arrays[i]), old_size);
        store(&arrays[i], grown[i]);
    }
    if (made < count) {
        return false;
    }
    *capacity = wanted;
    return true;
}

void poise__arrays_finish(const PoiseHost* host, const Array* arrays, int count, int* capacity) {
    for (int i = 0; i < count; i++) {
        poise_host_release(host, load(&arrays[i]), (size_t)*capacity * arrays[i].element);
        store(&arrays[i], NULL);
    }
    *capacity = 0;
}

enum { CARVE_ALIGNMENT = 16 };

void* poise__carve(Carver* carver, size_t count, size_t size) {
    void* part = carver->base ? carver->base + carver->used : NULL;
    size_t bytes = count * size;
    carver->used += (bytes + CARVE_ALIGNMENT - 1) / CARVE_ALIGNMENT * CARVE_ALIGNMENT;
    return part;
}
