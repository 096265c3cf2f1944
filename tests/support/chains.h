// SPDX-License-Identifier: MIT
// Compiled chains for tests and benchmarks: of the arms, of models, of random trees.
#ifndef POISE_TEST_CHAINS_H
#define POISE_TEST_CHAINS_H

#include "arm.h"
#include "poise/chain.h"

enum { CHAIN_PATHS = 3 };
/// Every path there is; which of them this processor has, poise_chain_path_available says.
static const PoiseChainPath chain_paths[CHAIN_PATHS] = {POISE_CHAIN_SCALAR, POISE_CHAIN_AVX2,
                                                        POISE_CHAIN_AVX512};

/// The path after `p` that this processor has, or CHAIN_PATHS; the first after -1.
static inline int chain_next_path(int p) {
    do {
        p++;
    } while (p < CHAIN_PATHS && !poise_chain_path_available(chain_paths[p]));
    return p;
}

/// Skips a test where this processor has no such path.
#define SKIP_WITHOUT_PATH(path)                                                                    \
    do {                                                                                           \
        if (!poise_chain_path_available(path)) {                                                   \
            cr_skip("this processor or build has no %s", poise_chain_path_name(path));             \
        }                                                                                          \
    } while (0)

/// How a chain is solved when nothing but its goal is not as by default.
static inline PoiseChainSolveDef chain_goal_def(PoiseChainGoal goal) {
    PoiseChainSolveDef def = poise_default_chain_solve_def();
    def.goal = goal;
    return def;
}

/// The chain from the base to the model's last node, with the place of its first point as the tip.
/// Ends the program, saying why, where it cannot be compiled.
PoiseChain* chain_of(const Model* model, PoiseChainPath path);

/// A chain of as many nodes of kinds drawn from all six, or from hinges, sliders and balls alone,
/// with ranges, random frames and axes.
Model chain_random_model(Random* random, int nodes, bool all_kinds);

/// A posture inside the ranges; without, within 2 of 0.
void chain_draw(const PoiseChain* chain, Random* random, double* posture);

/// Whether each number is inside its range by no more than `slack` beyond it, and finite.
bool chain_is_inside(const PoiseChain* chain, const double* posture, double slack);

/// Distance and angle from the tip to the target.
void chain_miss(const PoiseChain* chain, const double* posture, PoisePose target, double* distance,
                double* angle);

#endif
