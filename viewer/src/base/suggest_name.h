// SPDX-License-Identifier: MIT
// Finds the most similar name, for "did you mean".
#ifndef POISE_SUGGEST_NAME_H
#define POISE_SUGGEST_NAME_H

enum { POISE_SUGGESTION_LENGTH = 192 };

/// Returns the name with this index, written to `text` or stored elsewhere; "" for a wrong index.
typedef const char* (*PoiseNameAt)(const void* user, int index, char text[POISE_SUGGESTION_LENGTH]);

/// If one of the `count` names is similar to `written`, writes "; did you mean 'pen'?" into `text`,
/// otherwise "". Returns `text`.
const char* poise__suggest_name(const char* written, PoiseNameAt name_at, const void* user,
                                int count, char text[POISE_SUGGESTION_LENGTH]);

/// Returns a name without its robot: "elbow" for "arm/elbow".
const char* poise__bare_name(const char* name);

#endif
