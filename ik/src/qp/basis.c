// SPDX-License-Identifier: MIT
// Steps along constraints. With x = metric z the damping is lambda |z|^2. M holds the active
// constraints in z over the free columns: M = L Q with orthonormal rows Q, and P = I - Q^T Q. A
// step is
//    s = Q^T L^-1 (bound - A x) + P g + P J^T y,
//    (J J^T - (J Q^T) (J Q^T)^T + lambda I) y = v - J (x + s_0),
// where g = c - x in z and s_0 is the sum of the first two parts. No singular matrix is inverted,
// however little P leaves of J. The rounding of the difference is below 1e-15 of J J^T; lambda is
// at least 1e-12 of its mean. A column that is held costs a reflection of the basis with its images
// J Q^T, and a product of the column with itself.
#include <math.h>
#include <string.h>

#include "base.h"
#include "basis.h"
#include "face.h"

// a constraint is dependent if the others leave less than this fraction of it
#define IMPLIED 1e-13
// an axis of the ground over the free columns is dependent below this part; its rounding is larger,
// since orthogonalisation shortened its rows
#define IMPLIED_AXIS 1e-9
// a column is dependent if the constraints leave less than this fraction of its square
#define DEPENDENT 1e-8
// x meets a constraint if its error is at most this fraction of |a| |x|
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

// Adds a row in z, which is used up, as an axis. Returns the number of axes before, or -1 if the
// others imply the row.
static int add_row(PoiseQpWork* work, double* row, double zero, double* parts) {
    const int at = work->basis.count;
    // A basis has at most as many axes as columns.
    const bool fits = at < work->basis.stride;
    return fits && poise_basis_add(&work->basis, row, zero, parts) > 0.0 ? at : -1;
}

static int add_constraint(const PoiseQp* qp, PoiseQpWork* work, int constraint) {
    const int n = qp->j.columns;
    double* row = work->gradient;
    for (int i = 0; i < n; i++) {
        row[i] = work->metric[i] * qp->constraints[constraint * n + i];
    }
    const int at =
        add_row(work, row, IMPLIED, &work->triangle[work->basis.count * qp->constraint_count]);
    if (at >= 0) {
        work->order[at] = constraint;
    }
    return at;
}

// Makes the work's own memory that of the basis.
static void own_basis(const PoiseQp* qp, PoiseQpWork* work, int axes) {
    PoiseBasis* basis = &work->basis;
    basis->stride = poise_basis_stride(axes);
    basis->axes = work->axes;
    basis->images = &work->axes[qp->j.columns * basis->stride];
    work->whole = work->own_normal;
}

static void copy_axes(const PoiseBasis* from, const double* axes, int rows, double* to) {
    const int count = poise_basis_stride(from->count);
    for (int i = 0; i < rows; i++) {
        memcpy(&to[i * count], &axes[i * from->stride], (size_t)count * sizeof *to);
    }
}

// Copies the ground before it changes.
static void own_ground(const PoiseQp* qp, PoiseQpWork* work) {
    const PoiseBasis* ground = &qp->ground->basis;
    const int m = qp->j.rows;
    own_basis(qp, work, ground->count);
    copy_axes(ground, ground->axes, qp->j.columns, work->basis.axes);
    copy_axes(ground, ground->images, m, work->basis.images);
    memcpy(work->own_normal, qp->ground->normal, (size_t)(m * m) * sizeof(double));
}

static void fill_images(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state) {
    poise__matrix_images(&qp->j, work->metric, state->held, &work->basis);
}

void poise__basis_append(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state,
                         int constraint) {
    if (add_constraint(qp, work, constraint) >= 0) {
        fill_images(qp, work, state);
    }
}

bool poise__basis_hold(const PoiseQp* qp, PoiseQpWork* work, int column) {
    const int m = qp->j.rows;
    double* own = work->y;
    memset(own, 0, (size_t)m * sizeof *own);
    for (int b = 0; b < qp->j.block_count; b++) {
        const PoiseBlock* block = &qp->j.blocks[b];
        const int d = column - block->first_column;
        for (int r = 0; d >= 0 && d < block->columns && r < block->rows; r++) {
            own[block->first_row + r] =
                work->metric[column] * qp->j.values[block->offset + d * block->stride + r];
        }
    }
    if (work->whole != work->own_normal) {
        own_ground(qp, work);
    }
    if (!poise_basis_leave_out(&work->basis, column, DEPENDENT, own)) {
        return false;
    }
    work->counted[column] = 0.0;
    for (int r = 0; r < m; r++) {
        for (int c = r; own[r] != 0.0 && c < m; c++) {
            work->own_normal[r * m + c] -= own[r] * own[c];
        }
    }
    return true;
}

// Begins with the ground and leaves the held columns out. False if the ground fixes one of them.
static bool take_ground(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state) {
    const PoiseBasis own = work->basis;
    work->basis = qp->ground->basis;
    work->basis.counted = own.counted;
    work->basis.parts = own.parts;
    work->whole = qp->ground->normal;
    for (int i = 0; i < qp->j.columns; i++) {
        if (state->held[i] && !poise__basis_hold(qp, work, i)) {
            return false;
        }
    }
    return true;
}

