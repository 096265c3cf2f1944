// SPDX-License-Identifier: MIT
// Other ways to a rest. With torque limits a mechanism may have several rests, and which one it
// comes to depends on how it moves: what is foreseen is known where the ways that bodies without
// inertia, joints without dampers and bodies with inertia go all end there.
#include <math.h>

#include "equilibrium.h"

// two misses are the same within this part, or so many m or rad
#define SAME       0.005
#define SAME_LEAST 5e-6

static bool is_same(double a, double b) {
    return fabs(a - b) <= poise_max(SAME * poise_max(a, b), SAME_LEAST);
}

// whether all points that have a goal miss it alike
static bool misses_alike(const PoiseTree* a, const PoiseTree* b) {
    bool alike = true;
    for (int i = 0; i < poise_tree_point_count(a); i++) {
        const PoisePointId p = poise_tree_point(a, i), q = poise_tree_point(b, i);
        alike = alike && is_same(poise_point_error(a, p), poise_point_error(b, q)) &&
                is_same(poise_point_angle_error(a, p), poise_point_angle_error(b, q));
    }
    return alike;
}

PoiseStatus poise__equilibrium_ways(PoiseRig* rig, const Equilibrium* equilibrium,
                                    PoiseForecast* forecast) {
    PoiseStatus status = POISE_OK;
    forecast->held_back = equilibrium->touched;
    for (int way = WAY_DIRECT; equilibrium->touched && way < WAYS && !forecast->several; way++) {
        Equilibrium other;
        status = poise__equilibrium_open(&other, rig);
        if (status >= 0 && poise__equilibrium_rest(&other, (Way)way)) {
            forecast->several = !misses_alike(equilibrium->rig.tree, other.rig.tree);
        }
        forecast->swings = forecast->swings || other.went_on;
        poise__equilibrium_finish(&other);
        if (status < 0) {
            break;
        }
    }
    return status;
}
