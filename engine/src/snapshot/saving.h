// SPDX-License-Identifier: MIT
// Shared by the files of a snapshot: writing, reading, and the state of one body.
#ifndef POISE_SAVING_H
#define POISE_SAVING_H

#include <string.h>

#include "poise/snapshot.h"
#include "support.h"

/// Copies `size` bytes to a place, or from a place, that has them, and moves the place behind them.
static inline void poise__put(char** to, const void* from, size_t size) {
    if (size > 0) {
        memcpy(*to, from, size);
    }
    *to += size;
}
static inline void poise__take(const char** from, void* to, size_t size) {
    if (size > 0) {
        memcpy(to, *from, size);
    }
    *from += size;
}

typedef struct BodyState {
    dReal position[3];
    dReal quaternion[4];
    dReal rotation[12]; ///< ODE keeps both, and converts with rounding
    dReal linear[3];
    dReal angular[3];
    dReal force[3];
    dReal torque[3];
    int32_t enabled;
    int32_t kinematic;
    int32_t gravity;
    int32_t filler;
} BodyState;

/// Write and restore a body; NULL: zeros, and nothing.
void poise__body_keep(dBodyID body, char** to);
void poise__body_put(dBodyID body, const char** from);
/// Reads the next state. Returns its fault for `body` (NULL: any), or NULL.
const char* poise__body_problem(dBodyID body, const char** from);

// snapshot_rig.c
enum { RIG_SIZES = 4 };
/// Fills the sizes of the structs that a rig is saved in, bytes.
void poise__rig_sizes(size_t sizes[RIG_SIZES]);
/// Returns POISE_OK if a rig can be saved, or why not.
PoiseStatus poise__rig_may_keep(PoiseRig* rig);
/// Returns the bytes that the rig takes in a snapshot.
size_t poise__rig_size(const PoiseRig* rig);
void poise__rig_keep(PoiseRig* rig, char** to);
/// Reads past the next state of a rig, of at most `room` bytes. Returns its fault, or NULL.
const char* poise__rig_match(const PoiseRig* rig, const char** from, size_t room);
/// Restore a state that poise__rig_match accepted: first the tree; then, from the same place, all
/// but the tree.
PoiseStatus poise__rig_put_tree(PoiseRig* rig, const char** from);
void poise__rig_put(PoiseRig* rig, const char** from);

#endif
