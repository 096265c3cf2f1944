// SPDX-License-Identifier: MIT
// The rows outside the tree, as a problem of their own: S = J (tree)^-1 J' + C. The bodies that
// such rows touch are walked to their roots with unit loads, six at once; where two paths meet,
// their products add up to the compliance between the two bodies. tree.c comes before, lcp.c after.
#include <string.h>

#include "exact.h"

/// Lists the bodies that rows outside the tree touch, and returns the nodes on their paths.
static int list_touched(PoiseExact* x) {
    for (int i = 0; i < x->group_count; i++) {
        x->touched_of[x->group_bodies[i]] = EXACT_NONE;
        x->hit_at[x->group_bodies[i]] = EXACT_NONE;
    }
    x->touched_count = 0;
    int nodes = 0;
    for (int e = 0; e < x->extra_count; e++) {
        const ExactRow* row = &x->rows[x->extras[e]];
        for (int side = 0; side < 2; side++) {
            const int body = row->body[side];
            if (body == EXACT_NONE || x->touched_of[body] != EXACT_NONE) {
                continue;
            }
            x->touched_of[body] = x->touched_count;
            x->touched[x->touched_count++] = body;
            for (int i = body; i != EXACT_NONE; i = x->bodies[i].parent) {
                nodes++;
            }
        }
    }
    return nodes;
}

static void walk_touched(PoiseExact* x, int place) {
    double column[6][6] = {{0.0}};
    for (int k = 0; k < 6; k++) {
        column[k][k] = 1.0;
    }
    for (int i = x->touched[place]; i != EXACT_NONE; i = x->bodies[i].parent) {
        ExactHit* hit = &x->hits[x->hit_count];
        hit->touched = place;
        hit->next = x->hit_at[i];
        x->hit_at[i] = x->hit_count++;
        poise__exact_walk(x, i, hit, column);
    }
}

/// Adds what one node gives to the compliance between two touched bodies.
static void add_products(PoiseExact* x, const ExactHit* a, const ExactHit* b) {
    const size_t width = (size_t)x->touched_count * 6;
    double* block = x->compliance + (size_t)a->touched * 6 * width + (size_t)b->touched * 6;
    for (int r = 0; r < 6; r++) {
        double sum[6] = {0.0};
        for (int k = 0; k < 6; k++) {
            const double u = a->u[k][r];
            const double f = a->f[k][r];
            for (int c = 0; c < 6; c++) {
                sum[c] += u * b->u[k][c] - f * b->f[k][c];
            }
        }
        for (int c = 0; c < 6; c++) {
            block[(size_t)r * width + (size_t)c] += sum[c];
        }
    }
}

/// Fills `column` with the velocities of the touched bodies per unit force of the row.
static void find_column(PoiseExact* x, const ExactRow* row) {
    const size_t width = (size_t)x->touched_count * 6;
    memset(x->column, 0, width * sizeof *x->column);
    for (int side = 0; side < 2; side++) {
        if (row->body[side] == EXACT_NONE) {
            continue;
        }
        // the matrix is symmetric: its rows are its columns
        const double* from = x->compliance + (size_t)x->touched_of[row->body[side]] * 6 * width;
        for (int k = 0; k < 6; k++) {
            const double t = row->j[side][k];
            for (size_t c = 0; t != 0.0 && c < width; c++) {
                x->column[c] += t * from[(size_t)k * width + c];
            }
        }
    }
}

static void fill_matrix(PoiseExact* x, double* matrix) {
    const int n = x->extra_count;
    for (int f = 0; f < n; f++) {
        find_column(x, &x->rows[x->extras[f]]);
        for (int e = 0; e <= f; e++) {
            const ExactRow* row = &x->rows[x->extras[e]];
            double sum = e == f ? row->softness : 0.0;
            for (int side = 0; side < 2; side++) {
                if (row->body[side] == EXACT_NONE) {
                    continue;
                }
                const double* at = x->column + (size_t)x->touched_of[row->body[side]] * 6;
                for (int c = 0; c < 6; c++) {
                    sum += row->j[side][c] * at[c];
                }
            }
            matrix[(size_t)f * (size_t)n + (size_t)e] = sum;
            matrix[(size_t)e * (size_t)n + (size_t)f] = sum;
        }
    }
}

/// Lays the LCP out; NULL for the matrix's place without memory.
static double* lay_out(PoiseExact* x) {
    const size_t n = (size_t)x->extra_count;
    const size_t width = (size_t)x->touched_count * 6;
    double* numbers = (double*)poise__exact_reserve(x, EXACT_NUMBERS, 2 * n * n + 7 * n + width + 1,
                                                    sizeof(double));
    x->compliance =
        (double*)poise__exact_reserve(x, EXACT_COMPLIANCE, width * width + 1, sizeof(double));
    signed char* states = (signed char*)poise__exact_reserve(x, EXACT_STATES, 2 * n + 1, 1);
    int* places = (int*)poise__exact_reserve(x, EXACT_INTEGERS, n + 1, sizeof(int));
    if (x->out_of_memory) {
        return NULL;
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
                        .free_rows = places,
                        .state = states};
    x->chosen = states + n;
    x->column = vectors + 7 * n;
    memset(x->compliance, 0, width * width * sizeof *x->compliance);
    return numbers;
}

bool poise__exact_schur(PoiseExact* x) {
    const int nodes = list_touched(x);
    x->hits = (ExactHit*)poise__exact_reserve(x, EXACT_HITS, (size_t)nodes + 1, sizeof *x->hits);
    double* matrix = lay_out(x);
    if (!matrix || x->out_of_memory) {
        return false;
    }
    x->hit_count = 0;
    for (int t = 0; t < x->touched_count; t++) {
        walk_touched(x, t);
    }
    for (int i = 0; i < x->group_count; i++) {
        const int first = x->hit_at[x->group_bodies[i]];
        for (int a = first; a != EXACT_NONE; a = x->hits[a].next) {
            for (int b = first; b != EXACT_NONE; b = x->hits[b].next) {
                add_products(x, &x->hits[a], &x->hits[b]);
            }
        }
    }
    fill_matrix(x, matrix);
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
