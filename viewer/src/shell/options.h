// SPDX-License-Identifier: MIT
// Reads the command line of poise-view by a table of its options.
#ifndef POISE_OPTIONS_H
#define POISE_OPTIONS_H

#include <stdio.h>

#include "note.h"
#include "poise/scene.h"
#include "renderer.h"

enum { POISE_MAX_OVERRIDES = 64, POISE_MAX_TARGETS = 16 };

/// A target that is held from the start on, such as "hand=0.4,0.1,0.3"; position in m.
typedef struct PoiseTargetOption {
    char name[100];
    double place[3];
} PoiseTargetOption;

typedef struct PoiseOptions {
    const char* scene;
    bool headless;
    const char* screenshot;
    const char* record;
    /// Time of the picture, or of the start of the film, s.
    double at;
    double seconds;
    int frames_per_second;
    int width;
    int height;
    bool has_quality;
    PoiseQuality quality;
    bool has_camera;
    /// Direction of the camera, degrees.
    double azimuth;
    double elevation;
    /// Distance of the camera, m; 0: the least distance that shows everything.
    double distance;
    /// Position at which the camera looks, m (`has_focus`).
    bool has_focus;
    double focus[3];
    const char* overrides[POISE_MAX_OVERRIDES];
    int override_count;
    PoiseTargetOption targets[POISE_MAX_TARGETS];
    int target_count;
    /// POISE_SHOW_* bits (`has_overlay`).
    bool has_overlay;
    unsigned overlay;
    PoiseTrust trust;
    const char* script;
    /// Text of the script file; NULL before it is read.
    const char* script_text;
    const char* save_script;
    const char* save_replay;
    /// Factor of the size of text and panels.
    double ui_scale;
    bool list;
    bool version;
    bool help;
    bool help_keys;
} PoiseOptions;

/// Reads the command line. Returns false, with the reason in the note, if it is invalid.
bool poise__options_parse(PoiseOptions* options, int argc, char** argv, PoiseNote* note);
/// Prints the text of `--help`.
void poise__options_print(FILE* out);

/// Access to the rows of the table, for the test that compares them with viewer/README.md.
int poise__option_count(void);
const char* poise__option_name(int index);

#endif
