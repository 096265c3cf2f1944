// SPDX-License-Identifier: MIT
// What a rig's springs will come to: where a point rests, how far it gives way there, and why that
// may not be known.
#ifndef POISE_FORECAST_H
#define POISE_FORECAST_H

#include "poise/rig.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How many joints a forecast names.
enum { POISE_FORECAST_NODES = 16 };

/// What is to be expected of a point once the springs have come to rest where the goals and forces
/// are as they are now.
typedef struct PoiseForecast {
    /// A rest was found; else the miss is that of the last posture tried, and there is no
    /// compliance.
    bool rests;
    /// How far it will stay from its goal, m and rad, but for the directions in which it yields.
    double miss;
    double angle_miss;
    /// Of that, what is in the rows that count (PoisePointDef.rows).
    double row_miss;
    double row_angle_miss;
    /// How far a small load at the point moves it there, m/N, row-major, world axes; and how far a
    /// torque turns its link, rad/(N m). 0 where it is not defined: see below.
    double compliance[9];
    double turn_compliance[9];
    /// Of a point that yields: how its compliance changes with a load f at the point, m/N^2:
    /// C_ij + sum_k bend[9 i + 3 j + k] f_k. By central differences of C at the rests under loads
    /// that move it by about 1 mm. 0 where there is none, and where a torque limit is touched; NAN
    /// where it is not known, as such a load finds no rest or takes a joint to its torque limit.
    double bend[27];
    /// It presses: s m off its goal across the force it is pulled back as if it gave way by no less
    /// than softening s in each direction, 1/N, so that nothing is thrown about by a direction in
    /// which its joints hardly give way. 0 where nothing presses.
    double softening;
    /// It yields to a force: along it there is no stiffness, and the contact is taken to hold it.
    bool yields;
    /// What such a contact will bear, N, world: the force that is asked, with what weight and
    /// springs add; and friction where a wall has it.
    PoiseVec3 force;
    /// It, or another point, presses on a wall with friction (PoiseForecastDef): where it comes to
    /// is the end of a simulation from where the bodies are, and there is no compliance.
    bool rubs;
    /// It presses where there is a direction in which its joints hardly give way (by 1e-3 of what
    /// they do in another): a force along it takes hardly any torque, so that what it will press
    /// with cannot be set; and neither `force` nor what is read is known well.
    bool wedged;
    /// Pressing with friction: where it comes to is known, but what its wall bears still changes
    /// there (by more than 0.5 % in the end, as far as three more seconds tell), or is another one
    /// each time the way is gone: `force` is not known well.
    bool force_drifts;
    /// The posture has a motion that no spring opposes (in measured mode every motion that moves no
    /// point, unless there is p_orig).
    bool slack;
    /// Some force at the point, or torque on its link, finds no rest: there is no compliance. Or
    /// its own posture goes on in the null space for minutes (more than 3,000 steps after its
    /// goals are met), and it gives way otherwise on that way, by 0.5 % or more, or its end was not
    /// found.
    bool loose;
    bool turns_loose;
    /// The ground cannot carry the body where it would rest, so that it does not: its feet would
    /// slide, or it would tip over (see poise_rig_read_support).
    bool falls;
    /// The point's base floats and stands on nothing: what is foreseen is for a base that stays
    /// where it is, which nothing makes it do.
    bool floats;
    /// A joint of ODE's that the rig does not know ties one of its bodies (one made after the
    /// import, a user's motor, or of a type that is left to ODE), and the way there could not be
    /// simulated with it: what hangs on it, or what it holds, is not in the figures. Where it could
    /// be, they have it, but for the compliance, which is not known.
    bool tied;
    /// It yields to a force, and weight or springs pull it away from the contact by more than the
    /// force that is asked: it leaves it, and what is foreseen, with the contact holding it, does
    /// not come. Feed the weight forward (PoiseRigSettings.gravity).
    bool leaves;
    /// Measured reference: the weight is not fed forward, and neither a goal nor p_orig opposes it
    /// in all motions: it sinks, slowly, for as long as it can, and what is foreseen may be hours
    /// away.
    bool creeps;
    /// A joint without a spring, which no loop or foot holds either, moves the point, and a load
    /// moves the joint, or the others do as they go to their rest. What is foreseen has that joint
    /// where it is now; it swings elsewhere.
    bool limp;
    /// Own posture: torque limits hold joints back on the way, and the goals leave joints free:
    /// which of many rests it comes to depends on how the bodies move there, and it could not be
    /// simulated. With a posture rate (PoiseRigSettings) there is one.
    bool path_dependent;
    /// Some joint is at its torque limit, at rest or on the way there: friction that holds it on
    /// the way may leave it anywhere.
    bool held_back;
    /// Torque limits hold joints back on the way, it could not be simulated, and of three ways
    /// there (without inertia, without dampers either, and with the inertia of what hangs on each
    /// joint) one ends at another rest. Or it presses, and of three simulated ways, each a little
    /// beside the others, one does (poise_rig_foresee).
    bool several;
    /// Friction decides where it rests, and the way there could not be simulated.
    bool unrehearsed;
    /// Simulated, its points still move: after 20 times 5 s (of 200 to 1,000 steps), twice that
    /// where they move little, or four times where a tip sticks and slips again. Or it sticks, but
    /// what its wall bears changes, and the joints behind it go on: it slips again minutes later.
    /// Or they rest, but the own posture goes on in the null space and brings another joint to its
    /// torque limit later than that (looked for over 30,000 steps, at a posture rate of 0.01 or
    /// more). Or it could not be simulated, and on the third way it swings after 3000 steps: a
    /// joint at its torque limit has no damper.
    bool swings;
    /// There are torque limits, or the way was simulated; the rig has made no update yet, and
    /// PoiseForecastDef.step is 0. The figures are those of steps of 0.01 s.
    bool step_unknown;
    /// How many joints will rest at their torque limit (or force limit), or within 0.1 % of it,
    /// and the first of them. A joint at its limit gives no more under a load: the compliance is
    /// that for loads which keep these joints at their limits; of one next to it, its spring
    /// counts. Loads that take one off its limit, or to it, find other springs: what they do is not
    /// known.
    int limited;
    PoiseNodeId limited_nodes[POISE_FORECAST_NODES];
} PoiseForecast;

