// SPDX-License-Identifier: MIT
// Asks the processor for the memory of one rig, a little at a time, while another one is updated.
#ifndef POISE_FETCH_H
#define POISE_FETCH_H

#include "rig.h"

typedef struct Fetch {
    PoiseBeside beside; ///< first: what the other's update calls
    const PoiseRig* rig;
    int piece;      ///< the next one of its memory, and the tree's
    int binding;    ///< of which ODE's body and joints come next, after all pieces
    PoisePiece now; ///< what is left of the one before, from its second part on
    uintptr_t at;   ///< and of its first part
    size_t lines;
} Fetch;

/// Of a rig whose own struct has been asked for before (poise__fetch_rig); NULL: of nothing.
Fetch poise__fetch_of(const PoiseRig* rig);
void poise__fetch_rig(const PoiseRig* rig);

#endif
