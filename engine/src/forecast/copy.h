// SPDX-License-Identifier: MIT
// A copy of a rig with its bodies, joints, tree and springs, in a dWorld of its own. A forecast
// steps the copy until it is still.
#ifndef POISE_COPY_H
#define POISE_COPY_H

#include "exact_step.h"
#include "poise/forecast.h"
#include "rig.h"

/// A body or joint of the user's world, and its copy.
typedef struct BodyPair {
    dBodyID of;
    dBodyID copy;
} BodyPair;
typedef struct JointPair {
    dJointID of;
    dJointID copy;
} JointPair;

/// A plane that a point presses on. When the copy is made, the round tip at the point touches it.
typedef struct Wall {
    PoisePointId point;
    dBodyID body;      ///< copied body that touches the wall
    PoiseVec3 in_body; ///< place of the point in that body, m
    PoiseVec3 along;   ///< unit vector from the point into the wall, world
    double radius;     ///< m; the tip is a ball of this radius around the point
    double at;         ///< the plane's coordinate on `along`, m
    double friction;   ///< Coulomb's coefficient
    dJointID weld;     ///< fixed joint that carries the point's force; NULL: make a contact
    bool touches;      ///< the point touched the wall in the last step
    dJointFeedback feedback;
    PoiseVec3 force_sum; ///< sum of the wall's force over the last `steps` steps, N
    int steps;           ///< number of steps of the present block that were measured
} Wall;

typedef struct Copy {
    PoiseRig* rig;   ///< has its own tree, with the same handles
    PoiseTree* tree; ///< tree of the copied rig
    dWorldID world;
    struct PoiseExact* exact; ///< solver of its steps
    dJointGroupID contacts;
    PoiseHost host; ///< the rig's host, without its log
    BodyPair* bodies;
    int body_count;
    int body_capacity;
    JointPair* joints;
    int joint_count;
    int joint_capacity;
    Wall* walls;
    int wall_count;
    int wall_capacity;
    double* poses; ///< the bodies' poses at the start of the present block of steps (copy_rig.c)
    size_t poses_size;
    int block_steps; ///< steps of the present block until now
    double step;     ///< length of a step, s
    double seconds;  ///< time simulated until now, s; a longer step counts as one of `step`
    bool still;      ///< no body moved in the last block, and no search for a posture will move one
    bool begins;     ///< the copy is in its first block
    double last;     ///< largest movement of a body in the last block
    bool relaxes;    ///< its steps are longer than `step`
    double calm;     ///< m: longest movement of a body in a block after which it relaxes
    bool fell;       ///< a block moved the bodies less than the block before
    /// True if, after `fell`, a block moved a body farther than the block before. A creep slows
    /// down all the time; an approach, which begins slowly, is over before `fell`.
    bool swings;
    double growth; ///< product of all factors above 1 between the movements of successive blocks
    double moved;  ///< movement of a body in the block before the last search of null_space_rest.c
    double farthest;       ///< rad or m: longest displacement that poise__creep_end may make
    PoiseRigReport report; ///< report of the copy's last update
    bool searches;         ///< the copy's rig searches another posture or moves to one
    bool searched;         ///< `searches` at the end of the last block
    bool flies;            ///< a body is so fast that a step is not reliable
    bool touches;          ///< a contact or load that is not copied holds one of its bodies
    /// Why the rig cannot be copied, in words; empty if it can.
    char why[POISE_FORECAST_WHY];
} Copy;

/// True if the copied rig moves to another posture.
static inline bool poise__copy_reconfigures(const Copy* copy) {
    return copy->report.reconfiguration == POISE_RECONFIGURATION_MOVES;
}

/// Makes the copy with the bodies' present poses and velocities, and with the walls of `def` at the
/// points that press. POISE_ERROR_WRONG_KIND if the rig cannot be copied: `why` names the reason.
/// POISE_ERROR_OUT_OF_MEMORY. Close the copy in any case.
PoiseStatus poise__copy_open(Copy* copy, PoiseRig* rig, const PoiseForecastDef* def);
void poise__copy_close(Copy* copy);
/// Steps until the copy is still, until `seconds` are simulated, or until about the computing time
/// of `steps` steps is used up, and subtracts what was used. An error of an update ends the steps.
PoiseStatus poise__copy_run(Copy* copy, double seconds, long* steps);
/// True if the copy is still, flies, or `seconds` are simulated.
bool poise__copy_ends(const Copy* copy, double seconds);
/// Prepares a copy for a run from its present state.
void poise__copy_restart(Copy* copy);

// null_space_rest.c
/// Sets own posture and bodies to the end of the own posture's creep, if springs and weight alone
/// decide where the copy rests. Adds to `steps` the number of steps with the same computing time.
/// POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__creep_end(Copy* copy, long* steps);

// copy_walls.c: the walls of the points
/// Adds a wall for each point that yields: the wall of `def`, else a frictionless plane across its
/// force. If fixed joints tie the body to the ground, the last of them takes the place of a
/// contact. POISE_ERROR_WRONG_KIND, POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__copy_add_walls(Copy* copy, const PoiseForecastDef* def);
/// Make the contacts of a step; add the contact forces to `force_sum`; reset the sums.
void poise__walls_touch(Copy* copy);
void poise__walls_measure(Copy* copy);
void poise__walls_forget(Copy* copy);
/// Returns the force of a point's wall, N, world: the mean over this block; 0 for a point without a
/// wall.
PoiseVec3 poise__wall_force(const Copy* copy, PoisePointId point);
/// Returns how far the softness of ODE's friction may have moved bodies in this block, m.
double poise__walls_slip(const Copy* copy);
/// True if some point has left its wall; true if some point's wall has friction.
bool poise__walls_left(const Copy* copy);
bool poise__walls_have_friction(const Copy* copy);

// copy_bodies.c, copy_joint.c: the world
/// Copies the bodies that the rig drives, their bases, the bodies welded to them, and all bodies
/// that joints tie to these. POISE_ERROR_WRONG_KIND, POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__copy_bodies(Copy* copy, const PoiseRig* rig);
/// Returns the copy of a body or joint; NULL for NULL and if it has no copy.
dBodyID poise__copy_of_body(const Copy* copy, dBodyID body);
dJointID poise__copy_of_joint(const Copy* copy, dJointID joint);
/// Makes a copy of a joint between the copies of its bodies; NULL for a type that is not copied.
dJointID poise__copy_joint(dWorldID world, dJointID joint, const dBodyID bodies[2]);
/// Copies the pose of the body `like`, to the last bit.
void poise__copy_place(dBodyID body, dBodyID like);

#endif
