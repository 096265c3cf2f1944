// SPDX-License-Identifier: MIT
// `poise solve`: its options, and its result for one target.
#ifndef POISE_SOLVE_COMMAND_H
#define POISE_SOLVE_COMMAND_H

#include "console.h"

/// Runs `poise solve`. `argv` begins with the command's name. Returns the program's exit code.
int poise__command_solve(int argc, char** argv);

/// Largest number of points that are solved at once.
enum { SOLVE_POINTS = 32 };

typedef struct SolvedPoint {
    char name[160];
    PoisePointId point;
    PoisePointId aim; ///< the tree's point for the axis goal, if it is another point; else null
    bool turned;      ///< True if the goal has a rotation
    /// Distance and angle to the goal, m and rad.
    double error;
    double angle_error;
} SolvedPoint;

typedef struct Solution {
    SolvedPoint points[SOLVE_POINTS];
    int count;
    bool metres; ///< True if a target is so far away that it is probably not in metres
    bool reached;
    PoiseReachReport report;
} Solution;

/// Prints to stdout the points' errors, their reasons, and the angles of all joints. The output is
/// JSON, or text that ends with `pose:` lines for a scene.
void poise__solution_print(const PoiseSimulation* simulation, const Solution* solution, bool json);

/// Prints a distance and an angle with their units: "1.2 mm and 3e-06 rad". A NULL is omitted. A
/// value below 1e-9 (m or rad) is printed as "< 1 nm" or "< 1e-09 rad".
void poise__off_print(FILE* to, const double* metres, const double* radians);
/// Prints a name with _ in place of spaces.
void poise__word_print(FILE* to, const char* name);

/// A link by name, and a position in its frame (m).
typedef struct SolveLink {
    char name[160];
    PoiseVec3 place;
    bool given;
} SolveLink;

/// Reads LINK or LINK:x,y,z of --point. Returns false with a message on failure.
bool poise__link_read(SolveLink* link, const char* text);
/// Finds the node that carries the link, and the position in the node's link. The name may also be
/// a control point of the scene. Returns false with a message on failure.
bool poise__link_find(const PoiseSimulation* simulation, const SolveLink* link, PoiseNodeId* node,
                      PoisePose* in_link);

/// How a solve treats floating bases (--base).
typedef enum SolveBase { BASE_DEFAULT, BASE_FIXED, BASE_FREE } SolveBase;

/// Keeps all shapes apart if `wanted` and the scene does not. Returns false with a message on
/// failure.
bool poise__keep_apart(PoiseSimulation* simulation, bool wanted);

/// Reads the word of --base. Returns false with a message on failure.
bool poise__base_read(SolveBase* base, const char* text);

#endif
