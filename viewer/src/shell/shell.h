// SPDX-License-Identifier: MIT
// Runs the app in a window, or without one to make pictures and films.
#ifndef POISE_SHELL_H
#define POISE_SHELL_H

#include "options.h"
#include "screen.h"
#include "script.h"

/// Exit codes of poise-view.
enum {
    POISE_EXIT_DONE = 0,
    POISE_EXIT_SCRIPT = 1,
    POISE_EXIT_USAGE = 2,
    POISE_EXIT_SCENE = 3,
    POISE_EXIT_BLEW_UP = 4
};

/// Runs the window until it is closed. Returns the exit code.
int poise__run_window(PoiseApp* app, const PoiseOptions* options);
/// Makes the picture and the film that the options ask for. Returns the exit code.
int poise__run_headless(PoiseApp* app, const PoiseOptions* options);

/// Makes the app known to the functions that the script of a web page calls.
#ifdef __EMSCRIPTEN__
void poise__page_begin(PoiseApp* app);
#else
static inline void poise__page_begin(PoiseApp* app) {
    (void)app;
}
#endif

/// Runs the whole program: reads the command line, opens the scene, runs it. Returns the exit code.
int poise__view_main(int argc, char** argv);

#endif
