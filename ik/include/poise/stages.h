// SPDX-License-Identifier: MIT
// The paper's stages, one by one, and a look at what they made.
#ifndef POISE_STAGES_H
#define POISE_STAGES_H

#include "poise/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/// eqs. 2-11: fills the Jacobian blocks and v from the frames and goals (no clamp: v is the whole
/// error), and sets omega to 0. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_OUT_OF_MEMORY,
/// POISE_ERROR_STALE. Or POISE_DEGRADED.
POISE_API PoiseStatus poise_stage_jacobians(PoiseTree* tree);
/// eqs. 18-20: alpha, beta and gamma from J and v. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_OUT_OF_MEMORY, POISE_ERROR_STALE.
POISE_API PoiseStatus poise_stage_blocks(PoiseTree* tree);
/// eqs. 21-23: one sweep, root first, of omega_i <- (beta_i - delta_i - epsilon_i) / (alpha_i +
/// lambda); alpha_i <= 1e-12 max alpha is left at 0. lambda >= 0. `residual` (NULL allowed) gets |J
/// omega - v| after it. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_STALE.
POISE_API PoiseStatus poise_stage_sweep(PoiseTree* tree, double lambda, double* residual);

/// A block of the Jacobian as the last stage or solve left it, row-major, rows x dof, m or rad of
/// the point for each rad or m of the node, without weights. Returns rows * dof, 0 when the node is
/// not registered with the point (no block, rather than a block of zeros). Row order: position,
/// orientation. `block` NULL: only the size.
POISE_API int poise_jacobian(const PoiseTree* tree, PoisePointId point, PoiseNodeId node,
                             double block[POISE_MAX_ROWS * POISE_MAX_DOF]);
/// alpha of a node (eq. 18), dof numbers: the squares of its columns, m^2 and rad^2 for each rad^2
/// or m^2. Returns dof, 0 for a handle that is not valid. Valid after poise_stage_blocks.
POISE_API int poise_block_alpha(const PoiseTree* tree, PoiseNodeId node,
                                double alpha[POISE_MAX_DOF]);
/// beta of a node (eq. 19), `dof` numbers: its columns times v; likewise.
POISE_API int poise_block_beta(const PoiseTree* tree, PoiseNodeId node, double beta[POISE_MAX_DOF]);
/// gamma(a, b), row-major, dof(a) x dof(b); returns its size, 0 where a and b share no point.
POISE_API int poise_block_gamma(const PoiseTree* tree, PoiseNodeId a, PoiseNodeId b,
                                double gamma[POISE_MAX_DOF * POISE_MAX_DOF]);

#ifdef __cplusplus
}
#endif

#endif
