// SPDX-License-Identifier: MIT
// A page has no picture without its canvas: see window_web.c.
#include "context.h"

#include <stddef.h>

PoiseContext* poise__context_create(PoiseNote* note) {
    poise__note_fail(note, "a page draws in its canvas only");
    return NULL;
}

void poise__context_destroy(PoiseContext* context) {
    (void)context;
}
