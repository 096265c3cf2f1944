// SPDX-License-Identifier: MIT
// Solves for the displacement of a mechanism with springs and constraint rows J (feet and
// closures). Velocities with springs have the index s, free ones (without) the index b. g is the
// generalized force, f the constraint forces, K the stiffness:
//     K ds = g_s - J_s^T f,    J_b^T f = g_b,    J_s ds + J_b db = 0.
// U is an orthonormal basis of J_b's columns, J_b = U R: f = U f1 + f2, R^T f1 = g_b. f2 is
// orthogonal to U and follows from P A P f2 = P (J_s K^-1 g_s - A U f1), with A = J_s K^-1 J_s^T, P
// = 1 - U U^T; then R db = -U^T J_s ds. Pivoting drops dependent rows. Dependent columns drop free
// velocities that the rows do not determine. Used by points that press (step/press.c), joints of
// loops (step/loop_torques.c) and forecasts (forecast/).
#include "kkt.h"

#include <string.h>

#include "block_arrays.h"
#include "numbers.h"

// A column is dependent if orthogonalisation leaves less than this fraction of its length.
#define COLUMN_ZERO 1e-8
// A row is dependent if its squared pivot is below this fraction of the largest.
#define ROW_ZERO 1e-12

// ------------------------------------------------------------------------------------------ memory

static size_t carve_kkt(Kkt* kkt, char* base, size_t rows, size_t numbers) {
    size_t used = 0;
    kkt->free = (int*)poise__carve_from(base, &used, numbers, sizeof(int));
    kkt->order = (int*)poise__carve_from(base, &used, rows, sizeof(int));
    kkt->j = (double*)poise__carve_from(base, &used, rows * numbers, sizeof(double));
    kkt->span = (double*)poise__carve_from(base, &used, numbers * rows, sizeof(double));
    kkt->part = (double*)poise__carve_from(base, &used, numbers * numbers, sizeof(double));
    kkt->row_compliance = (double*)poise__carve_from(base, &used, rows * rows, sizeof(double));
    kkt->factor = (double*)poise__carve_from(base, &used, rows * rows, sizeof(double));
    kkt->multipliers = (double*)poise__carve_from(base, &used, rows, sizeof(double));
    kkt->work = (double*)poise__carve_from(base, &used, rows, sizeof(double));
    kkt->turned = (double*)poise__carve_from(base, &used, rows, sizeof(double));
    kkt->base = (double*)poise__carve_from(base, &used, numbers, sizeof(double));
    return used;
}

bool poise__kkt_reserve(const RigState* state, Kkt* kkt, int numbers) {
    int rows = CLOSURE_ROWS * state->stance_count;
    for (int i = 0; i < state->rig->closure_count; i++) {
        rows += poise__closure_rows(&state->rig->closures[i]);
    }
    kkt->row_count = 0;
    kkt->number_count = numbers;
    if (rows == 0 || (rows <= kkt->rows_room && numbers <= kkt->numbers_room)) {
        return true;
    }
    Kkt next = {.rows_room = rows, .numbers_room = numbers, .number_count = numbers};
    const size_t r = (size_t)rows, n = (size_t)numbers;
    next.size = carve_kkt(&next, NULL, r, n);
    next.memory = poise_host_allocate(&state->rig->host, next.size);
    if (!next.memory) {
        return false;
    }
    (void)carve_kkt(&next, (char*)next.memory, r, n);
    poise__kkt_finish(state, kkt);
    *kkt = next;
    return true;
}

void poise__kkt_finish(const RigState* state, Kkt* kkt) {
    poise_host_release(&state->rig->host, kkt->memory, kkt->size);
    memset(kkt, 0, sizeof *kkt);
}

// ----------------------------------------------------------------------------------------- factors

// Subtracts from v its components along the basis kkt->span; adds them to `parts`, unless that is
// NULL.
static void subtract_span(const Kkt* kkt, double* v, double* parts) {
    const int m = kkt->row_count;
    for (int i = 0; i < kkt->free_rank; i++) {
        const double part = poise__numbers_dot(&kkt->span[i * m], v, m);
        for (int r = 0; r < m; r++) {
            v[r] -= part * kkt->span[i * m + r];
        }
        if (parts) {
            parts[i] += part;
        }
    }
}

