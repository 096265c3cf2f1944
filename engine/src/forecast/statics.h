// SPDX-License-Identifier: MIT
// The torques of a rig's joints at a posture, without mass or time, computed by the functions of an
// update on a second state of the rig. tangent.c differentiates them.
#ifndef POISE_STATICS_H
#define POISE_STATICS_H

#include "block_arrays.h"
#include "copy.h"
#include "press.h"
#include "step.h"

/// How a load on a block (translations or rotations of a joint) is shared between the integral and
/// the springs when the integral has stopped growing.
typedef struct Relief {
    bool acts;       ///< the block has an integral that is not paused
    bool whole;      ///< the integral carries the whole load, which is below its bound
    double along[3]; ///< direction of the load, a unit vector over the block's velocities
    double part;     ///< fraction of the load that the integral carries, 0..1
} Relief;

typedef struct Statics {
    RigState state;       ///< a copy of the rig's state, in which torques are evaluated
    PoiseSolveDef solve;  ///< solve options of the rig's settings, with step = 0
    PoiseTree* reference; ///< tree at theta_ik (the own posture); NULL with the measured reference
    PoiseVec3 gravity;
    int count;         ///< number of velocities of all bindings, as in poise_node_omega
    unsigned* stops;   ///< by binding: JointState.stops before poise__closures_share changed them
    double* torque;    ///< by velocity: the unbalanced torque, 0 at rest, N m or N
    double* stiffness; ///< by velocity: sum of the stiffnesses of the natural and the IK spring
    /// by velocity: 1 / stiffness; 0 without a spring, and for a joint of a loop at its stop
    double* compliance;
    /// by velocity: torques of the ground's forces, and if `at_rest` also of the closing joints
    double* ground_load;
    double* displacement; ///< by velocity: scratch
    double* at;           ///< postures at which tangent.c differentiates (poise__statics_save)
    Relief* reliefs;      ///< one for each block of velocities, POISE_MAX_MOTIONS for each binding
    double* closing;      ///< by row of `ground`: forces of the loops at rest
    Kkt ground;           ///< constraint rows of the feet, then of the loops
    /// poise__statics_rest has set `closing`, and the closing joints exert these forces
    bool at_rest;
    bool clamps;         ///< some joint has a torque limit, which clamps theta_ik
    PoisePointId loaded; ///< point with an external load; null: none
    double load[6];      ///< force and torque at that point, world, N and N m
    bool advances;       ///< each evaluation of the torques advances the own posture by one solve
    Arrays arrays;
} Statics;

/// Opens the statics at the posture of the bodies. POISE_ERROR_GONE, POISE_ERROR_OUT_OF_MEMORY.
/// Call poise__statics_close also after an error.
PoiseStatus poise__statics_open(Statics* statics, PoiseRig* rig);
void poise__statics_close(Statics* statics);
/// Reads the stiffnesses again, after a spring of the rig has changed.
void poise__statics_read_springs(Statics* statics);
/// Finds the active stops and the loop forces at rest, in the bodies' posture.
void poise__statics_rest(Statics* statics);
/// Evaluates the torques at the bodies' posture. `advance`: first advances the own posture by one
/// solve. Returns the largest change of theta_ik by it, rad or m. The state keeps errors of the
/// tree (poise__note).
double poise__statics_torques(Statics* statics, bool advance);
/// Advances the own posture by one solve, without torques. Statics.reference is not NULL.
void poise__statics_solve(Statics* statics);
/// Advances the own posture until it rests. Torque limits move it: they clamp theta_ik near the
/// body, and other joints compensate. If the reference is the measured one, evaluates until the
/// clamps, which lag by one evaluation, are constant. `goals`: advances also without torque limits,
/// since a goal or a natural posture has changed.
void poise__statics_follow(Statics* statics, bool goals);
/// Replaces a small additional load on a binding's velocities by the part that its springs carry;
/// the integral carries the rest.
void poise__statics_relieve(const Statics* statics, int binding, double* load);
/// True if the ground can carry the floating bases.
bool poise__statics_is_carried(const Statics* statics);
/// True if a joint without a spring moves the point, and neither loop, stop nor foot fixes the
/// joint.
bool poise__statics_is_unsprung(const Statics* statics, PoisePointId point);
/// True if no body moves, but the torques of the last step do not balance the weight: something
/// unknown to the rig holds a body. False for a rig with stances, loops or points that press.
bool poise__statics_is_supported(const Statics* statics);
/// Returns the number of doubles that poise__statics_save fills.
size_t poise__statics_numbers(const Statics* statics);
/// Save and restore the postures of the bodies and the own posture.
void poise__statics_save(const Statics* statics, double* postures);
void poise__statics_restore(Statics* statics, const double* postures);
/// Moves the bodies by `part` times a displacement of all velocities, but leaves the frames of the
/// tree.
void poise__statics_shift(Statics* statics, const double* displacement, double part);

#endif
