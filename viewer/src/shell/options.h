// SPDX-License-Identifier: MIT
// The command line of poise-view, from one table.
#ifndef POISE_OPTIONS_H
#define POISE_OPTIONS_H

#include <stdio.h>

#include "note.h"
#include "poise/scene.h"
#include "renderer.h"

enum { POISE_MAX_OVERRIDES = 64, POISE_MAX_TARGETS = 16 };

/// A target that is held from the start: "hand=0.4,0.1,0.3".
typedef struct PoiseTargetOption {
    char name[100];
    double place[3];
} PoiseTargetOption;

typedef struct PoiseOptions {
    const char* scene;
    bool headless;
    const char* screenshot;
    const char* record;
    /// When the picture is taken or the film begins, s.
    double at;
    double seconds;
    int frames_per_second;
    int width;
    int height;
    bool has_quality;
    PoiseQuality quality;
    bool has_camera;
    /// Degrees.
    double azimuth;
    double elevation;
    /// m; 0: from as near as shows everything.
    double distance;
    /// What to look at, m.
    bool has_focus;
    double focus[3];
    const char* overrides[POISE_MAX_OVERRIDES];
    int override_count;
    PoiseTargetOption targets[POISE_MAX_TARGETS];
    int target_count;
    /// POISE_SHOW_* bits.
    bool has_overlay;
    unsigned overlay;
    PoiseTrust trust;
    const char* script;
    /// What it says, once it has been read.
    const char* script_text;
    const char* save_script;
    /// Of letters and panels.
    double ui_scale;
    bool list;
    bool version;
    bool help;
    bool help_keys;
} PoiseOptions;

/// False, and why, when the line cannot be understood.
bool poise__options_parse(PoiseOptions* options, int argc, char** argv, PoiseNote* note);
/// What `--help` prints.
void poise__options_print(FILE* out);

/// One row of the table: for the test that compares it with viewer/README.md.
int poise__option_count(void);
const char* poise__option_name(int index);

#endif
