// SPDX-License-Identifier: MIT
// Objects that live until the end of the test's process.
#ifndef POISE_TEST_KEPT_H
#define POISE_TEST_KEPT_H

/// Returns the object. It is destroyed at the end of the process, also if the test fails, after all
/// objects that were kept later.
void* kept(void* object, void (*destroy)(void* object));

#endif
