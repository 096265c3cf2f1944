// SPDX-License-Identifier: MIT
// Saves the state of a world and its rigs in your memory. Restores it in the same world or in one
// made by the same calls. The steps after a restore are then the same to the last bit, with
// dWorldStep and dWorldQuickStep.
//
//     size_t size = poise_snapshot_size(&def);
//     poise_snapshot_save(&def, memory, size);         between two steps
//     poise_snapshot_restore(&def, memory, size);      any time later, any number of times
//
// A snapshot holds state, not ODE's settings: a restore leaves masses, geoms, gravity, stops and
// motors as they are. Your own world repeats its steps only if your calls between two steps depend
// on nothing but the state. Make contacts in the same order too.
#ifndef POISE_SNAPSHOT_H
#define POISE_SNAPSHOT_H

#include "poise/rig.h"
#include "poise/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The contents of a snapshot. The lists are read during the calls only, and must have the same
/// order in both worlds.
typedef struct PoiseSnapshotDef {
    /// Set by poise_default_snapshot_def, and checked.
    uint32_t cookie;
    /// A world made by Poise; NULL: your own world. NULL also saves the seed of ODE's random
    /// numbers (dRandSetSeed, one for the whole process; dWorldQuickStep uses it).
    PoiseWorld* world;
    /// The moving bodies. Saved are their pose, velocities and added forces, and their flags:
    /// enabled, kinematic, gravity. Bodies that a rig drives, their bases and the bodies welded to
    /// them need not be named. Default none.
    const dBodyID* bodies;
    int body_count;
    /// Joints that may be enabled or disabled while the world runs. Joints of a rig need not be
    /// named. Default none.
    const dJointID* joints;
    int joint_count;
    /// The rigs with their trees. Saved are posture, goals and registrations; springs, natural
    /// postures and limits; references and the solver's memory. Default none.
    PoiseRig* const* rigs;
    int rig_count;
} PoiseSnapshotDef;

/// Returns a def with the default of each member.
POISE_API PoiseSnapshotDef poise_default_snapshot_def(void);

/// Returns the size of a snapshot now, bytes: about 300 a body, 1700 a bound joint, 1000 a node and
/// 1200 a point. 0 for a def that is not usable.
POISE_API size_t poise_snapshot_size(const PoiseSnapshotDef* def);

/// Writes the snapshot into `memory` of `size` bytes (any alignment). Allocates nothing. Bodies
/// with dBodySetAutoDisableFlag restart their count of idle steps, which ODE does not return;
/// nothing else is changed. Errors: POISE_ERROR_INVALID_ARGUMENT for a def that is not usable, too
/// little memory, or a body that is not finite; POISE_ERROR_FOREIGN_WORLD for a body of another
/// world than `world`; POISE_ERROR_GONE if a bound body or joint of a rig is destroyed.
POISE_API PoiseStatus poise_snapshot_save(const PoiseSnapshotDef* def, void* memory, size_t size);

/// Restores the saved state. Contacts of the last step are forgotten. Allocates only for trees that
/// have not held as many nodes or points before. Errors as poise_snapshot_save, and
/// POISE_ERROR_INVALID_ARGUMENT for memory that poise_snapshot_problem rejects: nothing is changed
/// then. POISE_ERROR_OUT_OF_MEMORY: no body has moved, but trees may have changed.
POISE_API PoiseStatus poise_snapshot_restore(const PoiseSnapshotDef* def, const void* memory,
                                             size_t size);

/// Returns why the memory cannot be restored, in words, or NULL if it can: it has other bodies,
/// joints or nodes, is of another build, or is damaged.
POISE_API const char* poise_snapshot_problem(const PoiseSnapshotDef* def, const void* memory,
                                             size_t size);

#ifdef __cplusplus
}
#endif

#endif
