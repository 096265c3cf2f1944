// SPDX-License-Identifier: MIT
// The interface between a script and the program that runs it.
#ifndef POISE_HOST_H
#define POISE_HOST_H

#include "app.h"

/// The functions by which a script shows frames, saves pictures and records films.
typedef struct PoiseScriptHost {
    /// Runs and draws a frame of the app of `seconds` s. Returns false, with the reason in the
    /// note, to end the script.
    bool (*frame)(void* user, double seconds, PoiseNote* note);
    /// Saves a picture of the present frame. NULL: pictures are skipped.
    bool (*picture)(void* user, const char* path, PoiseNote* note);
    /// Begins a film, or ends the present one if `path` is NULL. NULL: films are skipped.
    bool (*film)(void* user, const char* path, PoiseNote* note);
    void* user;
    /// Length of a frame, s.
    double frame_seconds;
    /// True if a film or a window shows all frames: the command `at` then runs frame by frame,
    /// otherwise it makes all steps at once.
    bool shows_time;
} PoiseScriptHost;

#endif
