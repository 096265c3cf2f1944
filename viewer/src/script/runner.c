// SPDX-License-Identifier: MIT
#include "runner.h"

#include <stdlib.h>
#include <string.h>

// Longest time for which a line of a script may wait or run, s: a day.
#define MAX_SECONDS 86400.0

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

bool poise__script_seconds(PoiseRunner* runner, int index, double* seconds) {
    return poise__script_number(runner, index, "s", seconds) &&
           ((*seconds >= 0.0 && *seconds <= MAX_SECONDS) ||
            poise__note_fail(runner->note, "word %d is %g s; a script waits for 0 to %g s (a day)",
                             index + 1, *seconds, MAX_SECONDS));
}
