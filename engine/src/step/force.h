// SPDX-License-Identifier: MIT
// Forces asked at points, carried out through the joints' springs: what springs and posture must
// not add to them. Works on a tree with the bindings' stiffnesses, so that what is foreseen on a
// copy of the tree (predict.c) obeys the same law as what is driven.
#ifndef POISE_FORCE_H
#define POISE_FORCE_H

#include "poise/rig.h"
#include "stand/held.h"

/// A point that yields or is asked for a force.
typedef struct PressPoint {
    PoisePointId point;
    int slot; ///< of the tree's points, in the order of creation
    PoisePose pose;
    PoiseVec3 force; ///< asked
    PoiseVec3 torque;
    PoiseVec3 force_measured;
    PoiseVec3 torque_measured;
} PressPoint;

/// Rows of the points that press, over the numbers (as those of poise_node_omega) of all bindings.
/// Three nested sets of rows, the first ones first: directions that yield; all directions of points
/// that yield; all directions, to measure in.
typedef struct Press {
    void* memory;
    size_t size;
    int points_room;
    int bindings_room;
    int numbers_room;

    int number_count;
    int* first; ///< number of each binding

    PressPoint* points;
    int point_count;
    int yield_rows;
    int goal_rows;
    int row_count;
    int* row_point;     ///< of each row, in `points`
    double* directions; ///< rows x 6: place, rotation, world
    double* j;          ///< rows x numbers
    Held held;          ///< the feet, where the body stands
    double* c_jt;       ///< rows x numbers: (C J^T)^T, the displacement by a unit wrench of a row
    double* k_c_jt;     ///< rows x numbers: (K C J^T)^T, the torques of that displacement
    double* factor;     ///< of J C J^T, rows x rows
    double* compliance; ///< K^-1 by number: 0 where nothing follows, or stands on a stop
    double* spring;     ///< by number: torque of the springs to theta_ik
    double* posture;    ///< by number: what the pull to the natural posture adds
    double* work;       ///< rows
} Press;

/// Room for all points of the tree; called when the sets have changed. POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__press_reserve(PoiseRig* rig);
void poise__press_finish(PoiseRig* rig);

/// From the tree's frames: who presses, the rows, and their factor. False when none does.
bool poise__press_fill(const PoiseRig* rig, PoiseTree* tree, Press* press);
/// work <- (J C J^T)^-1 work, of the first `rows` rows.
void poise__press_solve(Press* press, int rows);
/// The wrench of the first `rows` rows that `torque` (by number) presses with, as the compliance
/// weighs it: (J C J^T)^-1 J C torque, left in `work`.
void poise__press_share(Press* press, int rows, const double* torque);
/// Takes the wrench in `work`, of the first `rows` rows, off the torques.
void poise__press_take(const Press* press, int rows, double* torque);
/// Takes the nearest displacement that goes as far along the first `rows` rows as `work` says off
/// `displacement`.
void poise__press_back(Press* press, int rows, double* displacement);
/// The nearest displacement (by number), as the springs see it, that takes the goal rows as far as `work`
/// says: C J^T (J C J^T)^-1 work.
void poise__press_displacement(Press* press, double* displacement);

// the stages of an update, in their order
/// Measured frames: fills, and reads what the springs gave in the last step.
void poise__force_measure(PoiseRig* rig);
/// Reference frames of the own posture: brings the places that yield to where they are measured.
PoiseStatus poise__force_follow(PoiseRig* rig);
/// After the solve: what each drive must add so that springs and posture add no force of their own.
void poise__force_share(PoiseRig* rig);

#endif
