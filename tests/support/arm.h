// SPDX-License-Identifier: MIT
// Serial arms for tests, read from the shared tables or given by numbers. Each exists as a tree of
// hinges and as plain 4 x 4 matrices, so that tests can compare the two.
#ifndef POISE_TEST_ARM_H
#define POISE_TEST_ARM_H

#include "models.h"

enum { ARM_MOST = 16 };

/// A joint as in URDF: its transform in the link before it (row-major, 3 x 4), then its axis.
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

/// A target pose, and a posture that reaches it.
typedef struct ArmTarget {
    double q[ARM_MOST];
    PoisePose pose;
} ArmTarget;

/// Reads an arm. False if the shared file is missing.
bool arm_read(Arm* arm, const char* name);
/// Reads an arm, or skips the test.
#define ARM_OR_SKIP(arm, name)                                                                     \
    do {                                                                                           \
        if (!arm_read(arm, name)) {                                                                \
            cr_skip("POISE_TEST_DATA has no bench/chains/%s.csv", name);                           \
        }                                                                                          \
    } while (0)
/// Reads up to `capacity` targets. Returns their number, 0 if the shared file is missing.
int arm_read_targets(const Arm* arm, const char* name, ArmTarget* targets, int capacity);

/// Writes the transform of a position, m, and of roll, pitch, yaw about fixed axes, rad.
void arm_origin(double origin[12], PoiseVec3 p, double roll, double pitch, double yaw);

/// Makes the arm as a tree of hinges with ranges and a pose point at the tool.
Model arm_model(const Arm* arm);
void arm_set(const Model* model, const double* q);
void arm_get(const Model* model, double* q);
void arm_middle(const Arm* arm, double* q);

/// Computes the tool's pose by matrices, row-major, 3 x 4.
void arm_forward(const Arm* arm, const double* q, double tool[12]);
PoisePose arm_pose(const Arm* arm, const double* q);
/// Computes the distance and the angle from the tool's pose to a goal by matrices, m and rad.
void arm_miss(const Arm* arm, const double* q, PoisePose goal, double* distance, double* angle);
/// Returns E = (distance^2 + angle^2) / 2 by matrices.
double arm_error(const Arm* arm, const double* q, PoisePose goal);
/// Sets the goal of the model's first point, with its rotation if the point has one.
void arm_aim(const Model* model, PoisePose goal);

#endif
