// SPDX-License-Identifier: MIT
// Adding to the findings, and guessing what was meant.
#ifndef POISE_DIAGNOSTICS_H
#define POISE_DIAGNOSTICS_H

#include "arena.h"
#include "poise/scene.h"

/// Adds a finding; control characters in it are shown as '?'. NULL diagnostics: nothing.
void poise__diagnose(PoiseDiagnostics* diagnostics, PoiseSeverity severity, PoiseMark mark,
                     const char* format, ...) POISE_PRINTF(4, 5);

/// Keeps a copy of a file's text, so that findings in it can show their line.
void poise__diagnostics_add_source(PoiseDiagnostics* diagnostics, const char* file,
                                   const char* text, size_t size);

/// The candidate that is most like what was written.
typedef struct Suggestion {
    const char* written;
    const char* best; ///< NULL while none is near enough
    int distance;
} Suggestion;

Suggestion poise__suggestion(const char* written);
void poise__suggestion_offer(Suggestion* suggestion, const char* candidate);
/// The same for a name as robot/link, which may be meant by its last part alone.
void poise__suggestion_offer_path(Suggestion* suggestion, const char* candidate);

/// Inserted, deleted, replaced and swapped letters that make one text the other; texts are compared
/// without regard to case, up to their first 63 letters.
int poise__edit_distance(const char* a, const char* b);

/// "; did you mean 'x'?" in `text`, or nothing.
const char* poise__suggestion_text(const Suggestion* suggestion, char* text, size_t capacity);

#endif
