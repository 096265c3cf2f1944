// SPDX-License-Identifier: MIT
// The viewer on the known scene, without a window.
#ifndef POISE_TEST_VIEWER_FIXTURE_H
#define POISE_TEST_VIEWER_FIXTURE_H

#include <criterion/criterion.h>

#include "fixture_test.h"
#include "near.h"
#include "screen.h"

/// Returns the index of a shape or point of known.yaml by its name; ends the test if the scene has
/// no such name.
int known_shape(const PoiseApp* app, const char* body);
int known_point(const PoiseApp* app, const char* name);

/// Returns the app with a scene in a window of 640 x 360 that shows the whole scene: the scene of a
/// file, or of a text.
PoiseApp* app_of(const char* path);
PoiseApp* app_of_text(const char* text);
/// Returns the app with known.yaml.
PoiseApp* known_app(void);
void known_app_close(PoiseApp* app);

/// Projects a place into the window; ends the test if the place is behind the eye.
void seen_at(const PoiseApp* app, PoiseVec3 place, double* x, double* y);
/// Reads a PNG file as rows from the top, 3 bytes per pixel, to be freed; ends the test on failure.
unsigned char* read_picture(const char* path, int* width, int* height);
/// Returns a number from -1 to 1. The sequence is the same in each run.
double next_random(uint64_t* state);
/// Returns a vector whose components are from -1 to 1.
PoiseVec3 next_random_vec3(uint64_t* state);

/// A test with the known app.
#define APP_TEST(suite, name)                                                                      \
    FIXTURE_TEST(suite, name, (PoiseApp * app), PoiseApp* made_ = known_app(), (made_),            \
                 known_app_close(made_))

/// Returns true and fills `line` if the instance of the list is a line.
bool line_at(const PoiseDrawList* list, int instance, PoiseLine* line);

#endif
