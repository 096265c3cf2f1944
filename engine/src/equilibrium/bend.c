// SPDX-License-Identifier: MIT
// How a compliance changes with a load: loads so large that the links turn, as those of friction,
// move a point by more or less than C times the load.
#include <math.h>

#include "compliance.h"

// m: so far loads move the point whose compliance is compared
#define BEND_BY 1e-3

// its compliance where a load lets it rest
static bool comply_under(Equilibrium* equilibrium, PoisePointId point, PoiseVec3 load,
                         PoiseForecast* there) {
    equilibrium->loaded = point;
    equilibrium->load = load;
    equilibrium->at_rest = false;
    const bool found = poise__equilibrium_rest(equilibrium, WAY_DIRECT, LEAD_NOT) &&
                       poise__compliances(equilibrium, &point, 1, there) == POISE_OK &&
                       !there->loose && !equilibrium->touched;
    equilibrium->loaded = poise_null_point();
    equilibrium->touched = false; // as it was, or there is no bend
    return found;
}

// to where it was
static PoiseStatus put_back(PoiseTree* tree, PoiseTree* kept) {
    PoiseStatus status = kept ? poise_tree_copy(tree, kept) : POISE_ERROR_OUT_OF_MEMORY;
    poise_tree_destroy(kept);
    return status < 0 ? status : poise_forward(tree);
}

PoiseStatus poise__compliance_bend(Equilibrium* equilibrium, PoisePointId point,
                                   PoiseForecast* forecast) {
    PoiseTree* const reference = equilibrium->reference;
    PoiseTree* kept = poise_tree_clone(equilibrium->state.tree);
    PoiseTree* own = reference ? poise_tree_clone(reference) : NULL;
    double most = 0.0;
    for (int i = 0; i < 9; i++) {
        most = poise_max(most, fabs(forecast->compliance[i]));
    }
    bool found = kept;
    const double load = most > 0.0 ? BEND_BY / most : 0.0;
    for (int i = 0; found && most > 0.0 && i < 6; i++) {
        PoiseForecast there = *forecast;
        double f[3] = {0.0};
        f[i / 2] = i % 2 == 0 ? load : -load;
        found = comply_under(equilibrium, point, poise_vec3(f[0], f[1], f[2]), &there);
        for (int k = 0; k < 9; k++) {
            double* at = &forecast->bend[3 * k + i / 2];
            *at = i % 2 == 0 ? there.compliance[k] : (*at - there.compliance[k]) / (2.0 * load);
        }
    }
    for (int i = 0; !found && i < 27; i++) {
        forecast->bend[i] = (double)NAN;
    }
    const PoiseStatus back = put_back(equilibrium->state.tree, kept);
    const PoiseStatus own_back = reference ? put_back(reference, own) : POISE_OK;
    const PoiseStatus memory = poise__equilibrium_memory(equilibrium);
    return memory < 0 ? memory : back < 0 ? back : own_back;
}
