// SPDX-License-Identifier: MIT
// Distributes the load of a floating base over its stance points.
#ifndef POISE_LOAD_SHARE_H
#define POISE_LOAD_SHARE_H

#include "cone.h"

enum { WRENCH = 6 };

/// A stance point as a contact: its position, axes and cone.
typedef struct SupportContact {
    double place[3];   ///< position relative to the point about which moments are taken, m
    double axes[3][3]; ///< direction of the push, then two axes perpendicular to it
    double root_share; ///< square root of PoiseStanceDef.share
    double arm;        ///< size of the sole, which scales moments to forces, m; 0: no moments
    Cone cone;
    /// the load along these axes, divided by root_share; moments are also divided by arm
    double given[CONE_SIZE];
} SupportContact;

/// Finds the loads of one or more contacts that sum up to `wanted` (force, moment), and writes them
/// to `given`: those with the least sum of force^2 / share + moment^2 / (share arm^2). If the cones
/// allow no such loads, finds those whose sum is nearest. `missing` is `wanted` minus their sum.
/// Returns the number of evaluations of the dual problem; 0 if all loads are inside their cones.
int poise__share_out(SupportContact* contacts, int count, const double wanted[WRENCH],
                     double missing[WRENCH]);
/// Computes the force and moment of a contact from `given`.
void poise__contact_load(const SupportContact* contact, double force[3], double moment[3]);

#endif
