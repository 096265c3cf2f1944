// SPDX-License-Identifier: MIT
// A web page has no context without its canvas (window_web.c).
#include "context.h"

#include <stddef.h>

PoiseContext* poise__context_create(PoiseNote* note) {
    poise__note_fail(note, "a page draws in its canvas only");
    return NULL;
}

void poise__context_destroy(PoiseContext* context) {
    (void)context;
}
