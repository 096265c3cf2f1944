// SPDX-License-Identifier: MIT
// The viewer on the known scene, without a window.
#ifndef POISE_TEST_VIEWER_FIXTURE_H
#define POISE_TEST_VIEWER_FIXTURE_H

#include <criterion/criterion.h>

#include "fixture_test.h"
#include "near.h"
#include "screen.h"

/// Shapes and points of known.yaml by their index, found by name; ends the test when there is none.
int known_shape(const PoiseApp* app, const char* body);
int known_point(const PoiseApp* app, const char* name);

/// The app with known.yaml in a window of 640 x 360, looking at the whole of it.
PoiseApp* known_app(void);
void known_app_close(PoiseApp* app);

/// Where a place is seen; ends the test when it is not.
void seen_at(const PoiseApp* app, PoiseVec3 place, double* x, double* y);
/// Rows from the top, 3 bytes a pixel, of a PNG file, to be freed; ends the test where it is none.
unsigned char* read_picture(const char* path, int* width, int* height);
/// A number from -1 to 1; the sequence is the same each time.
double next_random(uint64_t* state);
/// Each component from -1 to 1.
PoiseVec3 next_random_vec3(uint64_t* state);

/// A test of the known app.
#define APP_TEST(suite, name)                                                                      \
    FIXTURE_TEST(suite, name, (PoiseApp * app), PoiseApp* made_ = known_app(), (made_),            \
                 known_app_close(made_))

#endif
