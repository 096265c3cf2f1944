// SPDX-License-Identifier: MIT
// The torques of a rig's joints at a posture, without mass or time. The functions of an update
// compute them on a second state of the rig. tangent.c differentiates them.
#ifndef POISE_STATICS_H
#define POISE_STATICS_H

#include "block_arrays.h"
#include "copy.h"
#include "press.h"
#include "step.h"

/// How the integral and the springs of a block of velocities share a load, once the integral no
/// longer grows.
typedef struct Relief {
    bool acts;       ///< the block has an integral, which is not paused
    bool whole;      ///< the load is below the integral's bound: the springs carry nothing
    double along[3]; ///< unit vector of the load, over the block's velocities
    double part;     ///< the integral's share of the load, 0..1
} Relief;

typedef struct Statics {
    RigState state;       ///< a second state of the rig
    PoiseSolveDef solve;  ///< the settings' options, without a step
    PoiseTree* reference; ///< own posture; NULL with the measured reference
    PoiseVec3 gravity;
    int count;         ///< number of velocities of all bindings, as in poise_node_omega
    unsigned* stops;   ///< by binding: JointState.stops before poise__closures_share changed them
    double* torque;    ///< by velocity: the unbalanced torque, 0 at rest
    double* stiffness; ///< by velocity: sum of the natural and the IK spring
    /// by velocity: 1 / stiffness; 0 without a spring, and for a joint of a loop at its stop
    double* compliance;
    /// by velocity: torques of the ground's forces; if `at_rest`, also of the closing joints'
    double* ground_load;
    double* displacement; ///< by velocity: scratch
    double* at;           ///< postures where tangent.c differentiates (poise__statics_save)
    Relief* reliefs;      ///< POISE_MAX_MOTIONS for each binding, by block
    double* closing;      ///< by row of `ground`: the forces of the loops at rest
    Kkt ground;           ///< the rows of the feet, then of the loops
    bool at_rest;         ///< the closing joints exert their forces at rest (`closing`)
    bool clamps;          ///< some joint has a torque limit, by which theta_ik is clamped
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
/// Advances the own posture by one step of the solve, without torques. `reference` is not NULL.
void poise__statics_solve(Statics* statics);
/// Advances the own posture until it rests. It moves if a joint is at its torque limit: its
/// theta_ik is clamped near the body, and the other joints compensate, or a step to the natural
/// posture is cut. The measured reference is evaluated until its clamps, those of the step before,
/// are constant. `goals`: advances also without torque limits, since a goal or a natural posture
/// has changed.
void poise__statics_follow(Statics* statics, bool goals);
/// Replaces a small additional load on a binding's velocities by the part that its springs carry,
/// not the integral.
void poise__statics_relieve(const Statics* statics, int binding, double* load);
/// True if the ground can carry the floating bases.
bool poise__statics_is_carried(const Statics* statics);
/// True if a joint without a spring moves the point, and no loop, stop or foot holds the joint.
bool poise__statics_is_unsprung(const Statics* statics, PoisePointId point);
/// True if no body moves, but the torques of the last step do not balance the weight: something
/// unknown to the rig holds a body. False for a rig with stances, loops or points that press.
bool poise__statics_is_supported(const Statics* statics);
/// Returns how many numbers poise__statics_save fills.
size_t poise__statics_numbers(const Statics* statics);
/// Saves and restores the postures of the bodies and the own posture.
void poise__statics_save(const Statics* statics, double* postures);
void poise__statics_restore(Statics* statics, const double* postures);
/// Moves the bodies by a part of a displacement of all velocities, without the frames.
void poise__statics_shift(Statics* statics, const double* displacement, double part);

#endif
