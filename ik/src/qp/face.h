// SPDX-License-Identifier: MIT
// The least f over the columns that are free: a face of the bounds.
#ifndef POISE_QP_FACE_H
#define POISE_QP_FACE_H

#include "problem.h"

/// residual = v - J x.
void poise__qp_residual(const PoiseQp* qp, PoiseQpWork* work, const double* x);
/// gradient = -f' of the columns that are held, from the residual v - J x.
void poise__qp_gradient(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held,
                        const double* x);
/// Fills the same gradient after poise_qp_face, which left the answer x.
void poise__qp_pulls(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held,
                     const double* x);
/// Finds x without bounds for another target, with the factor of the last face and the centre 0.
/// Held columns become 0.
void poise__qp_face_again(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state);

#endif
