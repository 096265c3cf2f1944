// SPDX-License-Identifier: MIT
// The viewer with its panels on the known scene, controlled by lines of scripts.
#ifndef POISE_TEST_VIEWER_PANELS_FIXTURE_H
#define POISE_TEST_VIEWER_PANELS_FIXTURE_H

#include "fixture.h"
#include "fixture_test.h"
#include "script.h"

/// Returns the known app with panels, in a window of 1280 x 1100.
PoiseApp* app_with_panels(void);
void close_app(PoiseApp* app);

/// Draws labels and panels. Returns the number of corners of all their triangles.
int letters_drawn(PoiseApp* app);

/// Runs a script called `name`. Returns false, with the reason in the note, if it fails.
bool does(PoiseApp* app, const char* name, const char* text, PoiseNote* note);
/// Runs a script, or a file with one; ends the test if it fails.
void run(PoiseApp* app, const char* text);
void run_file(PoiseApp* app, const char* path);
/// Expects that a script fails with a message that contains `why`. Returns true if it failed.
bool fails(PoiseApp* app, const char* text, const char* why);

/// A test with the known app and its panels.
#define PANELS_TEST(suite, name)                                                                   \
    FIXTURE_TEST(suite, name, (PoiseApp * app), PoiseApp* made_ = app_with_panels(), (made_),      \
                 close_app(made_))

#endif
