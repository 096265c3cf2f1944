// SPDX-License-Identifier: MIT
// Finds by name the things in the picture that a script can grab: "target:hand", "target:hand
// axis:x", "target:hand ring:z", "link:forearm", "compliance:hand axis:1".
#ifndef POISE_HANDLES_H
#define POISE_HANDLES_H

#include "app.h"

typedef struct PoiseHandle {
    /// Index of the target's point; -1 for a link.
    int point;
    PoiseGizmoPart part;
    /// End of the ellipsoid of the point's compliance (PoiseYielding.end); -1: none.
    int end;
    /// Index of the link's body; -1 for a target.
    int body;
    /// Position in the window, window units, and the place in the world that a press there grabs.
    double x;
    double y;
    PoiseVec3 place;
} PoiseHandle;

/// Finds the handle, and a position where a press grabs it. Returns false, with the reason in the
/// note: no such name, outside the picture, or hidden. Selects a target before it searches the
/// target's arrows or rings, as a press on the target would do.
bool poise__handle_find(PoiseApp* app, const char* name, const char* part, PoiseHandle* handle,
                        PoiseNote* note);

#endif
