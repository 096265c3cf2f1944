// SPDX-License-Identifier: MIT
// A fork: a random mechanism of hinges and balls, each with other springs, whose trunk ends in two
// branches with a point each. Forecasts are compared with its motion.
#ifndef POISE_TEST_FORK_H
#define POISE_TEST_FORK_H

#include "mechanism.h"

enum { FORK_POINTS = 2 };

typedef struct ForkDef {
    uint64_t seed;
    PoiseReference reference;
    bool unfed;   ///< True if the weight is not fed forward
    bool presses; ///< True if the first point is asked for a force besides its goal
    bool hangs;   ///< True if the weight stabilises the mechanism; else it tips it over
    double integral;
    double integral_most;
    /// True if the points also have a rotation, and only some of their rows are active.
    bool partial;
    /// True if the first point presses on a frictionless wall at its place.
    bool wall;
} ForkDef;

typedef struct ForkTip {
    PoisePointId point;
    dBodyID body;
    PoiseVec3 in_body;
    unsigned rows;
    PoiseRowAxes axes;
    bool on_wall;
    PoiseVec3 into_wall; ///< unit vector into the wall
    double wall;         ///< coordinate of the wall along `into_wall`, m
} ForkTip;

typedef struct Fork {
    Mechanism m;
    ForkTip tips[FORK_POINTS];
    dJointGroupID contacts;
} Fork;

void fork_open(Fork* fork, const ForkDef* def);
void fork_close(Fork* fork);

/// Steps to rest, with a load on a tip, N. Returns the place of the tip.
PoiseVec3 fork_settle(Fork* fork, const ForkTip* tip, PoiseVec3 load);
/// True if the fork rests and the tips with a wall touch it.
bool fork_rests(const Fork* fork);
/// Return the distance of the tip's body from its goal, m and rad; the depth in a wall is left out.
/// The first function measures all rows, the second the active rows.
double fork_miss(const Fork* fork, const ForkTip* tip);
double fork_angle_miss(const Fork* fork, const ForkTip* tip);
double fork_row_miss(const Fork* fork, const ForkTip* tip);
double fork_row_angle_miss(const Fork* fork, const ForkTip* tip);
/// Computes the displacement of the tip per load along each axis, m/N, row-major, by ODE. It
/// averages loads of both signs, so that terms of second order cancel.
void fork_compliance(Fork* fork, const ForkTip* tip, double compliance[9]);

#endif
