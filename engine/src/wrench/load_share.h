// SPDX-License-Identifier: MIT
// Distributes the load of a floating base over its stance points.
#ifndef POISE_LOAD_SHARE_H
#define POISE_LOAD_SHARE_H

#include "cone.h"

enum { WRENCH = 6 };

/// A stance point: its place, axes and cone.
typedef struct SupportContact {
    double place[3];   ///< place relative to the centre of moments, m
    double axes[3][3]; ///< the direction of the push, and two across it
    double root_share;
    double arm; ///< m: length that relates moments to forces; 0: no moments
    Cone cone;
    double given[CONE_SIZE]; ///< in these axes, over root_share (moments: and arm)
} SupportContact;

/// Finds the loads of one or more contacts that sum up to `wanted` (force, moment), into `given`.
/// They have the least sum of force^2 / share + moment^2 / (share arm^2). If no loads sum up to it,
/// finds the nearest ones. `missing`: the rest. Returns the number of evaluations of the dual
/// problem: 0 if no cone is reached.
int poise__share_out(SupportContact* contacts, int count, const double wanted[WRENCH],
                     double missing[WRENCH]);
/// Computes the force and moment of a contact from `given`.
void poise__contact_load(const SupportContact* contact, double force[3], double moment[3]);

#endif
