// SPDX-License-Identifier: MIT
// Prints why the program fails, and chooses its exit code.
#include <errno.h>
#include <string.h>

#include "shell.h"

int poise__view_fail(const PoiseNote* note, int code) {
    fprintf(stderr, "poise-view: %s\n", note->text);
    const char* refused = strerror(ENOMEM);
    const size_t length = strlen(note->text), end = strlen(refused);
    const bool no_memory = strstr(note->text, "out of memory") ||
                           (length >= end && strcmp(note->text + length - end, refused) == 0);
    return no_memory ? POISE_EXIT_SCENE : code;
}
