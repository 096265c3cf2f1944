// SPDX-License-Identifier: MIT
// The torques of a rig's joints at a posture, without mass or time: a second state of the rig, and
// the same functions as those of an update. tangent.c differentiates them.
#ifndef POISE_STATICS_H
#define POISE_STATICS_H

#include "block_arrays.h"
#include "copy.h"
#include "press.h"
#include "step.h"

/// The part of a load that the integral leaves to the springs of a block of velocities, at the end
/// of its growth.
typedef struct Relief {
    bool acts;
    bool whole;      ///< True: the integral takes the whole load; false: only up to its bound
    double along[3]; ///< unit vector of the load, over the block's velocities
    double part;     ///< the integral's share of the load, 0..1
} Relief;

typedef struct Statics {
    RigState state;       ///< a second state of the rig
    PoiseSolveDef solve;  ///< the settings' options, without a step
    PoiseTree* reference; ///< own posture; NULL with the measured reference
    PoiseVec3 gravity;
    int count;         ///< velocities of all bindings, as poise_node_omega
    unsigned* stops;   ///< by binding: scratch
    double* torque;    ///< by velocity: the unbalanced torque, 0 at rest
    double* stiffness; ///< by velocity: sum of both springs
    /// by velocity: 1 / stiffness; 0 without a spring, and for a joint of a loop at its stop
    double* compliance;
    /// by velocity: torques of the ground, and at rest those of closing joints
    double* ground_load;
    double* displacement; ///< by velocity: scratch
    double* at;           ///< postures where the derivatives are taken (poise__statics_keep)
    Relief* reliefs;      ///< by binding and block
    double* closing;      ///< by row of `ground`: the forces of the loops at rest
    Kkt ground;           ///< the rows of the feet, then of the loops
    bool at_rest;         ///< the loops keep the forces that they have at rest
    bool clamps;          ///< some joint has a torque limit, so that theta_ik has a clamp
    PoisePointId loaded;  ///< point with an external load; null: none
    double load[6];       ///< force and torque at that point, world
    bool advances;        ///< each evaluation advances the own posture by a step of the solve
    Arrays arrays;
} Statics;

/// Opens the torques at the posture of the bodies. POISE_ERROR_GONE, POISE_ERROR_OUT_OF_MEMORY.
/// Call poise__statics_close also after an error.
PoiseStatus poise__statics_open(Statics* statics, PoiseRig* rig);
void poise__statics_close(Statics* statics);
/// Reads the stiffnesses again, after a spring of the rig has changed.
void poise__statics_read_springs(Statics* statics);
/// Finds the active stops and the loop forces at rest, in the bodies' posture.
void poise__statics_rest(Statics* statics);
/// Evaluates the torques at the present posture; `advance`: after one step of the own posture to
/// its goal. Returns the largest change of theta_ik. Errors of the tree are noted in the state
/// (poise__note).
double poise__statics_torques(Statics* statics, bool advance);
/// Advances the own posture by one step of the solve, without torques. There is an own posture.
void poise__statics_solve(Statics* statics);
/// Advances the own posture until it rests. The clamp of theta_ik depends on the bodies' posture: a
/// joint at its limit pulls theta_ik along, and the other joints compensate. The same happens if a
/// goal is out of reach and the clamp cuts a step towards the natural posture. The measured
/// reference uses the clamps of the step before. `goals`: advances also without such clamps, since
/// a goal or a natural posture has changed.
void poise__statics_follow(Statics* statics, bool goals);
/// Replaces a small load on a binding's velocities by the part that its springs carry.
void poise__statics_relieve(const Statics* statics, int binding, double* load);
/// True if the ground can carry the floating bases.
bool poise__statics_is_carried(const Statics* statics);
/// True if a joint without a spring moves the point, and no loop, stop or foot holds the joint.
bool poise__statics_is_unsprung(const Statics* statics, PoisePointId point);
/// True if no body moves, but the springs gave other torques in the last step than weight and asked
/// forces need: something unknown to the rig holds a body.
bool poise__statics_is_held(const Statics* statics);
/// False if the torques of the measured reference are not in balance at rest: a bound of the step
/// holds theta_ik back in an update, and the derivatives are not those of the rig.
bool poise__statics_is_followed(const Statics* statics);
/// Returns how many numbers poise__statics_keep fills.
size_t poise__statics_numbers(const Statics* statics);
/// Saves and restores the postures of the bodies and the own posture.
void poise__statics_keep(const Statics* statics, double* postures);
void poise__statics_return(Statics* statics, const double* postures);
/// Moves the bodies by a part of a displacement of all velocities, without the frames.
void poise__statics_shift(Statics* statics, const double* displacement, double part);

#endif
