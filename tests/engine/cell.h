// SPDX-License-Identifier: MIT
// Random rigs for tests of forecasts. A cell is a combination of properties, and a seed chooses the
// rig of this cell.
#ifndef POISE_TEST_CELL_H
#define POISE_TEST_CELL_H

#include "linkage.h"
#include "random.h"

typedef enum CellLimit {
    CELL_LIMIT_NONE,
    /// A torque limit slows joints during the motion, but at rest every joint is below its limit.
    CELL_LIMIT_BINDING,
    /// At rest a joint is at its torque limit.
    CELL_LIMIT_BITING,
    CELL_LIMITS
} CellLimit;

typedef enum CellLoop { CELL_OPEN, CELL_FIVE_BAR, CELL_PARALLEL, CELL_LOOPS } CellLoop;

enum { CELL_SOLVERS = 5, CELL_NATURALS = 3 };

typedef struct Cell {
    CellLimit limit;
    CellLoop loop;
    /// True: the rig presses on a wall with a coefficient of 0.8. False: half of the rigs whose
    /// weight is fed press on a wall without friction; the others press on none.
    bool friction;
    PoiseReference reference;
    int solver;  ///< the solver of the rig, a PoiseSolver
    int natural; ///< p_orig as a multiple of p_ik: 0, 0.1 or 1 for the indices 0, 1, 2
    bool fed;    ///< True if the weight is fed forward
} Cell;

/// Coulomb's coefficient of walls with friction.
#define CELL_FRICTION 0.8
/// Force of the rigs on a wall, N.
#define CELL_FORCE 20.0

/// Number of cells. Each combination of the kinds above is a cell.
enum { CELL_COUNT = CELL_LIMITS * CELL_LOOPS * 2 * 2 * CELL_SOLVERS * CELL_NATURALS * 2 };
Cell cell_of(int index);
void cell_name(const Cell* cell, char name[96]);

typedef struct CellRig {
    Mechanism m;
    bool plane;   ///< True if the mechanism moves in x and z only
    bool legs;    ///< True if only the sliders of the legs are driven
    bool presses; ///< True if the point presses on `wall`
    Wall wall;
} CellRig;

/// Makes the rig and sets its goal; no step is made.
void cell_open(CellRig* rig, const Cell* cell, uint64_t seed);
void cell_close(CellRig* rig);
/// True if the node has springs.
bool cell_drives(const CellRig* rig, PoiseNodeId node);

#endif
