// SPDX-License-Identifier: MIT
// Reads a text as the file `path` and runs what came of it. Ends the process by abort() where the
// reader breaks a promise: a refusal without a finding, memory not given back, a number in a
// finding's place that is none.
#ifndef POISE_FUZZ_LOAD_H
#define POISE_FUZZ_LOAD_H

#include <stddef.h>
#include <stdint.h>

void fuzz_load(const char* path, const uint8_t* text, size_t size);

#endif
