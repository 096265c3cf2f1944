// SPDX-License-Identifier: MIT
// Steps along constraints. In the variable z, where x = metric z, the damping is lambda |z|^2. The
// rows of M are the axes of the ground, the active constraints and the unit rows of held columns,
// all in z. M = L Q with orthonormal rows Q, and P = I - Q^T Q. A step is
//    s = Q^T L^-1 (bound - A x) + P g + P J^T y,
//    (J J^T - (J Q^T) (J Q^T)^T + lambda I) y = v - J (x + s_0),
// where g = centre - x in z, and s_0 is the sum of the first two terms of s. No singular matrix is
// inverted, however little P leaves of J: the rounding error of the difference is below 1e-15 of J
// J^T, and lambda is at least 1e-12 of its mean. Each new axis is subtracted from this difference
// and from P g.
#include <math.h>
#include <string.h>

#include "base.h"
#include "basis.h"
#include "held_columns.h"

// a constraint is dependent if its remainder off the basis is below this fraction of it
#define IMPLIED 1e-13
// limit of dependence for the axes of a ground, in z, and for held columns
#define IMPLIED_AXIS 1e-9
// x satisfies a constraint a . x = b if the error is at most this fraction of |a| |x|
#define ROUNDING 1e-13

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

// Adds the axis of constraint `order`, or of held column ~order, in z. False if the row
// depends on the axes.
static bool add_axis(const PoiseQp* qp, PoiseQpWork* work, int order) {
    PoiseBasis* basis = &work->basis;
    const int at = basis->count;
    double* row = work->gradient;
    // a basis has at most as many axes as columns
    if (at >= basis->stride) {
        return false;
    }
    double* parts = &work->triangle[at * basis->stride];
    work->order[at] = order;
    if (order < 0) {
        return poise_basis_add_unit(basis, ~order, IMPLIED_AXIS, row, parts) > 0.0;
    }
    for (int i = 0; i < basis->columns; i++) {
        row[i] = work->metric[i] * qp->constraints[order * basis->columns + i];
    }
    return poise_basis_add(basis, row, IMPLIED, parts) > 0.0;
}

// Subtracts the components along the last axis from J J^T and from P g.
static void take_out(const PoiseQp* qp, PoiseQpWork* work) {
    const int m = qp->j.rows, n = qp->j.columns, stride = work->basis.stride;
    const double* axis = &work->basis.axes[work->basis.count - 1];
    double part = 0.0;
    for (int i = 0; i < n; i++) {
        work->start[i] = work->metric[i] * axis[i * stride];
        part += axis[i * stride] * work->inward[i];
    }
    for (int i = 0; part != 0.0 && i < n; i++) {
        work->inward[i] -= part * axis[i * stride];
    }
    poise_matrix_times(&qp->j, work->start, work->y);
    for (int r = 0; r < m; r++) {
        for (int c = r; c < m; c++) {
            work->whole[r * m + c] -= work->y[r] * work->y[c];
        }
    }
}

void poise__basis_add(const PoiseQp* qp, PoiseQpWork* work, int order) {
    if (add_axis(qp, work, order)) {
        take_out(qp, work);
    }
}

static bool is_off(const PoiseQp* qp, const PoiseQpState* state, int column) {
    const double x = state->x[column];
    return qp->ground && poise__held_bound(qp, column, x) != x;
}

// Adds the unit rows of held columns. Columns off their bounds come last and are released if the
// other axes already fix them. `out`: also subtracts each axis (take_out).
static void hold_all(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state, bool out) {
    const int n = qp->j.columns, last = qp->ground ? 2 * n : n;
    for (int i = 0; i < last; i++) {
        const bool off = i >= n;
        const int column = off ? i - n : i;
        if (!state->held[column] || is_off(qp, state, column) != off) {
            continue;
        }
        if (!add_axis(qp, work, ~column)) {
            state->held[column] = !off;
        } else if (out) {
            take_out(qp, work);
        }
    }
}

