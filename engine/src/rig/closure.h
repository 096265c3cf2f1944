// SPDX-License-Identifier: MIT
// A closure: the control points, and the fixed directions, of a joint that closes a loop.
#ifndef POISE_CLOSURE_INTERNAL_H
#define POISE_CLOSURE_INTERNAL_H

#include "poise/closure.h"

enum { CLOSURE_POINTS = 2, CLOSURE_ROWS = 6 };

typedef struct Closure {
    dJointID joint;
    dBodyID bodies[2];  ///< first the one on the link's side, then the other; NULL: the environment
    PoiseNodeId link;   ///< the node of the first body
    PoiseNodeId frame;  ///< the node of the second body; null: a base
    PoisePose in_link;  ///< the joint's frame at creation, its axis along z, in the link's frame
    PoisePose in_frame; ///< this frame in that of node `frame`; of a base, in its body's
    PoisePointId points[CLOSURE_POINTS];
    int point_count;
    int turns_held; ///< fixed rotations: 0, 2 (across the axis) or 3
    bool slides;    ///< free to move along the axis
    bool holds;     ///< its joint exists and is enabled
} Closure;

/// Makes a closure if the joint closes a loop. Returns 1 if it has one, 0 if it closes no loop,
/// POISE_ERROR_WRONG_KIND for a type that stays with ODE, or another error.
int poise__closure_try(PoiseRig* rig, dJointID joint);
/// Returns how many directions the closure fixes.
int poise__closure_rows(const Closure* closure);

#endif
