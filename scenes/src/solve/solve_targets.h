// SPDX-License-Identifier: MIT
// `poise solve --targets`: solves a file of targets with a compiled body of one tip, or on the
// whole tree.
#ifndef POISE_SOLVE_TARGETS_H
#define POISE_SOLVE_TARGETS_H

#include "console.h"
#include "poise/body.h"
#include "poise/tip.h"
#include "solve.h"
#include "target_file.h"

typedef struct TargetOptions {
    PoiseBodySolveDef def; ///< a solve on the tree uses only `leap`
    PoiseBodyGoal goal;
    bool has_goal;   ///< False: the goal is a pose if the targets have rotations, else a position
    const char* out; ///< path of the file for the answers
    double angle;    ///< the file's unit of angles, rad
    bool errors;     ///< True if the answers have met,error,angle_error
    /// True if each target starts at the answer before; stops at a leap unless def.leap
    bool follow;
    bool json;
    bool quiet;
} TargetOptions;

/// A file of targets, and the body or simulation that solves its rows.
typedef struct TargetJob {
    const char* targets; ///< path of the file
    /// Compiled body that solves the one tip. NULL: poise_tips_reach solves on the whole tree,
    /// closes loops, and the answers have the numbers of all joints.
    const PoiseBody* body;
    PoiseTree* tree;
    /// The simulation, which has the joints' names; NULL for a chain file, whose columns are q1,
    /// q2, ..
    const PoiseSimulation* simulation;
    const PoiseTip* tips;
    const char* const* names; ///< names of the tips
    int tip_count;
    TargetOptions options;
} TargetJob;

/// Returns the path as a word, for `--path`.
const char* poise__path_name(PoiseBodyPath path);

/// Solves all rows and writes the answers to `options.out`. Then prints a summary to stdout, or to
/// stderr if the answers go to stdout. `diagnostics` knows the files that `out` must not replace.
/// Returns the exit code.
int poise__targets_solve(const TargetJob* job, PoiseDiagnostics* diagnostics);

#endif