// Begins with a copy of the ground. Its memory may have axes of later levels after its own.
static void take_ground(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state) {
    const PoiseBasis* ground = &qp->ground->basis;
    const int count = poise_basis_stride(ground->count), m = qp->j.rows;
    for (int i = 0; i < qp->j.columns; i++) {
        double* restrict axes = &work->basis.axes[i * work->basis.stride];
        const double* restrict from = &ground->axes[i * ground->stride];
        for (int k = 0; k < count; k += POISE_BASIS_LANES) {
            for (int l = k; l < k + POISE_BASIS_LANES; l++) {
                axes[l] = from[l];
            }
        }
        for (int k = ground->count; k < count; k++) {
            axes[k] = 0.0;
        }
    }
    memcpy(work->whole, qp->ground->normal, (size_t)(m * m) * sizeof *work->whole);
    work->basis.count = work->first = ground->count;
    hold_all(qp, work, state, true);
}

// Makes the basis without the ground's precomputed axes. Held columns come first, so that J W J^T
// omits them from the start. Axes of the ground that are no longer independent are left out.
static void make_anew(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state) {
    const PoiseBasis* ground = qp->ground ? &qp->ground->basis : NULL;
    const int n = qp->j.columns;
    work->basis.count = work->first = 0;
    hold_all(qp, work, state, false);
    poise__matrix_normal(&qp->j, qp->share, state->held, work->whole);
    for (int k = 0; ground && k < ground->count && work->basis.count < n; k++) {
        for (int i = 0; i < n; i++) {
            work->gradient[i] = work->metric[i] * ground->axes[i * ground->stride + k];
        }
        if (poise_basis_add(&work->basis, work->gradient, IMPLIED_AXIS,
                            &work->triangle[work->basis.count * work->basis.stride]) > 0.0) {
            work->order[work->basis.count - 1] = qp->constraint_count + k;
            take_out(qp, work);
        }
    }
}

// Fills g. True if it is not 0.
static bool fill_inward(const PoiseQp* qp, PoiseQpWork* work, const double* x) {
    bool off_centre = false;
    for (int i = 0; i < qp->j.columns; i++) {
        // a column without a share stays where it is
        const double off = poise__qp_centre(qp, i) - x[i];
        work->inward[i] = work->metric[i] == 0.0 ? 0.0 : off / work->metric[i];
        off_centre = off_centre || work->inward[i] != 0.0;
    }
    return off_centre;
}

void poise__basis_make(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state) {
    work->basis.columns = qp->j.columns;
    for (int i = 0; i < qp->j.columns; i++) {
        work->metric[i] = qp->share ? sqrt(qp->share[i]) : 1.0;
    }
    const bool off_centre = fill_inward(qp, work, state->x);
    if (qp->ground && !qp->share) {
        take_ground(qp, work, state);
    } else {
        make_anew(qp, work, state);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < qp->constraint_count; k++) {
            if (state->active[k] && poise__is_equation(qp, k) == (pass == 0)) {
                poise__basis_add(qp, work, k);
            }
        }
    }
    if (off_centre) {
        poise_basis_project(&work->basis, work->inward, NULL);
    }
}

// Fills work->parts with the error of x at the ground, constraint or bound of each axis, in z.
// Errors within rounding become 0, because the basis may keep less of a row. True if some error is
// not 0.
static bool fill_off(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state) {
    const double* kept = qp->ground ? qp->ground->kept : NULL;
    double* at = work->basis.parts;
    double square = 0.0;
    bool any = false;
    for (int i = 0; kept && i < qp->j.columns; i++) {
        square += state->x[i] * state->x[i];
    }
    if (kept) {
        poise_basis_parts(&qp->ground->basis, state->x, at);
    }
    for (int k = kept ? 0 : work->first; k < work->basis.count; k++) {
        const int constraint = k < work->first ? qp->constraint_count + k : work->order[k];
        const int axis = constraint - qp->constraint_count;
        double off = 0.0;
        if (constraint < 0 && qp->ground) {
            const double x = state->x[~constraint];
            off = (poise__held_bound(qp, ~constraint, x) - x) / work->metric[~constraint];
        } else if (constraint >= 0 && constraint < qp->constraint_count) {
            const double bound = state->active[constraint] < 0 ? qp->constraint_lower[constraint]
                                                               : qp->constraint_upper[constraint];
            double size;
            off = bound - poise__constraint_at(qp, constraint, state->x, &size);
            off = fabs(off) > ROUNDING * (size + fabs(bound)) ? off : 0.0;
        } else if (axis >= 0 && kept) {
            off = kept[axis] - at[axis];
            off = off * off > ROUNDING * ROUNDING * square ? off : 0.0;
        }
        work->parts[k] = off;
        any = any || off != 0.0;
    }
    return any;
}

