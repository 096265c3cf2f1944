// SPDX-License-Identifier: MIT
// The rest (equilibrium) of a rig's copy, kept so that derivatives can be taken there.
#ifndef POISE_REST_H
#define POISE_REST_H

#include "tangent.h"

/// Steps a copy of the rig to its rest and fills forecasts[i] for def->points[i], as
/// poise_rig_forecast does, but without its checks of the arguments. The copy exists until
/// poise__rest_forget.
PoiseStatus poise__rest_find(PoiseRig* rig, const PoiseForecastDef* def, PoiseForecast* forecasts);
/// Steps a copy of the rig to its rest, as poise__rest_find does. If `goal` is not NULL, steps the
/// existing copy to its rest with this goal of the point; other points keep their goals.
/// POISE_DEGRADED: it does not settle, and `why`, of POISE_FORECAST_WHY characters, says why.
PoiseStatus poise__rest_settle(PoiseRig* rig, PoisePointId point, const PoisePose* goal,
                               double step, char* why);
/// Returns the copied rig of poise__rest_find or poise__rest_settle, whose bodies are at rest.
PoiseRig* poise__rest_rig(PoiseRig* rig);
/// Destroys the copy of the rig, if there is one.
void poise__rest_forget(PoiseRig* rig);

/// PoiseForecastDef.budget of calls that always need the rest: no limit in practice, s.
#define WHOLE_BUDGET 1e9
/// True if the node moves the point.
bool poise__moves_point(PoiseTree* tree, PoisePointId point, PoiseNodeId node);

/// A rest, and the means to move it when springs, natural postures, goals or loads change.
typedef struct Rest {
    Statics statics;
    /// postures of the rest, to which poise__rest_return returns (poise__statics_save)
    double* kept;
    double* begin; ///< `kept` at the start of poise__rest_tangent
    double* step;  ///< by velocity: Newton step to the equilibrium
    Arrays arrays;
} Rest;

/// Opens the rest of a copied rig (poise__rest_rig). Call poise__rest_close also after an error.
PoiseStatus poise__rest_open(Rest* rest, PoiseRig* rig);
void poise__rest_close(Rest* rest);
/// Moves the bodies from the kept rest by `part` times a displacement of all velocities, and finds
/// stops and loop forces there. `follows`: the own posture advances until it rests.
void poise__rest_displace(Rest* rest, const double* displacement, double part, bool follows);
/// Moves the kept rest to the equilibrium of its springs by Newton steps, and opens the equations
/// there as poise__tangent_open does. POISE_DEGRADED: no equilibrium is near, or a motion has no
/// stiffness; the kept rest is as before. Call poise__tangent_close also after an error.
PoiseStatus poise__rest_tangent(Rest* rest, Tangent* tangent, const PoisePointId* points, int count,
                                int others);
/// poise__rest_keep keeps the present postures as the rest; poise__rest_return returns to the kept
/// postures.
void poise__rest_keep(Rest* rest);
void poise__rest_return(Rest* rest);

#endif
