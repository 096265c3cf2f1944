// SPDX-License-Identifier: MIT
// The state of a script at one line, and the functions by which commands run.
#ifndef POISE_RUNNER_H
#define POISE_RUNNER_H

#include "host.h"

enum { POISE_SCRIPT_WORDS = 32, POISE_SCRIPT_LINE = 512 };

typedef struct PoiseRunner {
    PoiseApp* app;
    const PoiseScriptHost* host;
    /// The line, cut into words; `words` points to them.
    char line[POISE_SCRIPT_LINE];
    char* words[POISE_SCRIPT_WORDS];
    int count;
    /// True if the drag of this line leaves its button pressed.
    bool holds;
    PoiseNote* note;
} PoiseRunner;

/// Runs a frame of the app of `seconds` s. Returns false, with the reason in the note, if the
/// script must end.
bool poise__script_frame(PoiseRunner* runner, double seconds);
/// Reads word `index` as a number, with or without this unit. Returns false, with a note, if it is
/// not a number.
bool poise__script_number(PoiseRunner* runner, int index, const char* unit, double* value);
/// Reads word `index` as a time, s, from 0 to a day. Returns false, with a note, for other words.
bool poise__script_seconds(PoiseRunner* runner, int index, double* seconds);

#endif
