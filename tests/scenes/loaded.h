// SPDX-License-Identifier: MIT
// A scene read from a text in the test, with what was found in it.
#ifndef POISE_TEST_LOADED_H
#define POISE_TEST_LOADED_H

#include <criterion/criterion.h>

#include "poise/scene.h"

typedef struct Loaded {
    PoiseDiagnostics* diagnostics;
    PoiseScene* scene;
} Loaded;

/// `path` says where the text is from: .urdf is a robot, and other files are looked for beside it.
Loaded load_text(const char* path, const char* text);
Loaded load_file(const char* path);
/// With overrides, as --set.
Loaded load_with(const char* text, const char* const* overrides, int count);
/// A URDF robot of a base and what is in `link`, with a hinge to link `a` that holds `joint`.
Loaded load_joint(const char* link, const char* joint);
void unload(Loaded* loaded);

/// A joint, or the body of a frame, by its name; the test ends where there is none.
const PoiseSceneJoint* loaded_joint(const Loaded* loaded, const char* name);
const PoiseSceneBody* loaded_body(const Loaded* loaded, const char* name);

/// False, with the test skipped, where the library was built without meshes.
bool has_meshes(void);

/// Whether there is a finding of that severity at line:column (0: any) whose text has the fragment.
bool found(const Loaded* loaded, PoiseSeverity severity, int line, int column,
           const char* fragment);
/// All findings, for messages of tests: in a buffer of the caller.
const char* findings(const Loaded* loaded, char* text, size_t capacity);

/// The scene, or the test ends with what was found.
#define REQUIRE_SCENE(loaded)                                                                      \
    do {                                                                                           \
        char findings_[2000];                                                                      \
        cr_assert_not_null((loaded).scene, "not read:\n%s",                                        \
                           findings(&(loaded), findings_, sizeof findings_));                      \
    } while (0)

#endif
