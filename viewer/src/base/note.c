// SPDX-License-Identifier: MIT
#include "note.h"

#include <stdarg.h>
#include <stdio.h>

bool poise__note_fail(PoiseNote* note, const char* format, ...) {
    if (note) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(note->text, sizeof note->text, format, arguments);
        va_end(arguments);
    }
    return false;
}
