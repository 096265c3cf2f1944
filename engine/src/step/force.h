// SPDX-License-Identifier: MIT
// Forces asked at points, carried out through the joints' springs: what springs and posture must
// not add to them. Works on a tree with the bindings' stiffnesses, so that what is foreseen on a
// copy of the tree (forecast.c) obeys the same law as what is driven.
#ifndef POISE_FORCE_H
#define POISE_FORCE_H

#include "kkt.h"

/// Room for all points of the tree, where some press or joints close loops; called when the sets
/// have changed since. POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__press_reserve(RigState* state);

/// K^-1 by velocity, into press->compliance.
void poise__press_give(const RigState* state, Press* press);
/// From the tree's frames: who presses, the rows, and their factor.
void poise__press_fill(const RigState* state, PoiseTree* tree, Press* press);
/// Whether there is a direction in which the joints of points that press hardly give way: a force
/// along it takes hardly any torque, and is left to them in part.
bool poise__press_is_stiff(const Press* press);
/// work <- (J C J^T)^-1 work, of the first `rows` rows.
void poise__press_solve(Press* press, int rows);
/// How far `torque` (by number) takes the first `rows` rows, J C torque, into `work`.
void poise__press_move(Press* press, int rows, const double* torque);
/// across <- the wrench that takes the goal rows as far as `across` says, (J C J^T)^-1 across; of
/// what hardly gives way for so far less. Leaves `work` overwritten.
void poise__press_hold(Press* press);
/// The wrench of the first `rows` rows that `torque` (by number) presses with, as the compliance
/// weighs it: (J C J^T)^-1 J C torque, left in `work`.
void poise__press_share(Press* press, int rows, const double* torque);
/// Takes the wrench in `work`, of the first `rows` rows, off the torques.
void poise__press_take(const Press* press, int rows, double* torque);
/// Takes the nearest displacement that goes as far along the first `rows` rows as `work` says off
/// `displacement`.
void poise__press_back(Press* press, int rows, double* displacement);
/// The nearest displacement (by number), as the springs see it, that takes the goal rows as far as
/// `work` says: C J^T (J C J^T)^-1 work.
void poise__press_displacement(Press* press, double* displacement);

// the stages of an update, in their order
/// Measured frames: fills, and reads what the springs gave in the last step.
void poise__force_measure(RigState* state);
/// Reference frames of the own posture: brings the places that yield to where they are measured.
void poise__force_follow(RigState* state);
/// Frames of the own posture after the solve: what its place, off the measured one, pulls with.
void poise__force_place(RigState* state);
/// After the solve: what each drive must add so that springs and posture add no force of their own.
void poise__force_share(RigState* state);

// approach.c
/// After the share: how fast the points that press may approach, and which of them touch.
void poise__approach_fill(RigState* state);
/// Changes the row of velocity d of a binding by what was found.
void poise__approach_drive(const RigState* state, int binding, int d, MotorRow* row);

#endif
