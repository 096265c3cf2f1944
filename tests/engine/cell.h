// SPDX-License-Identifier: MIT
// Random rigs of one kind, for what a forecast is tried on: a cell says what they have in common,
// a seed what they differ in.
#ifndef POISE_TEST_CELL_H
#define POISE_TEST_CELL_H

#include "linkage.h"
#include "random.h"

typedef enum CellLimit {
    CELL_LIMIT_NONE,
    /// The way is cut by it; at rest every joint has some to spare.
    CELL_LIMIT_BINDING,
    /// One joint rests at it.
    CELL_LIMIT_BITING,
    CELL_LIMITS
} CellLimit;

typedef enum CellLoop { CELL_OPEN, CELL_FIVE_BAR, CELL_PARALLEL, CELL_LOOPS } CellLoop;

enum { CELL_SOLVERS = 5, CELL_NATURALS = 3 };

typedef struct Cell {
    CellLimit limit;
    CellLoop loop;
    bool friction; ///< it presses on a wall with a coefficient of 0.8; else half of the rigs whose
                   ///< weight is fed press on one of 0, and the others are free
    PoiseReference reference;
    int solver;  ///< PoiseSolver
    int natural; ///< p_orig is 0, 0.1, 1 of p_ik
    bool fed;    ///< the weight is fed forward
} Cell;

/// Coulomb's coefficient of walls with friction.
#define CELL_FRICTION 0.8
/// What rigs press with, N.
#define CELL_FORCE 20.0

/// All cells, one after the other.
enum { CELL_COUNT = CELL_LIMITS * CELL_LOOPS * 2 * 2 * CELL_SOLVERS * CELL_NATURALS * 2 };
Cell cell_of(int index);
void cell_name(const Cell* cell, char name[96]);

typedef struct CellRig {
    Mechanism m;
    bool plane;   ///< it moves in x and z only
    bool legs;    ///< only its sliders are driven
    bool presses; ///< on `wall`
    Wall wall;
} CellRig;

/// The rig, its goal set, nothing stepped yet.
void cell_open(CellRig* rig, const Cell* cell, uint64_t seed);
void cell_close(CellRig* rig);
/// Whether the node has springs.
bool cell_drives(const CellRig* rig, PoiseNodeId node);

#endif
