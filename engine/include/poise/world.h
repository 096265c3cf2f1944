// SPDX-License-Identifier: MIT
// An ODE world made by Poise: a world, a space, contacts with friction and restitution, and one
// step function. Its ODE handles are yours to use: make bodies and joints in poise_world_ode and
// geoms in poise_world_space, as with any world.
//
// Every pair of geoms of the space may touch. Exceptions: two geoms of one body; geoms of bodies
// that a joint connects (the static environment is no body); geoms of two bodies neither of which
// is dynamic; geoms of one inner space (see poise_world_add_group); two triangle meshes, because
// ODE's contacts of meshes diverge. dGeomSetCategoryBits and dGeomSetCollideBits work as usual.
//
// Only one thread may use a world at a time; different worlds may run in parallel. Each world has
// its own threading object: worlds that share one crash. Trimesh geoms are an exception: ODE as
// built by Debian has one cache of them for all threads.
#ifndef POISE_WORLD_H
#define POISE_WORLD_H

#include <ode/ode.h>

#include "poise/base.h"
#include "poise/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A world. Its members are private.
typedef struct PoiseWorld PoiseWorld;

/// The stepping method of a world.
typedef enum PoiseStepKind {
    /// The motion of dWorldStep, to rounding, in time linear in the joints of a robot. Structures
    /// that dWorldStep computes faster (few joints, piles of contacts) are left to dWorldStep.
    POISE_STEP_EXACT = 0,
    /// dWorldStep. Its time grows with the third power of the connected rows.
    POISE_STEP_ODE,
    /// dWorldQuickStep, an iterative approximation.
    POISE_STEP_QUICK
} PoiseStepKind;

/// The options of poise_world_create.
typedef struct PoiseWorldDef {
    /// Set by poise_default_world_def, and checked.
    uint32_t cookie;
    /// Gravity, m/s^2. Default (0, 0, -9.81).
    PoiseVec3 gravity;
    /// True if bodies make contacts. Default true.
    bool contacts;
    /// Coulomb's friction coefficient, >= 0, infinity allowed; a pyramid along two directions, like
    /// ODE's dContactApprox1. Default 0.8.
    double friction;
    /// Coefficient of restitution, 0..1: speed after the impact over speed before. Impacts below
    /// 0.05 m/s do not bounce. Default 0. Overlapping bodies are pushed apart at 0.1 m/s at most
    /// (dWorldSetContactMaxCorrectingVel).
    double restitution;
    /// The values of dWorldSetERP, 0..1, and dWorldSetCFM, >= 0; default ODE's 0.2 and 1e-10.
    double erp;
    double cfm;
    /// The stepping method. Default POISE_STEP_EXACT.
    PoiseStepKind stepper;
    /// If above 0, steps are dWorldQuickStep with this number of iterations, for any `stepper`.
    /// Repeatable unless two worlds take quick steps at the same time (ODE has one random seed).
    /// Default 0; POISE_STEP_QUICK then takes 20.
    int quick_iterations;
    /// Largest number of contacts of one step, and of pairs of geoms whose boxes overlap; 0, the
    /// default: no limit. A step that finds more is refused: thousands of bodies in one place need
    /// gigabytes.
    int most_contacts;
    PoiseHost host;
} PoiseWorldDef;

/// Returns a def with the default of each member.
POISE_API PoiseWorldDef poise_default_world_def(void);

/// Initialises ODE (with ODE's reference count) and creates the world. Returns NULL if the def is
/// not usable, if memory is short, or if ODE's precision differs from that of the headers of this
/// library. The log gets the reason.
POISE_API PoiseWorld* poise_world_create(const PoiseWorldDef* def);
/// Destroys the world with its bodies, joints and geoms. NULL is allowed.
POISE_API void poise_world_destroy(PoiseWorld* world);

/// Returns the ODE world; NULL for NULL.
POISE_API dWorldID poise_world_ode(const PoiseWorld* world);
/// Returns the ODE space of the world's geoms; NULL for NULL.
POISE_API dSpaceID poise_world_space(const PoiseWorld* world);

/// Adds a plane across z at `height`, m; the half-space below is solid. Returns NULL for a height
/// that is not finite.
POISE_API dGeomID poise_world_add_ground(PoiseWorld* world, double height);

