// SPDX-License-Identifier: MIT
// Numbers as files write them, and pi.
#ifndef POISE_NUMBER_H
#define POISE_NUMBER_H

#include "poise/math.h"
#include "poise/reading.h"

#define PI POISE_PI

#endif
