// SPDX-License-Identifier: MIT
#include "runner.h"

#include <stdlib.h>
#include <string.h>

bool poise__script_frame(PoiseRunner* runner, double seconds) {
    return runner->host->frame(runner->host->user, seconds, runner->note);
}

static bool read_number(const char* text, const char* unit, double* value) {
    char* end = NULL;
    *value = strtod(text, &end);
    return end != text && isfinite(*value) && (*end == '\0' || strcmp(end, unit) == 0);
}

bool poise__script_number(PoiseRunner* runner, int index, const char* unit, double* value) {
    return (index < runner->count && read_number(runner->words[index], unit, value)) ||
           poise__note_fail(runner->note, "word %d should be a number", index + 1);
}
