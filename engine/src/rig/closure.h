// SPDX-License-Identifier: MIT
// A closure: a joint that closes a loop of links. Control points of the tree keep its two sides
// together.
#ifndef POISE_CLOSURE_INTERNAL_H
#define POISE_CLOSURE_INTERNAL_H

#include "poise/closure.h"

enum { CLOSURE_POINTS = 2, CLOSURE_ROWS = 6 };

typedef struct Closure {
    dJointID joint;
    dBodyID bodies[2]; ///< body of `link`, then body of `frame`; NULL: the environment
    PoiseNodeId link;  ///< the node of the first body
    PoiseNodeId frame; ///< the node of the second body; null: a base
    PoisePose in_link; ///< the joint's frame at creation, its axis along z, in the link's frame
    PoisePose
        in_frame; ///< the same, in the frame of the link of node `frame`, or of the base's body
    PoisePointId points[CLOSURE_POINTS];
    int point_count;
    int fixed_turns; ///< number of fixed rotations: 0, 2 (perpendicular to the axis) or 3
    bool slides;     ///< the joint is free to move along the axis
    bool holds;      ///< the joint exists and is enabled
} Closure;

/// Makes a closure if the joint closes a loop and has none. Returns 1 if the joint then has a
/// closure, 0 if it closes no loop, POISE_ERROR_WRONG_KIND for a type that stays with ODE, or
/// another error.
int poise__closure_try(PoiseRig* rig, dJointID joint);
/// Returns how many directions (displacements and rotations) the closure fixes.
int poise__closure_rows(const Closure* closure);

#endif
