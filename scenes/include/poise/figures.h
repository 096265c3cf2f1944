// SPDX-License-Identifier: MIT
// The figures of a run: one table of what can be expected, recorded, written, drawn and watched. A
// new figure is a row of it (src/figure/figures.c).
#ifndef POISE_FIGURES_H
#define POISE_FIGURES_H

#include <stdio.h>

#include "poise/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whose a figure is.
typedef enum PoiseFigureOwner {
    POISE_FIGURE_OF_RUN = 0,
    POISE_FIGURE_OF_POINT = 1,
    POISE_FIGURE_OF_JOINT = 2
} PoiseFigureOwner;

/// What a control point must have for the figure to mean something.
typedef enum PoiseFigureNeed {
    POISE_NEEDS_NOTHING = 0,
    POISE_NEEDS_POSITION = 1,    ///< a position goal
    POISE_NEEDS_ORIENTATION = 2, ///< an orientation goal
    POISE_NEEDS_FORCE = 3        ///< a force that is asked of it
} PoiseFigureNeed;

/// Where a figure is met.
typedef enum PoiseFigureUse {
    POISE_FIGURE_EXPECT = 1,   ///< a bound may be set on it
    POISE_FIGURE_RECORD = 2,   ///< `record` may name it: it is drawn then
    POISE_FIGURE_PLOT = 4,     ///< it is in every plot
    POISE_FIGURE_CSV = 8,      ///< a column of `--csv`
    POISE_FIGURE_JSON = 16,    ///< a member of `--json`
    POISE_FIGURE_SUMMARY = 32, ///< in the closing table
    POISE_FIGURE_WATCH = 64    ///< the viewer lists it
} PoiseFigureUse;

/// Its numbers: one; two or three of a universal's or a ball's, or of a vector; nine of a matrix,
/// row-major; none where there is no value. One that is not there may be NaN, too.
typedef struct PoiseFigureValue {
    int count;
    double numbers[9];
} PoiseFigureValue;

/// What figures are read from: a simulation as it is now and, where a run is reported, what its
/// steps added up to (else NULL).
typedef struct PoiseFigureSource {
    const PoiseSimulation* simulation;
    const struct PoisePointStatistics* points;
} PoiseFigureSource;

typedef struct PoiseFigure PoiseFigure;

/// Figures of one chart share an axis.
typedef struct PoiseFigureChart {
    const char* label;
    bool logarithmic;
} PoiseFigureChart;

/// A row of the table: the figure's name as files and columns have it, its unit ("" for none), one
/// sentence of help, whose it is, and what that must have.
struct PoiseFigure {
    const char* name;
    const char* unit;
    const char* slider_unit; ///< of a slider's; NULL: the same
    const char* help;
    PoiseFigureOwner owner;
    PoiseFigureNeed need;
    unsigned uses;                 ///< PoiseFigureUse
    int count;                     ///< of its numbers; 0: as many as the joint has
    const char* stem;              ///< its columns are the stem with x, y, z; NULL: name.x
    const char* head;              ///< in the closing table
    const PoiseFigureChart* chart; ///< that it is drawn in over time; NULL: none
    /// Of the owner at the index (of its points or joints; 0 for the run).
    void (*read)(const PoiseFigureSource* source, const PoiseFigure* figure, int owner,
                 PoiseFigureValue* value);
    size_t offset; ///< where `read` finds it
};

/// The table in its order; NULL past the end.
POISE_API const PoiseFigure* poise_figure_at(int index);
/// The figure of that name, owner and at least one of the uses; NULL for none. A figure of the run
/// as "cost.ik_us".
POISE_API const PoiseFigure* poise_figure_find(PoiseFigureOwner owner, unsigned uses,
                                               const char* name);
/// The figure's numbers for the owner at the index: a point or joint of the simulation, 0 for the
/// run. In the figure's unit (poise_figure_unit); the count is 0 where there is no value now.
POISE_API PoiseFigureValue poise_figure_read(const PoiseFigure* figure,
                                             const PoiseFigureSource* source, int owner);
/// One number for it, in the figure's unit: of three the length, of two the first; NaN where there
/// is none.
POISE_API double poise_figure_number(const PoiseFigure* figure, const PoiseFigureSource* source,
                                     int owner);
/// Whether the owner has what the figure needs, at the start or now; true for figures of joints and
/// of the run, false for a point that is none.
POISE_API bool poise_figure_applies(const PoiseFigure* figure, const PoiseSimulation* simulation,
                                    int owner);
/// The unit of the figure for that owner, as text: "m", or "" for none. A slider's may differ from
/// that of a joint that turns.
POISE_API const char* poise_figure_unit(const PoiseFigure* figure,
                                        const PoiseSimulation* simulation, int owner);
/// The reference of all figures as a Markdown table: what `poise format` prints and README shows.
POISE_API void poise_figures_print(FILE* out);

/// One number over time: a column of a CSV, a curve, a value that is watched.
typedef struct PoiseColumn {
    const PoiseFigure* figure;
    int owner;
    int count;     ///< of the figure's numbers
    int component; ///< -1: poise_figure_number
} PoiseColumn;

/// Columns stand at some of the places from 0 to this number.
POISE_API int poise_column_places(const PoiseSimulation* simulation);
/// The column at a place, false where none of that use is there. Those of the run come first, then
/// each point's, then each joint's.
POISE_API bool poise_column_at(const PoiseSimulation* simulation, PoiseFigureUse use, int place,
                               PoiseColumn* column);
/// The column of that name and use: "hand.goal_x", "energy"; false where there is none.
POISE_API bool poise_column_find(const PoiseSimulation* simulation, PoiseFigureUse use,
                                 const char* name, PoiseColumn* column);
/// What comes before the dot in the column's name: the point's or joint's name; "" for the run.
POISE_API const char* poise_column_owner(const PoiseSimulation* simulation,
                                         const PoiseColumn* column);
/// What comes after the dot in the column's name: "error", "goal_x", "angle.z". Writes it into
/// `text`, cut at 47 bytes, and returns `text`.
POISE_API const char* poise_column_field(const PoiseColumn* column, char text[48]);
/// The column's number now, in the figure's unit (poise_figure_unit); NaN where there is none.
POISE_API double poise_column_value(const PoiseColumn* column, const PoiseFigureSource* source);

#ifdef __cplusplus
}
#endif

#endif