// Orthonormalises the free columns of J one after another, and moves dependent ones to the end of
// kkt->free. Orthogonalises each column twice to remove rounding errors.
static void span_free(Kkt* kkt) {
    const int m = kkt->row_count;
    const int n = kkt->number_count;
    const int count = kkt->free_count;
    int end = count;
    kkt->free_rank = 0;
    memset(kkt->part, 0, (size_t)(count * count) * sizeof *kkt->part);
    while (kkt->free_rank < end) {
        const int at = kkt->free_rank;
        const int number = kkt->free[at];
        double* column = &kkt->span[at * m];
        double* in = kkt->base;
        for (int r = 0; r < m; r++) {
            column[r] = kkt->j[r * n + number];
        }
        memset(in, 0, (size_t)at * sizeof *in);
        const double whole = sqrt(poise__numbers_dot(column, column, m));
        subtract_span(kkt, column, in);
        subtract_span(kkt, column, in);
        const double left = sqrt(poise__numbers_dot(column, column, m));
        if (!(left > COLUMN_ZERO * whole)) {
            kkt->free[at] = kkt->free[--end];
            kkt->free[end] = number;
            continue;
        }
        for (int i = 0; i < at; i++) {
            kkt->part[i * count + at] = in[i];
        }
        kkt->part[at * count + at] = left;
        for (int r = 0; r < m; r++) {
            column[r] /= left;
        }
        kkt->free_rank++;
    }
}

static void swap(double* a, double* b) {
    const double was = *a;
    *a = *b;
    *b = was;
}

static void swap_rows(Kkt* kkt, int a, int b) {
    const int m = kkt->row_count;
    for (int i = 0; i < m; i++) {
        swap(&kkt->factor[a * m + i], &kkt->factor[b * m + i]);
    }
    for (int i = a; i < m; i++) {
        swap(&kkt->factor[i * m + a], &kkt->factor[i * m + b]);
    }
    const int was = kkt->order[a];
    kkt->order[a] = kkt->order[b];
    kkt->order[b] = was;
}

// Replaces kkt->factor by its Cholesky factor. Takes the largest pivot first, until all are at most
// `zero`.
static void pivot_rows(Kkt* kkt, double zero) {
    const int m = kkt->row_count;
    double* f = kkt->factor;
    kkt->rank = 0;
    for (int k = 0; k < m; k++) {
        int best = k;
        for (int i = k + 1; i < m; i++) {
            best = f[i * m + i] > f[best * m + best] ? i : best;
        }
        if (!(f[best * m + best] > zero)) {
            return;
        }
        swap_rows(kkt, k, best);
        const double root = sqrt(f[k * m + k]);
        for (int i = k; i < m; i++) {
            f[i * m + k] /= root;
        }
        for (int i = k + 1; i < m; i++) {
            for (int c = k + 1; c < m; c++) {
                f[i * m + c] -= f[i * m + k] * f[c * m + k];
            }
        }
        kkt->rank = k + 1;
    }
}

// Solves the factored rows for b, in place; dependent rows get 0.
static void solve_rows(Kkt* kkt, double* b) {
    const int m = kkt->row_count;
    const double* f = kkt->factor;
    double* x = kkt->turned;
    for (int i = 0; i < kkt->rank; i++) {
        x[i] = (b[kkt->order[i]] - poise__numbers_dot(&f[i * m], x, i)) / f[i * m + i];
    }
    for (int i = kkt->rank - 1; i >= 0; i--) {
        for (int k = i + 1; k < kkt->rank; k++) {
            x[i] -= f[k * m + i] * x[k];
        }
        x[i] /= f[i * m + i];
    }
    memset(b, 0, (size_t)m * sizeof *b);
    for (int i = 0; i < kkt->rank; i++) {
        b[kkt->order[i]] = x[i];
    }
}

