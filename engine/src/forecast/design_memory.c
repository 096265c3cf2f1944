// SPDX-License-Identifier: MIT
// Memory of a search for springs.
#include <string.h>

#include "block_arrays.h"
#include "design_search.h"

/// Largest number of entries of a point: two symmetric 3 x 3 matrices.
enum { ENTRIES = 12 };

static size_t carve(Design* d, char* base, int most) {
    const size_t n = (size_t)most;
    const size_t wishes = (size_t)d->def->wish_count;
    const size_t entries = wishes * ENTRIES;
    const size_t rows = entries + n;
    const size_t velocities = (size_t)d->rests[0].statics.count;
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
                        {&d->unmoved, entries},
                        {&d->side, 2 * entries},
                        {&d->normal, n * n},
                        {&d->right, n},
                        {&d->moved, LOADS * velocities},
                        {&d->shifts, n * velocities},
                        {&d->torque, velocities}};
    size_t used = 0;
    d->unknowns = (Unknown*)poise__carve_from(base, &used, n, sizeof(Unknown));
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i].array = (double*)poise__carve_from(base, &used, arrays[i].count, sizeof(double));
    }
    d->points = (PoisePointId*)poise__carve_from(base, &used, wishes, sizeof(PoisePointId));
    d->forecasts = (PoiseForecast*)poise__carve_from(base, &used, wishes, sizeof(PoiseForecast));
    d->entry_rest = (int*)poise__carve_from(base, &used, entries, sizeof(int));
    d->wished = (bool*)poise__carve_from(base, &used, entries, sizeof(bool));
    d->held = (bool*)poise__carve_from(base, &used, n, sizeof(bool));
    return used;
}

PoiseStatus poise__design_open(Design* d, const PoiseHost* host) {
    const size_t wishes = (size_t)d->def->wish_count;
    d->host = host;
    d->rests_size = (wishes + 1) * sizeof(Rest) + wishes * sizeof(int);
    d->rests = (Rest*)poise_host_allocate(host, d->rests_size);
    if (!d->rests) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    memset(d->rests, 0, d->rests_size);
    d->rest_of = (int*)(void*)(d->rests + wishes + 1);
    return POISE_OK;
}

PoiseStatus poise__design_reserve(Design* d, int most) {
    d->size = carve(d, NULL, most);
    d->memory = poise_host_allocate(d->host, d->size);
    if (!d->memory) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    memset(d->memory, 0, d->size);
    (void)carve(d, (char*)d->memory, most);
    for (int i = 0; i < d->def->wish_count; i++) {
        d->points[i] = d->def->wishes[i].point;
    }
    return POISE_OK;
}

void poise__design_release(Design* d) {
    if (d->memory) {
        poise_host_release(d->host, d->memory, d->size);
    }
    for (int r = 0; r < d->rest_count; r++) {
        poise__rest_close(&d->rests[r]);
    }
    if (d->rests) {
        poise_host_release(d->host, d->rests, d->rests_size);
    }
}
