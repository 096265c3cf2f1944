// SPDX-License-Identifier: MIT
// One lane in plain C, for any processor.
#define CHAIN_LANES      1
#define CHAIN_NAME(name) name##_scalar

#include "chain_drive.h"
#include "chain_step.h"
