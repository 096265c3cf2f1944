// SPDX-License-Identifier: MIT
// Memory of a search for springs.
#include <string.h>

#include "block_arrays.h"
#include "design_search.h"

/// Largest number of entries of a point: two symmetric 3 x 3 matrices.
enum { ENTRIES = 12 };

static size_t carve(Design* d, char* base, const PoiseRig* rig) {
    const size_t n = (size_t)rig->binding_count;
    const size_t wishes = (size_t)d->def->wish_count;
    const size_t entries = wishes * ENTRIES;
    const size_t rows = entries + n;
    const size_t velocities = (size_t)poise__rig_velocities(rig);
    struct {
        double** array;
        size_t count;
    } const arrays[] = {{&d->u, n},
                        {&d->present, n},
                        {&d->linear, n},
                        {&d->other, n},
                        {&d->trial, n},
                        {&d->at.entries, entries},
                        {&d->at.slopes, entries * n},
                        {&d->at.residual, rows},
                        {&d->at.jacobian, rows * n},
                        {&d->next.entries, entries},
                        {&d->next.slopes, entries * n},
                        {&d->next.residual, rows},
                        {&d->next.jacobian, rows * n},
                        {&d->side, 2 * entries},
                        {&d->normal, n * n},
                        {&d->right, n},
                        {&d->moved, LOADS * velocities},
                        {&d->shifts, n * velocities}};
    size_t used = 0;
    d->unknowns = (Unknown*)poise__carve_from(base, &used, n, sizeof(Unknown));
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i].array = (double*)poise__carve_from(base, &used, arrays[i].count, sizeof(double));
    }
    d->points = (PoisePointId*)poise__carve_from(base, &used, wishes, sizeof(PoisePointId));
    d->forecasts = (PoiseForecast*)poise__carve_from(base, &used, wishes, sizeof(PoiseForecast));
    d->variables = (PoiseVariable*)poise__carve_from(base, &used, n, sizeof(PoiseVariable));
    d->pairs = (Pair*)poise__carve_from(base, &used, entries, sizeof(Pair));
    d->rests = (Rest*)poise__carve_from(base, &used, wishes + 1, sizeof(Rest));
    d->rest_of = (int*)poise__carve_from(base, &used, wishes, sizeof(int));
    d->held = (bool*)poise__carve_from(base, &used, n, sizeof(bool));
    return used;
}

PoiseStatus poise__design_reserve(Design* d, const PoiseRig* rig) {
    d->host = &rig->host;
    d->size = carve(d, NULL, rig);
    d->memory = poise_host_allocate(d->host, d->size);
    if (!d->memory) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    memset(d->memory, 0, d->size);
    (void)carve(d, (char*)d->memory, rig);
    for (int i = 0; i < d->def->wish_count; i++) {
        d->points[i] = d->def->wishes[i].point;
    }
    return POISE_OK;
}

void poise__design_release(Design* d) {
    for (int r = 0; r < d->rest_count; r++) {
        poise__rest_close(&d->rests[r]);
    }
    if (d->memory) {
        poise_host_release(d->host, d->memory, d->size);
    }
}
