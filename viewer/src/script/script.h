// SPDX-License-Identifier: MIT
// Runs scripts, which describe what a person does by the names of widgets and handles. A line can
// be a gesture ("drag target:hand axis:x 0.2", "key Ctrl+Z"). Gestures use the event queue of the
// real mouse. It can be a change as --save-script writes it ("at 1.2s hold target:hand 0.4 0.1
// 0.3"). It can check a value ("expect hand.error < 0.01").
#ifndef POISE_SCRIPT_H
#define POISE_SCRIPT_H

#include "host.h"

/// Runs all lines. Returns false, with `name:line: reason` in the note, at the first line that
/// fails.
bool poise__script_run(PoiseApp* app, const PoiseScriptHost* host, const char* name,
                       const char* text, PoiseNote* note);
/// Returns the text of a file, to be freed with free(). Returns NULL, with the reason in the note,
/// if the file cannot be read whole.
char* poise__script_load(const char* path, PoiseNote* note);
/// Writes all changes of the run up to now, and its present time, as a script.
bool poise__script_save(const PoiseApp* app, const char* path, PoiseNote* note);

/// Prints all commands, for --help and the README.
void poise__script_print_help(FILE* out);

#endif
