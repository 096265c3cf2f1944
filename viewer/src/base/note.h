// SPDX-License-Identifier: MIT
// A text for the person, an error or a message. A function returns it to its caller.
#ifndef POISE_NOTE_H
#define POISE_NOTE_H

#include "poise/base.h"

enum { POISE_NOTE_CAPACITY = 1024 };

typedef struct PoiseNote {
    char text[POISE_NOTE_CAPACITY];
} PoiseNote;

/// Replaces the text; NULL is allowed. Returns false always, so that a failing function can end
/// with `return poise__note_fail(note, "...")`.
bool poise__note_fail(PoiseNote* note, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
/// Prints the text on stderr, as the program's. True if it says that memory was short.
bool poise__note_print(const PoiseNote* note);

#endif
