// SPDX-License-Identifier: MIT
// A world and its rigs as they are at one moment, kept in memory of yours, and brought back to it:
// in the same world, or in another that was made by the same calls. What follows is then the same
// to the last bit, with dWorldStep and dWorldQuickStep.
//
//     size_t size = poise_snapshot_size(&def);
//     poise_snapshot_save(&def, memory, size);         between two steps
//     poise_snapshot_restore(&def, memory, size);      any time later, any number of times
//
// State comes back, settings of ODE's do not: masses, geoms, gravity, stops, motors and whatever
// else you set on bodies and joints are as they are. A world of your own goes on the same only if
// what you do between two steps follows from the state (the order in which you make contacts too).
#ifndef POISE_SNAPSHOT_H
#define POISE_SNAPSHOT_H

#include "poise/rig.h"
#include "poise/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a snapshot is of. Lists are read during the calls only, and must have the same order in
/// both worlds.
typedef struct PoiseSnapshotDef {
    /// Set by poise_default_snapshot_def.
    uint32_t cookie;
    /// A world of ours; NULL: one of yours. With NULL the seed of ODE's random numbers
    /// (dRandSetSeed, one for the whole process; dWorldQuickStep draws from it) is part of the
    /// snapshot.
    PoiseWorld* world;
    /// The bodies that move: place, rotation, velocities, forces added for the next step, whether
    /// they are enabled, kinematic, and feel gravity. Those that a rig drives, the bases they stand
    /// on and what is welded to them need not be named. Default none.
    const dBodyID* bodies;
    int body_count;
    /// Joints that may be enabled or disabled while it runs. Those of a rig need not be named.
    /// Default none.
    const dJointID* joints;
    int joint_count;
    /// With their trees: posture, goals, registrations, springs, natural postures, limits,
    /// references and what the solver remembers. Default none.
    PoiseRig* const* rigs;
    int rig_count;
} PoiseSnapshotDef;

/// A def with the defaults named above.
POISE_API PoiseSnapshotDef poise_default_snapshot_def(void);

/// Bytes that a snapshot takes now: about 300 a body, 1500 a bound joint, 1000 a node and 400 a
/// point. 0 for a def that is not usable.
POISE_API size_t poise_snapshot_size(const PoiseSnapshotDef* def);

/// Writes the snapshot into `memory` of `size` bytes (any alignment). Allocates nothing. Bodies on
/// which dBodySetAutoDisableFlag is set start to count their idle steps anew, since ODE does not
/// tell how far it has counted; nothing else is changed. POISE_ERROR_INVALID_ARGUMENT for a def
/// that is not usable, too little memory, or a body that is not finite; POISE_ERROR_FOREIGN_WORLD
/// for a body of another world than `world`; POISE_ERROR_GONE where what a rig has bound is gone.
POISE_API PoiseStatus poise_snapshot_save(const PoiseSnapshotDef* def, void* memory, size_t size);

/// Brings all of it to the state that was saved. Contacts of the last step are forgotten. Memory is
/// taken by trees that have not held as many nodes or points before, and by nothing else. Errors
/// as poise_snapshot_save, and POISE_ERROR_INVALID_ARGUMENT where poise_snapshot_problem says why:
/// nothing is changed then. POISE_ERROR_OUT_OF_MEMORY: no body has moved, trees may have.
POISE_API PoiseStatus poise_snapshot_restore(const PoiseSnapshotDef* def, const void* memory,
                                             size_t size);

/// What keeps the memory from being restored, in words (other bodies, joints or nodes, another
/// build, damage), or NULL when nothing does.
POISE_API const char* poise_snapshot_problem(const PoiseSnapshotDef* def, const void* memory,
                                             size_t size);

#ifdef __cplusplus
}
#endif

#endif
