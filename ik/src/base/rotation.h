// SPDX-License-Identifier: MIT
// What the closed forms need of rotations beside the public header.
#ifndef POISE_ROTATION_INTERNAL_H
#define POISE_ROTATION_INTERNAL_H

#include "poise/rotation.h"

/// `angle` plus the whole turns that bring it nearest to `reference`.
double poise__angle_near(double angle, double reference);
/// The two triples that make q, each angle within half a turn of the reference's; at gimbal lock
/// what is free stays with the reference.
void poise__euler_both(PoiseQuat q, PoiseEulerOrder order, PoiseEuler reference,
                       PoiseEuler both[2]);

#endif
