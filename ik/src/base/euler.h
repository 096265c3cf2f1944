// SPDX-License-Identifier: MIT
// Functions of Euler angles for the closed forms.
#ifndef POISE_EULER_INTERNAL_H
#define POISE_EULER_INTERNAL_H

#include "poise/rotation.h"

/// `angle` plus the whole turns that bring it nearest to `reference`.
double poise__angle_near(double angle, double reference);
/// Finds the two triples of Euler angles of q, each angle within half a turn of the reference. At
/// gimbal lock the free angle is that of the reference.
void poise__euler_both(PoiseQuat q, PoiseEulerOrder order, PoiseEuler reference,
                       PoiseEuler both[2]);

#endif
