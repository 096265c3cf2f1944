// SPDX-License-Identifier: MIT
// The stages of the paper's solver, one function each, and getters for their results (eqs. 2-23).
#ifndef POISE_STAGES_H
#define POISE_STAGES_H

#include "poise/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Fills the Jacobian blocks and v from the frames and goals (eqs. 2-11), and sets omega to 0. v is
/// the whole error, without a clamp. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_OUT_OF_MEMORY, POISE_ERROR_STALE. Or POISE_DEGRADED.
POISE_API PoiseStatus poise_stage_jacobians(PoiseTree* tree);
/// Computes alpha, beta and gamma from J and v (eqs. 18-20). Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_OUT_OF_MEMORY, POISE_ERROR_STALE.
POISE_API PoiseStatus poise_stage_blocks(PoiseTree* tree);
/// Runs one sweep, root first: omega_i <- (beta_i - delta_i - epsilon_i) / (alpha_i + lambda) (eqs.
/// 21-23). delta_i is the sum of gamma_ij omega_j over the columns of other nodes that share a
/// point with the node. epsilon_i is this sum over the node's own other columns. Both use the
/// newest omega. Columns with alpha_i <= 1e-12 max alpha keep 0. lambda >= 0. `residual` (NULL: not
/// wanted) gets |J omega - v| after the sweep. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_STALE.
POISE_API PoiseStatus poise_stage_sweep(PoiseTree* tree, double lambda, double* residual);

/// Writes a block of the Jacobian as the last stage or solve left it: row-major, rows x dof, m or
/// rad of the point per rad or m of the node, without weights. Rows: position, then orientation.
/// Returns rows * dof; 0 if the node is not registered with the point, which has no block then.
/// `block` NULL: returns the size alone.
POISE_API int poise_jacobian(const PoiseTree* tree, PoisePointId point, PoiseNodeId node,
                             double block[POISE_MAX_ROWS * POISE_MAX_DOF]);
/// Writes alpha of a node (eq. 18), dof numbers: the squared norms of its columns, m^2 or rad^2 per
/// rad^2 or m^2. Returns dof; 0 for a handle that is not valid. Valid after poise_stage_blocks.
POISE_API int poise_block_alpha(const PoiseTree* tree, PoiseNodeId node,
                                double alpha[POISE_MAX_DOF]);
/// Writes beta of a node (eq. 19), dof numbers: its columns times v. Returns as poise_block_alpha.
POISE_API int poise_block_beta(const PoiseTree* tree, PoiseNodeId node, double beta[POISE_MAX_DOF]);
/// Writes gamma(a, b) (eq. 20), row-major, dof(a) x dof(b). Returns its size; 0 if a and b share no
/// point.
POISE_API int poise_block_gamma(const PoiseTree* tree, PoiseNodeId a, PoiseNodeId b,
                                double gamma[POISE_MAX_DOF * POISE_MAX_DOF]);

#ifdef __cplusplus
}
#endif

#endif
