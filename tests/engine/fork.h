// SPDX-License-Identifier: MIT
// A fork: a random mechanism of hinges and balls with springs of its own kind each, whose trunk
// parts in two, with a point at either end. What forecasts are held against.
#ifndef POISE_TEST_FORK_H
#define POISE_TEST_FORK_H

#include "mechanism.h"

enum { FORK_POINTS = 2 };

typedef struct ForkDef {
    uint64_t seed;
    PoiseReference reference;
    bool unfed;   ///< the weight is not fed forward
    bool presses; ///< the first point is asked for a force that comes on top of its goal
    bool hangs;   ///< weight pulls the mechanism straight, instead of over
    double integral;
    double integral_most;
    /// Points with a rotation too, that count in some rows only.
    bool partial;
    /// The first point presses on a wall without friction that stands where it is.
    bool wall;
} ForkDef;

typedef struct ForkTip {
    PoisePointId point;
    dBodyID body;
    PoiseVec3 in_body;
    unsigned rows;
    PoiseRowAxes axes;
    bool on_wall;
    PoiseVec3 into_wall; ///< of length 1
    double wall;         ///< along that
} ForkTip;

typedef struct Fork {
    Mechanism m;
    ForkTip tips[FORK_POINTS];
    dJointGroupID contacts;
} Fork;

void fork_open(Fork* fork, const ForkDef* def);
void fork_close(Fork* fork);

/// Steps to rest, with a load on a tip, N; where that then is.
PoiseVec3 fork_settle(Fork* fork, const ForkTip* tip, PoiseVec3 load);
/// Whether it rests, and its tips that have a wall on that.
bool fork_rests(const Fork* fork);
/// How far the tip's body is from the goal, m and rad, but for how deep in the wall; and in the
/// rows that count.
double fork_miss(const Fork* fork, const ForkTip* tip);
double fork_angle_miss(const Fork* fork, const ForkTip* tip);
double fork_row_miss(const Fork* fork, const ForkTip* tip);
double fork_row_angle_miss(const Fork* fork, const ForkTip* tip);
/// How the tip moves under loads along each axis, m/N, row-major, as ODE has it: there and back, so
/// that what bends with the square of the load cancels.
void fork_compliance(Fork* fork, const ForkTip* tip, double compliance[9]);

#endif