// Makes the basis row by row.
static void make_anew(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state) {
    const PoiseBasis* ground = qp->ground ? &qp->ground->basis : NULL;
    const int n = qp->j.columns, rows = ground ? ground->count : qp->constraint_count;
    for (int i = 0; i < n; i++) {
        // a column without a share stays where it is
        work->counted[i] = state->held[i] || work->metric[i] == 0.0 ? 0.0 : 1.0;
    }
    work->basis.columns = n;
    work->basis.image_count = qp->j.rows;
    work->basis.count = 0;
    own_basis(qp, work, rows < n ? rows : n);
    for (int k = 0; ground && k < ground->count; k++) {
        for (int i = 0; i < n; i++) {
            work->gradient[i] = work->metric[i] * ground->axes[i * ground->stride + k];
        }
        (void)add_row(work, work->gradient, IMPLIED_AXIS, NULL);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < qp->constraint_count; k++) {
            if (state->active[k] && poise__is_equation(qp, k) == (pass == 0)) {
                (void)add_constraint(qp, work, k);
            }
        }
    }
    fill_images(qp, work, state);
    poise__matrix_normal(&qp->j, qp->share, state->held, work->own_normal);
}

void poise__basis_make(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state) {
    for (int i = 0; i < qp->j.columns; i++) {
        work->metric[i] = qp->share ? sqrt(qp->share[i]) : 1.0;
        work->counted[i] = 1.0;
    }
    if (!qp->ground || qp->share || !take_ground(qp, work, state)) {
        make_anew(qp, work, state);
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
        const double* axis = &work->basis.axes[k];
        for (int i = 0; part[k] != 0.0 && i < qp->j.columns; i++) {
            work->direction[i] += work->counted[i] * part[k] * axis[i * work->basis.stride];
        }
    }
}

// y = v - J (x + s_0)
static void fill_rest(const PoiseQp* qp, PoiseQpWork* work, const double* x) {
    double* at = work->start;
    for (int i = 0; i < qp->j.columns; i++) {
        at[i] = x[i] + work->counted[i] * work->metric[i] * work->direction[i];
    }
    poise_matrix_times(&qp->j, at, work->y);
    for (int r = 0; r < qp->j.rows; r++) {
        work->y[r] = qp->target[r] - work->y[r];
    }
}

// Fills J P (J P)^T + lambda, where J P J^T = J J^T - (J Q^T) (J Q^T)^T, and factors it.
static void factor_rest(const PoiseQp* qp, const PoiseQpWork* work, double* factor) {
    const int m = qp->j.rows;
    memcpy(factor, work->whole, (size_t)(m * m) * sizeof *factor);
    poise_basis_subtract_images(&work->basis, factor);
    for (int r = 0; r < m; r++) {
        factor[r * m + r] += qp->row_damping[r];
    }
    poise_cholesky_factor(&(PoiseCholesky){m, m, NULL, NULL, POISE__ROW_ZERO}, factor);
}

// Solves for y. Steps without held columns share a factor.
static void solve_rest(const PoiseQp* qp, PoiseQpWork* work) {
    const int m = qp->j.rows;
    const bool shared = work->whole != work->own_normal;
    double* factor = shared ? qp->ground->factor : work->normal;
    if (!shared || !qp->ground->factored) {
        factor_rest(qp, work, factor);
    }
    if (shared) {
        qp->ground->factored = true;
    }
    poise_cholesky_solve(&(PoiseCholesky){m, m, NULL, NULL, POISE__ROW_ZERO}, factor, work->y);
}

void poise__basis_step(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state) {
    const int n = qp->j.columns;
    const double* counted = work->counted;
    double* step = work->direction;
    bool off_centre = false;
    for (int i = 0; i < n; i++) {
        step[i] =
            counted[i] != 0.0 ? (poise__qp_centre(qp, i) - state->x[i]) / work->metric[i] : 0.0;
        off_centre = off_centre || step[i] != 0.0;
    }
    if (off_centre) {
        poise_basis_project(&work->basis, step, NULL);
    }
    go_back(qp, work, state);
    fill_rest(qp, work, state->x);
    solve_rest(qp, work);
    poise_matrix_transpose_times(&qp->j, work->y, work->gradient);
    for (int i = 0; i < n; i++) {
        work->gradient[i] *= counted[i] * work->metric[i];
    }
    poise_basis_project(&work->basis, work->gradient, NULL);
    for (int i = 0; i < n; i++) {
        step[i] = counted[i] * work->metric[i] * (step[i] + work->gradient[i]);
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
    memset(work->parts, 0, (size_t)work->basis.count * sizeof *work->parts);
    poise_basis_project(&work->basis, work->gradient, work->parts);
    find_multipliers(qp, work);
}
