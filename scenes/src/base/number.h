// SPDX-License-Identifier: MIT
// Reads numbers of files (poise/reading.h), and defines pi.
#ifndef POISE_NUMBER_H
#define POISE_NUMBER_H

#include "poise/math.h"
#include "poise/reading.h"

#define PI POISE_PI

#endif
