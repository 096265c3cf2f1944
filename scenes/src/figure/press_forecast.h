// SPDX-License-Identifier: MIT
// Forecasts points that press, including the friction at their contacts.
#ifndef POISE_PRESS_FORECAST_H
#define POISE_PRESS_FORECAST_H

#include "poise/report.h"

/// Budget of a forecast at the end of a run, s (PoiseForecastDef).
#define FORECAST_BUDGET 0.5

/// Arrays for the forecasts of all points that press; poise__statistics_add_friction fills them.
typedef struct FrictionRoom {
    PoisePointId* asked;
    PoiseForecast* forecasts;
    PoiseWall* walls;
} FrictionRoom;

/// Forecasts, from the present state, the points that pressed on something in the last step. Fills
/// their `with_friction` and `friction_miss`.
PoiseStatus poise__statistics_add_friction(PoisePointStatistics* points,
                                           const PoiseSimulation* simulation,
                                           const FrictionRoom* room);

#endif
