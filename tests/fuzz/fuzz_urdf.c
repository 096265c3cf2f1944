// SPDX-License-Identifier: MIT
// Robot files, with the conditions of fuzz_scene.c. Seeds: scenes/robots/*.
#include <stdint.h>
#include <stdlib.h>

#include "fuzz_load.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz_load(&(FuzzSource){.path = "fuzz.urdf", .text = data, .size = size});
    return 0;
}
