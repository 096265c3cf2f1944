// SPDX-License-Identifier: MIT
// `poise solve --targets`: solves a file of targets with a compiled chain, or on the whole tree.
#ifndef POISE_SOLVE_TARGETS_H
#define POISE_SOLVE_TARGETS_H

#include "console.h"
#include "poise/chain.h"
#include "poise/simulation.h"
#include "solve.h"
#include "target_file.h"

typedef struct TargetOptions {
    PoiseChainSolveDef def;
    const char* out; ///< file for the answers
    /// Names of a posture's numbers, for the head of the answers; NULL: q1, q2, ..
    const char* const* names;
    /// Units of a posture's numbers in the answers, rad or m; NULL: 1.
    const double* units;
    bool errors; ///< True if the answers have met,error,angle_error
    /// True if each target starts at the answer before; stops at a leap unless def.leap
    bool follow;
    bool json;
    bool quiet;
    const PoiseDiagnostics* inputs; ///< knows the files that `out` must not replace
} TargetOptions;

/// Solves all targets and writes the answers to `options->out`. Then prints a summary to stdout, or
/// to stderr if the answers go to stdout. Returns the exit code.
int poise__targets_solve(const PoiseChain* chain, const TargetFile* targets,
                         const TargetOptions* options);

/// Prints at which row a path of `count` rows stopped, if it did.
void poise__print_stop(int followed, int count, FILE* to);

/// Targets of several tips at once, or of one tip on a robot with closed loops.
typedef struct TipsJob {
    const PoiseSimulation* simulation;
    const SolveLink* links;
    int link_count;
    const char* targets; ///< path of the file
    double angle;        ///< unit of angles, rad
    bool position_only;  ///< True if the targets' rotations are ignored
    const TargetOptions* options;
} TipsJob;

/// Solves each row with all joints between the tips and the base, keeping loops closed
/// (poise_reach). The answers have the numbers of all joints. Output and exit code as in
/// poise__targets_solve.
int poise__tips_solve(const TipsJob* job, PoiseDiagnostics* diagnostics);

#endif
