// SPDX-License-Identifier: MIT
#include "block_arrays.h"

void* poise__carve_from(char* base, size_t* used, size_t count, size_t element) {
    const size_t align = sizeof(double);
    size_t at = (*used + align - 1) / align * align;
    *used = at + count * element;
    return base ? base + at : NULL;
}
