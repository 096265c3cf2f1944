// SPDX-License-Identifier: MIT
#include "note.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool poise__note_fail(PoiseNote* note, const char* format, ...) {
    if (note) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(note->text, sizeof note->text, format, arguments);
        va_end(arguments);
    }
    return false;
}

bool poise__note_print(const PoiseNote* note) {
    fprintf(stderr, "poise-view: %s\n", note->text);
    const char* refused = strerror(ENOMEM);
    const size_t length = strlen(note->text), end = strlen(refused);
    return strstr(note->text, "out of memory") || strstr(note->text, "memory is short") ||
           (length >= end && strcmp(note->text + length - end, refused) == 0);
}
