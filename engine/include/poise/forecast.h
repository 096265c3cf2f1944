// SPDX-License-Identifier: MIT
// Forecasts the posture in which a rig will rest: copies its bodies and joints into a world of
// their own and steps the copy until it is still. The posture is that of the copy. The compliance
// is the derivative of the springs' torques at that posture.
//
//     const PoiseForecastDef def = {.points = &hand, .count = 1, .step = 0.005};
//     PoiseForecast forecast;
//     while (poise_rig_forecast(rig, &def, &forecast) == POISE_NOT_CONVERGED) {
//         // the budget is used up: call again to continue, in the next frame for example
//     }
//     if (forecast.end == POISE_FORECAST_SETTLES) ... forecast.miss
#ifndef POISE_FORECAST_H
#define POISE_FORECAST_H

#include "poise/rig.h"
#include "poise/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// POISE_FORECAST_NODES: largest number of joints in limited_nodes. POISE_FORECAST_WHY: size of
/// `why`, bytes.
enum { POISE_FORECAST_NODES = 16, POISE_FORECAST_WHY = 160 };

/// How the copy's motion ended.
typedef enum PoiseForecastEnd {
    /// The copy is still. Its miss is right within 1 % or 0.01 mm. A finite compliance is right
    /// within 1 % or 1e-10 m/N: ODE's own joints give by CFM h / ERP each.
    POISE_FORECAST_SETTLES = 0,
    /// The copy is still, but the figures may differ from the real motion: its rest depends on
    /// friction, a joint without a spring, or a contact that the rig does not know; its loops
    /// oscillated with a growing amplitude, and a nudge moves its rest; the length of the steps is
    /// not known.
    POISE_FORECAST_ESTIMATE = 1,
    /// The copy still moved after PoiseForecastDef.seconds, or when the budget was used up.
    POISE_FORECAST_MOVES = 2,
    /// At the end a point that presses no longer touches its wall.
    POISE_FORECAST_LEAVES = 3,
    /// The ground cannot carry the figure where it would rest: its feet slide, or it tips over.
    POISE_FORECAST_FALLS = 4,
    /// The rig cannot be copied, and the figures are NAN. PoiseForecast.why names the reason: a
    /// DBall, DHinge, Plane2D, transmission or Euler motor joint of the user's holds one of its
    /// bodies; a linear motor joins bodies that no slider joins; a bound joint has lost its body; a
    /// base has weight, and neither a stance nor anything fixed carries the base; a force is asked
    /// of a point that has no place; the budget is less than one step.
    POISE_FORECAST_NO_COPY = 5
} PoiseForecastEnd;

/// The prediction for a point while goals and forces stay constant. The figures are NAN with
/// POISE_FORECAST_NO_COPY.
typedef struct PoiseForecast {
    PoiseForecastEnd end;
    /// One sentence: why the copy does not settle; empty with POISE_FORECAST_SETTLES.
    char why[POISE_FORECAST_WHY];
    /// Simulated time until now, s. The rig itself may need longer: the copy skips slow motion in
    /// the null space, and counts a longer step as one (poise_rig_forecast).
    double seconds;
    /// Distance and rotation to the goal, m and rad, without the directions in which the point
    /// yields to a force.
    double miss;
    double angle_miss;
    /// The part of miss and angle_miss in the active rows (PoisePointDef.rows), m and rad.
    double row_miss;
    double row_angle_miss;
    /// Displacement of the point per force at the point, m/N, row-major, world axes. Rotation of
    /// its link per torque, rad/(N m). NAN if it is not known: some load meets no stiffness;
    /// friction decides the rest; a joint unknown to the rig holds the point; the torque limit of
    /// a hinge can hardly carry its links, so that a push moves its reference for good; the copy
    /// does not settle; the rig is too large (n^2 (n + 18 count) > 1e9 for n joint velocities and
    /// `count` points).
    double compliance[9];
    double turn_compliance[9];
    /// True if the point yields to a force: there is no stiffness along the force, and the contact
    /// is assumed to hold the point.
    bool yields;
    /// Contact force on a yielding point, N, world axes: the mean of the last 0.2 s.
    PoiseVec3 force;
    /// Number of joints within 0.1 % of their torque (or force) limit in the end, or of hinges
    /// whose links' weight needs 94 % of it, and the first of them. Joints at their limits give no
    /// more torque under a load; the compliance is for loads that leave them there.
    int limited;
    PoiseNodeId limited_nodes[POISE_FORECAST_NODES];
} PoiseForecast;

