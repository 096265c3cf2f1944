// SPDX-License-Identifier: MIT
// Computes the matrix S = J (tree)^-1 J' + C of the rows outside the tree. Passes a unit force of
// each row from its bodies to their roots. At each body on these paths adds to S the products of
// all rows that pass the body. tree.c comes before, lcp.c after.
#include <string.h>

#include "exact.h"
#include "lanes.h"

/// Reserves a hit for each row outside the tree at each body on the paths from its bodies to their
/// roots.
static bool reserve_hits(PoiseExact* x) {
    size_t count = 1;
    for (int i = 0; i < x->group_count; i++) {
        x->hit_at[x->group_bodies[i]] = EXACT_NONE;
    }
    for (int e = 0; e < x->extra_count; e++) {
        for (int side = 0; side < 2; side++) {
            int body = x->rows[x->extras[e]].body[side];
            for (; body != EXACT_NONE; body = x->bodies[body].parent) {
                count++;
            }
        }
    }
    x->hits = (ExactHit*)poise__exact_reserve(x, EXACT_HITS, count, sizeof *x->hits);
    x->hit_count = 0;
    return !x->out_of_memory;
}

/// Passes a unit force of the row from its two bodies to their roots, and stores its hits.
static void walk_row(PoiseExact* x, int e) {
    const ExactRow* row = &x->rows[x->extras[e]];
    int at[2] = {row->body[0], row->body[1]};
    double load[2][6];
    memcpy(load, row->j, sizeof load);
    while (at[0] != EXACT_NONE || at[1] != EXACT_NONE) {
        // moves on from the body with the larger index: since parents have smaller indices, the two
        // paths meet at the first common body
        const int side = at[0] < at[1];
        if (at[0] == at[1]) {
            for (int c = 0; c < 6; c++) {
                load[0][c] += load[1][c];
            }
            at[1] = EXACT_NONE;
        }
        const int body = at[side];
        ExactHit* hit = &x->hits[x->hit_count];
        hit->row = e;
        hit->next = x->hit_at[body];
        x->hit_at[body] = x->hit_count++;
        poise__exact_walk(x, body, load[side], hit->part);
        at[side] = x->bodies[body].parent;
    }
}

/// Sets the addresses of the LCP's arrays. False if memory runs out.
static bool lay_out(PoiseExact* x) {
    const size_t n = (size_t)x->extra_count;
    double* numbers =
        (double*)poise__exact_reserve(x, EXACT_NUMBERS, 2 * n * n + 9 * n + 1, sizeof(double));
    signed char* states = (signed char*)poise__exact_reserve(x, EXACT_STATES, 3 * n + 1, 1);
    int* places = (int*)poise__exact_reserve(x, EXACT_INTEGERS, n + 1, sizeof(int));
    if (x->out_of_memory) {
        return false;
    }
    double* vectors = numbers + 2 * n * n;
    x->lcp = (ExactLcp){.count = x->extra_count,
                        .matrix = numbers,
                        .factor = numbers + n * n,
                        .q = vectors,
                        .low = vectors + n,
                        .high = vectors + 2 * n,
                        .x = vectors + 3 * n,
                        .w = vectors + 4 * n,
                        .step = vectors + 5 * n,
                        .column = vectors + 6 * n,
                        .inverse = vectors + 7 * n,
                        .next_column = vectors + 8 * n,
                        .free_rows = places,
                        .state = states,
                        .begin = states + n,
                        .next = states + 2 * n};
    memset(numbers, 0, n * n * sizeof *numbers);
    return true;
}

/// Returns the term of S for two rows at the same body, from their parts (poise__exact_walk).
static inline double meet(const double a[12], const double b[12]) {
    Two sum = *const_twos(a) * *const_twos(b);
    for (int k = 2; k < 6; k += 2) {
        sum += *const_twos(a + k) * *const_twos(b + k);
    }
    for (int k = 6; k < 12; k += 2) {
        sum -= *const_twos(a + k) * *const_twos(b + k);
    }
    return sum[0] + sum[1];
}

bool poise__exact_schur(PoiseExact* x) {
    if (!reserve_hits(x) || !lay_out(x)) {
        return false;
    }
    const size_t n = (size_t)x->extra_count;
    double* matrix = x->lcp.matrix;
    for (int e = 0; e < x->extra_count; e++) {
        walk_row(x, e);
        matrix[(size_t)e * (n + 1)] = x->rows[x->extras[e]].softness;
    }
    for (int i = 0; i < x->group_count; i++) {
        // a body's list begins with its latest row, so this fills the lower half
        for (int a = x->hit_at[x->group_bodies[i]]; a != EXACT_NONE; a = x->hits[a].next) {
            double* to = matrix + (size_t)x->hits[a].row * n;
            for (int b = a; b != EXACT_NONE; b = x->hits[b].next) {
                to[x->hits[b].row] += meet(x->hits[a].part, x->hits[b].part);
            }
        }
    }
    for (size_t e = 0; e < n; e++) {
        for (size_t f = 0; f < e; f++) {
            matrix[f * n + e] = matrix[e * n + f];
        }
    }
    return true;
}

void poise__exact_lacks(PoiseExact* x) {
    for (int e = 0; e < x->extra_count; e++) {
        ExactRow* row = &x->rows[x->extras[e]];
        const double force = row->force;
        row->force = 0.0;
        x->lcp.q[e] = row->d - poise__exact_row_speed(x, row);
        row->force = force;
    }
}
