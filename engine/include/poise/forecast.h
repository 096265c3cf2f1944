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

/// What the copy of the world came to.
typedef enum PoiseForecastEnd {
    /// It is still. Its miss holds within 1 % or 0.01 mm, and so does its compliance if finite.
    POISE_FORECAST_SETTLES = 0,
    /// It is still, but friction, a joint without a spring, a contact that the rig does not know or
    /// an unknown step decides where: the figures may differ.
    POISE_FORECAST_ESTIMATE = 1,
    /// It still moved at the end of PoiseForecastDef.seconds, or of the budget.
    POISE_FORECAST_MOVES = 2,
    /// A point has left what it presses on.
    POISE_FORECAST_LEAVES = 3,
    /// The ground cannot carry it where it would rest: its feet slide, or it tips over.
    POISE_FORECAST_FALLS = 4,
    /// It has no copy, and no figures. That is so with a DBall, DHinge, Plane2D, transmission or
    /// Euler motor joint of the user's that holds one of its bodies, or a linear motor beside
    /// another joint than a slider; with a bound joint whose body is gone; with a base that weighs
    /// and that neither stances nor anything fixed carries;
    /// with a force asked of a point that has no place; and where a step costs more than the
    /// budget.
    POISE_FORECAST_NO_COPY = 5
} PoiseForecastEnd;

/// What is to be expected of a point where goals and forces are as they are now. The figures are
/// NAN with POISE_FORECAST_NO_COPY.
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
    /// What the contact of such a point bears, N, world: the mean of the last half second.
    PoiseVec3 force;
    /// How many joints are within 0.1 % of their torque (or force) limit in the end, and the first
    /// of them. A joint at its limit gives no more under a load: the compliance is that for loads
    /// which leave these joints at their limits.
    int limited;
    PoiseNodeId limited_nodes[POISE_FORECAST_NODES];
} PoiseForecast;

/// What a point presses on, where that is known: a plane through the point's place, or `radius`
/// before it.
typedef struct PoiseWall {
    PoisePointId point;
    PoiseVec3 normal; ///< out of the wall, world, of any length > 0
    double friction;  ///< Coulomb's coefficient, >= 0, as ODE has it with dContactApprox1
    /// The body that touches it, one of those that make up the point's link. NULL: the joint's.
    dBodyID body;
    /// m, >= 0: the tip is a ball of this radius around the point, and rolls. 0: the point touches.
    double radius;
} PoiseWall;

/// What is asked, and what is known beside the rig. All zero but `points` and `count` will do.
typedef struct PoiseForecastDef {
    const PoisePointId* points;
    int count; ///< of them, >= 0
    /// Of points that yield to a force. Without a wall such a point presses on a plane across its
    /// force, without friction.
    const PoiseWall* walls;
    int wall_count; ///< >= 0
    /// s, >= 0 and finite: the length of the world's steps. 0: that of the last update. Before the
    /// first update it is not known: then 0.01 s is taken, and the end is an estimate.
    double step;
    /// s, >= 0 and finite: how long the copy may move before it counts as moving for good. 0: 60.
    double seconds;
    /// s, >= 0 and finite: the work of one call. It is counted in steps by the number of joints (a
    /// step of n velocities and r ODE rows takes 2 + 3 n + r / 4 us), not by a clock, so that
    /// every machine gives the same answer. The compliance at the end is extra. 0: 0.05.
    double budget;
} PoiseForecastDef;

/// Copies the bodies that the rig's joints hold, directly or through other joints, with these
/// joints, the rig, its tree and its springs, as they are and move now, steps the copy (exactly, see
/// step.h) until nothing moves, and says for each of `def->points` where it comes to: forecasts[i]
/// is of points[i]. Goals stay where they are, kinematic bodies and the feet of stances too.
/// Contacts are not copied, but for those that yielding points press on. Nothing of the rig and
/// its world is changed.
/// POISE_OK: the end is known. POISE_NOT_CONVERGED: the budget is used up, with
/// POISE_FORECAST_MOVES and what the copy has come to until now; the same call goes on there, for
/// as long as nothing of the rig, its bodies, its goals and `def` but the points has changed, and
/// begins anew otherwise. Ask after dWorldStep, not before: an update without its step is made
/// twice otherwise. Takes memory, which is kept while it may go on.
/// Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT (a normal that is 0 or not finite, a
/// friction or radius below 0, a body that is not of the point's link, a number that is below 0 or
/// not finite), POISE_ERROR_INVALID_HANDLE, POISE_ERROR_OUT_OF_MEMORY; and what an update of the
/// copy refuses, a goal that is not finite say.
POISE_API PoiseStatus poise_rig_forecast(PoiseRig* rig, const PoiseForecastDef* def,
                                         PoiseForecast* forecasts);

/// "settles", "estimate", "moves", "leaves", "falls", "no copy"; "?" for other numbers.
POISE_API const char* poise_forecast_end_name(PoiseForecastEnd end);
/// True if it comes to rest, so that its miss is foreseen: it settles, or is an estimate. False for
/// NULL.
POISE_API bool poise_forecast_rests(const PoiseForecast* forecast);

#ifdef __cplusplus
}
#endif

#endif
