// SPDX-License-Identifier: MIT
// Functions that the files of snapshots share. They copy bytes to and from a snapshot's memory, and
// save and restore bodies and rigs.
#ifndef POISE_SAVING_H
#define POISE_SAVING_H

#include <string.h>

#include "poise/snapshot.h"
#include "support.h"

/// poise__put copies `size` bytes to `*to`, poise__take from `*from`; both advance that pointer by
/// `size`. The memory must be large enough.
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
    /// saved in addition to the quaternion, since ODE stores both and converts with rounding
    dReal rotation[12];
    dReal linear[3];
    dReal angular[3];
    dReal force[3];
    dReal torque[3];
    int32_t enabled;
    int32_t kinematic;
    int32_t gravity;
    int32_t filler;
} BodyState;

/// Write and restore the state of a body. If the body is NULL, they write zeros and restore
/// nothing.
void poise__body_keep(dBodyID body, char** to);
void poise__body_put(dBodyID body, const char** from);
/// Reads past the next state. Returns why `body` cannot have this state, or NULL; a NULL body can
/// have any state.
const char* poise__body_problem(dBodyID body, const char** from);

// snapshot_rig.c
enum { RIG_SIZES = 4 };
/// Fills the sizes of the structs in which a rig is saved, bytes.
void poise__rig_sizes(size_t sizes[RIG_SIZES]);
/// Returns POISE_OK if a rig can be saved, or the error.
PoiseStatus poise__rig_may_keep(PoiseRig* rig);
/// Returns the size of the rig in a snapshot, bytes.
size_t poise__rig_size(const PoiseRig* rig);
void poise__rig_keep(PoiseRig* rig, char** to);
/// Reads past the next state of a rig, of at most `room` bytes. Returns why the rig cannot have
/// this state, or NULL.
const char* poise__rig_match(const PoiseRig* rig, const char** from, size_t room);
/// Restore a state that poise__rig_match accepted, both from the same `*from`. poise__rig_put_tree
/// restores the tree, poise__rig_put all else.
PoiseStatus poise__rig_put_tree(PoiseRig* rig, const char** from);
void poise__rig_put(PoiseRig* rig, const char** from);

#endif
