// SPDX-License-Identifier: MIT
// Scripts: what a person does, written down by the names of widgets and handles. A line is a
// gesture ("drag target:hand axis:x 0.2", "slide joints.elbow.ik.spring 300", "click do/pause",
// "key Ctrl+Z"), which goes through the same queue of events as a real mouse; or a change as the
// viewer writes them with --save-script ("at 1.2s hold target:hand 0.4 0.1 0.3"); or a question
// ("expect hand.error < 0.01").
#ifndef POISE_SCRIPT_H
#define POISE_SCRIPT_H

#include "host.h"

/// Runs every line. False, with `name:line: why` in the note, at the first that cannot be done or
/// expects in vain.
bool poise__script_run(PoiseApp* app, const PoiseScriptHost* host, const char* name,
                       const char* text, PoiseNote* note);
/// What a file says, for free(); NULL, and why, where it cannot be read whole.
char* poise__script_load(const char* path, PoiseNote* note);
/// All changes of the run so far, and its end, as a script.
bool poise__script_save(const PoiseApp* app, const char* path, PoiseNote* note);

/// What a line may be, for --help and the README.
void poise__script_print_help(FILE* out);

#endif
