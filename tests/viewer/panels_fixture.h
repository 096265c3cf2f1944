// SPDX-License-Identifier: MIT
// The viewer with its panels on the known scene, led by lines of scripts.
#ifndef POISE_TEST_VIEWER_PANELS_FIXTURE_H
#define POISE_TEST_VIEWER_PANELS_FIXTURE_H

#include "fixture.h"
#include "fixture_test.h"
#include "script.h"

/// The known app with panels, in a window of 1280 x 1100.
PoiseApp* app_with_panels(void);
void close_app(PoiseApp* app);

/// Letters and panels over the picture, in corners of triangles.
int letters_drawn(PoiseApp* app);

/// Does what a script called `name` says; false with the reason.
bool does(PoiseApp* app, const char* name, const char* text, PoiseNote* note);
/// The same for a script, and for a file of one; ends the test when that fails.
void run(PoiseApp* app, const char* text);
void run_file(PoiseApp* app, const char* path);
/// Expects that a script fails and that its message has `why` in it; whether it failed.
bool fails(PoiseApp* app, const char* text, const char* why);

/// A test of the known app with panels.
#define PANELS_TEST(suite, name)                                                                   \
    FIXTURE_TEST(suite, name, (PoiseApp * app), PoiseApp* made_ = app_with_panels(), (made_),      \
                 close_app(made_))

#endif