/// Foresees miss and compliance of a point from the springs, the natural posture, the solver, the
/// torque limits with their anti-windup clamp, the weight and the forces asked (sec. 5.1), by the
/// law of the rig's reference: C = J (p_orig + p_ik)^-1 J^T with the own posture, J (P_orig + P_ik
/// J^# J)^-1 J^T measured; loads that change with the posture are counted in, and what the integral
/// will have added up: a joint that it can hold feels no load at all in the end, and C has nothing
/// of it. Bases stay where they are, but for those that stand: of these the feet stay, and the base
/// goes along. Contacts are not known, but for those of the feet and those that yielding points
/// press on, which are taken to hold without friction. Whether what is found is also come to is not
/// said: an integral quicker than d / p may swing about it for ever, as may what falls over.
/// Ask after dWorldStep: between an update and its dWorldStep a simulated way makes one update too
/// many, for the update that is under way is made again. Before the first update the length of the
/// steps is not known: poise_rig_foresee takes it.
/// POISE_NOT_CONVERGED: it does not rest. Takes memory and its time (the square of the joints'
/// number); for between steps. Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE, POISE_ERROR_OUT_OF_MEMORY. Or POISE_NOT_CONVERGED.
POISE_API PoiseStatus poise_rig_forecast(PoiseRig* rig, PoisePointId point,
                                         PoiseForecast* forecast);

/// The same of `count` (>= 0) points at once, in their order: forecasts[i] is of points[i], to the
/// last bit as poise_rig_forecast has it. They all rest in one posture, which is what takes the
/// time: many points cost little more than one. Where one point is refused, nothing is written.
/// Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE,
/// POISE_ERROR_OUT_OF_MEMORY. Or POISE_NOT_CONVERGED.
POISE_API PoiseStatus poise_rig_forecasts(PoiseRig* rig, const PoisePointId* points, int count,
                                          PoiseForecast* forecasts);

/// What a point presses on, where that is known: a plane through the point's place, or `radius`
/// before it.
typedef struct PoiseWall {
    PoisePointId point;
    PoiseVec3 normal; ///< out of the wall, world, of any length > 0
    double friction;  ///< Coulomb's coefficient, >= 0, as ODE has it with dContactApprox1
    /// That touches it: one of the bodies that make up the point's link. NULL: any of them; where
    /// it matters which, the forecast says that it cannot know.
    dBodyID body;
    /// m, >= 0: what touches is round there, its middle at the point, and rolls. 0: the point
    /// itself touches.
    double radius;
} PoiseWall;

/// What is to be foreseen, and what is known beside the rig.
typedef struct PoiseForecastDef {
    const PoisePointId* points;
    int count; ///< of them, >= 0
    /// Of points that yield to a force; those of other points say nothing.
    const PoiseWall* walls;
    int wall_count; ///< >= 0
    /// s, >= 0 and finite: the length of the world's steps. 0: that of the last update; before the
    /// first update it is not known, and where it matters the forecast says so (`step_unknown`).
    double step;
} PoiseForecastDef;

/// As poise_rig_forecasts, with the walls that points press on. Where one has friction, it can hold
/// the point at many places: which one it comes to follows from where the bodies are now. It is
/// found by going there, on a copy of the bodies in a world of its own, with the friction model of
/// ODE. The way is gone three times: as it is, and twice beside it (bodies turn by 1e-5 rad/s, the
/// coefficient is 0.01 % off, the wall by 0.1 um and 0.01 um nearer, another body of the link
/// touches it). If the ends differ, the least of differences decides, and the forecast says so
/// (`several`). Where that cannot be done (bases that float, joints other than hinges, sliders,
/// balls, universals without stops and fixed ones) the forecast is in doubt. Of what stands on
/// stances the feet stay where they are.
/// Without such walls the forecast is the one without friction, and poise_forecast_friction_band
/// tells how far friction may hold it off. Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT
/// (a normal that is 0 or not finite, a friction or radius below 0, a body that is not of the
/// point's link, a step that is below 0 or not finite), POISE_ERROR_INVALID_HANDLE,
/// POISE_ERROR_OUT_OF_MEMORY. Or POISE_NOT_CONVERGED.
POISE_API PoiseStatus poise_rig_foresee(PoiseRig* rig, const PoiseForecastDef* def,
                                        PoiseForecast* forecasts);

/// Why the forecast's figures may not be what happens, in words: it does not rest for minutes, its
/// base floats, the ground cannot carry it, it leaves what it presses on, its weight makes it
/// creep, a joint without a spring swings, it depends on the way there, or the length of the steps
/// is not known. Last come those that only `force` is in doubt for: `wedged` and `force_drifts`.
/// NULL where nothing is in doubt, and for NULL.
POISE_API const char* poise_forecast_doubt(const PoiseForecast* forecast);

/// The miss alone, m and rad. Either pointer may be NULL. Errors: POISE_ERROR_GONE,
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE, POISE_ERROR_OUT_OF_MEMORY. Or
/// POISE_NOT_CONVERGED.
POISE_API PoiseStatus poise_rig_predicted_miss(PoiseRig* rig, PoisePointId point, double* miss,
                                               double* angle_miss);

#ifdef __cplusplus
}
#endif

#endif
