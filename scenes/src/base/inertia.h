// SPDX-License-Identifier: MIT
// Mass, centre and inertia of rigid bodies.
#ifndef POISE_INERTIA_H
#define POISE_INERTIA_H

#include "poise/scene.h"

/// Inertia about the centre of mass, in the axes of the frame that `com` is given in: xx, yy, zz,
/// xy, xz, yz, kg m^2.
typedef struct MassProperties {
    double mass;
    PoiseVec3 com;
    double inertia[6];
} MassProperties;

/// A solid shape in its own frame, kg/m^3.
MassProperties poise__mass_of_shape(const PoiseSceneShape* shape, double density);
/// A solid ellipsoid of these three diameters.
MassProperties poise__mass_of_ellipsoid(PoiseVec3 size, double density);
/// The same body seen from outside the frame, which stands at `pose`.
MassProperties poise__mass_moved(MassProperties body, PoisePose pose);
/// Both bodies as one.
MassProperties poise__mass_sum(MassProperties a, MassProperties b);
/// The same mass spread alike: inertia goes with it.
MassProperties poise__mass_scaled(MassProperties body, double mass);

/// The three principal moments, rising, and the rows of the axes they belong to (NULL allowed).
void poise__inertia_principal(const double inertia[6], double moments[3], double axes[9]);

/// The turn from the principal axes to those that the inertia is given in: x along the largest
/// moment, z along the smallest.
PoiseQuat poise__inertia_turn(const double inertia[6]);

/// Makes the inertia one that a body can have: every principal moment above 0 and none larger than
/// the other two together. Returns what was wrong, NULL if nothing was. All zero: it stays so.
const char* poise__inertia_repair(double inertia[6]);

#endif
