// SPDX-License-Identifier: MIT
// `poise solve`: what was found for one target, and how it is said.
#ifndef POISE_SOLVE_COMMAND_H
#define POISE_SOLVE_COMMAND_H

#include "console.h"

/// `poise solve`: gets the arguments from its own name on; returns what the program ends with.
int poise__command_solve(int argc, char** argv);

/// At most so many points at once.
enum { SOLVE_POINTS = 32 };

typedef struct SolvedPoint {
    char name[160];
    PoisePointId point;
    PoisePointId aim; ///< of a scene's point that aims besides, else null
    bool turned;      ///< a rotation was asked for too
    /// What is left, m and rad.
    double error;
    double angle_error;
} SolvedPoint;

typedef struct Solution {
    SolvedPoint points[SOLVE_POINTS];
    int count;
    bool metres; ///< so far off that the target may be meant in another unit
    bool reached;
    PoiseReachReport report;
} Solution;

/// On stdout: how near it came, why not nearer, and the angles of all joints; as JSON, or as text
/// that ends with `pose:` lines for a scene.
void poise__solution_print(const PoiseSimulation* simulation, const Solution* solution, bool json);

/// A distance, or an angle, for the eye: three digits, nothing below what matters.
const char* poise__length_text(double metres, char* text, size_t capacity);
const char* poise__angle_text(double radians, char* text, size_t capacity);

/// A link by name, and a place in its frame.
typedef struct SolveLink {
    char name[160];
    PoiseVec3 place;
    bool given;
} SolveLink;

/// From LINK or LINK:x,y,z, as --point has it; false with a message.
bool poise__link_read(SolveLink* link, const char* text);
/// The link may be a control point of the scene too. The node that carries it, and the place in the
/// node's link; false with a message.
bool poise__link_find(const PoiseSimulation* simulation, const SolveLink* link, PoiseNodeId* node,
                      PoisePose* in_link);

/// Where a solve lets floating bases be, as --base has it.
typedef enum SolveBase { BASE_UNSAID, BASE_FIXED, BASE_FREE } SolveBase;

/// True with `base` from the word of --base; false with a message.
bool poise__base_read(SolveBase* base, const char* text);

/// Whether the arguments ask for a file of targets or a chain.
bool poise__has_targets(int argc, char** argv);
/// `poise solve --targets`: many targets by a compiled chain.
int poise__command_solve_targets(int argc, char** argv);

#endif
