// SPDX-License-Identifier: MIT
// Solves for the displacement of a mechanism under forces and torques by its KKT system (Karush,
// Kuhn, Tucker). Constraints keep feet at their places and loops closed. Floating bases, and joints
// of loops without springs, are free; all other joints have springs.
#ifndef POISE_KKT_H
#define POISE_KKT_H

#include "rig.h"

/// Allocates memory for the rig's stance points, closures and velocities; false if memory runs out.
bool poise__kkt_reserve(const RigState* state, Kkt* kkt, int numbers);
void poise__kkt_finish(const RigState* state, Kkt* kkt);

/// Fills the rows of stance points and closures from the tree's frames, and factors them. `first`:
/// index of the first velocity of each binding. `compliance`: 1 / stiffness of each velocity.
void poise__kkt_fill(const RigState* state, PoiseTree* tree, Kkt* kkt, const int* first,
                     const double* compliance);
/// Computes the displacement dq under a generalized force, both by velocity: K dq = force - J^T f
/// for velocities with springs, J^T f = force for free ones, J dq = 0. `displacement` and `force`
/// must be different arrays.
void poise__kkt_solve(Kkt* kkt, const double* compliance, const double* force,
                      double* displacement);
/// kkt_rows.c: fills J and the list of free velocities.
void poise__kkt_rows(const RigState* state, PoiseTree* tree, Kkt* kkt, const int* first,
                     const double* compliance);

#endif
