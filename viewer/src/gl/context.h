// SPDX-License-Identifier: MIT
// An OpenGL context without a window or a display. EGL makes it without a surface, or with a small
// off-screen one.
#ifndef POISE_CONTEXT_H
#define POISE_CONTEXT_H

#include "note.h"

typedef struct PoiseContext PoiseContext;

/// Makes a context and makes it current. Returns NULL, with a note on what to install, if EGL
/// cannot make one.
PoiseContext* poise__context_create(PoiseNote* note);
/// Destroys the context. NULL is allowed.
void poise__context_destroy(PoiseContext* context);

#endif
