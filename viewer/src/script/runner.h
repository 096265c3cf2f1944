// SPDX-License-Identifier: MIT
// The state of a script at one line, and the functions that lines use.
#ifndef POISE_RUNNER_H
#define POISE_RUNNER_H

#include "host.h"

enum { POISE_SCRIPT_WORDS = 32, POISE_SCRIPT_LINE = 512 };

typedef struct PoiseRunner {
    PoiseApp* app;
    const PoiseScriptHost* host;
    /// The line, cut into words; `words` points into it.
    char line[POISE_SCRIPT_LINE];
    char* words[POISE_SCRIPT_WORDS];
    int count;
    /// True if the drag of this line ends with its button pressed.
    bool holds;
    PoiseNote* note;
} PoiseRunner;

/// Runs a frame of the app, `seconds` long. Returns false, with the reason in the note, if the
/// script must stop.
bool poise__script_frame(PoiseRunner* runner, double seconds);
/// Reads the word at `index` as a number with or without this unit. Returns false, with a note, if
/// it is not a number.
bool poise__script_number(PoiseRunner* runner, int index, const char* unit, double* value);
/// Reads the word at `index` as a time, s, from 0 to a day. Returns false with a note otherwise.
bool poise__script_seconds(PoiseRunner* runner, int index, double* seconds);

#endif
