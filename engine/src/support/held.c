// SPDX-License-Identifier: MIT
// A mechanism between what holds it and its springs: with J the rows of feet and closures, split
// into sprung numbers s and free ones b,
//     K ds = g_s - J_s^T f,    J_b^T f = g_b,    J_s ds + J_b db = gap.
// With U an orthonormal span of J_b's columns, J_b = U R: f = U f1 + f2, where R^T f1 = g_b, and
// f2, across U, follows from P A P f2 = P (J_s K^-1 g_s - gap - A U f1), A = J_s K^-1 J_s^T, P = 1
// - U U^T; R db = U^T (gap - J_s ds). Rows that say nothing new, and free numbers that no row
// moves, drop out by pivots. Used where a point presses (step/force.c), for what joints of a loop
// bear (loop.c), and where a rest is foreseen (equilibrium/).
#include "held.h"

#include <string.h>

#include "carve.h"
#include "support.h"

// a column of which those before leave less than this part depends on them
#define COLUMN_ZERO 1e-8
// likewise a row, of the largest pivot: squares
#define ROW_ZERO 1e-12

// ------------------------------------------------------------------------------------------ memory

static size_t carve_held(Held* held, char* base, size_t rows, size_t numbers, size_t bases) {
    size_t used = 0;
    held->free = (int*)poise__carve_from(base, &used, bases, sizeof(int));
    held->order = (int*)poise__carve_from(base, &used, rows, sizeof(int));
    held->j = (double*)poise__carve_from(base, &used, rows * numbers, sizeof(double));
    held->span = (double*)poise__carve_from(base, &used, bases * rows, sizeof(double));
    held->part = (double*)poise__carve_from(base, &used, bases * bases, sizeof(double));
    held->give = (double*)poise__carve_from(base, &used, rows * rows, sizeof(double));
    held->factor = (double*)poise__carve_from(base, &used, rows * rows, sizeof(double));
    held->load = (double*)poise__carve_from(base, &used, rows, sizeof(double));
    held->work = (double*)poise__carve_from(base, &used, rows, sizeof(double));
    held->turned = (double*)poise__carve_from(base, &used, rows, sizeof(double));
    held->base = (double*)poise__carve_from(base, &used, bases, sizeof(double));
    return used;
}

bool poise__held_reserve(const PoiseRig* rig, Held* held, int numbers) {
    int bases = 0;
    int rows = CLOSURE_ROWS * rig->stance_count;
    for (int b = 0; b < rig->binding_count && rig->stance_count > 0; b++) {
        bases += poise__base_floats(&rig->bindings[b]) ? POISE_MAX_DOF : 0;
    }
    for (int i = 0; i < rig->closure_count; i++) {
        rows += poise__closure_rows(&rig->closures[i]);
    }
    bases = rig->closure_count > 0 ? numbers : bases;
    held->row_count = 0;
    held->number_count = numbers;
    if (rows == 0 ||
        (rows <= held->rows_room && numbers <= held->numbers_room && bases <= held->free_room)) {
        return true;
    }
    Held next;
    memset(&next, 0, sizeof next);
    next.rows_room = rows;
    next.numbers_room = numbers;
    next.number_count = numbers;
    next.free_room = bases;
    const size_t r = (size_t)rows, n = (size_t)numbers, b = (size_t)bases;
    next.size = carve_held(&next, NULL, r, n, b);
    next.memory = poise_host_allocate(&rig->host, next.size);
    if (!next.memory) {
        return false;
    }
    (void)carve_held(&next, (char*)next.memory, r, n, b);
    poise__held_finish(rig, held);
    *held = next;
    return true;
}

void poise__held_finish(const PoiseRig* rig, Held* held) {
    poise_host_release(&rig->host, held->memory, held->size);
    memset(held, 0, sizeof *held);
}

// ----------------------------------------------------------------------------------------- factors

