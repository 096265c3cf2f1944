// SPDX-License-Identifier: MIT
// Boxes in a world made by Poise.
#ifndef POISE_TEST_BOXES_H
#define POISE_TEST_BOXES_H

#include "poise/world.h"

/// The length of a step, s, gravity, m/s^2, and the mass of a box, kg.
#define DT       0.005
#define G        9.81
#define BOX_MASS 2.0

/// Returns a world by the default def.
PoiseWorld* make_world(void);
/// Adds a cube to a space of the world.
dBodyID add_box(PoiseWorld* world, dSpaceID space, double side, PoiseVec3 place);
/// Makes steps; each must succeed.
void run(PoiseWorld* world, int steps);

#endif
