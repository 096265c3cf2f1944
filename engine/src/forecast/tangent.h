// SPDX-License-Identifier: MIT
#ifndef POISE_TANGENT_H
#define POISE_TANGENT_H

#include "statics.h"

/// Fills the forecasts' compliances, one for each point, at rest (poise__statics_rest). NAN if no
/// torque balances some load. POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__tangent_compliances(Statics* statics, const PoisePointId* points, int count,
                                       PoiseForecast* forecasts);

#endif
