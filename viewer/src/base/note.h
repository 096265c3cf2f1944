// SPDX-License-Identifier: MIT
// A text for the person, an error or a message, which a function returns to its caller.
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
/// Prints the text on stderr as a message of the program. Returns true if the text says that memory
/// ran out.
bool poise__note_print(const PoiseNote* note);

#endif
