// SPDX-License-Identifier: MIT
// Mass, centre and inertia of rigid bodies.
#ifndef POISE_INERTIA_H
#define POISE_INERTIA_H

#include "poise/scene.h"

/// Mass (kg), centre of mass (m), and inertia about it (kg m^2). The inertia xx, yy, zz, xy, xz, yz
/// is in the axes of the frame of `com`.
typedef struct MassProperties {
    double mass;
    PoiseVec3 com;
    double inertia[6];
} MassProperties;

/// Returns the mass properties of a solid shape in its own frame. `density` in kg/m^3. A hull's are
/// zero: its mesh has them (mesh.h).
MassProperties poise__mass_of_shape(const PoiseSceneShape* shape, double density);
/// Like poise__mass_of_shape, for a solid ellipsoid with the diameters `size` (m).
MassProperties poise__mass_of_ellipsoid(PoiseVec3 size, double density);
/// Transforms a body into the frame in which its own frame has the pose `pose`.
MassProperties poise__mass_moved(MassProperties body, PoisePose pose);
/// Returns the mass properties of two bodies that are welded together.
MassProperties poise__mass_sum(MassProperties a, MassProperties b);
/// Stretches the body by a factor along each axis, at the same density. Negative factors mirror it.
MassProperties poise__mass_stretched(MassProperties body, PoiseVec3 factor);
/// Scales the body to another mass (kg); the inertia scales with it.
MassProperties poise__mass_scaled(MassProperties body, double mass);

/// Writes the least and greatest coordinate of the shape along a direction of length 1, m; `body`
/// is the pose of its body.
void poise__shape_span(const PoiseSceneShape* shape, PoisePose body, PoiseVec3 along,
                       double span[2]);

/// Computes the three principal moments in ascending order and, as rows, their axes (NULL allowed).
void poise__inertia_principal(const double inertia[6], double moments[3], double axes[9]);

/// Returns the rotation from the principal axes to the axes of `inertia`: x has the largest moment,
/// z the smallest.
PoiseQuat poise__inertia_turn(const double inertia[6]);

/// Changes the inertia so that a body can have it: each principal moment above 0, none larger than
/// the sum of the other two. Returns the reason of the change; NULL if nothing was changed. An
/// inertia of zeros stays.
const char* poise__inertia_repair(double inertia[6]);

#endif
