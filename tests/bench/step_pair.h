// SPDX-License-Identifier: MIT
// Compares the exact step with dWorldStep from equal states, inside any program: the linker
// replaces ODE's functions by the functions below. Each dWorldStep is computed by both. The program
// continues from ODE's result.
#ifndef POISE_BENCH_STEP_PAIR_H
#define POISE_BENCH_STEP_PAIR_H

#include <ode/ode.h>
#include <stdbool.h>

/// The options of the pairs.
typedef struct PairOptions {
    /// True: the exact step solves small groups and piles too.
    bool takes_all;
    /// > 0: velocities of this size, m/s and rad/s, are added at random before a pair is compared.
    double shake;
} PairOptions;

/// The result of all pairs since pairs_begin.
typedef struct PairReport {
    long steps;
    long left;      ///< steps in which the exact step left a group to ODE
    long failed;    ///< of those: steps in which it tried a group and found no solution
    double ode;     ///< us a step but the first: the mean of the least times of each step
    double exact;   ///< the same time of the exact step
    double rows;    ///< a step, of the last group
    double outside; ///< rows of these that lie outside the trees
    double speed;   ///< worst difference of velocities over the largest, or over 9.81 h
    double force;   ///< worst difference of feedback over the largest
    double fault;   ///< worst violation of complementarity, relative
    long faults;    ///< steps with velocities off by more than 1e-9
} PairReport;

/// Begins to pair the steps of worlds made from now on. Times of the pass before are kept: the
/// least time of each step counts.
void pairs_begin(const PairOptions* options, bool first_pass);
/// Ends the pass.
PairReport pairs_end(void);

#endif
