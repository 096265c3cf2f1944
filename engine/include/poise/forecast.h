// SPDX-License-Identifier: MIT
// Foresees where a rig comes to rest, by one mechanism: its bodies and joints are copied into a
// world of their own, which is stepped until it is still. The posture is the copy's; how far a
// point moves under a load there is the derivative of the springs' torques at that posture.
//
//     const PoiseForecastDef def = {.points = &hand, .count = 1, .step = 0.005};
//     PoiseForecast forecast;
//     while (poise_rig_forecast(rig, &def, &forecast) == POISE_NOT_CONVERGED) {
//         // its budget is used up: ask again to go on, in the next frame say
//     }
//     if (forecast.end == POISE_FORECAST_SETTLES) ... forecast.miss
#ifndef POISE_FORECAST_H
#define POISE_FORECAST_H

#include "poise/rig.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How many joints a forecast names, and the size of its sentence, with the final 0.
enum { POISE_FORECAST_NODES = 16, POISE_FORECAST_WHY = 160 };

/// The end of the copy's motion.
typedef enum PoiseForecastEnd {
    /// It is still. Its miss holds within 1 % or 0.01 mm, and so does its compliance if finite.
    POISE_FORECAST_SETTLES = 0,
    /// It is still, but friction, a joint without a spring, a contact that the rig does not know or
    /// an unknown step decides where: the figures may differ.
    POISE_FORECAST_ESTIMATE = 1,
    /// It still moved at the end of PoiseForecastDef.seconds, or of the budget.
    POISE_FORECAST_MOVES = 2,
    /// A point has lost its contact.
    POISE_FORECAST_LEAVES = 3,
    /// The ground cannot carry it where it would rest: its feet slide, or it tips over.
    POISE_FORECAST_FALLS = 4,
    /// It has no copy, and no figures. The sentence names the reason: a DBall, DHinge, Plane2D,
    /// transmission or Euler motor joint of the user's holds one of its bodies; a linear motor
    /// joins bodies that no slider joins; a bound joint has lost its body; a base has weight, and
    /// neither a stance nor anything fixed carries it; a force is asked of a point that has no
    /// place; a step costs more than the budget.
    POISE_FORECAST_NO_COPY = 5
} PoiseForecastEnd;

/// The prediction for a point while goals and forces stay as they are now. The figures are NAN with
/// POISE_FORECAST_NO_COPY.
typedef struct PoiseForecast {
    PoiseForecastEnd end;
    /// One sentence that says why it does not settle; empty with POISE_FORECAST_SETTLES.
    char why[POISE_FORECAST_WHY];
    double seconds; ///< s: simulated until now
    /// Distance to its goal, m and rad, without the directions in which it yields to a force.
    double miss;
    double angle_miss;
    /// The part of them in the rows that count (PoisePointDef.rows).
    double row_miss;
    double row_angle_miss;
    /// How far a small load at the point moves it, m/N, row-major, world axes; and how far a torque
    /// turns its link, rad/(N m). NAN where it is not known: nothing opposes some load, friction
    /// counts, the rig does not know a joint that holds it, or it does not come to rest.
    double compliance[9];
    double turn_compliance[9];
    /// It yields to a force: along it there is no stiffness, and the contact is taken to hold it.
    bool yields;
    /// The force of the contact on such a point, N, world: the mean of the last half second.
    PoiseVec3 force;
    /// How many joints are within 0.1 % of their torque (or force) limit in the end, and the first
    /// of them. A joint at its limit gives no more under a load: the compliance is that for loads
    /// which leave these joints at their limits.
    int limited;
    PoiseNodeId limited_nodes[POISE_FORECAST_NODES];
} PoiseForecast;

/// The wall that a point presses on: a plane through the point's place, or `radius` before it.
typedef struct PoiseWall {
    PoisePointId point;
    PoiseVec3 normal; ///< out of the wall, world, of any length > 0
    double friction;  ///< Coulomb's coefficient, >= 0, as ODE has it with dContactApprox1
    /// The body that touches it, one of those that make up the point's link. NULL: the joint's.
    dBodyID body;
    /// m, >= 0: the tip is a ball of this radius around the point, and rolls. 0: the point touches.
    double radius;
} PoiseWall;

/// The points that are asked about, and facts that the rig does not know. All zero but `points` and
/// `count` will do.
typedef struct PoiseForecastDef {
    const PoisePointId* points;
    int count; ///< of them, >= 0
    /// The walls of points that yield to a force. Without one such a point presses on a plane
    /// across its force, without friction.
    const PoiseWall* walls;
    int wall_count; ///< >= 0
    /// The length of the world's steps, s, >= 0 and finite. 0: that of the last update. Before the
    /// first update 0 stands for 0.01 s, and the end is an estimate.
    double step;
    /// s, >= 0 and finite: how long the copy may move before it counts as moving for good. 0: 60.
    double seconds;
    /// The work of one call, s, >= 0 and finite; 0: 0.05. It is counted in steps, not by a clock,
    /// so that every machine gives the same answer: a step of n velocities and r ODE rows costs 2 +
    /// 3 n + r / 4 us. The compliance at the end is extra.
    double budget;
} PoiseForecastDef;

/// Copies the rig, its tree, its springs and the bodies that its joints hold, with all other joints
/// of these bodies; steps the copy (exactly, see step.h) until nothing moves; and fills
/// forecasts[i] for points[i]. In the copy goals, kinematic bodies and the feet of stances stand
/// still. It has no contacts but those of yielding points. Nothing of the rig and its world is
/// changed.
/// POISE_OK: the end is known. POISE_NOT_CONVERGED: the budget is used up; the end is
/// POISE_FORECAST_MOVES, the figures are those of the copy by now, and the same call continues
/// there. It continues while rig, bodies, goals and `def` but for its points are unchanged, and
/// begins anew otherwise. Ask after dWorldStep, not before: an update without its step is made
/// twice otherwise. Takes memory, which is kept while it may continue.
/// Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT (a normal that is 0 or not finite, a
/// friction or radius below 0, a body that is not of the point's link, a number that is below 0 or
/// not finite), POISE_ERROR_INVALID_HANDLE, POISE_ERROR_OUT_OF_MEMORY; and those of an update of
/// the copy, for a goal that is not finite say.
POISE_API PoiseStatus poise_rig_forecast(PoiseRig* rig, const PoiseForecastDef* def,
                                         PoiseForecast* forecasts);

/// "settles", "estimate", "moves", "leaves", "falls", "no copy"; "?" for other numbers.
POISE_API const char* poise_forecast_end_name(PoiseForecastEnd end);
/// True if it comes to rest, so that its miss is foreseen: it settles, or is an estimate. False for
/// NULL.
POISE_API bool poise_forecast_rests(const PoiseForecast* forecast);

/// How far friction can hold a point from where it was foreseen to rest, m: the farthest that one
/// of 64 forces t across `force` (N, world, what the point presses with), |t| = friction |force|,
/// moves it, C t. That is of first order: where the band is more than about 1 % of the links'
/// length, C changes on the way, and a wall in PoiseForecastDef gives the place itself. Infinite
/// where C is not known or a joint rests at its torque limit; 0 for NULL and for what is not finite
/// or below 0.
POISE_API double poise_forecast_friction_band(const PoiseForecast* forecast, PoiseVec3 force,
                                              double friction);

#ifdef __cplusplus
}
#endif

#endif
