// SPDX-License-Identifier: MIT
// Minimises f over the free columns: the held columns define a face of the bounds.
#ifndef POISE_QP_HELD_COLUMNS_H
#define POISE_QP_HELD_COLUMNS_H

#include "problem.h"

/// Fills residual = v - J x.
void poise__qp_residual(const PoiseQp* qp, PoiseQpWork* work, const double* x);
/// Fills `gradient` with -f' of the held columns, from the residual v - J x.
void poise__qp_gradient(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held,
                        const double* x);
/// Fills `gradient` with -f' of the held columns after poise_qp_face, whose answer is x.
void poise__qp_pulls(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held,
                     const double* x);
/// Minimises f without bounds for another target, by the factor of the last poise_qp_face. The
/// centre is 0. Held columns become 0.
void poise__qp_face_again(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state);

#endif
