// SPDX-License-Identifier: MIT
// Allocates the memory of a search for springs, and solves normal equations within bounds.
#include "design_search.h"
#include "numbers.h"

/// Largest number of entries of a point: the 6 different numbers of two symmetric 3 x 3 matrices.
enum { ENTRIES = 12 };
/// Number of sweeps of poise__design_descend over all unknowns.
enum { SWEEPS = 400 };

PoiseStatus poise__design_reserve(Design* d, const PoiseRig* rig) {
    const int n = rig->binding_count, wishes = d->def->wish_count;
    const int entries = wishes * ENTRIES, rows = entries + n;
    const int velocities = poise__rig_velocities(rig);
    const BlockArray list[] = {BLOCK_ARRAY(d->rests, wishes + 1),
                               BLOCK_ARRAY(d->rest_of, wishes),
                               BLOCK_ARRAY(d->points, wishes),
                               BLOCK_ARRAY(d->forecasts, wishes),
                               BLOCK_ARRAY(d->unknowns, n),
                               BLOCK_ARRAY(d->variables, n),
                               BLOCK_ARRAY(d->pairs, entries),
                               BLOCK_ARRAY(d->u, n),
                               BLOCK_ARRAY(d->present, n),
                               BLOCK_ARRAY(d->linear, n),
                               BLOCK_ARRAY(d->other, n),
                               BLOCK_ARRAY(d->trial, n),
                               BLOCK_ARRAY(d->at.entries, entries),
                               BLOCK_ARRAY(d->at.slopes, entries * n),
                               BLOCK_ARRAY(d->at.residual, rows),
                               BLOCK_ARRAY(d->at.jacobian, rows * n),
                               BLOCK_ARRAY(d->next.entries, entries),
                               BLOCK_ARRAY(d->next.slopes, entries * n),
                               BLOCK_ARRAY(d->next.residual, rows),
                               BLOCK_ARRAY(d->next.jacobian, rows * n),
                               BLOCK_ARRAY(d->side, 2 * entries),
                               BLOCK_ARRAY(d->normal, n * n),
                               BLOCK_ARRAY(d->right, n),
                               BLOCK_ARRAY(d->held, n),
                               BLOCK_ARRAY(d->moved, LOADS * velocities),
                               BLOCK_ARRAY(d->shifts, n * velocities)};
    if (!poise__arrays_open(&d->arrays, &rig->host, list, sizeof list / sizeof *list)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < wishes; i++) {
        d->points[i] = d->def->wishes[i].point;
    }
    return POISE_OK;
}

void poise__design_release(Design* d) {
    for (int r = 0; r < d->rest_count; r++) {
        poise__rest_close(&d->rests[r]);
    }
    poise__arrays_close(&d->arrays);
}

void poise__design_descend(const Design* d, double lower, double upper, double* x) {
    for (int i = 0; i < SWEEPS * d->count; i++) {
        const double* row = &d->normal[i % d->count * d->count];
        const double own = row[i % d->count];
        double* at = &x[i % d->count];
        const double left = d->right[i % d->count] - poise__numbers_dot(row, x, d->count);
        *at = own > 0.0 ? poise_min(poise_max(*at + left / own, lower), upper) : *at;
    }
}
