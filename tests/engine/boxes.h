// SPDX-License-Identifier: MIT
// Boxes in a world that the library owns.
#ifndef POISE_TEST_BOXES_H
#define POISE_TEST_BOXES_H

#include "poise/world.h"

/// The length of a step, s, gravity, m/s^2, and the mass of a box, kg.
#define DT       0.005
#define G        9.81
#define BOX_MASS 2.0

/// A world by the default def.
PoiseWorld* make_world(void);
/// A cube in a space of the world.
dBodyID add_box(PoiseWorld* world, dSpaceID space, double side, PoiseVec3 place);
/// Each step must be made.
void run(PoiseWorld* world, int steps);

#endif
