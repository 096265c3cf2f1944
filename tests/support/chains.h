// SPDX-License-Identifier: MIT
// Compiled chains for tests and benchmarks, from arms, models and random trees.
#ifndef POISE_TEST_CHAINS_H
#define POISE_TEST_CHAINS_H

#include "arm.h"
#include "poise/chain.h"

enum { CHAIN_PATHS = 3 };
/// All paths. poise_chain_path_available says which of them this processor has.
static const PoiseChainPath chain_paths[CHAIN_PATHS] = {POISE_CHAIN_SCALAR, POISE_CHAIN_AVX2,
                                                        POISE_CHAIN_AVX512};

/// Returns the path after `p` that this processor has, or CHAIN_PATHS. -1 gives the first.
static inline int chain_next_path(int p) {
    do {
        p++;
    } while (p < CHAIN_PATHS && !poise_chain_path_available(chain_paths[p]));
    return p;
}

/// Skips a test if this processor lacks the path.
#define SKIP_WITHOUT_PATH(path)                                                                    \
    do {                                                                                           \
        if (!poise_chain_path_available(path)) {                                                   \
            cr_skip("this processor or build has no %s", poise_chain_path_name(path));             \
        }                                                                                          \
    } while (0)

/// Returns the default def with another goal.
static inline PoiseChainSolveDef chain_goal_def(PoiseChainGoal goal) {
    PoiseChainSolveDef def = poise_default_chain_solve_def();
    def.goal = goal;
    return def;
}

/// Compiles the chain from the base to the model's last node, with the position of its first point
/// as the tip. Ends the program with a message if that fails.
PoiseChain* chain_of(const Model* model, PoiseChainPath path);

/// Makes a chain of `nodes` nodes with random ranges, frames and axes, of all six kinds or of
/// hinges, sliders and balls.
Model chain_random_model(Random* random, int nodes, bool all_kinds);

/// Draws a posture inside the ranges. Numbers without a range are at most 2 from 0.
void chain_draw(const PoiseChain* chain, Random* random, double* posture);

/// True if each number is finite and at most `slack` outside its range.
bool chain_is_inside(const PoiseChain* chain, const double* posture, double slack);

/// Computes the distance and the angle from the tip to the target, m and rad.
void chain_miss(const PoiseChain* chain, const double* posture, PoisePose target, double* distance,
                double* angle);

#endif
