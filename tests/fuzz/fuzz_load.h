// SPDX-License-Identifier: MIT
// Reads a text as the file `path` and runs the scene. Calls abort() if the reader breaks a
// condition: a refusal without a finding, memory that is not freed, or a finding outside the file.
#ifndef POISE_FUZZ_LOAD_H
#define POISE_FUZZ_LOAD_H

#include <stddef.h>
#include <stdint.h>

void fuzz_load(const char* path, const uint8_t* text, size_t size);

#endif
