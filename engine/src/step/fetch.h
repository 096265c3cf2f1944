// SPDX-License-Identifier: MIT
// Asks the processor for the memory of one rig, a little at a time, while another one is updated.
#ifndef POISE_FETCH_H
#define POISE_FETCH_H

#include "rig.h"

typedef struct Fetch {
    PoiseBeside beside; ///< first: what the other's update calls
    const PoiseRig* rig;
    int piece;      ///< the next one: the tree's first, then the rig's
    int binding;    ///< the next one whose body and joints of ODE are asked for, after all pieces
    PoisePiece now; ///< parts of the piece at hand that are not begun
    uintptr_t at;   ///< the next cache line of the part that is begun
    size_t lines;   ///< and how many of it are left
} Fetch;

/// Of a rig whose own struct has been asked for before (poise__fetch_rig); NULL: of nothing.
Fetch poise__fetch_of(const PoiseRig* rig);
void poise__fetch_rig(const PoiseRig* rig);

#endif