// Adds Q^T L^-1 (bound - A x) to the step, which brings x back onto the constraints. L is 1 for
// axes copied from the ground.
static void go_back(const PoiseQp* qp, PoiseQpWork* work, double* step) {
    const int stride = work->basis.stride;
    const int begin = qp->ground && qp->ground->kept ? 0 : work->first;
    double* part = work->parts;
    for (int k = begin; k < work->basis.count; k++) {
        const double* row = &work->triangle[k * stride];
        for (int l = begin; k >= work->first && l < k; l++) {
            part[k] -= row[l] * part[l];
        }
        part[k] /= k < work->first ? 1.0 : row[k];
        for (int i = 0; part[k] != 0.0 && i < qp->j.columns; i++) {
            step[i] += part[k] * work->basis.axes[i * stride + k];
        }
    }
}

// Solves the second equation at the head of this file for y.
static void solve_rest(const PoiseQp* qp, PoiseQpWork* work, const double* step, const double* x) {
    const int m = qp->j.rows;
    const PoiseCholesky shape = {m, m, NULL, NULL, POISE__ROW_ZERO};
    for (int i = 0; i < qp->j.columns; i++) {
        work->start[i] = x[i] + work->metric[i] * step[i];
    }
    poise_matrix_times(&qp->j, work->start, work->y);
    memcpy(work->normal, work->whole, (size_t)(m * m) * sizeof *work->normal);
    for (int r = 0; r < m; r++) {
        work->y[r] = qp->target[r] - work->y[r];
        work->normal[r * m + r] += qp->row_damping[r];
    }
    poise_cholesky_factor(&shape, work->normal);
    poise_cholesky_solve(&shape, work->normal, work->y);
}

void poise__basis_step(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state) {
    const int n = qp->j.columns;
    double* step = work->direction;
    memcpy(step, work->inward, (size_t)n * sizeof *step);
    if (fill_off(qp, work, state)) {
        go_back(qp, work, step);
    }
    solve_rest(qp, work, step, state->x);
    poise_matrix_transpose_times(&qp->j, work->y, work->gradient);
    for (int i = 0; i < n; i++) {
        work->gradient[i] *= work->metric[i];
    }
    poise_basis_project(&work->basis, work->gradient, NULL);
    for (int i = 0; i < n; i++) {
        step[i] = work->metric[i] * (step[i] + work->gradient[i]);
        if (state->held[i]) {
            const double x = state->x[i];
            step[i] = qp->ground ? poise__held_bound(qp, i, x) - x : 0.0;
        }
    }
}

void poise_qp_again(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state) {
    if (!qp->ground) {
        poise__qp_face_again(qp, work, state);
        return;
    }
    if (fill_inward(qp, work, state->x)) {
        poise_basis_project(&work->basis, work->inward, NULL);
    }
    poise__basis_step(qp, work, state);
    for (int i = 0; i < qp->j.columns; i++) {
        state->x[i] += work->direction[i];
    }
}

void poise__basis_move(const PoiseQp* qp, PoiseQpWork* work, double part) {
    for (int i = 0; i < qp->j.columns; i++) {
        work->inward[i] -= part * (work->inward[i] + work->gradient[i]);
    }
}

void poise__basis_pulls(const PoiseQp* qp, PoiseQpWork* work, const double* x) {
    const int stride = work->basis.stride;
    poise__qp_residual(qp, work, x);
    poise_matrix_transpose_times(&qp->j, work->residual, work->gradient);
    for (int i = 0; i < qp->j.columns; i++) {
        work->gradient[i] = work->metric[i] *
                            (work->gradient[i] - qp->damping[i] * (x[i] - poise__qp_centre(qp, i)));
    }
    poise_basis_parts(&work->basis, work->gradient, work->parts);
    memset(work->gradient, 0, (size_t)qp->j.columns * sizeof *work->gradient);
    // solve L^T mu = parts
    for (int k = work->basis.count - 1; k >= work->first; k--) {
        double sum = work->parts[k];
        for (int l = k + 1; l < work->basis.count; l++) {
            sum -= work->triangle[l * stride + k] * work->parts[l];
        }
        work->parts[k] = sum / work->triangle[k * stride + k];
        if (work->order[k] < 0) {
            work->gradient[~work->order[k]] = work->parts[k];
        }
    }
}
