// SPDX-License-Identifier: MIT
// Computes the part of the springs' torques that would add to forces asked of points; the drives
// subtract it. A forecast calls the same functions with a copy of the tree.
#ifndef POISE_PRESS_H
#define POISE_PRESS_H

#include "kkt.h"

/// Allocates memory for the points that press, with a reserve for more, if a point presses or a
/// joint closes a loop. Call it after a change of the sets, and if poise__press_fits is false.
/// POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__press_reserve(RigState* state);
/// True if the memory suffices for the present sets and all points that press now.
bool poise__press_fits(const RigState* state);

/// Fills press->compliance: 1 / stiffness of each velocity.
void poise__press_fill_compliance(const RigState* state, Press* press);
/// Fills the list of pressing points, their rows J and the factor of J C J^T, from the tree's
/// frames.
void poise__press_fill(const RigState* state, PoiseTree* tree, Press* press);
/// True if the joints of pressing points have hardly any compliance in some direction. Along it
/// even a large force needs hardly any torque, so the springs keep a part of their pull.
bool poise__press_is_stiff(const Press* press);
/// Fills `work` with the displacement of the first `rows` rows by `torque` (by velocity): J C
/// torque.
void poise__press_row_displacement(Press* press, int rows, const double* torque);
/// Replaces `across`, the displacement of the goal rows, by its wrench (J C J^T)^-1 across. The
/// compliance is bounded below in proportion to the displacement. Overwrites `work`.
void poise__press_across_wrench(Press* press);
/// Fills `work` with the wrench at the first `rows` rows that `torque` (by velocity) exerts,
/// weighted by the compliance: (J C J^T)^-1 J C torque.
void poise__press_wrench(Press* press, int rows, const double* torque);
/// Subtracts from `torque`, by velocity, the torques of the wrench in `work` at the first `rows`
/// rows.
void poise__press_subtract_wrench(const Press* press, int rows, double* torque);
/// Fills the displacement, by velocity, of least spring energy that displaces the goal rows by
/// `work`: C J^T (J C J^T)^-1 work.
void poise__press_joint_displacement(Press* press, double* displacement);

// the stages of an update, in their order
/// Fills the rows of pressing points, and measures the force of the springs at them in the last
/// step. Needs measured frames.
void poise__force_measure(RigState* state);
/// Moves the own posture so that its points are at their measured positions along the yielding
/// rows. Needs the own posture's frames.
void poise__force_follow(RigState* state);
/// After the solve: fills press->across with the displacement from the measured points to those of
/// the own posture, by which springs pull across the force. Needs the own posture's frames.
void poise__force_place(RigState* state);
/// After the solve: fills joint->pressing, the torques that the drives add so that the springs do
/// not change the asked force.
void poise__force_share(RigState* state);

// approach.c
/// Computes press->lead, `brake` and `keep` of pressing points that approach, and finds the points
/// that touch. Runs after poise__force_share.
void poise__approach_fill(RigState* state);
/// Applies press->lead, `brake` and `keep` to the motor row of velocity d of a binding.
void poise__approach_drive(const RigState* state, int binding, int d, MotorRow* row);

#endif
