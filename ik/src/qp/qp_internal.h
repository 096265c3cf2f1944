// SPDX-License-Identifier: MIT
// What the files of the quadratic program share.
#ifndef POISE_QP_INTERNAL_H
#define POISE_QP_INTERNAL_H

#include "matrix.h"

/// A pivot below this part of the mean diagonal is a row that the others imply.
#define POISE__ROW_ZERO 1e-15

/// Iterations of conjugate gradients beyond the rows.
enum { POISE__SPARE_ITERATIONS = 4 };

static inline double poise__qp_centre(const PoiseQp* qp, int column) {
    return qp->centre ? qp->centre[column] : 0.0;
}

static inline double poise__qp_share(const PoiseQp* qp, int column) {
    return qp->share ? qp->share[column] : 1.0;
}

// face.c
/// residual = v - J x.
void poise__qp_residual(const PoiseQp* qp, PoiseQpWork* work, const double* x);
/// gradient = -f' of the columns that are held, from the residual v - J x.
void poise__qp_gradient(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held,
                        const double* x);
/// Likewise after poise_qp_face, whose answer x is.
void poise__qp_pulls(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held,
                     const double* x);

// basis.c: the constraints that hold, as an orthonormal basis over the free columns, in the metric
// in which the damping is the same for all
/// From the constraints that are active, equations first, and the columns that are held.
void poise__basis_make(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state);
/// One more constraint; nothing where those before imply it.
void poise__basis_append(const PoiseQp* qp, PoiseQpWork* work, int constraint);
/// direction = the way from x to the least f over the free columns and along the constraints that
/// hold, onto which it goes back where x is off them.
void poise__basis_step(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state);
/// gradient = -f', by column, as the free columns follow a held one along the constraints that
/// hold; their multipliers mu, by axis, into parts.
void poise__basis_pulls(const PoiseQp* qp, PoiseQpWork* work, const double* x);

static inline bool poise__is_equation(const PoiseQp* qp, int constraint) {
    return qp->constraint_lower[constraint] == qp->constraint_upper[constraint];
}

/// a x of one constraint, and what its rounding is a part of: |a| |x| + |bound|, number by number.
double poise__constraint_at(const PoiseQp* qp, int constraint, const double* x, double* size);

// inside.c
/// The problem of an x inside all constraints, and its memory.
typedef struct PoiseInside {
    PoiseQp problem;
    PoiseQpWork work;
    PoiseQpState state;
    PoiseBlock block;
    double* values; ///< (columns + constraints) x constraints
    double* target; ///< constraints
    double* row_damping;
    double* damping; ///< columns + constraints
    double* lower;
    double* upper;
} PoiseInside;
/// Whether x fits the constraints but for rounding.
bool poise__fits(const PoiseQp* qp, const double* x);
/// The problem of the nearest x that fits, from x; work->inside is its memory.
void poise__inside_pose(const PoiseQp* qp, const PoiseQpWork* work, const PoiseQpState* state,
                        PoiseInside* inside);
/// x becomes what was found, held and active what it stands on.
void poise__inside_take(const PoiseQp* qp, const PoiseInside* inside, PoiseQpState* state);

#endif