// Fills A = row_compliance, and factors P A P up to its rank (see the head).
static void factor_rows(Kkt* kkt, const double* compliance) {
    const int m = kkt->row_count;
    const int n = kkt->number_count;
    double most = 0.0;
    for (int r = 0; r < m; r++) {
        for (int c = 0; c <= r; c++) {
            double sum = 0.0;
            for (int i = 0; i < n; i++) {
                sum += kkt->j[r * n + i] * compliance[i] * kkt->j[c * n + i];
            }
            kkt->row_compliance[r * m + c] = kkt->row_compliance[c * m + r] = sum;
        }
        most = poise_max(most, kkt->row_compliance[r * m + r]);
        kkt->order[r] = r;
    }
    double* f = kkt->factor;
    memcpy(f, kkt->row_compliance, (size_t)(m * m) * sizeof *f);
    for (int r = 0; r < m && kkt->free_rank > 0; r++) {
        subtract_span(kkt, &f[r * m], NULL);
    }
    for (int c = 0; c < m && kkt->free_rank > 0; c++) {
        for (int r = 0; r < m; r++) {
            kkt->work[r] = f[r * m + c];
        }
        subtract_span(kkt, kkt->work, NULL);
        for (int r = 0; r < m; r++) {
            f[r * m + c] = kkt->work[r];
        }
    }
    pivot_rows(kkt, ROW_ZERO * most);
}

void poise__kkt_fill(const RigState* state, PoiseTree* tree, Kkt* kkt, const int* first,
                     const double* compliance) {
    poise__kkt_rows(state, tree, kkt, first, compliance);
    if (kkt->row_count > 0) {
        span_free(kkt);
        factor_rows(kkt, compliance);
    }
}

// ------------------------------------------------------------------------------------------ answer

// Computes f = U f1 + f2 into kkt->multipliers, which must contain J_s K^-1 g_s.
static void find_load(Kkt* kkt, const double* force) {
    const int m = kkt->row_count;
    const int count = kkt->free_count;
    double* b = kkt->multipliers;
    memset(kkt->work, 0, (size_t)m * sizeof *kkt->work);
    for (int i = 0; i < kkt->free_rank; i++) {
        double sum = force[kkt->free[i]];
        for (int k = 0; k < i; k++) {
            sum -= kkt->part[k * count + i] * kkt->base[k];
        }
        kkt->base[i] = sum / kkt->part[i * count + i];
        for (int r = 0; r < m; r++) {
            kkt->work[r] += kkt->base[i] * kkt->span[i * m + r];
        }
    }
    for (int r = 0; r < m; r++) {
        b[r] -= poise__numbers_dot(&kkt->row_compliance[r * m], kkt->work, m);
    }
    subtract_span(kkt, b, NULL);
    solve_rows(kkt, b);
    subtract_span(kkt, b, NULL);
    for (int r = 0; r < m; r++) {
        b[r] += kkt->work[r];
    }
}

// Solves R db = -U^T J_s ds; free velocities that no row determines get 0.
static void find_free(Kkt* kkt, double* displacement) {
    const int m = kkt->row_count;
    const int n = kkt->number_count;
    const int count = kkt->free_count;
    for (int i = 0; i < count; i++) {
        displacement[kkt->free[i]] = 0.0;
    }
    for (int r = 0; r < m; r++) {
        kkt->work[r] = -poise__numbers_dot(&kkt->j[r * n], displacement, n);
    }
    for (int i = kkt->free_rank - 1; i >= 0; i--) {
        double sum = poise__numbers_dot(&kkt->span[i * m], kkt->work, m);
        for (int k = i + 1; k < kkt->free_rank; k++) {
            sum -= kkt->part[i * count + k] * displacement[kkt->free[k]];
        }
        displacement[kkt->free[i]] = sum / kkt->part[i * count + i];
    }
}

void poise__kkt_solve(Kkt* kkt, const double* compliance, const double* force,
                      double* displacement) {
    const int m = kkt->row_count;
    const int n = kkt->number_count;
    double* f = kkt->multipliers;
    for (int r = 0; r < m; r++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) {
            sum += kkt->j[r * n + i] * compliance[i] * force[i];
        }
        f[r] = sum;
    }
    find_load(kkt, force);
    for (int i = 0; i < n; i++) {
        double sum = force[i];
        for (int r = 0; r < m; r++) {
            sum -= kkt->j[r * n + i] * f[r];
        }
        displacement[i] = compliance[i] * sum;
    }
    find_free(kkt, displacement);
}
