// SPDX-License-Identifier: MIT
// A rig's copy with mass and time: its bodies, joints, tree and springs again, in a world of
// their own that is stepped until they rest. Where torque limits hold joints back, or a weight
// sinks, the rest is what the way there leads to, and nothing short of going it finds that.
#ifndef POISE_REHEARSAL_H
#define POISE_REHEARSAL_H

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

/// A wall that a point presses on, where the point was when the rehearsal began.
typedef struct RehearsalWall {
    PoisePointId point;
    dBodyID body;
    bool any_body;     ///< of those of its link: it is not known which touches
    PoiseVec3 in_body; ///< the point
    PoiseVec3 along;   ///< from the point into the wall, of length 1
    double radius;     ///< m: what touches is round about the point
    double at;         ///< the wall's place along it, m
    double friction;   ///< Coulomb's coefficient
    dJointID weld;     ///< the fixed joint that holds the body already; NULL: a contact is made
    bool touches;      ///< as of the last step
    dJointFeedback feedback;
    PoiseVec3 felt; ///< what the wall bore in each of these steps, added up, N
    int steps;
    PoiseVec3 blocks[3]; ///< the means of the last blocks of steps, the latest first, N
} RehearsalWall;

/// Between what a point's errors were in a while, m and rad.
typedef struct Range {
    double low;
    double high;
} Range;
typedef struct RehearsalSight {
    Range miss;
    Range angle_miss;
} RehearsalSight;

typedef struct Rehearsal {
    PoiseRig* rig;          ///< the copy, with a tree of its own under the same handles
    PoiseTree* tree;        ///< the rig's
    PoiseTree* seen;        ///< a tree as the bodies are
    RehearsalSight* sights; ///< by point of the tree
    size_t sights_size;
    dWorldID world;
    dJointGroupID contacts;
    PoiseHost host;
    BodyPair* bodies;
    int body_count;
    int body_capacity;
    JointPair* joints;
    int joint_count;
    int joint_capacity;
    RehearsalWall* walls;
    int wall_count;
    int wall_capacity;
    bool short_of_memory; ///< in a step: what came of it is not to be believed
    double* poses;        ///< of the bodies, where they were a while ago
    size_t poses_size;
} Rehearsal;

/// Whether a point is one of the user's, with a goal: not one that closes a loop.
static inline bool poise__is_goal(const PoiseTree* tree, PoisePointId point) {
    return poise_point_enabled(tree, point) &&
           poise_point_priority(tree, point) != POISE_PRIORITY_CLOSURE;
}

/// How it moved in a while.
typedef enum RehearsalMotion {
    REHEARSAL_STILL,  ///< no body moves
    REHEARSAL_STEADY, ///< but some do, and no point's error changes by much
    REHEARSAL_MOVES,
    REHEARSAL_ENDS ///< its rig could not be driven
} RehearsalMotion;

/// Makes the copy as the bodies are and move, with the walls of `def` where its points press.
/// POISE_ERROR_WRONG_KIND where there is none: it
/// stands on stances or floats, hangs on what the rig does not know, has joints of types that
/// are not copied, or presses otherwise than with one force along what yields.
/// POISE_ERROR_OUT_OF_MEMORY. To be finished in any case.
PoiseStatus poise__rehearsal_open(Rehearsal* rehearsal, PoiseRig* rig, const PoiseForecastDef* def);
void poise__rehearsal_finish(Rehearsal* rehearsal);
/// Before its first step, for one of REHEARSAL_BESIDES ways beside its own (nearby_ways.c).
enum { REHEARSAL_BESIDES = 2 };
void poise__rehearsal_go_beside(Rehearsal* rehearsal, int which);
/// Steps of `dt` seconds for a while, or until it is still; a point's error changes by much where
/// it does by more than this part of it.
RehearsalMotion poise__rehearsal_run(Rehearsal* rehearsal, double dt, double part);
/// Goes on a little; whether what some wall bears still changes, and will by more than is known.
bool poise__rehearsal_drifts(Rehearsal* rehearsal, double dt);
/// Whether the errors of all points in a posture lie between what they were in the last while.
bool poise__rehearsal_passed(const Rehearsal* rehearsal, const PoiseTree* posture);

// contact_wall.c: what its points press on
/// Whether some wall has friction that a point presses on.
bool poise__walls_rub(const PoiseTree* tree, const PoiseForecastDef* def);
/// A wall for each point that yields: the one that is known, else one across its force without
/// friction. None stands before a body that fixed joints hold: the last of these joints bears the
/// force. POISE_ERROR_WRONG_KIND, POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__rehearsal_add_walls(Rehearsal* rehearsal, const PoiseForecastDef* def);
/// A wall's body is another one of its link, if there is one.
void poise__wall_take_other(const Rehearsal* rehearsal, RehearsalWall* wall);
/// The contacts of a step; what they bore in it; and that is forgotten.
void poise__rehearsal_touch(Rehearsal* rehearsal);
void poise__rehearsal_feel(Rehearsal* rehearsal);
void poise__rehearsal_forget(Rehearsal* rehearsal);
/// What they bore in the block of steps that ends here.
void poise__rehearsal_note_block(Rehearsal* rehearsal);
/// Whether some wall will bear other forces than now, by how they changed in the last blocks.
bool poise__walls_drift(const Rehearsal* rehearsal);
/// Whether the walls of two rehearsals bear the same.
bool poise__walls_bear_alike(const Rehearsal* a, const Rehearsal* b);
/// What a point's wall bore, N, world: the mean since it was forgotten; 0 of one without a wall.
PoiseVec3 poise__rehearsal_force(const Rehearsal* rehearsal, PoisePointId point);
/// How far bodies may have moved since then because ODE's friction gives way a little, m.
double poise__rehearsal_slip(const Rehearsal* rehearsal);
/// Whether some point has left what it was to press on.
bool poise__rehearsal_left(const Rehearsal* rehearsal);

// copy_bodies.c, copy_joint.c: the world
/// Whatever the rig's joints hang on and hold. POISE_ERROR_WRONG_KIND, POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__copy_bodies(Rehearsal* rehearsal, const PoiseRig* rig);
/// The copy of a body or joint; NULL of NULL and of what has none.
dBodyID poise__copy_of_body(const Rehearsal* rehearsal, dBodyID body);
dJointID poise__copy_of_joint(const Rehearsal* rehearsal, dJointID joint);
/// A joint like another between the copies of its bodies; NULL where its type is not copied.
dJointID poise__copy_joint(dWorldID world, dJointID joint, const dBodyID bodies[2]);
/// Puts a body where it is asked to be, to the last bit as another one is.
void poise__copy_place(dBodyID body, dBodyID like);

#endif
