// SPDX-License-Identifier: MIT
// How what a floating base needs of the ground is shared out over the points that carry it.
#ifndef POISE_LOAD_SHARE_H
#define POISE_LOAD_SHARE_H

#include "cone.h"

enum { WRENCH = 6 };

/// A point that carries: where, how it faces, and what it can.
typedef struct SupportContact {
    double place[3];   ///< from where moments are counted
    double axes[3][3]; ///< the way it is pushed, and two across
    double root_share;
    double arm; ///< m: by which moments count against forces; 0: it bears none
    Cone cone;
    double given[CONE_SIZE]; ///< in those axes, over root_share (moments: and arm)
} SupportContact;

/// Of all that the contacts can give, the least sum of force^2 / share + moment^2 / (share arm^2)
/// that makes up `wanted` (force, moment), into `given`; else what comes nearest. `missing`: what
/// is left. Returns how often the dual problem was evaluated: 0 where no cone is reached.
int poise__share_out(SupportContact* contacts, int count, const double wanted[WRENCH],
                     double missing[WRENCH]);
/// The force and moment of a contact as given.
void poise__contact_load(const SupportContact* contact, double force[3], double moment[3]);

#endif
