// SPDX-License-Identifier: MIT
// Minimises f while some columns are held, which active_set.c chooses (shared/qp.h). Either factors
// J W J^T or uses conjugate gradients without a matrix.
#include <math.h>
#include <string.h>

#include "held_columns.h"
#include "poise/math.h"

// W f'| below this fraction of its value at x = 0 or at the start is zero
#define GRADIENT_RELATIVE_ZERO 1e-13
// if the roots of the pivots differ by more than this factor, lambda y is too inaccurate
#define UNEVEN 1e4

void poise__qp_residual(const PoiseQp* qp, PoiseQpWork* work, const double* x) {
    poise_matrix_times(&qp->j, x, work->residual);
    for (int r = 0; r < qp->j.rows; r++) {
        work->residual[r] = qp->target[r] - work->residual[r];
    }
}

double poise_qp_cost(const PoiseQp* qp, PoiseQpWork* work, const double* x) {
    double cost = 0.0;
    poise__qp_residual(qp, work, x);
    for (int r = 0; r < qp->j.rows; r++) {
        cost += work->residual[r] * work->residual[r];
    }
    for (int i = 0; i < qp->j.columns; i++) {
        const double off = x[i] - poise__qp_centre(qp, i);
        cost += qp->damping[i] * off * off;
    }
    return cost;
}

// Fills the gradient -W f' of the free columns, and 0 for the others. x NULL stands for the centre.
// Returns f'^T W f' over the free columns.
static double fill_gradient(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held,
                            const double* x) {
    double square = 0.0;
    poise_matrix_transpose_times(&qp->j, work->residual, work->gradient);
    for (int i = 0; i < qp->j.columns; i++) {
        const double off = x ? x[i] - poise__qp_centre(qp, i) : 0.0;
        const double down = work->gradient[i] - qp->damping[i] * off;
        work->gradient[i] = held[i] ? 0.0 : poise__qp_share(qp, i) * down;
        square += work->gradient[i] * down;
    }
    return square;
}

void poise__qp_gradient(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held,
                        const double* x) {
    poise__matrix_held(&qp->j, work->residual, held, work->gradient);
    for (int i = 0; i < qp->j.columns; i++) {
        work->gradient[i] -= qp->damping[i] * (x[i] - poise__qp_centre(qp, i));
    }
}

// ------------------------------------------------------------------------------- by the small side

static PoiseCholesky shape_of(const PoiseQp* qp) {
    return (PoiseCholesky){qp->j.rows, qp->j.rows, qp->spans, NULL, POISE__ROW_ZERO};
}

// Fills y = v - J z, where z is x in held columns and the centre in free ones.
static void fill_rest(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held,
                      const double* x) {
    bool any = false;
    for (int i = 0; i < qp->j.columns; i++) {
        work->direction[i] = held[i] ? x[i] : poise__qp_centre(qp, i);
        any = any || work->direction[i] != 0.0;
    }
    if (any) {
        poise_matrix_times(&qp->j, work->direction, work->y);
    }
    for (int r = 0; r < qp->j.rows; r++) {
        work->y[r] = any ? qp->target[r] - work->y[r] : qp->target[r];
    }
}

// Corrects x by one Newton step. If there are fewer columns than rows, nearly all of y is v /
// lambda, and J^T y is lost in rounding. The gradient g of f at x is small, so a step from g has
// few rounding errors:
//     (J^T J + D)^-1 g = (W g - W J^T (J W J^T + lambda I)^-1 J W g) / lambda
static void correct(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held, double* x) {
    const PoiseCholesky shape = shape_of(qp);
    poise__qp_residual(qp, work, x);
    (void)fill_gradient(qp, work, held, x);
    poise_matrix_times(&qp->j, work->gradient, work->y);
    poise_cholesky_solve(&shape, work->normal, work->y);
    poise_matrix_transpose_times(&qp->j, work->y, work->direction);
    for (int i = 0; i < qp->j.columns; i++) {
        const double share = poise__qp_share(qp, i);
        const double lambda = share * qp->damping[i];
        if (!held[i] && lambda > 0.0) {
            x[i] += (work->gradient[i] - share * work->direction[i]) / lambda;
        }
    }
}

