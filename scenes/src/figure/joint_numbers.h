// SPDX-License-Identifier: MIT
// Number of numbers in a figure of a joint.
#ifndef POISE_JOINT_NUMBERS_H
#define POISE_JOINT_NUMBERS_H

#include "poise/scene.h"

/// Returns 3 (a rotation vector) for a ball joint and a floating base; else the number of axes.
static inline int poise__joint_numbers(PoiseNodeKind kind) {
    const bool turns = poise_kind_turns(kind) || poise_kind_floats(kind);
    return turns ? 3 : poise_kind_axes(kind) == 2 ? 2 : 1;
}

#endif
