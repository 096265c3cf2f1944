// SPDX-License-Identifier: MIT
// Makes the constraint rows that dWorldStep makes of a contact: a row along the normal, whose force
// can only push, and up to two rows of friction. The bounds of friction may be proportional to the
// normal force. joint_rows.c makes the rows of other joints.
#include <math.h>
#include <string.h>

#include "exact.h"
#include "lanes.h"

static ExactRow* add_row(PoiseExact* x, const ExactContact* contact, const double* direction) {
    ExactRow* row = poise__exact_row(x, contact->body);
    for (int side = 0; side < 2 && contact->ends[side]; side++) {
        const dReal* position = dBodyGetPosition(contact->ends[side]);
        const double sign = side == 0 ? 1.0 : -1.0;
        double arm[3];
        for (int c = 0; c < 3; c++) {
            arm[c] = (double)contact->contact.geom.pos[c] - (double)position[c];
            row->j[side][c] = sign * direction[c];
        }
        cross(arm, row->j[side], row->j[side] + 3);
    }
    return row;
}

/// Returns the relative speed along the row before the step, m/s; below 0 if the geoms approach.
static double approach(const ExactContact* contact, const ExactRow* row) {
    double speed = 0.0;
    for (int side = 0; side < 2 && contact->ends[side]; side++) {
        const dReal* v = dBodyGetLinearVel(contact->ends[side]);
        const dReal* w = dBodyGetAngularVel(contact->ends[side]);
        for (int c = 0; c < 3; c++) {
            speed += row->j[side][c] * (double)v[c] + row->j[side][3 + c] * (double)w[c];
        }
    }
    return speed;
}

static void set_normal(PoiseExact* x, const ExactContact* contact, ExactRow* row) {
    const dSurfaceParameters* surface = &contact->contact.surface;
    const double erp = surface->mode & dContactSoftERP ? (double)surface->soft_erp : x->erp;
    const double depth = fmax(
        (double)contact->contact.geom.depth - (double)dWorldGetContactSurfaceLayer(x->world), 0.0);
    const double motion = surface->mode & dContactMotionN ? (double)surface->motionN : 0.0;
    if (surface->mode & dContactSoftCFM) {
        row->softness = (double)surface->soft_cfm;
    }
    row->d = fmin(erp / x->h * depth + motion, (double)dWorldGetContactMaxCorrectingVel(x->world));
    if (surface->mode & dContactBounce) {
        const double outgoing = approach(contact, row) - motion;
        if (surface->bounce_vel >= 0.0 && -outgoing > (double)surface->bounce_vel) {
            row->d = fmax(row->d, motion - (double)surface->bounce * outgoing);
        }
    }
    row->low = 0.0;
}

/// A direction of friction at a contact.
typedef struct Friction {
    double direction[3];
    double most;
    double slip; ///< CFM; below 0: use the world's CFM
    double motion;
    /// the largest friction force is `most` times the normal force; otherwise `most`, N
    bool scales;
} Friction;

static void add_friction(PoiseExact* x, const ExactContact* contact, const Friction* friction,
                         int normal) {
    if (!(friction->most > 0.0)) {
        return;
    }
    ExactRow* row = add_row(x, contact, friction->direction);
    row->d = friction->motion;
    row->low = -friction->most;
    row->high = friction->most;
    row->normal = friction->scales ? normal : EXACT_NONE;
    if (friction->slip >= 0.0) {
        row->softness = friction->slip;
    }
}

static void find_directions(const dContact* contact, const double* normal, Friction* friction) {
    dVector3 n = {(dReal)normal[0], (dReal)normal[1], (dReal)normal[2], 0.0};
    dVector3 first;
    dVector3 second;
    if (contact->surface.mode & dContactFDir1) {
        memcpy(first, contact->fdir1, sizeof first);
        dCalcVectorCross3(second, n, first);
    } else {
        dPlaneSpace(n, first, second);
    }
    for (int c = 0; c < 3; c++) {
        friction[0].direction[c] = (double)first[c];
        friction[1].direction[c] = (double)second[c];
    }
}

bool poise__exact_contact_rows(PoiseExact* x, const ExactContact* contact) {
    const dSurfaceParameters* surface = &contact->contact.surface;
    const int mode = surface->mode;
    if (mode & dContactRolling) {
        poise__exact_name(x, EXACT_ROLLING, contact->id);
        return false;
    }
    if (!poise__exact_own(x, contact->id, contact->ends)) {
        return false;
    }
    const int first = x->row_count;
    double normal[3];
    for (int c = 0; c < 3; c++) {
        const double n = (double)contact->contact.geom.normal[c];
        normal[c] = contact->reversed ? -n : n;
    }
    ExactRow* row = add_row(x, contact, normal);
    set_normal(x, contact, row);
    Friction friction[2] = {
        {.most = (double)surface->mu,
         .slip = mode & dContactSlip1 ? (double)surface->slip1 : -1.0,
         .motion = mode & dContactMotion1 ? (double)surface->motion1 : 0.0,
         .scales = (mode & dContactApprox1_1) != 0},
        {.most = mode & dContactAxisDep ? (double)surface->mu2 : (double)surface->mu,
         .slip = mode & dContactSlip2 ? (double)surface->slip2 : -1.0,
         .motion = mode & dContactMotion2 ? (double)surface->motion2 : 0.0,
         .scales = (mode & dContactApprox1_2) != 0}};
    find_directions(&contact->contact, normal, friction);
    add_friction(x, contact, &friction[0], first);
    add_friction(x, contact, &friction[1], first);
    for (int k = first; k < x->row_count; k++) {
        poise__exact_scale_row(x, &x->rows[k], contact->ends);
    }
    return true;
}
