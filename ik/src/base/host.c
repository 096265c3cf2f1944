// SPDX-License-Identifier: MIT
// Allocates all memory of ik, by the host's hooks or by malloc and free.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

static void write_line(PoiseSeverity severity, const char* message, void* user) {
    static const char* const words[] = {"note", "warning", "error"};
    (void)user;
    fprintf(stderr, "poise: %s: %s\n", words[severity], message);
}

PoiseHost poise_host_stderr(void) {
    return (PoiseHost){.log = write_line};
}

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

// Returns count * size, or 0 on overflow.
static size_t size_of_array(size_t count, size_t size) {
    return size != 0 && count > SIZE_MAX / size ? 0 : count * size;
}

// Returns the pointer to the array's elements. memcpy reads it, because its type is unknown here.
static void* load(const Array* array) {
    void* data;
    memcpy(&data, array->pointer, sizeof data);
    return data;
}

static void store(const Array* array, void* data) {
    memcpy(array->pointer, &data, sizeof data);
}

// Returns the sum of the element sizes of all arrays, bytes.
static size_t elements_of(const Array* arrays, int count) {
    size_t sum = 0;
    for (int i = 0; i < count; i++) {
        sum += arrays[i].element;
    }
    return sum;
}

bool poise__arrays_grow(const PoiseHost* host, const Array* arrays, int count, int* capacity,
                        int needed) {
    if (needed <= *capacity) {
        return true;
    }
    // growth by at least a quarter makes the cost of many small growths linear
    int wanted = *capacity + *capacity / 4;
    wanted = wanted < needed ? needed : wanted;
    const size_t elements = elements_of(arrays, count);
    const size_t size = size_of_array((size_t)wanted, elements);
    char* grown = (char*)poise_host_allocate(host, size);
    if (!grown) {
        return false;
    }
    memset(grown, 0, size);
    void* old = load(&arrays[0]);
    for (int i = 0; i < count; i++) {
        const size_t old_size = (size_t)*capacity * arrays[i].element;
        if (old_size > 0) {
            memcpy(grown, load(&arrays[i]), old_size);
        }
        store(&arrays[i], grown);
        grown += (size_t)wanted * arrays[i].element;
    }
    poise_host_release(host, old, (size_t)*capacity * elements);
    *capacity = wanted;
    return true;
}

void poise__arrays_finish(const PoiseHost* host, const Array* arrays, int count, int* capacity) {
    poise_host_release(host, load(&arrays[0]), (size_t)*capacity * elements_of(arrays, count));
    for (int i = 0; i < count; i++) {
        store(&arrays[i], NULL);
    }
    *capacity = 0;
}

// alignment of carved arrays, which contain numbers and pointers
enum { CARVE_ALIGNMENT = 8 };

void poise__carve_over(Carver* carver, size_t size) {
    carver->used += (size + CARVE_ALIGNMENT - 1) / CARVE_ALIGNMENT * CARVE_ALIGNMENT;
}

void* poise__carve(Carver* carver, size_t count, size_t size) {
    void* part = carver->base ? carver->base + carver->used : NULL;
    poise__carve_over(carver, count * size);
    return part;
}
