// SPDX-License-Identifier: MIT
// A script under way: the line it is at, and what a line may ask for.
#ifndef POISE_RUNNER_H
#define POISE_RUNNER_H

#include "host.h"

enum { POISE_SCRIPT_WORDS = 16, POISE_SCRIPT_LINE = 512 };

typedef struct PoiseRunner {
    PoiseApp* app;
    const PoiseScriptHost* host;
    /// Cut into words, which point into it.
    char line[POISE_SCRIPT_LINE];
    char* words[POISE_SCRIPT_WORDS];
    int count;
    PoiseNote* note;
} PoiseRunner;

/// A frame of the app, `seconds` long; false, with the reason noted, when the script ends there.
bool poise__script_frame(PoiseRunner* runner, double seconds);
/// The word at `index` as a number, with this unit or without; false, and a note, when it is none.
bool poise__script_number(PoiseRunner* runner, int index, const char* unit, double* value);

#endif
