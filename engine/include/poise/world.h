// SPDX-License-Identifier: MIT
// An ODE world of our own, for those who bring none: a world, a space, contacts with friction and
// restitution, and one step function. Its ODE handles are yours to use: make bodies and joints in
// poise_world_ode and geoms in poise_world_space as with any world.
//
// What touches what: every pair of geoms of the space, but for geoms of one body, of bodies that a
// joint connects (the static environment is no body), of two bodies neither of which is dynamic, of
// one inner space (see poise_world_add_group), and two triangle meshes, whose contacts ODE lets
// blow up. dGeomSetCategoryBits and dGeomSetCollideBits work as ever.
//
// One world is used by one thread at a time, different worlds in parallel: each has a threading
// object of its own, without which ODE's worlds crash each other. (Trimesh geoms are an exception:
// ODE as Debian builds it keeps one cache of them for all threads.)
#ifndef POISE_WORLD_H
#define POISE_WORLD_H

#include <ode/ode.h>

#include "poise/base.h"
#include "poise/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A world; its parts are its own.
typedef struct PoiseWorld PoiseWorld;

/// How a world is stepped.
typedef enum PoiseStepKind {
    /// dWorldStep's motion, to rounding, in time linear in the joints of a robot. What ODE's own
    /// step does faster (few joints, piles of contacts) is left to it.
    POISE_STEP_EXACT = 0,
    /// dWorldStep, whose time grows with the third power of the rows that hang together.
    POISE_STEP_ODE,
    /// dWorldQuickStep: an approximation.
    POISE_STEP_QUICK
} PoiseStepKind;

/// What poise_world_create makes a world of.
typedef struct PoiseWorldDef {
    /// Set by poise_default_world_def.
    uint32_t cookie;
    /// m/s^2. Default (0, 0, -9.81).
    PoiseVec3 gravity;
    /// Contacts between the bodies. Default true.
    bool contacts;
    /// Coulomb's friction coefficient, >= 0, infinity allowed; a pyramid along two directions, as
    /// ODE's dContactApprox1. Default 0.8.
    double friction;
    /// Speed after over speed before, 0..1; not given back below 0.05 m/s. Default 0. What overlaps
    /// is pushed apart at 0.1 m/s at most (dWorldSetContactMaxCorrectingVel).
    double restitution;
    /// dWorldSetERP, 0..1, and dWorldSetCFM, >= 0; default ODE's 0.2 and 1e-10.
    double erp;
    double cfm;
    /// Default POISE_STEP_EXACT.
    PoiseStepKind stepper;
    /// > 0: dWorldQuickStep with so many iterations, whatever `stepper` says, repeatable as long as
    /// no two worlds take quick steps at the same time (ODE has one random seed). Default 0; with
    /// POISE_STEP_QUICK it is then 20.
    int quick_iterations;
    /// The most contacts of one step, and pairs of geoms whose boxes overlap; 0, the default: any.
    /// A step that finds more is not made: thousands of bodies in one place take gigabytes.
    int most_contacts;
    PoiseHost host;
} PoiseWorldDef;

/// A def with the defaults named above.
POISE_API PoiseWorldDef poise_default_world_def(void);

/// Initialises ODE (its own reference count is used) and makes the world; NULL when the def is not
/// usable, when ODE's precision is not that of the headers this library was built with, or memory
/// is short; the reason goes to the log.
POISE_API PoiseWorld* poise_world_create(const PoiseWorldDef* def);
/// Destroys the world with its bodies, joints and geoms. NULL is allowed.
POISE_API void poise_world_destroy(PoiseWorld* world);

/// NULL for NULL.
POISE_API dWorldID poise_world_ode(const PoiseWorld* world);
/// The ODE space of the world's geometries; NULL for NULL.
POISE_API dSpaceID poise_world_space(const PoiseWorld* world);

/// A plane across z at `height`, m, with all below it solid. NULL for a height that is not finite.
POISE_API dGeomID poise_world_add_ground(PoiseWorld* world, double height);

/// A space inside the world's whose geoms never touch each other: make the geoms of one structure
/// (one robot's links, say) in it instead of in poise_world_space. It goes with the world. NULL for
/// NULL.
POISE_API dSpaceID poise_world_add_group(PoiseWorld* world);

/// Names a body that carries no geom of the space, so that poise_world_step looks after it too (see
/// there). Unwatch it before you destroy it. Watching twice is once. POISE_ERROR_INVALID_ARGUMENT
/// for NULL, POISE_ERROR_FOREIGN_WORLD, POISE_ERROR_OUT_OF_MEMORY.
POISE_API PoiseStatus poise_world_watch(PoiseWorld* world, dBodyID body);
/// Forgets it; a body that is not watched is allowed, and one that is gone.
POISE_API void poise_world_unwatch(PoiseWorld* world, dBodyID body);

/// Collides, steps by dt (s, > 0) and drops the contacts. Allocates nothing of ours once as many
/// contacts have been seen as there will be.
///
/// ODE ends the process over a number that is not finite. So the bodies with a geom in the space
/// and the watched ones are looked at first: where a pose, velocity, force or torque of one is not
/// finite, or beyond 1e20, nothing is done and the answer is POISE_ERROR_INVALID_ARGUMENT, as for a
/// dt that is not finite or not positive. POISE_DEGRADED when a body is so after the step: the next
/// one will be refused. poise_world_lost_body names it. POISE_ERROR_OUT_OF_MEMORY when ODE has no
/// memory for the step, or it has more contacts than the def's most_contacts: no body moved, forces
/// added to bodies are still there, and the contacts are found anew by the next call.
POISE_API PoiseStatus poise_world_step(PoiseWorld* world, double dt);

/// The first half of a step alone: looks at the bodies as poise_world_step does and finds their
/// contacts, which the next poise_world_step then takes as they are.
POISE_API PoiseStatus poise_world_collide(PoiseWorld* world);
/// Whether the last step was refused because it has more contacts than the def's most_contacts.
POISE_API bool poise_world_is_crowded(const PoiseWorld* world);
/// The body over which the last step was refused or degraded; NULL if there was none.
POISE_API dBodyID poise_world_lost_body(const PoiseWorld* world);

/// Contact points of the last step.
POISE_API int poise_world_contact_count(const PoiseWorld* world);
/// A contact point of the last step.
typedef struct PoiseContact {
    /// Where the two met as the step began, world, m.
    PoiseVec3 place;
    /// Of length 1, out of what was met into `first`, world.
    PoiseVec3 normal;
    /// What it gave to `first`, friction included, world, N.
    PoiseVec3 force;
    dBodyID first; ///< never NULL; gone where the body was destroyed since
    /// Got the opposite force; NULL: what does not move.
    dBodyID second;
} PoiseContact;
/// The contact point at `index`, 0 .. poise_world_contact_count - 1. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, and nothing written, for another index and for NULL.
POISE_API PoiseStatus poise_world_contact(const PoiseWorld* world, int index,
                                          PoiseContact* contact);
/// What the contacts of the last step gave to the body, world axes: `force` in N, `torque` about
/// its centre of mass in N m. Either may be NULL. 0 for a body without contacts. Errors:
/// POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_world_contact_force(const PoiseWorld* world, dBodyID body,
                                                PoiseVec3* force, PoiseVec3* torque);

/// 64-bit FNV-1a over the bit patterns of all bodies' positions, quaternions and
/// velocities, in order of `bodies`: the same state has the same hash, another one
/// another, but for a chance of 2^-64.
POISE_API uint64_t poise_state_hash(const dBodyID* bodies, size_t count);

#ifdef __cplusplus
}
#endif

#endif
