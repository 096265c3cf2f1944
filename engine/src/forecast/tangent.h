// SPDX-License-Identifier: MIT
#ifndef POISE_TANGENT_H
#define POISE_TANGENT_H

#include "statics.h"

/// Fills the forecasts' compliances, one for each point, at rest (poise__statics_rest). NAN if no
/// torque balances some load, or if the work is above a bound (1e9 products: 900 joints with 15
/// points, say).
PoiseStatus poise__tangent_compliances(Statics* statics, const PoisePointId* points, int count,
                                       PoiseForecast* forecasts);

#endif
