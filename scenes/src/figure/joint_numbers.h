// SPDX-License-Identifier: MIT
// How many numbers a figure of a joint has.
#ifndef POISE_JOINT_NUMBERS_H
#define POISE_JOINT_NUMBERS_H

#include "poise/scene.h"

/// 3, a rotation vector, of what turns about any axis: a ball, a base that floats. Else one an
/// axis.
static inline int poise__joint_numbers(PoiseNodeKind kind) {
    const bool turns = poise_kind_turns(kind) || poise_kind_floats(kind);
    return turns ? 3 : poise_kind_axes(kind) == 2 ? 2 : 1;
}

#endif
