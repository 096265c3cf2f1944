// SPDX-License-Identifier: MIT
// Shared by the files of a snapshot: writing, reading, and the state of one body.
#ifndef POISE_SAVING_H
#define POISE_SAVING_H

#include <string.h>

#include "poise/snapshot.h"
#include "support.h"

/// The position of the next write. If `base` is NULL, writes are only counted.
typedef struct Writer {
    char* base;
    size_t used;
} Writer;

static inline void poise__write(Writer* writer, const void* from, size_t size) {
    if (writer->base && size > 0) {
        memcpy(writer->base + writer->used, from, size);
    }
    writer->used += size;
}

typedef struct Reader {
    const char* base;
    size_t size;
    size_t used;
} Reader;

/// Copies the next `size` bytes, which the caller knows to exist.
static inline void poise__take(Reader* reader, void* to, size_t size) {
    if (size > 0) {
        memcpy(to, reader->base + reader->used, size);
    }
    reader->used += size;
}

/// Copies the next `size` bytes; false past the end.
static inline bool poise__read(Reader* reader, void* to, size_t size) {
    if (size > reader->size - reader->used) {
        return false;
    }
    poise__take(reader, to, size);
    return true;
}

/// Returns the address of the next `size` bytes and skips them; NULL past the end.
static inline const char* poise__read_part(Reader* reader, size_t size) {
    if (size > reader->size - reader->used) {
        return NULL;
    }
    reader->used += size;
    return reader->base + reader->used - size;
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

BodyState poise__body_keep(dBodyID body);
void poise__body_put(dBodyID body, const BodyState* state);
/// Reads the next state. Returns its fault for `body` (NULL: any), or NULL.
const char* poise__body_problem(dBodyID body, Reader* reader);

// snapshot_rig.c
enum { RIG_SIZES = 3 };
/// Fills the sizes of the structs that a rig is saved in, bytes.
void poise__rig_sizes(size_t sizes[RIG_SIZES]);
/// Returns POISE_OK if a rig can be saved, or why not.
PoiseStatus poise__rig_may_keep(PoiseRig* rig);
void poise__rig_keep(PoiseRig* rig, Writer* writer);
/// Reads past the next state of a rig. Returns its fault, or NULL.
const char* poise__rig_match(const PoiseRig* rig, Reader* reader);
/// Restore a state that poise__rig_match accepted: first the tree; then, from the same position,
/// all but the tree.
PoiseStatus poise__rig_put_tree(PoiseRig* rig, Reader* reader);
void poise__rig_put(PoiseRig* rig, Reader* reader);

#endif
