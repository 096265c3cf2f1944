// SPDX-License-Identifier: MIT
// `poise solve --targets`: solving a file of targets with a compiled chain.
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
    /// Of the numbers of a posture, for its head; NULL: q1, q2, ..
    const char* const* names;
    /// Rad or m, of the numbers of a posture as they are written; NULL: 1.
    const double* units;
    bool errors; ///< it gets met,error,angle_error too
    bool follow; ///< each starts at the answer before; stops at a leap unless def.leap
    bool json;
    bool quiet;
    const PoiseDiagnostics* inputs; ///< knows the files that `out` must not replace
} TargetOptions;

/// Solves all of them and writes the answers to `options->out`, then a summary to stdout (stderr
/// where the answers are there). Returns the exit code.
int poise__targets_solve(const PoiseChain* chain, const TargetFile* targets,
                         const TargetOptions* options);

/// Says which of `count` rows a path has stopped at, if it was not followed to its end.
void poise__print_stop(int followed, int count, FILE* to);

/// Targets of several tips at once, or of one on a robot with closed loops.
typedef struct TipsJob {
    const PoiseSimulation* simulation;
    const SolveLink* links;
    int link_count;
    const char* targets; ///< file
    double angle;        ///< rad, the unit of angles
    bool position_only;  ///< rotations of the targets do not count
    const TargetOptions* options;
} TipsJob;

/// Solves each row on all joints between the tips and the base, closed loops kept (poise_reach):
/// the answers have the numbers of all joints. Output and exit code as poise__targets_solve.
int poise__tips_solve(const TipsJob* job, PoiseDiagnostics* diagnostics);

#endif
