// SPDX-License-Identifier: MIT
// What keeps a point from its goal, once solver, springs and contacts have settled; and how far
// friction may hold it from where it would rest without.
#ifndef POISE_HOLD_H
#define POISE_HOLD_H

#include "poise/forecast.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What keeps a point where it is. The solver's own reasons (limits, out of reach, a conflict of
/// goals) are told by poise_point_state.
typedef enum PoisePointHold {
    /// Nothing: it is at its goal, or on its way there, or the solver tells why not.
    POISE_HOLD_NONE = 0,
    /// Its springs rest elsewhere: the natural posture, the weight or a load pull at it.
    POISE_HOLD_SPRINGS = 1,
    /// Joints are at their torque limits (PoiseForecast.limited_nodes).
    POISE_HOLD_TORQUE_LIMIT = 2,
    /// It presses, and friction holds it within the band where it can.
    POISE_HOLD_FRICTION = 3,
    /// It presses: along the force the contact holds it.
    POISE_HOLD_PRESSING = 4,
    /// Its place stands still elsewhere than foreseen, by more than 1 % and 0.1 mm, without a force
    /// asked of it: by a load, a contact or its friction that the forecast does not know.
    POISE_HOLD_LOAD = 5
} PoisePointHold;

/// How far friction can hold a point from where it was foreseen to rest, m: the farthest that one
/// of 64 forces t across `force` (N, world, what the point presses with), |t| = friction |force|,
/// moves it, C t. That is of first order: where the band is more than about 1 % of the links'
/// length, C changes on the way, and a wall in PoiseForecastDef gives the place itself. Infinite
/// where C is not known or a joint rests at its torque limit; 0 for NULL and for what is not finite
/// or below 0.
POISE_API double poise_forecast_friction_band(const PoiseForecast* forecast, PoiseVec3 force,
                                              double friction);

/// What keeps the point where it was in the last update, by a forecast made of it; `friction` is
/// Coulomb's coefficient of what it presses on, >= 0. POISE_HOLD_NONE for handles that are not
/// valid and NULL.
POISE_API PoisePointHold poise_rig_point_hold(const PoiseRig* rig, PoisePointId point,
                                              const PoiseForecast* forecast, double friction);
/// "nothing", "springs", "torque limit", "friction", "pressing", "load".
POISE_API const char* poise_point_hold_name(PoisePointHold hold);

#ifdef __cplusplus
}
#endif

#endif
