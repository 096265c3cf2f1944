// SPDX-License-Identifier: MIT
// Solves for the displacement of a mechanism under forces and torques. Its constraints keep feet at
// their places and loops closed. Floating bases, and joints of loops without springs, are free; the
// other joints have springs. KKT: the system of Karush, Kuhn and Tucker.
#ifndef POISE_KKT_H
#define POISE_KKT_H

#include "rig.h"

/// Allocates for the rig's stance points, closures and velocities; false without memory.
bool poise__kkt_reserve(const RigState* state, Kkt* kkt, int numbers);
void poise__kkt_finish(const RigState* state, Kkt* kkt);

/// Fills the rows of the stance points and closures from the tree's frames, and factors them.
/// `first`: the first velocity of each binding; `compliance`: K^-1 by velocity.
void poise__kkt_fill(const RigState* state, PoiseTree* tree, Kkt* kkt, const int* first,
                     const double* compliance);
/// Computes the displacement dq under a generalized force (by velocity). K dq = force - J^T f for
/// velocities with springs, J^T f = force for free ones, J dq = 0. `displacement` must not be
/// `force`.
void poise__kkt_solve(Kkt* kkt, const double* compliance, const double* force,
                      double* displacement);
/// kkt_rows.c: fills J and the list of free velocities.
void poise__kkt_rows(const RigState* state, PoiseTree* tree, Kkt* kkt, const int* first,
                     const double* compliance);

#endif
