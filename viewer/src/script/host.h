// SPDX-License-Identifier: MIT
// What a script needs of whoever runs it.
#ifndef POISE_HOST_H
#define POISE_HOST_H

#include "app.h"

/// Whoever runs a script shows its frames.
typedef struct PoiseScriptHost {
    /// One frame of the app, `seconds` long, with its drawing; false stops the script, the reason
    /// in the note.
    bool (*frame)(void* user, double seconds, PoiseNote* note);
    /// A picture of now; NULL: there are none.
    bool (*picture)(void* user, const char* path, PoiseNote* note);
    /// Begins a film, or ends the one under way with `path` NULL; NULL: there are none.
    bool (*film)(void* user, const char* path, PoiseNote* note);
    void* user;
    /// Length of a frame, s.
    double frame_seconds;
    /// What goes by is looked at (a film, a window): `at` comes frame by frame, not at once.
    bool shows_time;
} PoiseScriptHost;

#endif
