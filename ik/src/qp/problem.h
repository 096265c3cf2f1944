// SPDX-License-Identifier: MIT
// Access to the data of a quadratic program (shared/qp.h), for the files of this folder.
#ifndef POISE_QP_PROBLEM_H
#define POISE_QP_PROBLEM_H

#include "matrix.h"

/// A pivot below this fraction of the mean diagonal means that other rows imply the row.
#define POISE__ROW_ZERO 1e-15

/// Conjugate gradients may take this many iterations more than J has rows.
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