/// The wall that a point presses on: a plane through the point, or at the distance `radius` in
/// front of it.
typedef struct PoiseWall {
    PoisePointId point;
    PoiseVec3 normal; ///< out of the wall, world axes, any length > 0
    double friction;  ///< Coulomb's coefficient, >= 0, as in ODE's dContactApprox1
    /// The body that touches the wall, one of those of the point's link. NULL: the body of the
    /// node's joint.
    dBodyID body;
    /// Radius of the tip, a ball around the point that rolls on the wall, m, >= 0. 0: the point
    /// itself touches the wall.
    double radius;
} PoiseWall;

/// The points to forecast, and facts that the rig does not know. Members other than `points` and
/// `count` may be 0.
typedef struct PoiseForecastDef {
    const PoisePointId* points;
    int count; ///< number of points, >= 0
    /// The walls of points that yield to a force. A yielding point without a wall presses on a
    /// frictionless plane across its force.
    const PoiseWall* walls;
    int wall_count; ///< number of `walls`, >= 0
    /// Length of the world's steps, s, >= 0 and finite. 0: the step of the last update. Before the
    /// first update 0 means 0.01 s, and the end is an estimate.
    double step;
    /// Longest simulated time, s, >= 0 and finite: a copy that still moves then ends as
    /// POISE_FORECAST_MOVES. 0: 60.
    double seconds;
    /// Computing time of one call, s, >= 0 and finite; 0: 0.05. It is counted in steps, not
    /// measured by a clock, so that every machine gives the same result: a step of n velocities and
    /// r ODE rows costs 2 + 3 n + r / 4 us. The compliance at the end is extra.
    double budget;
} PoiseForecastDef;

/// Copies the rig with its tree and springs, the bodies that its joints hold, and all other joints
/// of these bodies. Steps the copy (exactly, see step.h) until nothing moves, and fills
/// forecasts[i] for points[i]. If springs and weight alone decide the rest of a rig without loops
/// and stances, the copy skips theta_ik's motion in the null space, which takes 20 s in the rig.
/// Without dry friction, loops and joints at their torque limits its steps are 16 times as long
/// while its springs only relax; true steps decide if it is still. If an oscillation of loops grew
/// by more than 50, the copy repeats its motion with a nudge of 1e-6 m/s, and settles if it comes
/// to the same rest; if it then does not rest, it repeats the motion without the nudge. In the copy
/// goals, kinematic bodies and the feet of stances do not move. The copy has no contacts except
/// those of yielding points. The rig and its world are not changed.
///
/// POISE_OK: the end is known. POISE_NOT_CONVERGED: the budget is used up; the end is
/// POISE_FORECAST_MOVES, and the figures are the present ones of the copy. The same call then
/// continues. It starts again if the rig, a body, a goal or a member of `def` other than its points
/// has changed. Call this after dWorldStep: before it, the copy would repeat the update whose step
/// is still missing. Allocates memory, which is kept while the forecast may continue.
///
/// Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT (a normal that is 0 or not finite, a
/// friction or radius below 0, a body that is not of the point's link, a number that is below 0 or
/// not finite), POISE_ERROR_INVALID_HANDLE, POISE_ERROR_OUT_OF_MEMORY; and those of an update of
/// the copy, such as a goal that is not finite.
POISE_API PoiseStatus poise_rig_forecast(PoiseRig* rig, const PoiseForecastDef* def,
                                         PoiseForecast* forecasts);

/// Finds the wall that a point presses on, for PoiseForecastDef.walls: the contact of the point's
/// link that carried most of the point's asked force in the world's last step. `radius` is the
/// distance from the point to a contact straight ahead, along the normal; 0 for other contacts.
/// Returns false, with nothing written, if no contact carries any of the force, and for NULL or an
/// invalid handle.
POISE_API bool poise_world_find_wall(const PoiseWorld* world, const PoiseRig* rig,
                                     PoisePointId point, PoiseWall* wall);

/// Returns the name of an end, such as "settles" or "no copy"; "?" for other numbers.
POISE_API const char* poise_forecast_end_name(PoiseForecastEnd end);
/// True if the copy rests (settles or estimate): then the miss is known. False for NULL.
POISE_API bool poise_forecast_rests(const PoiseForecast* forecast);

/// Returns the largest distance, m, at which friction can hold a point from its forecast rest: the
/// largest |C t| of the friction forces t perpendicular to `force` (N, world, the point's force on
/// the wall) with |t| = friction |force|. Right to first order: beyond about 1 % of the links'
/// length C changes; then forecast with a wall (PoiseForecastDef.walls). Infinite if C is not known
/// or a joint rests at its torque limit; 0 for NULL and for numbers that are not finite or below 0.
POISE_API double poise_forecast_friction_band(const PoiseForecast* forecast, PoiseVec3 force,
                                              double friction);

#ifdef __cplusplus
}
#endif

#endif
