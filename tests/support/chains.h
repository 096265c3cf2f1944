// SPDX-License-Identifier: MIT
// Bodies of one tip for tests and benchmarks, from arms, models and random trees.
#ifndef POISE_TEST_CHAINS_H
#define POISE_TEST_CHAINS_H

#include "arm.h"
#include "poise/body.h"

enum { CHAIN_PATHS = 2 };
/// The paths whose results differ in their bits. POISE_BODY_PLAIN has the bits of POISE_BODY_EXACT.
static const PoiseBodyPath chain_paths[CHAIN_PATHS] = {POISE_BODY_EXACT, POISE_BODY_FUSED};

/// Returns the path as a word.
static inline const char* chain_path_name(PoiseBodyPath path) {
    return path == POISE_BODY_FUSED ? "fused" : path == POISE_BODY_PLAIN ? "plain" : "exact";
}

/// Largest length of a posture of one limb, and largest number of its degrees of freedom.
enum { CHAIN_POSTURE = 88, CHAIN_DOF = 64 };

/// A body of one tip, solved by one path.
typedef struct Chain {
    PoiseBody* body;
    PoiseBodyPath path;
} Chain;

/// Compiles the body from the base to the model's last node, with the pose of its first point as
/// the tip. Ends the program with a message if that fails.
Chain chain_of(const Model* model, PoiseBodyPath path);
void chain_destroy(Chain chain);

/// The settings of a solve, and its goal: position, rotation or both. The path is the chain's.
typedef struct ChainSolveDef {
    PoiseBodyGoal goal;
    PoiseBodySolveDef all;
} ChainSolveDef;
ChainSolveDef chain_goal_def(PoiseBodyGoal goal);

// poise_body_solve and poise_body_track for one tip with a pose. `def` NULL: the default.
PoiseStatus chain_solve(Chain chain, const ChainSolveDef* def, PoisePose target, double* posture,
                        PoiseBodyReport* report);
PoiseStatus chain_track(Chain chain, const ChainSolveDef* def, PoisePose target, double* posture,
                        PoiseBodyReport* report);

/// Makes up to `steps` steps of tracking. True if the target is met.
bool chain_descend(Chain chain, const ChainSolveDef* def, PoisePose target, int steps,
                   double* posture);
/// Lists answers of a pose (poise_body_answers).
PoiseStatus chain_answers(Chain chain, PoisePose target, const double* start,
                          PoiseBodyAnswers* answers);

/// Many poses, as PoiseBodyBatch.
typedef struct ChainBatch {
    int count;
    const PoisePose* targets;
    double* postures;
    PoiseBodyReport* reports;
} ChainBatch;
PoiseStatus chain_solve_batch(Chain chain, const ChainSolveDef* def, const ChainBatch* batch);
PoiseStatus chain_follow_batch(Chain chain, const ChainSolveDef* def, const ChainBatch* batch);

/// Makes a chain of `nodes` nodes with random ranges, frames and axes, of all six kinds or of
/// hinges, sliders and balls.
Model chain_random_model(Random* random, int nodes, bool all_kinds);

/// Draws a posture inside the ranges. Numbers without a range are at most 2 from 0.
void chain_draw(Chain chain, Random* random, double* posture);

/// True if each number is finite and at most `slack` outside its range.
bool chain_is_inside(Chain chain, const double* posture, double slack);

/// Computes the distance and the angle from the tip to the target, m and rad.
void chain_miss(Chain chain, const double* posture, PoisePose target, double* distance,
                double* angle);

#endif
