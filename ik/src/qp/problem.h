// SPDX-License-Identifier: MIT
// Reads the data of a quadratic program (shared/qp.h), for the files of this folder.
#ifndef POISE_QP_PROBLEM_H
#define POISE_QP_PROBLEM_H

#include "matrix.h"

/// If a pivot is below this fraction of the mean diagonal, its row depends on others.
#define POISE__ROW_ZERO 1e-15

/// Conjugate gradients may take as many iterations as J has rows, and this number more.
enum { POISE__SPARE_ITERATIONS = 4 };

static inline double poise__qp_centre(const PoiseQp* qp, int column) {
    return qp->centre ? qp->centre[column] : 0.0;
}

static inline double poise__qp_share(const PoiseQp* qp, int column) {
    return qp->share ? qp->share[column] : 1.0;
}

/// The bound of a held column, 0 without bounds. Over a ground, a column may be held off its bound.
static inline double poise__held_bound(const PoiseQp* qp, int column, double x) {
    if (!qp->lower) {
        return 0.0;
    }
    return x - qp->lower[column] < qp->upper[column] - x ? qp->lower[column] : qp->upper[column];
}

static inline bool poise__is_equation(const PoiseQp* qp, int constraint) {
    return qp->constraint_lower[constraint] == qp->constraint_upper[constraint];
}

#endif
