// SPDX-License-Identifier: MIT
// Names what keeps a point from its goal after solver, springs and contacts have settled. Bounds
// the displacement that friction can hold at a pressing point.
#ifndef POISE_HOLD_H
#define POISE_HOLD_H

#include "poise/forecast.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The reason why a point is not at its goal. The solver's own reasons (limits, out of reach,
/// conflicting goals) are given by poise_point_state.
typedef enum PoisePointHold {
    /// Nothing: the point is at its goal or moves to it, or the solver gives the reason.
    POISE_HOLD_NONE = 0,
    /// The springs rest elsewhere: the natural posture, the weight or a load pulls at them.
    POISE_HOLD_SPRINGS = 1,
    /// Joints are at their torque limits (PoiseForecast.limited_nodes).
    POISE_HOLD_TORQUE_LIMIT = 2,
    /// The point presses, and friction holds it within the friction band.
    POISE_HOLD_FRICTION = 3,
    /// The point presses: along the force the contact holds it.
    POISE_HOLD_PRESSING = 4,
    /// The point rests more than 1 % and 0.1 mm from the forecast place, although no force is asked
    /// of it: a load, a contact or friction acts that the forecast does not know.
    POISE_HOLD_LOAD = 5
} PoisePointHold;

/// Bounds how far friction can hold a point from its forecast place, m. `force` is what the point
/// presses with, N, world axes. The band is the largest |C t| of 64 forces t across `force` with
/// |t| = friction |force|; C is the compliance. First order only: if the band exceeds about 1 % of
/// the links' length, C changes along it, and a wall in PoiseForecastDef gives the place itself.
/// Infinite if C is not known or a joint rests at its torque limit; 0 for NULL and for arguments
/// that are not finite or below 0.
POISE_API double poise_forecast_friction_band(const PoiseForecast* forecast, PoiseVec3 force,
                                              double friction);

/// Returns what keeps the point where it was in the last update, from a forecast of that point.
/// `friction` is Coulomb's coefficient of the surface it presses on, >= 0. POISE_HOLD_NONE for
/// handles that are not valid and for NULL.
POISE_API PoisePointHold poise_rig_point_hold(const PoiseRig* rig, PoisePointId point,
                                              const PoiseForecast* forecast, double friction);
/// Returns the name: "nothing", "springs" or "torque limit"; "friction", "pressing" or "load".
POISE_API const char* poise_point_hold_name(PoisePointHold hold);

#ifdef __cplusplus
}
#endif

#endif
