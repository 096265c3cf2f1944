// SPDX-License-Identifier: MIT
#include "kept.h"

#include <criterion/criterion.h>
#include <stdlib.h>

typedef struct Kept {
    struct Kept* before;
    void* object;
    void (*destroy)(void* object);
} Kept;

static Kept* last;

static void destroy_all(void) {
    while (last) {
        Kept* one = last;
        last = one->before;
        one->destroy(one->object);
        free(one);
    }
}

void* kept(void* object, void (*destroy)(void* object)) {
    Kept* one = malloc(sizeof *one);
    cr_assert(one && (last || atexit(destroy_all) == 0));
    *one = (Kept){last, object, destroy};
    last = one;
    return object;
}
