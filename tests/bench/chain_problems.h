// SPDX-License-Identifier: MIT
// Mechanisms and targets for benchmarks of compiled chains: the shared ones if they are installed,
// and our own.
#ifndef POISE_BENCH_CHAIN_PROBLEMS_H
#define POISE_BENCH_CHAIN_PROBLEMS_H

#include "chains.h"

typedef struct ChainProblemSet {
    const char* name;
    bool shared;  ///< a robot of the shared problems
    bool has_arm; ///< True if all joints are hinges, which the other solvers can solve too
    Arm arm;
    Model model;
    int target_count;
    PoisePose* targets; ///< poses of random postures inside the ranges
} ChainProblemSet;

/// Returns the number of mechanisms.
int chain_problem_count(void);
/// Makes mechanism `index` with `targets` targets. False if its shared file is missing.
bool chain_problem_make(int index, int targets, ChainProblemSet* set);
void chain_problem_finish(ChainProblemSet* set);

/// Writes a track of up to `capacity` poses and its start posture, and returns its length. Shared
/// robots have their own track. The others get a figure of eight with a tilt about a bent posture,
/// 0.4 mm per step for a reach of 1 m.
int chain_track_make(const ChainProblemSet* set, Chain chain, int capacity, PoisePose* poses,
                     double* start);

#endif
