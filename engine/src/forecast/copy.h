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

/// The surface that a point presses on, as a plane. When the copy is made, the plane touches the
/// tip, a ball around the point.
typedef struct Wall {
    PoisePointId point;
    dBodyID body;      ///< copied body that carries the point
    PoiseVec3 in_body; ///< position of the point in the frame of `body`, m
    PoiseVec3 along;   ///< unit vector from the point into the wall, world
    double radius;     ///< radius of the tip, m
    double at;         ///< distance of the wall's plane from the origin along `along`, m
    double friction;   ///< Coulomb's coefficient
    dJointID weld;     ///< fixed joint to the ground that replaces the contact, or NULL
    bool touches;      ///< the point touched the wall in the last step
    dJointFeedback feedback;
    PoiseVec3 force_sum; ///< sum of the wall's forces over the last `steps` steps, N, world
    int steps;           ///< number of steps in `force_sum`: those of the present block
} Wall;

typedef struct Copy {
    PoiseRig* rig;   ///< the copied rig; the user's node and point handles are valid in `tree`
    PoiseTree* tree; ///< tree of the copied rig
    dWorldID world;
    struct PoiseExact* exact; ///< solver that steps `world`
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
    int block_steps; ///< number of steps of the present block that are done
    double step;     ///< length of a step, s
    double seconds;  ///< simulated time, s; a longer step (`relaxes`) counts as `step`
    bool still;      ///< no body moved in the last block, and the rig searches for no other posture
    bool begins;     ///< the copy is in its first block
    double last;     ///< largest change of a coordinate or quaternion component in the last block
    bool relaxes;    ///< steps are longer than `step`, to reach the rest sooner (copy_rig.c)
    double calm;     ///< the copy relaxes after a block with a `last` of at most this, m
    bool fell;       ///< `last` has once decreased from one block to the next
    /// True if `last` has increased after `fell`: the copy oscillates. `last` also increases while
    /// a copy starts to move, but that is before `fell`.
    bool swings;
    double growth; ///< product of all factors above 1 between the movements of successive blocks
    double moved;  ///< movement of a body in the block before the last search of null_space_rest.c
    double farthest;       ///< rad or m: longest displacement that poise__creep_end may make
    PoiseRigReport report; ///< report of the copy's last update
    bool searches;         ///< the copied rig searches for another posture or moves to it
    bool searched;         ///< `searches` at the end of the last block
    bool flies;            ///< a body is too fast for reliable steps
    bool touches;          ///< a contact or load that is not copied acts on a copied body
    /// Why the rig cannot be copied, in words; empty if it can.
    char why[POISE_FORECAST_WHY];
} Copy;

/// True if the copied rig moves to another posture that its search has found.
static inline bool poise__copy_reconfigures(const Copy* copy) {
    return copy->report.reconfiguration == POISE_RECONFIGURATION_MOVES;
}

/// Makes the copy with the bodies' present poses and velocities, and with the walls of `def` at the
/// points that press. POISE_ERROR_WRONG_KIND if the rig cannot be copied: `why` names the reason.
/// POISE_ERROR_OUT_OF_MEMORY. Close the copy in any case.
PoiseStatus poise__copy_open(Copy* copy, PoiseRig* rig, const PoiseForecastDef* def);
void poise__copy_close(Copy* copy);
/// Steps until the copy is still, `seconds` are simulated, or the computing time of `steps`
/// ordinary steps is used. Subtracts the used steps from `steps`. The first error of an update ends
/// the run.
PoiseStatus poise__copy_run(Copy* copy, double seconds, long* steps);
/// True if a run of the copy is over: the copy is still or too fast, or `seconds` are simulated.
bool poise__copy_ends(const Copy* copy, double seconds);
/// Prepares a copy for another run, which begins in its present state.
void poise__copy_restart(Copy* copy);

// null_space_rest.c
/// Sets own posture and bodies to the end of the own posture's creep, if springs and weight alone
/// decide where the copy rests. Adds to `steps` the number of steps with the same computing time.
/// POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__creep_end(Copy* copy, long* steps);

// copy_walls.c: the walls of the points
/// Adds a wall for each point that yields: the wall of `def`, else a frictionless plane across its
/// force. If fixed joints tie the point's body to the ground, the last of these joints replaces the
/// contact. POISE_ERROR_WRONG_KIND, POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__copy_add_walls(Copy* copy, const PoiseForecastDef* def);
/// poise__walls_touch makes the contacts of a step. After the step poise__walls_measure adds their
/// forces to `force_sum`. poise__walls_forget sets the sums to 0.
void poise__walls_touch(Copy* copy);
void poise__walls_measure(Copy* copy);
void poise__walls_forget(Copy* copy);
/// Returns the mean force of a point's wall over the present block, N, world; 0 if the point has no
/// wall.
PoiseVec3 poise__wall_force(const Copy* copy, PoisePointId point);
/// Returns an estimate of the movement of bodies in this block because ODE's friction slips, m.
double poise__walls_slip(const Copy* copy);
/// poise__walls_left: true if a point no longer touches its wall. poise__walls_have_friction: true
/// if the contact of a wall has friction.
bool poise__walls_left(const Copy* copy);
bool poise__walls_have_friction(const Copy* copy);

// copy_bodies.c, copy_joint.c: the world
/// Copies the bodies that the rig drives, their bases, the bodies welded to them, and all bodies
/// that joints tie to these. POISE_ERROR_WRONG_KIND, POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__copy_bodies(Copy* copy, const PoiseRig* rig);
/// Return the copy of a body or joint; NULL if it has no copy, or is NULL.
dBodyID poise__copy_of_body(const Copy* copy, dBodyID body);
dJointID poise__copy_of_joint(const Copy* copy, dJointID joint);
/// Makes a copy of a joint between two copied bodies; returns NULL for a type that is not copied.
dJointID poise__copy_joint(dWorldID world, dJointID joint, const dBodyID bodies[2]);
/// Moves `body` to the pose of the body `like`, equal to the last bit.
void poise__copy_place(dBodyID body, dBodyID like);

#endif
