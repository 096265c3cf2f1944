// SPDX-License-Identifier: MIT
// "Did you mean": the name nearest to one that there is not.
#ifndef POISE_GUESS_H
#define POISE_GUESS_H

enum { POISE_GUESS_LENGTH = 192 };

/// The name with this index, into `text` or elsewhere; "" for none.
typedef const char* (*PoiseNameAt)(const void* user, int index, char text[POISE_GUESS_LENGTH]);

/// "; did you mean 'pen'?" where one of the `count` names is much like what was written, else "":
/// into `text`, which it returns.
const char* poise__guess(const char* written, PoiseNameAt name_at, const void* user, int count,
                         char text[POISE_GUESS_LENGTH]);

/// A name without the robot it belongs to: "elbow" of "arm/elbow".
const char* poise__bare_name(const char* name);

#endif
