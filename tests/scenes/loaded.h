// SPDX-License-Identifier: MIT
// Reads a scene from a text of the test. Keeps the findings.
#ifndef POISE_TEST_LOADED_H
#define POISE_TEST_LOADED_H

#include <criterion/criterion.h>

#include "arena.h"
#include "poise/scene.h"

typedef struct Loaded {
    PoiseDiagnostics* diagnostics;
    PoiseScene* scene;
} Loaded;

/// Diagnostics, memory and scenes live until the end of the test's process.
PoiseDiagnostics* kept_diagnostics(void);
Arena* kept_arena(void);
Loaded load_source(const PoiseSceneSource* source);
/// `path` selects the format and the folder of other files: a path that ends in .urdf is a robot.
Loaded load_text(const char* path, const char* text);
Loaded load_file(const char* path);
/// Loads the text with overrides as of --set.
Loaded load_with(const char* text, const char* const* overrides, int count);
/// Loads a URDF robot: a base, the elements in `link`, and a hinge to the link `a`. The hinge
/// contains `joint`.
Loaded load_joint(const char* link, const char* joint);
/// Returns its argument. Fails the test with the findings if no scene was read.
Loaded required(Loaded loaded);

/// Finds a joint, or the body of a frame, by its name. The test fails if the name is unknown.
const PoiseSceneJoint* loaded_joint(const Loaded* loaded, const char* name);
const PoiseSceneBody* loaded_body(const Loaded* loaded, const char* name);

/// Returns false and skips the test if the library was built without meshes.
bool has_meshes(void);

/// True if a finding of that severity contains the fragment, at line:column (0: any).
bool found(const Loaded* loaded, PoiseSeverity severity, int line, int column,
           const char* fragment);
/// Writes all findings into the caller's buffer, for messages of tests; returns the buffer.
const char* findings(const Loaded* loaded, char* text, size_t capacity);

#endif
