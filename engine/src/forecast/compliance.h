// SPDX-License-Identifier: MIT
#ifndef POISE_COMPLIANCE_H
#define POISE_COMPLIANCE_H

#include "ghost.h"

/// Fills the forecast's compliance from a ghost at rest. POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__compliance(Ghost* ghost, PoisePointId point, PoiseForecast* forecast);

#endif
