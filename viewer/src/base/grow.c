// SPDX-License-Identifier: MIT
#include "grow.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 64 };

bool poise__array_grow(void* array, int count, int* capacity, size_t size) {
    void** elements = array;
    if (count == *capacity) {
        const int larger = *capacity > 0 ? 2 * *capacity : FIRST_CAPACITY;
        void* moved = realloc(*elements, (size_t)larger * size + 1);
        if (!moved) {
            return false;
        }
        *elements = moved;
        *capacity = larger;
    }
    return true;
}
