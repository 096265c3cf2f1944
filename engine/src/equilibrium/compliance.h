// SPDX-License-Identifier: MIT
#ifndef POISE_COMPLIANCE_H
#define POISE_COMPLIANCE_H

#include "statics.h"

/// Fills the forecasts' compliances, one for each point, from an equilibrium at rest.
/// POISE_ERROR_OUT_OF_MEMORY; POISE_NOT_CONVERGED where a small motion has no torques.
PoiseStatus poise__compliances(Equilibrium* equilibrium, const PoisePointId* points, int count,
                               PoiseForecast* forecasts);
/// Fills how the point's compliance changes with a load there; the equilibrium is at its rest
/// afterwards. POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__compliance_bend(Equilibrium* equilibrium, PoisePointId point,
                                   PoiseForecast* forecast);

#endif
