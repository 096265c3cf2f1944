// SPDX-License-Identifier: MIT
// Scene files. Any input must give findings or a scene. A scene must run some steps or report why
// it cannot. Seeds: scenes/*.yaml.
#include <stdint.h>
#include <stdlib.h>

#include "fuzz_load.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // robots are searched in its folder
    const FuzzSource source = {
        .path = POISE_SOURCE_DIR "/scenes/fuzz.yaml", .text = data, .size = size};
    fuzz_load(&source);
    return 0;
}
