// SPDX-License-Identifier: MIT
// Reads a text as a file and runs the scene. Calls abort() if the reader breaks a
// condition: a refusal without a finding, memory that is not freed, or a finding outside the file.
#ifndef POISE_FUZZ_LOAD_H
#define POISE_FUZZ_LOAD_H

#include <stddef.h>
#include <stdint.h>

typedef struct FuzzSource {
    const char* path; ///< path of the file that has the text
    const uint8_t* text;
    size_t size;
    const char* const* overrides; ///< settings, each KEY=VALUE
    int override_count;
} FuzzSource;

void fuzz_load(const FuzzSource* input);

#endif
