// SPDX-License-Identifier: MIT
// Writes files that are complete or absent. A file is written to a temporary file in the same
// folder, which replaces the target at the end. The old file stays until then, even if the program
// is killed.
#ifndef POISE_OUTPUT_H
#define POISE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "poise/diagnostics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A file under construction. All zeros: none.
typedef struct PoiseOutput {
    FILE* file;      ///< stream to write to; NULL if closed
    char* path;      ///< path of the target, symbolic links followed
    char* temporary; ///< path of the temporary file; NULL: direct writing (stdout, device, pipe)
    int trouble;     ///< errno of the first write that failed, 0 for none
} PoiseOutput;

/// Opens an output that is all zeros; the path "-" means stdout. Returns NULL, or the reason for a
/// failure.
POISE_API const char* poise_output_open(PoiseOutput* output, const char* path);
/// True if all writes succeeded. Call it after each part, while errno still holds the error.
POISE_API bool poise_output_fine(PoiseOutput* output);
/// Syncs the file to the disk and moves it to its target. Returns NULL, or the reason for a
/// failure, which leaves the target unchanged. A closed output is allowed here and in
/// poise_output_drop.
POISE_API const char* poise_output_close(PoiseOutput* output);
/// Discards the output; the target stays unchanged.
POISE_API void poise_output_drop(PoiseOutput* output);
/// True if closing this output would replace the file at `path`, or the file that another output
/// creates there. Compares device and inode if the file exists, else the path.
POISE_API bool poise_output_replaces(const PoiseOutput* output, const char* path);
/// Returns the path of a file in `read` (poise_diagnostics_file) that an output at `path` would
/// replace. Compares device and inode, so links do not hide a file. NULL if there is none or an
/// argument is NULL.
POISE_API const char* poise_output_replaced(const char* path, const PoiseDiagnostics* read);
/// Removes the temporary files of all open outputs, for a program that ends at once. A forked child
/// process removes nothing. Signal handlers may call this.
POISE_API void poise_output_remove_open(void);
/// Makes SIGHUP, SIGINT and SIGTERM remove the temporary files and then end the program. Call it
/// once, when the program starts. A signal that is ignored stays ignored.
POISE_API void poise_output_end_by_signals(void);

#ifdef __cplusplus
}
#endif

#endif
