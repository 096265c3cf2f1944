// SPDX-License-Identifier: MIT
// The rest of a rig's copy, kept open for derivatives of it.
#ifndef POISE_REST_H
#define POISE_REST_H

#include "tangent.h"

/// Steps a copy of the rig to its rest and fills forecasts[i] for def->points[i], as
/// poise_rig_forecast does without checks of the arguments. The copy stays until
/// poise__rest_forget.
PoiseStatus poise__rest_find(PoiseRig* rig, const PoiseForecastDef* def, PoiseForecast* forecasts);
/// Steps a copy of the rig to its rest, as poise__rest_find does. With a `goal` it steps the
/// present copy on to its rest with that goal of the point, and the present goals of the other
/// points. POISE_DEGRADED: it does not settle, and `why`, of POISE_FORECAST_WHY characters, is a
/// sentence.
PoiseStatus poise__rest_settle(PoiseRig* rig, PoisePointId point, const PoisePose* goal,
                               double step, char* why);
/// Returns the rig of the copy that rests.
PoiseRig* poise__rest_rig(PoiseRig* rig);
/// Destroys the copy; without one nothing changes.
void poise__rest_forget(PoiseRig* rig);

/// Simulated time is not bounded by the time of a call that needs the rest, s.
#define WHOLE_BUDGET 1e9
/// True if the node moves the point.
bool poise__moves_point(PoiseTree* tree, PoisePointId point, PoiseNodeId node);

/// A rest that moves as springs, natural postures, goals or loads change.
typedef struct Rest {
    Statics statics;
    double* kept;  ///< the first rest (poise__statics_keep)
    double* begin; ///< `kept` when a search for a balance began
    double* step;  ///< by velocity
    Arrays arrays;
} Rest;

/// Opens the rest of a copy's rig (poise__rest_rig). Call poise__rest_close also after an error.
PoiseStatus poise__rest_open(Rest* rest, PoiseRig* rig);
void poise__rest_close(Rest* rest);
/// Moves the bodies from the first rest by `part` of a displacement of all velocities, and finds
/// stops and loop forces there. `follows`: the own posture advances until it rests.
void poise__rest_displace(Rest* rest, const double* displacement, double part, bool follows);
/// Moves the first rest to the balance of its springs by Newton steps, and opens the equations
/// there as poise__tangent_open does. POISE_DEGRADED: there is no balance near, or some motion
/// meets no stiffness, and the first rest stays. Call poise__tangent_close also after an error.
PoiseStatus poise__rest_tangent(Rest* rest, Tangent* tangent, const PoisePointId* points, int count,
                                int others);
/// Makes the present postures those of the first rest; returns to these.
void poise__rest_keep(Rest* rest);
void poise__rest_return(Rest* rest);

#endif