/// Adds an inner space whose geoms make no contacts with each other: create the geoms of one
/// structure, such as a robot, in this space instead of in poise_world_space. The world destroys
/// it. NULL for NULL.
POISE_API dSpaceID poise_world_add_group(PoiseWorld* world);

/// Registers a body without a geom in the space, so that poise_world_step checks it too. Unwatch
/// the body before you destroy it. Watching twice is the same as once. Errors:
/// POISE_ERROR_INVALID_ARGUMENT for NULL, POISE_ERROR_FOREIGN_WORLD, POISE_ERROR_OUT_OF_MEMORY.
POISE_API PoiseStatus poise_world_watch(PoiseWorld* world, dBodyID body);
/// Removes the body from the watched ones; a body that is not watched or already destroyed is
/// allowed.
POISE_API void poise_world_unwatch(PoiseWorld* world, dBodyID body);

/// Collides, steps by dt (s, > 0) and drops the contacts. Once the largest number of contacts has
/// occurred, Poise allocates nothing in a step.
///
/// ODE ends the process at a number that is not finite. Therefore the bodies with a geom in the
/// space and the watched bodies are checked before the step. Errors: POISE_ERROR_INVALID_ARGUMENT
/// if a pose, velocity, force or torque is not finite or beyond 1e20, or dt is not finite or not
/// positive; then no body has moved. POISE_DEGRADED if a pose or velocity is so after the step: the
/// next step will be refused. poise_world_lost_body names the body. POISE_ERROR_OUT_OF_MEMORY if
/// ODE has no memory for the step, or the step has more contacts than the def's most_contacts. Then
/// no body has moved, the forces added to bodies are kept, and the next call finds the contacts
/// again.
POISE_API PoiseStatus poise_world_step(PoiseWorld* world, double dt);

/// Reads all joints again in the next exact step. ODE gives no notice of changed joints: call this
/// after dJointSetFixed, dJointSetSliderAxis, dJointSetHingeAnchor or dJointSetHingeAxis on a joint
/// that was stepped. NULL is allowed.
POISE_API void poise_world_renew(PoiseWorld* world);

/// Does the first half of a step alone: checks the bodies as poise_world_step does and finds their
/// contacts. The next poise_world_step uses these contacts.
POISE_API PoiseStatus poise_world_collide(PoiseWorld* world);
/// True if the last step was refused because it had more contacts than the def's most_contacts.
POISE_API bool poise_world_is_crowded(const PoiseWorld* world);
/// Returns the body because of which the last step was refused or degraded, or NULL.
POISE_API dBodyID poise_world_lost_body(const PoiseWorld* world);

/// Returns the number of contact points of the last step.
POISE_API int poise_world_contact_count(const PoiseWorld* world);
/// A contact point of the last step.
typedef struct PoiseContact {
    /// The contact point at the start of the step, world, m.
    PoiseVec3 place;
    /// The contact normal, length 1, into `first`, world.
    PoiseVec3 normal;
    /// The contact force on `first` with friction, world, N.
    PoiseVec3 force;
    /// the body on which `force` acts, never NULL; dangling if it was destroyed since then
    dBodyID first;
    /// The body with the opposite force; NULL: a geom without a body.
    dBodyID second;
} PoiseContact;
/// Reads the contact point at `index`, 0 .. poise_world_contact_count - 1. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, with nothing written, for another index and for NULL.
POISE_API PoiseStatus poise_world_contact(const PoiseWorld* world, int index,
                                          PoiseContact* contact);
/// Reads the sum of the contact forces on the body in the last step, world axes: `force` in N,
/// `torque` about its centre of mass in N m. Either may be NULL. 0 for a body without contacts.
/// Errors: POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_world_contact_force(const PoiseWorld* world, dBodyID body,
                                                PoiseVec3* force, PoiseVec3* torque);

/// Returns the 64-bit FNV-1a hash of the bit patterns of all bodies' positions, quaternions and
/// velocities, in order of `bodies`. Equal states have equal hashes; different states have
/// different hashes with probability 1 - 2^-64.
POISE_API uint64_t poise_state_hash(const dBodyID* bodies, size_t count);

#ifdef __cplusplus
}
#endif

#endif
