// SPDX-License-Identifier: MIT
// Steps along constraints. With x = metric z the damping is lambda |z|^2. M holds the active
// constraints in z over the free columns: M = L Q with orthonormal rows Q, and P = I - Q^T Q. A
// step is
//    s = Q^T L^-1 (bound - A x) + P g + (J P)^T y,
//    (J P (J P)^T + lambda I) y = v - J (x + s_0),
// where g = c - x in z and s_0 is the sum of the first two parts. No singular matrix is inverted,
// however little P leaves of J.
#include <math.h>
#include <string.h>

#include "basis.h"
#include "face.h"

// a constraint of which the others leave less than this part says nothing new
#define IMPLIED 1e-13
// x meets a constraint if its error is at most this part of |a| |x|
#define ROUNDING 1e-13

static double dot(const double* a, const double* b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

double poise__constraint_at(const PoiseQp* qp, int constraint, const double* x, double* size) {
    const int n = qp->j.columns;
    const double* a = &qp->constraints[constraint * n];
    double sum = 0.0;
    *size = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * x[i];
        *size += fabs(a[i] * x[i]);
    }
    return sum;
}

void poise__basis_append(const PoiseQp* qp, PoiseQpWork* work, int constraint) {
    const int n = qp->j.columns;
    const int at = work->basis.count;
    double* row = work->gradient;
    for (int i = 0; i < n; i++) {
        row[i] = work->metric[i] * qp->constraints[constraint * n + i];
    }
    double* parts = work->triangle ? &work->triangle[at * qp->constraint_count] : NULL;
    // A basis has at most as many axes as columns.
    if (at < n && poise_basis_add(&work->basis, row, IMPLIED, parts) > 0.0) {
        work->order[at] = constraint;
    }
}

void poise__basis_make(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state) {
    for (int i = 0; i < qp->j.columns; i++) {
        work->metric[i] = sqrt(poise__qp_share(qp, i));
        // a column without a share stays where it is
        work->counted[i] = state->held[i] || work->metric[i] == 0.0 ? 0.0 : 1.0;
    }
    work->basis.columns = qp->j.columns;
    work->basis.count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < qp->constraint_count; k++) {
            if (state->active[k] && poise__is_equation(qp, k) == (pass == 0)) {
                poise__basis_append(qp, work, k);
            }
        }
    }
}

// direction += Q^T L^-1 (bound - A x). Errors within rounding are left: the basis may keep less of
// a row than they are.
static void go_back(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state) {
    double* part = work->parts;
    for (int k = 0; work->triangle && k < work->basis.count; k++) {
        const int constraint = work->order[k];
        const double* row = &work->triangle[k * qp->constraint_count];
        const double bound = state->active[constraint] < 0 ? qp->constraint_lower[constraint]
                                                           : qp->constraint_upper[constraint];
        double size;
        const double off = bound - poise__constraint_at(qp, constraint, state->x, &size);
        part[k] = fabs(off) > ROUNDING * (size + fabs(bound)) ? off : 0.0;
        part[k] = (part[k] - dot(row, part, k)) / row[k];
        const double* axis = &work->basis.axes[k * qp->j.columns];
        for (int i = 0; part[k] != 0.0 && i < qp->j.columns; i++) {
            work->direction[i] += work->counted[i] * part[k] * axis[i];
        }
    }
}

void poise__basis_step(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state) {
    const int n = qp->j.columns, m = qp->j.rows;
    const double* counted = work->counted;
    double* step = work->direction;
    for (int i = 0; i < n; i++) {
        step[i] =
            counted[i] != 0.0 ? (poise__qp_centre(qp, i) - state->x[i]) / work->metric[i] : 0.0;
    }
    poise_basis_project(&work->basis, step, NULL);
    for (int i = 0; i < n; i++) {
        step[i] *= counted[i];
    }
    go_back(qp, work, state);
    poise_matrix_times(&qp->j, state->x, work->y);
    poise__matrix_dense(&qp->j, work->metric, work->dense);
    for (int r = 0; r < m; r++) {
        double* row = &work->dense[r * n];
        work->y[r] = qp->target[r] - work->y[r] - dot(row, step, n);
        poise_basis_project(&work->basis, row, NULL);
        for (int i = 0; i < n; i++) {
            row[i] *= counted[i];
        }
        for (int c = 0; c <= r; c++) {
            work->normal[c * m + r] = dot(row, &work->dense[c * n], n);
        }
        work->normal[r * m + r] += qp->row_damping[r];
    }
    const PoiseCholesky shape = {m, m, NULL, NULL, POISE__ROW_ZERO};
    poise_cholesky_factor(&shape, work->normal);
    poise_cholesky_solve(&shape, work->normal, work->y);
    for (int r = 0; r < m; r++) {
        for (int i = 0; i < n; i++) {
            step[i] += work->y[r] * work->dense[r * n + i];
        }
    }
    for (int i = 0; i < n; i++) {
        step[i] *= counted[i] * work->metric[i];
    }
}

// L^T mu = parts
static void find_multipliers(const PoiseQp* qp, PoiseQpWork* work) {
    for (int k = work->basis.count - 1; work->triangle && k >= 0; k--) {
        double sum = work->parts[k];
        for (int l = k + 1; l < work->basis.count; l++) {
            sum -= work->triangle[l * qp->constraint_count + k] * work->parts[l];
        }
        work->parts[k] = sum / work->triangle[k * qp->constraint_count + k];
    }
}

void poise__basis_pulls(const PoiseQp* qp, PoiseQpWork* work, const double* x) {
    poise__qp_residual(qp, work, x);
    poise_matrix_transpose_times(&qp->j, work->residual, work->gradient);
    for (int i = 0; i < qp->j.columns; i++) {
        work->gradient[i] = work->metric[i] *
                            (work->gradient[i] - qp->damping[i] * (x[i] - poise__qp_centre(qp, i)));
    }
    memset(work->parts, 0, (size_t)qp->constraint_count * sizeof *work->parts);
    poise_basis_project(&work->basis, work->gradient, work->parts);
    find_multipliers(qp, work);
}
