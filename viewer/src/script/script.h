// SPDX-License-Identifier: MIT
// Runs scripts, which describe what a person does with the names of widgets and handles. A line is
// a gesture ("drag target:hand axis:x 0.2", "key Ctrl+Z"), which uses the event queue of the real
// mouse; a change as --save-script writes it ("at 1.2s hold target:hand 0.4 0.1 0.3"); or it checks
// a value ("expect hand.error < 0.01").
#ifndef POISE_SCRIPT_H
#define POISE_SCRIPT_H

#include "host.h"

/// Runs all lines. Returns false, with `name:line: reason` in the note, at the first line that
/// fails.
bool poise__script_run(PoiseApp* app, const PoiseScriptHost* host, const char* name,
                       const char* text, PoiseNote* note);
/// Returns the text of a file, which the caller frees with free(). Returns NULL, with the reason in
/// the note, if the whole file cannot be read.
char* poise__script_load(const char* path, PoiseNote* note);
/// Writes all changes of the run until now, and its present time, as a script.
bool poise__script_save(const PoiseApp* app, const char* path, PoiseNote* note);

/// Prints all commands, for --help and the README.
void poise__script_print_help(FILE* out);

#endif
