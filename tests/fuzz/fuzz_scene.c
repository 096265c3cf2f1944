// SPDX-License-Identifier: MIT
// Whatever a scene file says: findings or a scene, and a scene that was taken runs some steps or
// says why not. Nothing else may happen. Seeds: scenes/*.yaml.
#include <stdint.h>
#include <stdlib.h>

#include "fuzz_load.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // robots are looked for beside it
    fuzz_load(POISE_SOURCE_DIR "/scenes/fuzz.yaml", data, size);
    return 0;
}
