// SPDX-License-Identifier: MIT
// Findings of reading a scene or robot: errors, warnings and notes, each at its place in a file.
#ifndef POISE_DIAGNOSTICS_H
#define POISE_DIAGNOSTICS_H

#include <stdio.h>

#include "poise/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A place in a file, counted from 1. Line 0 means no place; column 0 means the whole line.
typedef struct PoiseMark {
    const char* file;
    int line;
    int column;
} PoiseMark;

/// One finding: its severity, its place, and a sentence.
typedef struct PoiseDiagnostic {
    PoiseSeverity severity;
    PoiseMark mark;
    const char* text;
} PoiseDiagnostic;

/// The findings of the files that were read, sorted by file and place. The list copies all texts,
/// so the files need not stay.
typedef struct PoiseDiagnostics PoiseDiagnostics;

/// Creates an empty list; returns NULL if memory is short. A `host` of NULL means malloc and free.
POISE_API PoiseDiagnostics* poise_diagnostics_create(const PoiseHost* host);
/// Destroys the list; NULL is allowed.
POISE_API void poise_diagnostics_destroy(PoiseDiagnostics* diagnostics);

/// Adds a finding of the caller; control characters in the text are shown as '?'. Does nothing if a
/// pointer is NULL or `severity` has no PoiseSeverity value.
POISE_API void poise_diagnostics_add(PoiseDiagnostics* diagnostics, PoiseSeverity severity,
                                     PoiseMark mark, const char* text);
/// Copies a file's text, so that findings in the file are printed with their line. Does nothing if
/// a pointer is NULL.
POISE_API void poise_diagnostics_add_source(PoiseDiagnostics* diagnostics, const char* file,
                                            const char* text, size_t size);

/// Returns the number of findings; 0 for NULL.
POISE_API int poise_diagnostics_size(const PoiseDiagnostics* diagnostics);
/// Returns the number of findings of one severity; 0 for NULL.
POISE_API int poise_diagnostics_count(const PoiseDiagnostics* diagnostics, PoiseSeverity severity);
/// Returns the finding at `index`; if `index` is past the end, a note without a place.
POISE_API PoiseDiagnostic poise_diagnostics_at(const PoiseDiagnostics* diagnostics, int index);

/// Prints the findings that are at least as severe as `least`, as `file:line:column: error: text`,
/// with the source line and a caret below it.
POISE_API void poise_diagnostics_print(const PoiseDiagnostics* diagnostics, PoiseSeverity least,
                                       FILE* out);

/// Returns the path of file `index`: a file that was read, or a mesh that a program reads to draw
/// the robot. Each file is listed once, in the order of reading; NULL past the last.
POISE_API const char* poise_diagnostics_file(const PoiseDiagnostics* diagnostics, int index);
/// Returns a hash of the contents of the files that were read, in their order; 0 for NULL. The hash
/// ignores file names, carriage returns, and meshes that only
/// a drawing shows.
POISE_API uint64_t poise_diagnostics_hash(const PoiseDiagnostics* diagnostics);
/// Adds a file that the caller read, so that poise_output_replaced knows the file. Does nothing if
/// a pointer is NULL or no file has this path.
POISE_API void poise_diagnostics_add_file(PoiseDiagnostics* diagnostics, const char* path);

/// Writes one sentence, without full stop, about features of the files that the scene omits though
/// they change the physics: "left out: <fixed> of <tendon> (4), ..."; "" if nothing is omitted.
/// Returns `text`.
POISE_API const char* poise_diagnostics_left_out(const PoiseDiagnostics* diagnostics, char* text,
                                                 size_t capacity);

/// Writes "; did you mean 'pen'?" into `text` if a candidate resembles what was written, else "". A
/// candidate like robot/link is also compared by its last part. Returns `text`.
POISE_API const char* poise_scene_guess(const char* written, const char* const* candidates,
                                        int count, char* text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
