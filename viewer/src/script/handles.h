// SPDX-License-Identifier: MIT
// Names for what can be taken hold of in the picture: "target:hand", "target:hand axis:x",
// "target:hand ring:z", "link:forearm".
#ifndef POISE_HANDLES_H
#define POISE_HANDLES_H

#include "app.h"

typedef struct PoiseHandle {
    /// Of the target, else -1.
    int point;
    PoiseGizmoPart part;
    /// Of the link, else -1.
    int body;
    /// Where to press, window units, and what is there.
    double x;
    double y;
    PoiseVec3 place;
} PoiseHandle;

/// Finds it and a place of the picture where a press takes it. False, and why: no such name, out of
/// the picture, or covered by something else. Chooses the target whose arrow or ring is asked for,
/// as a press on it would have done.
bool poise__handle_find(PoiseApp* app, const char* name, const char* part, PoiseHandle* handle,
                        PoiseNote* note);

#endif
