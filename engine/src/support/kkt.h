// SPDX-License-Identifier: MIT
// What holds a mechanism from outside its springs: feet stay where the ground carries them, and
// closing joints keep their loops closed. How such a mechanism answers to forces and torques, where
// floating bases and joints without springs are free, and the other joints sprung.
#ifndef POISE_KKT_H
#define POISE_KKT_H

#include "rig.h"

/// Room for the rig's stance points, closures and numbers; false without memory.
bool poise__kkt_reserve(const RigState* state, Kkt* kkt, int numbers);
void poise__kkt_finish(const RigState* state, Kkt* kkt);

/// From the tree's frames: the rows of the points that carry and of the closures, and their
/// factors. `first` is the first number of each binding, `compliance` K^-1 by number.
void poise__kkt_fill(const RigState* state, PoiseTree* tree, Kkt* kkt, const int* first,
                     const double* compliance);
/// dq: how a generalized force by number moves the mechanism while its rows stay,
/// K dq = force - J^T f on what is sprung, J^T f = force on what is free, J dq = 0. `displacement`
/// may not be `force`.
void poise__kkt_solve(Kkt* kkt, const double* compliance, const double* force,
                      double* displacement);
/// kkt_rows.c: fills J, and which numbers are free.
void poise__kkt_rows(const RigState* state, PoiseTree* tree, Kkt* kkt, const int* first,
                     const double* compliance);

#endif
