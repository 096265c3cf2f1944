// SPDX-License-Identifier: MIT
// A standing body between its feet and its springs: with J the rows of the feet, split into sprung
// numbers s and floating ones b,
//     [ A     -J_b ] [ f  ]   [ J_s K^-1 g_s ]
//     [ J_b^T   0  ] [ db ] = [ g_b          ],   A = J_s K^-1 J_s^T,   ds = K^-1 (g_s - J_s^T f).
// Used where a point presses (step/force.c) and where a rest is foreseen (forecast).
#include "held.h"

#include <string.h>

#include "carve.h"
#include "poise/dense.h"
#include "support.h"

enum { PLACE_ROWS = 3, FOOT_ROWS = 6 };

// added to A and to what holds the base, in parts of their traces: feet that no joint moves, and a
// base that its feet leave a motion
#define RIDGE 1e-12

static size_t carve_held(Held* held, char* base, size_t rows, size_t numbers, size_t bases) {
    size_t used = 0;
    held->free = (int*)poise__carve_from(base, &used, bases, sizeof(int));
    held->j = (double*)poise__carve_from(base, &used, rows * numbers, sizeof(double));
    held->factor = (double*)poise__carve_from(base, &used, rows * rows, sizeof(double));
    held->lever = (double*)poise__carve_from(base, &used, bases * rows, sizeof(double));
    held->solved = (double*)poise__carve_from(base, &used, bases * rows, sizeof(double));
    held->schur = (double*)poise__carve_from(base, &used, bases * bases, sizeof(double));
    held->load = (double*)poise__carve_from(base, &used, rows, sizeof(double));
    held->base = (double*)poise__carve_from(base, &used, bases, sizeof(double));
    return used;
}

bool poise__held_reserve(const PoiseRig* rig, Held* held, int numbers) {
    int bases = 0;
    for (int b = 0; b < rig->binding_count && rig->stance_count > 0; b++) {
        bases += poise__base_floats(&rig->bindings[b]) ? POISE_MAX_DOF : 0;
    }
    const int rows = FOOT_ROWS * rig->stance_count;
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

int poise__foot_rows(const Stance* stance) {
    return poise__stance_arm(stance) > 0.0 ? FOOT_ROWS : PLACE_ROWS;
}

// the rows of one foot, over the joints between it and its base
static void fill_foot(const PoiseRig* rig, PoiseTree* tree, Held* held, const int* first,
                      const Stance* stance) {
    const int rows = poise__foot_rows(stance);
    double* j = &held->j[held->row_count * held->number_count];
    memset(j, 0, (size_t)(rows * held->number_count) * sizeof *j);
    for (int b = stance->binding; b != NO_BINDING; b = rig->bindings[b].parent) {
        double block[FOOT_ROWS * POISE_MAX_DOF];
        const int dof = poise_point_jacobian(tree, stance->point, rig->bindings[b].node, block);
        for (int r = 0; r < rows; r++) {
            memcpy(&j[r * held->number_count + first[b]], &block[r * dof],
                   (size_t)dof * sizeof *block);
        }
    }
    held->row_count += rows;
}

static void list_free(const PoiseRig* rig, Held* held, const int* first) {
    held->free_count = 0;
    for (int b = 0; b < rig->binding_count; b++) {
        for (int d = 0; poise__stands(rig, b) && d < POISE_MAX_DOF; d++) {
            held->free[held->free_count++] = first[b] + d;
        }
    }
}

static PoiseCholesky shape_of(int rows) {
    return (PoiseCholesky){rows, rows, NULL, NULL, 0.0};
}

static void factor_feet(Held* held, const double* give) {
    const int m = held->row_count;
    const int n = held->number_count;
    double trace = 0.0;
    for (int r = 0; r < m; r++) {
        for (int c = 0; c <= r; c++) {
            double sum = 0.0;
            for (int i = 0; i < n; i++) {
                sum += held->j[r * n + i] * give[i] * held->j[c * n + i];
            }
            held->factor[r * m + c] = sum;
        }
        trace += held->factor[r * m + r];
    }
    // without a spring anywhere: the base stands on its feet alone
    const double ridge = trace > 0.0 ? RIDGE * trace : RIDGE;
    for (int r = 0; r < m; r++) {
        held->factor[r * m + r] += ridge;
    }
    const PoiseCholesky shape = shape_of(m);
    poise_cholesky_factor(&shape, held->factor);
}

static void factor_base(Held* held) {
    const int m = held->row_count;
    const int k = held->free_count;
    const PoiseCholesky feet = shape_of(m), base = shape_of(k);
    for (int i = 0; i < k; i++) {
        for (int r = 0; r < m; r++) {
            held->lever[i * m + r] = held->j[r * held->number_count + held->free[i]];
        }
        memcpy(&held->solved[i * m], &held->lever[i * m], (size_t)m * sizeof *held->solved);
        poise_cholesky_solve(&feet, held->factor, &held->solved[i * m]);
    }
    double trace = 0.0;
    for (int i = 0; i < k; i++) {
        for (int c = 0; c <= i; c++) {
            double sum = 0.0;
            for (int r = 0; r < m; r++) {
                sum += held->lever[i * m + r] * held->solved[c * m + r];
            }
            held->schur[i * k + c] = sum;
        }
        trace += held->schur[i * k + i];
    }
    for (int i = 0; i < k; i++) {
        held->schur[i * k + i] += RIDGE * trace;
    }
    poise_cholesky_factor(&base, held->schur);
}

bool poise__held_fill(const PoiseRig* rig, PoiseTree* tree, Held* held, const int* first,
                      const double* give) {
    held->row_count = 0;
    for (int i = 0; i < rig->stance_count; i++) {
        if (rig->stances[i].carries) {
            fill_foot(rig, tree, held, first, &rig->stances[i]);
        }
    }
    if (held->row_count == 0) {
        return false;
    }
    list_free(rig, held, first);
    factor_feet(held, give);
    factor_base(held);
    return true;
}

void poise__held_answer(Held* held, const double* give, const double* force, const double* gap,
                        double* way) {
    const int m = held->row_count;
    const int n = held->number_count;
    const PoiseCholesky feet = shape_of(m), base = shape_of(held->free_count);
    double* f = held->load;
    for (int r = 0; r < m; r++) {
        double sum = gap ? -gap[r] : 0.0;
        for (int i = 0; i < n; i++) {
            sum += held->j[r * n + i] * give[i] * force[i];
        }
        f[r] = sum;
    }
    for (int i = 0; i < held->free_count; i++) {
        double sum = force[held->free[i]];
        for (int r = 0; r < m; r++) {
            sum -= held->solved[i * m + r] * f[r];
        }
        held->base[i] = sum;
    }
    poise_cholesky_solve(&base, held->schur, held->base);
    for (int r = 0; r < m; r++) {
        for (int i = 0; i < held->free_count; i++) {
            f[r] += held->lever[i * m + r] * held->base[i];
        }
    }
    poise_cholesky_solve(&feet, held->factor, f);
    for (int i = 0; i < n; i++) {
        double sum = force[i];
        for (int r = 0; r < m; r++) {
            sum -= held->j[r * n + i] * f[r];
        }
        way[i] = give[i] * sum;
    }
    for (int i = 0; i < held->free_count; i++) {
        way[held->free[i]] = held->base[i];
    }
}
