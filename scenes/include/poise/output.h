// SPDX-License-Identifier: MIT
// A file that is whole or not there: it is written beside its place and put there when it is done.
// What was there before stays until then, whatever ends the program.
#ifndef POISE_OUTPUT_H
#define POISE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "poise/diagnostics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A file that is being written. All zero: none.
typedef struct PoiseOutput {
    FILE* file;      ///< to write to; NULL when it is not open
    char* path;      ///< its place, symbolic links followed
    char* temporary; ///< beside it; NULL: written in place (stdout, a device, a pipe)
    int trouble;     ///< errno of the first write that failed, 0 for none
} PoiseOutput;

/// Opens one of all zeros; "-" is stdout. NULL, or why it cannot be written.
POISE_API const char* poise_output_open(PoiseOutput* output, const char* path);
/// Whether all writes so far went well. Ask after each part, so that the reason is known.
POISE_API bool poise_output_fine(PoiseOutput* output);
/// Puts it in its place, whole and on the disk. NULL, or why that cannot be: then nothing is new
/// there. One that is not open is allowed, as for drop.
POISE_API const char* poise_output_close(PoiseOutput* output);
/// Forgets what was written.
POISE_API void poise_output_drop(PoiseOutput* output);
/// Whether putting it in its place would replace the file at the path, or what another output puts
/// there: by device and inode where there is a file, else by the path.
POISE_API bool poise_output_replaces(const PoiseOutput* output, const char* path);
/// The path of a file that was read (poise_diagnostics_file) and that an output at `path` would
/// replace: by device and inode, so links do not hide it. NULL: none, or an argument is NULL.
POISE_API const char* poise_output_replaced(const char* path, const PoiseDiagnostics* read);
/// Removes what was not put in its place yet, for a program that ends at once; nothing in a process
/// that it has forked. May be called in a handler of a signal.
POISE_API void poise_output_remove_open(void);
/// For a program, once at its start: SIGHUP, SIGINT and SIGTERM remove what was not put in its
/// place yet, then end the program. One that is ignored stays so. May be called in a handler of a
/// signal.
POISE_API void poise_output_end_by_signals(void);

#ifdef __cplusplus
}
#endif

#endif
