// SPDX-License-Identifier: MIT
// Values of the command line (`--set KEY=VALUE`), one a line, over a scene with one of each kind of
// part. The conditions of fuzz_load.c hold. Seeds: tests/fuzz/seeds/set.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_load.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { MOST_LINES = 8, MOST_TEXT = 2000 };

static const char scene[] =
    "poise: 1\n"
    "world: {ground: {height: 0}}\n"
    "bodies:\n"
    "  upper: {capsule: 0.04, from: [0, 0, 1.4], to: [0, 0, 1.1]}\n"
    "  lower: {capsule: 0.04, from: [0, 0, 1.1], to: [0, 0, 0.8]}\n"
    "  box: {box: [0.1, 0.1, 0.1], at: [1, 0, 0.05]}\n"
    "robots: {arm: {urdf: robots/arm6.urdf, at: [3, 0, 0], base: fixed, springs: auto}}\n"
    "joints:\n"
    "  shoulder: {ball: [0, 0, 1.4], between: [world, upper], ik: {spring: 600, damper: 40}}\n"
    "  elbow: {hinge: [0, 0, 1.1], axis: [0, -1, 0], between: [upper, lower], limits: [0, 2.5]}\n"
    "control_points:\n"
    "  hand: {body: lower, at: [0, 0, 0.15], position: [0.3, 0.1, 1.2]}\n"
    "pushes: {wind: {body: box, force: [1, 0, 0], from: 0.01, seconds: 0.1}}\n"
    "expect: {hand.error: 1}\n";

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    char text[MOST_TEXT];
    if (size >= sizeof text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    const char* overrides[MOST_LINES];
    int count = 0;
    char* rest = NULL;
    for (char* line = strtok_r(text, "\n", &rest); line && count < MOST_LINES;
         line = strtok_r(NULL, "\n", &rest)) {
        overrides[count++] = line;
    }
    const FuzzSource source = {POISE_SOURCE_DIR "/scenes/fuzz.yaml", (const uint8_t*)scene,
                               sizeof scene - 1, overrides, count};
    fuzz_load(&source);
    return 0;
}
