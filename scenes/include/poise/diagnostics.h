// SPDX-License-Identifier: MIT
// What reading a scene or robot found: errors, warnings and notes, each at its place in a file.
#ifndef POISE_DIAGNOSTICS_H
#define POISE_DIAGNOSTICS_H

#include <stdio.h>

#include "poise/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A place in a file, counted from 1. Line 0: no place, column 0: the whole line.
typedef struct PoiseMark {
    const char* file;
    int line;
    int column;
} PoiseMark;

/// One finding: how grave it is, where, and what, in words.
typedef struct PoiseDiagnostic {
    PoiseSeverity severity;
    PoiseMark mark;
    const char* text;
} PoiseDiagnostic;

/// What was found in the files that were read, sorted by file and place. It keeps copies of all it
/// shows: the files need not stay.
typedef struct PoiseDiagnostics PoiseDiagnostics;

/// NULL when memory is short. `host` NULL: malloc and free.
POISE_API PoiseDiagnostics* poise_diagnostics_create(const PoiseHost* host);
/// NULL is allowed.
POISE_API void poise_diagnostics_destroy(PoiseDiagnostics* diagnostics);

/// Adds a finding of the caller's own; control characters in its text are shown as '?'. Nothing for
/// NULL, or a severity that is none.
POISE_API void poise_diagnostics_add(PoiseDiagnostics* diagnostics, PoiseSeverity severity,
                                     PoiseMark mark, const char* text);
/// Keeps a copy of a file's text, so that findings in it are printed with their line. Nothing for
/// NULL.
POISE_API void poise_diagnostics_add_source(PoiseDiagnostics* diagnostics, const char* file,
                                            const char* text, size_t size);

/// How many findings there are; 0 for NULL.
POISE_API int poise_diagnostics_size(const PoiseDiagnostics* diagnostics);
/// How many findings of one severity there are; 0 for NULL.
POISE_API int poise_diagnostics_count(const PoiseDiagnostics* diagnostics, PoiseSeverity severity);
/// The finding at `index`; a note without a place past the end.
POISE_API PoiseDiagnostic poise_diagnostics_at(const PoiseDiagnostics* diagnostics, int index);

/// Prints those at least as severe as `least`, as `file:line:column: error: text`, with the source
/// line and a caret below it.
POISE_API void poise_diagnostics_print(const PoiseDiagnostics* diagnostics, PoiseSeverity least,
                                       FILE* out);

/// The path of a file that was read so far, or is to be read for how a robot looks: each file once,
/// in their order; NULL past the last.
POISE_API const char* poise_diagnostics_file(const PoiseDiagnostics* diagnostics, int index);
/// Adds a file that the caller read to these, so that poise_output_replaced knows it. Nothing for
/// NULL, or where there is no file at the path.
POISE_API void poise_diagnostics_add_file(PoiseDiagnostics* diagnostics, const char* path);

/// What the files say and the scene leaves out though it changes the physics, in one sentence
/// without its point: "left out: <fixed> of <tendon> (4), ..."; "" for nothing. Returns `text`.
POISE_API const char* poise_diagnostics_left_out(const PoiseDiagnostics* diagnostics, char* text,
                                                 size_t capacity);

/// "; did you mean 'pen'?" in `text` where a candidate is much like what was written, else "". One
/// as robot/link may be meant by its last part. Returns `text`.
POISE_API const char* poise_scene_guess(const char* written, const char* const* candidates,
                                        int count, char* text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
