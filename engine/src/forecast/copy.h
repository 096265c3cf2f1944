// SPDX-License-Identifier: MIT
// A copy of a rig with mass and time: its bodies, joints, tree and springs again, in a world of
// their own that is stepped until it is still.
#ifndef POISE_COPY_H
#define POISE_COPY_H

#include "exact_step.h"
#include "poise/forecast.h"
#include "rig.h"

/// A body, or a joint, and its copy.
typedef struct BodyPair {
    dBodyID of;
    dBodyID copy;
} BodyPair;
typedef struct JointPair {
    dJointID of;
    dJointID copy;
} JointPair;

/// A wall that a point presses on, where the point was when the copy was made.
typedef struct Wall {
    PoisePointId point;
    dBodyID body;
    PoiseVec3 in_body; ///< the point
    PoiseVec3 along;   ///< from the point into the wall, of length 1
    double radius;     ///< m; the tip is a ball of this radius around the point
    double at;         ///< the wall's place along it, m
    double friction;   ///< Coulomb's coefficient
    dJointID weld;     ///< the fixed joint that holds the body already; NULL: a contact is made
    bool touches;      ///< as of the last step
    dJointFeedback feedback;
    PoiseVec3 felt; ///< sum of the wall's force over the steps of this block, N
    int steps;
} Wall;

typedef struct Copy {
    PoiseRig* rig;   ///< on a tree of its own under the same handles
    PoiseTree* tree; ///< the copied rig's
    dWorldID world;
    struct PoiseExact* exact; ///< steps it
    dJointGroupID contacts;
    PoiseHost host; ///< without a log
    BodyPair* bodies;
    int body_count;
    int body_capacity;
    JointPair* joints;
    int joint_count;
    int joint_capacity;
    Wall* walls;
    int wall_count;
    int wall_capacity;
    double* poses; ///< of the bodies, at the start of this block
    size_t poses_size;
    int block_steps; ///< steps of this block until now
    double step;     ///< s
    double seconds;  ///< s: simulated until now
    bool still;      ///< no body moved in the last block, nor will by a search for a posture
    bool searches;   ///< its rig looks for another posture, or goes there
    bool flies;      ///< a body became so fast that its step cannot be trusted
    bool touches;    ///< a contact or load that is not copied holds one of its bodies
    /// What cannot be copied, in words; empty where all is.
    char why[POISE_FORECAST_WHY];
} Copy;

/// Makes the copy as the bodies are and move, with the walls of `def` where its points press.
/// POISE_ERROR_WRONG_KIND where something cannot be copied, which `why` names.
/// POISE_ERROR_OUT_OF_MEMORY. To be closed in any case.
PoiseStatus poise__copy_open(Copy* copy, PoiseRig* rig, const PoiseForecastDef* def);
void poise__copy_close(Copy* copy);
/// Steps until it is still, at most `steps` times; an error of an update ends it.
PoiseStatus poise__copy_run(Copy* copy, long steps);

// wall.c: what its points press on
/// A wall for each point that yields: the one that is known, else one across its force without
/// friction. A body that fixed joints hold gets none: the last of these joints bears the force.
/// POISE_ERROR_WRONG_KIND, POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__copy_add_walls(Copy* copy, const PoiseForecastDef* def);
/// Makes the contacts of a step; adds up their forces; resets the sums.
void poise__walls_touch(Copy* copy);
void poise__walls_feel(Copy* copy);
void poise__walls_forget(Copy* copy);
/// What a point's wall bore, N, world: the mean of this block; 0 of a point without a wall.
PoiseVec3 poise__wall_force(const Copy* copy, PoisePointId point);
/// m: how far bodies may have moved in this block because ODE's friction gives way a little.
double poise__walls_slip(const Copy* copy);
/// True if some point has left what it was to press on; if some point rubs on its wall.
bool poise__walls_left(const Copy* copy);
bool poise__walls_rub(const Copy* copy);

// copy_bodies.c, copy_joint.c: the world
/// Copies the bodies that the rig drives, stands on and is welded to, and all that joints tie to
/// them. POISE_ERROR_WRONG_KIND, POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__copy_bodies(Copy* copy, const PoiseRig* rig);
/// The copy of a body or joint; NULL of NULL and of what has none.
dBodyID poise__copy_of_body(const Copy* copy, dBodyID body);
dJointID poise__copy_of_joint(const Copy* copy, dJointID joint);
/// A joint like another between the copies of its bodies; NULL where its type is not copied.
dJointID poise__copy_joint(dWorldID world, dJointID joint, const dBodyID bodies[2]);
/// Puts a body where another one is, to the last bit.
void poise__copy_place(dBodyID body, dBodyID like);

#endif
