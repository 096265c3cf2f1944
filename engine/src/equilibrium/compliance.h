// SPDX-License-Identifier: MIT
#ifndef POISE_COMPLIANCE_H
#define POISE_COMPLIANCE_H

#include "equilibrium.h"

/// Fills the forecast's compliance from a equilibrium at rest. POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__compliance(Equilibrium* equilibrium, PoisePointId point,
                              PoiseForecast* forecast);

#endif
