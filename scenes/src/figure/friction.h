// SPDX-License-Identifier: MIT
// What is foreseen of points that press, with the friction of what they touch.
#ifndef POISE_FIGURE_FRICTION_H
#define POISE_FIGURE_FRICTION_H

#include "poise/report.h"

/// s: the work of a forecast at the end of a run (PoiseForecastDef).
#define FORECAST_BUDGET 0.5

/// Room for points that press, all of them.
typedef struct FrictionRoom {
    PoisePointId* asked;
    PoiseForecast* forecasts;
    PoiseWall* walls;
} FrictionRoom;

/// Foresees, from where the bodies are, the points that pressed on something in the last step, into
/// their `with_friction` and `friction_miss`.
PoiseStatus poise__statistics_add_friction(PoisePointStatistics* points,
                                           const PoiseSimulation* simulation,
                                           const FrictionRoom* room);

#endif
