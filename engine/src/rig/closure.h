// SPDX-License-Identifier: MIT
// A joint that closes a loop, as control points and as rows.
#ifndef POISE_CLOSURE_INTERNAL_H
#define POISE_CLOSURE_INTERNAL_H

#include "poise/closure.h"

enum { CLOSURE_POINTS = 2, CLOSURE_ROWS = 6 };

typedef struct Closure {
    dJointID joint;
    dBodyID bodies[2];  ///< the joint's: of the link's side and the other; NULL: the environment
    PoiseNodeId link;   ///< the node that the first body belongs to
    PoiseNodeId frame;  ///< and the other; null: a base
    PoisePose in_link;  ///< the joint's place and axis (z) in the link's frame
    PoisePose in_frame; ///< and in the other's; a base: in its body's
    PoisePointId points[CLOSURE_POINTS];
    int point_count;
    int turns_held; ///< 0, 2 (across the axis) or 3
    bool slides;    ///< along the axis
    bool holds;     ///< its joint is there and enabled
} Closure;

/// Makes a closure where the joint closes a loop: 1 it has one, 0 it closes none,
/// POISE_ERROR_WRONG_KIND where its type is left to ODE, or another error.
int poise__closure_try(PoiseRig* rig, dJointID joint);
/// How many directions it holds.
int poise__closure_rows(const Closure* closure);

#endif
