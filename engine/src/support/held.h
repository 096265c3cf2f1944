// SPDX-License-Identifier: MIT
// What the ground does to a body that stands: its feet stay. How such a body answers to forces and
// torques, its floating base being free and its joints sprung.
#ifndef POISE_HELD_H
#define POISE_HELD_H

#include "rig.h"

/// Room for the rig's stance points and numbers; false without memory.
bool poise__held_reserve(const PoiseRig* rig, Held* held, int numbers);
void poise__held_finish(const PoiseRig* rig, Held* held);

/// From the tree's frames: the rows of the points that carry, and their factors. `first` is the
/// first number of each binding, `give` K^-1 by number. False when nothing stands.
bool poise__held_fill(const PoiseRig* rig, PoiseTree* tree, Held* held, const int* first,
                      const double* give);
/// dq: how a generalized force by number moves the body while its feet stay,
/// K dq = force - J^T f on what is sprung, J^T f = force on what floats, J dq = gap (by row; NULL:
/// 0). `way` may not be `force`.
void poise__held_answer(Held* held, const double* give, const double* force, const double* gap,
                        double* way);

#endif
