// SPDX-License-Identifier: MIT
// Serial arms for tests: read from the shared tables or given by numbers, as a tree of hinges and,
// apart from it, by plain 4 x 4 matrices, so that one checks the other.
#ifndef POISE_TEST_ARM_H
#define POISE_TEST_ARM_H

#include "models.h"

enum { ARM_MOST = 16 };

/// A joint as in a URDF: where it stands on the link before it (row-major, 3 x 4), then its axis.
typedef struct ArmJoint {
    double origin[12];
    double axis[3];
    double lower;
    double upper;
} ArmJoint;

typedef struct Arm {
    int count;
    ArmJoint joints[ARM_MOST];
    double tool[12];
} Arm;

/// A target pose, and a posture that has it.
typedef struct ArmTarget {
    double q[ARM_MOST];
    PoisePose pose;
} ArmTarget;

/// False when the shared file is not there.
bool arm_read(Arm* arm, const char* name);
/// Reads it, or skips the test.
#define ARM_OR_SKIP(arm, name)                                                                     \
    do {                                                                                           \
        if (!arm_read(arm, name)) {                                                                \
            cr_skip("POISE_TEST_DATA has no bench/chains/%s.csv", name);                           \
        }                                                                                          \
    } while (0)
/// Up to `capacity` targets; returns how many, 0 when the shared file is not there.
int arm_read_targets(const Arm* arm, const char* name, ArmTarget* targets, int capacity);

/// Origin from a place, and roll, pitch, yaw about fixed axes, rad.
void arm_origin(double origin[12], PoiseVec3 p, double roll, double pitch, double yaw);

/// The arm as hinges with ranges and a pose point at the tool.
Model arm_model(const Arm* arm);
void arm_set(const Model* model, const double* q);
void arm_get(const Model* model, double* q);
void arm_middle(const Arm* arm, double* q);

/// The tool's pose by matrices, row-major, 3 x 4.
void arm_forward(const Arm* arm, const double* q, double tool[12]);
/// Distance, and angle by the matrices' difference, from the tool's pose to a goal.
void arm_miss(const Arm* arm, const double* q, PoisePose goal, double* distance, double* angle);
/// E by matrices alone: half the sum of their squares.
double arm_error(const Arm* arm, const double* q, PoisePose goal);
/// Sets the goal of the model's first point; its rotation too, where it has one.
void arm_aim(const Model* model, PoisePose goal);

#endif
