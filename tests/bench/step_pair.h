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
    long left;   ///< number of steps in which the exact step left a group to ODE
    long failed; ///< number of these steps in which it found no solution for the group
    /// Time of a step of dWorldStep, us: the mean over all steps but the first, least of all
    /// passes.
    double ode;
    double exact;   ///< time of a step of the exact step, as `ode`
    double rows;    ///< mean number of rows of the last group in a step
    double outside; ///< mean number of these rows that lie outside the trees
    double speed;   ///< largest relative difference of velocities (at least to 9.81 h)
    double force;   ///< largest difference of feedback, relative to the largest feedback
    double fault;   ///< largest violation of complementarity, relative
    long faults;    ///< number of steps with velocities that differ by more than 1e-9
} PairReport;

/// Begins to pair the steps of worlds that are made from now on. Times of earlier passes are kept;
/// the least time of each step is used.
void pairs_begin(const PairOptions* options, bool first_pass);
/// Ends the pass.
PairReport pairs_end(void);

#endif