static void solve_small_side(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held,
                             double* x) {
    const PoiseCholesky shape = shape_of(qp);
    const int m = qp->j.rows;
    fill_rest(qp, work, held, x);
    poise__matrix_normal(&qp->j, qp->share, held, work->normal);
    for (int r = 0; r < m; r++) {
        work->normal[r * m + r] += qp->row_damping[r];
    }
    poise_cholesky_factor(&shape, work->normal);
    poise_cholesky_solve(&shape, work->normal, work->y);
    poise_matrix_transpose_times(&qp->j, work->y, work->direction);
    for (int i = 0; i < qp->j.columns; i++) {
        if (!held[i]) {
            x[i] = poise__qp_centre(qp, i) + poise__qp_share(qp, i) * work->direction[i];
        }
    }
    if (m > qp->j.columns) {
        correct(qp, work, held, x);
    }
}

// True if the pivots are similar enough for lambda y to equal the residual to many digits.
static bool is_even(const PoiseQp* qp, const double* factor) {
    double least = HUGE_VAL, most = 0.0;
    for (int r = 0; r < qp->j.rows; r++) {
        const double root = factor[r * qp->j.rows + r]; // square root of 1 / pivot
        least = poise_min(least, root);
        most = poise_max(most, root);
    }
    return most <= UNEVEN * least;
}

void poise__qp_pulls(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held,
                     const double* x) {
    if (qp->matrix_free || qp->j.rows > qp->j.columns || !is_even(qp, work->normal)) {
        poise__qp_residual(qp, work, x);
        poise__qp_gradient(qp, work, held, x);
        return;
    }
    // v - J x is lambda y, and the pull of a column is its J^T y
    for (int i = 0; i < qp->j.columns; i++) {
        const double lambda = poise__qp_share(qp, i) * qp->damping[i];
        work->gradient[i] =
            lambda * work->direction[i] - qp->damping[i] * (x[i] - poise__qp_centre(qp, i));
    }
}

void poise__qp_face_again(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state) {
    double* x = state->x;
    const PoiseCholesky shape = shape_of(qp);
    memcpy(work->y, qp->target, (size_t)qp->j.rows * sizeof *work->y);
    poise_cholesky_solve(&shape, work->normal, work->y);
    poise_matrix_transpose_times(&qp->j, work->y, x);
    for (int i = 0; i < qp->j.columns; i++) {
        x[i] = state->held[i] ? 0.0 : poise__qp_share(qp, i) * x[i];
    }
}

// ------------------------------------------------------------------------- by conjugate gradients

// Moves x and the residual to the minimum of f along the direction.
static void step_along(const PoiseQp* qp, PoiseQpWork* work, double square, double* x) {
    const double* p = work->direction;
    double curvature = 0.0;
    poise_matrix_times(&qp->j, p, work->y);
    for (int r = 0; r < qp->j.rows; r++) {
        curvature += work->y[r] * work->y[r];
    }
    for (int i = 0; i < qp->j.columns; i++) {
        curvature += qp->damping[i] * p[i] * p[i];
    }
    // if there is no curvature, the direction changes nothing: the search is over
    const double length = curvature > 0.0 ? square / curvature : 0.0;
    for (int i = 0; i < qp->j.columns; i++) {
        x[i] += length * p[i];
    }
    for (int r = 0; r < qp->j.rows; r++) {
        work->residual[r] -= length * work->y[r];
    }
}

// Solves (J^T J + D) x = J^T v + D centre by conjugate gradients, in variables with equal damping.
// Returns the number of iterations.
static int solve_free(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held, double* x) {
    const int most = qp->j.rows + POISE__SPARE_ITERATIONS;
    // Near the minimum the first gradient is only rounding errors, so the gradient at the centre is
    // a scale too.
    memcpy(work->residual, qp->target, (size_t)qp->j.rows * sizeof *work->residual);
    double typical = fill_gradient(qp, work, held, NULL);
    poise__qp_residual(qp, work, x);
    double square = fill_gradient(qp, work, held, x);
    typical = typical > square ? typical : square;
    const double enough = GRADIENT_RELATIVE_ZERO * GRADIENT_RELATIVE_ZERO * typical;
    memcpy(work->direction, work->gradient, (size_t)qp->j.columns * sizeof *work->direction);
    int iterations = 0;
    while (iterations < most && square > enough) {
        step_along(qp, work, square, x);
        const double before = square;
        square = fill_gradient(qp, work, held, x);
        for (int i = 0; i < qp->j.columns; i++) {
            work->direction[i] = work->gradient[i] + square / before * work->direction[i];
        }
        iterations++;
    }
    return iterations;
}

int poise_qp_face(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held, double* x) {
    if (qp->matrix_free) {
        return solve_free(qp, work, held, x);
    }
    solve_small_side(qp, work, held, x);
    return 1;
}
