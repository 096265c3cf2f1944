// SPDX-License-Identifier: MIT
// Mechanisms and targets to measure compiled chains with: the shared ones where they are, and some
// of our own.
#ifndef POISE_BENCH_CHAIN_PROBLEMS_H
#define POISE_BENCH_CHAIN_PROBLEMS_H

#include "chains.h"

typedef struct ChainProblemSet {
    const char* name;
    bool shared;  ///< a robot of the shared problems
    bool has_arm; ///< hinges alone: others can solve it too
    Arm arm;
    Model model;
    int target_count;
    PoisePose* targets; ///< poses of postures drawn inside the ranges
} ChainProblemSet;

/// How many there are.
int chain_problem_count(void);
/// The set with so many targets; false for a shared one that is not there.
bool chain_problem_make(int index, int targets, ChainProblemSet* set);
void chain_problem_finish(ChainProblemSet* set);

/// A track to follow: the shared robots' own; else a figure of eight with a tilt about a bent
/// posture, 0.4 mm a step for a reach of 1 m. Up to `capacity` poses, and the posture to begin at;
/// returns how many.
int chain_track_make(const ChainProblemSet* set, const PoiseChain* chain, int capacity,
                     PoisePose* poses, double* start);

#endif
