// SPDX-License-Identifier: MIT
// What went wrong, or what there is to say: one text, handed up to whoever talks to the person.
#ifndef POISE_NOTE_H
#define POISE_NOTE_H

#include "poise/base.h"

enum { POISE_NOTE_CAPACITY = 1024 };

typedef struct PoiseNote {
    char text[POISE_NOTE_CAPACITY];
} PoiseNote;

/// Replaces the text; NULL is allowed. Always returns false, so that a failing function can end
/// with `return poise__note_fail(note, "...")`.
bool poise__note_fail(PoiseNote* note, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
