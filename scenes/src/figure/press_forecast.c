// SPDX-License-Identifier: MIT
// Forecasts points that press, with friction. In the forecast, the contacts of their bodies in the
// last step become fixed walls.
#include "press_forecast.h"

PoiseStatus poise__statistics_add_friction(PoisePointStatistics* points,
                                           const PoiseSimulation* simulation,
                                           const FrictionRoom* room) {
    int count = 0;
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        const PoisePointView view = poise_simulation_point(simulation, i);
        if (view.presses &&
            poise_world_find_wall(poise_simulation_world(simulation),
                                  poise_simulation_rig(simulation), view.point,
                                  &room->walls[count]) &&
            room->walls[count].friction > 0.0) {
            room->asked[count++] = view.point;
        }
    }
    const PoiseForecastDef def = {.points = room->asked,
                                  .count = count,
                                  .walls = room->walls,
                                  .wall_count = count,
                                  .step = poise_simulation_step_length(simulation),
                                  .budget = FORECAST_BUDGET};
    const PoiseStatus status =
        count > 0 ? poise_rig_forecast(poise_simulation_rig(simulation), &def, room->forecasts)
                  : POISE_OK;
    if (count == 0 || status < 0) {
        return status;
    }
    for (int i = 0, next = 0; i < poise_simulation_point_count(simulation) && next < count; i++) {
        const PoisePointView view = poise_simulation_point(simulation, i);
        if (view.point.index1 == room->asked[next].index1) {
            points[i].with_friction = room->forecasts[next++];
            points[i].friction_miss = poise_forecast_rests(&points[i].with_friction)
                                          ? points[i].with_friction.row_miss
                                          : (double)NAN;
        }
    }
    return POISE_OK;
}
