// SPDX-License-Identifier: MIT
// OpenGL without a window or a display: EGL on no surface at all, or on a small off-screen one.
#ifndef POISE_CONTEXT_H
#define POISE_CONTEXT_H

#include "note.h"

typedef struct PoiseContext PoiseContext;

/// Makes a context and makes it current. NULL, and what to install, when there is none to be had.
PoiseContext* poise__context_create(PoiseNote* note);
/// NULL is allowed.
void poise__context_destroy(PoiseContext* context);

#endif