static double dot(const double* a, const double* b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// what the span leaves of v, in place; the parts into `parts`, added
static void take_span(const Held* held, double* v, double* parts) {
    const int m = held->row_count;
    for (int i = 0; i < held->free_rank; i++) {
        const double part = dot(&held->span[i * m], v, m);
        for (int r = 0; r < m; r++) {
            v[r] -= part * held->span[i * m + r];
        }
        if (parts) {
            parts[i] += part;
        }
    }
}

// the columns of the free numbers one after the other; those that add nothing go behind
static void span_free(Held* held) {
    const int m = held->row_count;
    const int n = held->number_count;
    const int count = held->free_count;
    int end = count;
    held->free_rank = 0;
    memset(held->part, 0, (size_t)(count * count) * sizeof *held->part);
    while (held->free_rank < end) {
        const int at = held->free_rank;
        const int number = held->free[at];
        double* column = &held->span[at * m];
        double* in = held->base;
        for (int r = 0; r < m; r++) {
            column[r] = held->j[r * n + number];
        }
        memset(in, 0, (size_t)at * sizeof *in);
        const double whole = sqrt(dot(column, column, m));
        take_span(held, column, in);
        take_span(held, column, in);
        const double left = sqrt(dot(column, column, m));
        if (!(left > COLUMN_ZERO * whole) || !(left > 0.0)) {
            held->free[at] = held->free[--end];
            held->free[end] = number;
            continue;
        }
        for (int i = 0; i < at; i++) {
            held->part[i * count + at] = in[i];
        }
        held->part[at * count + at] = left;
        for (int r = 0; r < m; r++) {
            column[r] /= left;
        }
        held->free_rank++;
    }
}

static void swap(double* a, double* b) {
    const double was = *a;
    *a = *b;
    *b = was;
}

static void swap_rows(Held* held, int a, int b) {
    const int m = held->row_count;
    for (int i = 0; i < m; i++) {
        swap(&held->factor[a * m + i], &held->factor[b * m + i]);
    }
    for (int i = a; i < m; i++) {
        swap(&held->factor[i * m + a], &held->factor[i * m + b]);
    }
    const int was = held->order[a];
    held->order[a] = held->order[b];
    held->order[b] = was;
}

// Cholesky's factor of held->factor, the largest pivot first, down to `zero`
static void pivot_rows(Held* held, double zero) {
    const int m = held->row_count;
    double* f = held->factor;
    held->rank = 0;
    for (int k = 0; k < m; k++) {
        int best = k;
        for (int i = k + 1; i < m; i++) {
            best = f[i * m + i] > f[best * m + best] ? i : best;
        }
        if (!(f[best * m + best] > zero)) {
            return;
        }
        swap_rows(held, k, best);
        const double root = sqrt(f[k * m + k]);
        for (int i = k; i < m; i++) {
            f[i * m + k] /= root;
        }
        for (int i = k + 1; i < m; i++) {
            for (int c = k + 1; c < m; c++) {
                f[i * m + c] -= f[i * m + k] * f[c * m + k];
            }
        }
        held->rank = k + 1;
    }
}

// b <- one of the answers of the factored rows, 0 in those that say nothing new
static void solve_rows(Held* held, double* b) {
    const int m = held->row_count;
    const double* f = held->factor;
    double* x = held->turned;
    for (int i = 0; i < held->rank; i++) {
        x[i] = (b[held->order[i]] - dot(&f[i * m], x, i)) / f[i * m + i];
    }
    for (int i = held->rank - 1; i >= 0; i--) {
        for (int k = i + 1; k < held->rank; k++) {
            x[i] -= f[k * m + i] * x[k];
        }
        x[i] /= f[i * m + i];
    }
    memset(b, 0, (size_t)m * sizeof *b);
    for (int i = 0; i < held->rank; i++) {
        b[held->order[i]] = x[i];
    }
}

// A, and P A P with its rows in the order of their pivots, factored as far as it has rank
static void factor_rows(Held* held, const double* give) {
    const int m = held->row_count;
    const int n = held->number_count;
    double most = 0.0;
    for (int r = 0; r < m; r++) {
        for (int c = 0; c <= r; c++) {
            double sum = 0.0;
            for (int i = 0; i < n; i++) {
                sum += held->j[r * n + i] * give[i] * held->j[c * n + i];
            }
            held->give[r * m + c] = held->give[c * m + r] = sum;
        }
        most = poise_max(most, held->give[r * m + r]);
        held->order[r] = r;
    }
    double* f = held->factor;
    memcpy(f, held->give, (size_t)(m * m) * sizeof *f);
    for (int r = 0; r < m && held->free_rank > 0; r++) {
        take_span(held, &f[r * m], NULL);
    }
    for (int c = 0; c < m && held->free_rank > 0; c++) {
        for (int r = 0; r < m; r++) {
            held->work[r] = f[r * m + c];
        }
        take_span(held, held->work, NULL);
        for (int r = 0; r < m; r++) {
            f[r * m + c] = held->work[r];
        }
    }
    pivot_rows(held, ROW_ZERO * most);
}

bool poise__held_fill(const PoiseRig* rig, PoiseTree* tree, Held* held, const int* first,
                      const double* give) {
    poise__held_rows(rig, tree, held, first, give);
    if (held->row_count == 0) {
        return false;
    }
    span_free(held);
    factor_rows(held, give);
    return true;
}

// ------------------------------------------------------------------------------------------ answer

// f = U f1 + f2 into held->load, from b = J_s K^-1 g_s - gap there
static void find_load(Held* held, const double* force) {
    const int m = held->row_count;
    const int count = held->free_count;
    double* b = held->load;
    memset(held->work, 0, (size_t)m * sizeof *held->work);
    for (int i = 0; i < held->free_rank; i++) {
        double sum = force[held->free[i]];
        for (int k = 0; k < i; k++) {
            sum -= held->part[k * count + i] * held->base[k];
        }
        held->base[i] = sum / held->part[i * count + i];
        for (int r = 0; r < m; r++) {
            held->work[r] += held->base[i] * held->span[i * m + r];
        }
    }
    for (int r = 0; r < m; r++) {
        b[r] -= dot(&held->give[r * m], held->work, m);
    }
    take_span(held, b, NULL);
    solve_rows(held, b);
    take_span(held, b, NULL);
    for (int r = 0; r < m; r++) {
        b[r] += held->work[r];
    }
}

// R db = U^T (gap - J_s ds); free numbers that no row determines stay
static void find_free(Held* held, const double* gap, double* way) {
    const int m = held->row_count;
    const int n = held->number_count;
    const int count = held->free_count;
    for (int i = 0; i < count; i++) {
        way[held->free[i]] = 0.0;
    }
    for (int r = 0; r < m; r++) {
        held->work[r] = (gap ? gap[r] : 0.0) - dot(&held->j[r * n], way, n);
    }
    for (int i = held->free_rank - 1; i >= 0; i--) {
        double sum = dot(&held->span[i * m], held->work, m);
        for (int k = i + 1; k < held->free_rank; k++) {
            sum -= held->part[i * count + k] * way[held->free[k]];
        }
        way[held->free[i]] = sum / held->part[i * count + i];
    }
}

void poise__held_answer(Held* held, const double* give, const double* force, const double* gap,
                        double* way) {
    const int m = held->row_count;
    const int n = held->number_count;
    double* f = held->load;
    for (int r = 0; r < m; r++) {
        double sum = gap ? -gap[r] : 0.0;
        for (int i = 0; i < n; i++) {
            sum += held->j[r * n + i] * give[i] * force[i];
        }
        f[r] = sum;
    }
    find_load(held, force);
    for (int i = 0; i < n; i++) {
        double sum = force[i];
        for (int r = 0; r < m; r++) {
            sum -= held->j[r * n + i] * f[r];
        }
        way[i] = give[i] * sum;
    }
    find_free(held, gap, way);
}
