// SPDX-License-Identifier: MIT
// Euler angles near a reference, for the closed forms of arms and legs (classics/).
#ifndef POISE_EULER_INTERNAL_H
#define POISE_EULER_INTERNAL_H

#include "poise/rotation.h"

/// Returns `angle` plus the number of whole turns that brings it nearest to `reference`.
double poise__angle_near(double angle, double reference);
/// Writes the two triples of Euler angles of q, each angle within half a turn of the reference. At
/// gimbal lock the free angle equals that of the reference.
void poise__euler_both(PoiseQuat q, PoiseEulerOrder order, PoiseEuler reference,
                       PoiseEuler both[2]);

#endif
