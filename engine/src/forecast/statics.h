// SPDX-License-Identifier: MIT
// The torques of a rig's joints at a posture, without mass or time: a second state of the rig, and
// the same functions as those of an update. tangent.c takes their derivative.
#ifndef POISE_STATICS_H
#define POISE_STATICS_H

#include "copy.h"
#include "force.h"
#include "step.h"

/// The part of a load that the integral leaves to the springs of a block of velocities, once it has
/// added up.
typedef struct Relief {
    bool acts;
    bool whole;      ///< it takes all; else it pushes with the most it may, against the load
    double along[3]; ///< the load's direction, over its velocities
    double part;     ///< the most it may, over the load
} Relief;

typedef struct Statics {
    RigState state;       ///< the rig's second one
    PoiseSolveDef solve;  ///< its settings', without a step
    PoiseTree* reference; ///< own posture; NULL in measured mode
    PoiseVec3 gravity;
    int count;            ///< numbers of all bindings, as poise_node_omega
    unsigned* stops;      ///< by binding: scratch
    double* torque;       ///< by number: what is left of it, 0 at rest
    double* stiffness;    ///< by number: of both springs
    double* compliance;   ///< by number: 1 / stiffness, 0 on a stop of a loop
    double* ground_load;  ///< by number: torques of the ground, and at rest of closing joints
    double* displacement; ///< by number: scratch
    double* postures;     ///< of each node, POISE_MAX_POSTURE numbers: of the reference
    double* at;           ///< likewise: of the state's tree
    Relief* reliefs;      ///< by binding and block
    double* closing;      ///< by row of `ground`: what held it at rest
    Kkt ground;           ///< the feet, then the loops
    bool at_rest;         ///< what closes the loops is that of the rest
    bool clamps;          ///< some joint has a torque limit, so that theta_ik has a clamp
    bool leads;           ///< the own posture takes a step to its goal each time
    void* memory;
    size_t size;
} Statics;

/// At the posture of the bodies. POISE_ERROR_GONE, POISE_ERROR_OUT_OF_MEMORY; to be closed in any
/// case.
PoiseStatus poise__statics_open(Statics* statics, PoiseRig* rig);
void poise__statics_close(Statics* statics);
/// Finds the stops and loop forces of the rest, the bodies' posture.
void poise__statics_rest(Statics* statics);
/// Finds the torques at its posture; `lead`: after one step of the own posture to its goal. Returns
/// the largest step of the own posture. Errors of its tree are noted in its state (poise__note).
double poise__statics_torques(Statics* statics, bool lead);
/// Replaces a small load on a binding's velocities by the part that reaches its springs.
void poise__statics_relieve(const Statics* statics, int binding, double* load);
/// True if the ground can carry what stands on it.
bool poise__statics_is_carried(const Statics* statics);
/// True if a joint without a spring moves the point, and no loop, stop or foot holds it.
bool poise__statics_is_unsprung(const Statics* statics, PoisePointId point);
/// True if the springs gave something else in the last step than weight and asked forces take,
/// while no body moves: then something holds it that the rig does not know.
bool poise__statics_is_held(const Statics* statics);
/// The postures of all nodes, POISE_MAX_POSTURE numbers each, and back; the frames are not filled.
void poise__postures_keep(const PoiseTree* tree, double* postures);
void poise__postures_restore(RigState* state, PoiseTree* tree, const double* postures);

#endif
