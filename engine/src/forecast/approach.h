// SPDX-License-Identifier: MIT
// The balance of the springs that a copy approaches, found before the copy is still.
#ifndef POISE_APPROACH_H
#define POISE_APPROACH_H

#include "rest.h"

/// A balance, and how the copy has moved to it in the last blocks.
typedef struct Approach {
    Rest rest;       ///< at the balance, while `known`
    bool known;      ///< a balance near the copy is known
    bool arrives;    ///< the copy approaches the balance: the figures of `rest` are its end
    double distance; ///< largest distance of a joint to the balance, rad or m
    double speed;    ///< largest speed of a body in the last block, rad/s or m/s
    int nearer;      ///< consecutive blocks in which distance and speed fell
    int wait;        ///< blocks until the next search
    int pause;       ///< blocks between this search and the next
} Approach;

/// Looks at the copy at the end of a block. Searches the balance of the springs by Newton steps
/// from the copy's posture. Sets `arrives` once the copy has approached the balance in consecutive
/// blocks, and a second search from there finds the same balance. Copies with friction, loops with
/// torque limits, joints at their torque limit, walls, unknown contacts or a search for another
/// posture are left out. POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__approach_look(Approach* approach, Copy* copy);
/// Releases the balance. An approach of zeros is allowed.
void poise__approach_close(Approach* approach);

#endif
