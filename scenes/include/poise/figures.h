// SPDX-License-Identifier: MIT
// The table of figures of a run. Each row says if the figure can be bounded, recorded, written,
// plotted and watched. A new figure is a new row (src/figure/figures.c).
#ifndef POISE_FIGURES_H
#define POISE_FIGURES_H

#include <stdio.h>

#include "poise/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The owner of a figure: the run, a control point or a joint.
typedef enum PoiseFigureOwner {
    POISE_FIGURE_OF_RUN = 0,
    POISE_FIGURE_OF_POINT = 1,
    POISE_FIGURE_OF_JOINT = 2
} PoiseFigureOwner;

/// A goal or force that a control point needs before the figure has a meaning.
typedef enum PoiseFigureNeed {
    POISE_NEEDS_NOTHING = 0,
    POISE_NEEDS_POSITION = 1,    ///< the point needs a position goal
    POISE_NEEDS_ORIENTATION = 2, ///< the point needs an orientation goal
    POISE_NEEDS_FORCE = 3        ///< the point should exert a force
} PoiseFigureNeed;

/// Places that show a figure; bits of PoiseFigure.uses.
typedef enum PoiseFigureUse {
    POISE_FIGURE_EXPECT = 1,   ///< `expect` may set a bound
    POISE_FIGURE_RECORD = 2,   ///< `record` may add the figure to the plot
    POISE_FIGURE_PLOT = 4,     ///< every plot has the figure
    POISE_FIGURE_CSV = 8,      ///< the figure is a column of `--csv`
    POISE_FIGURE_JSON = 16,    ///< the figure is a member of `--json`
    POISE_FIGURE_SUMMARY = 32, ///< the figure is a column of the table at the end of a run
    POISE_FIGURE_WATCH = 64    ///< the viewer lists the figure
} PoiseFigureUse;

/// The numbers of a figure. A scalar has 1; a universal joint 2; a ball or a vector 3; a matrix 9,
/// row-major. The count is 0 without a value; a missing number may also be NaN.
typedef struct PoiseFigureValue {
    int count;
    double numbers[9];
} PoiseFigureValue;

/// Sources of figures: a simulation in its present state and, for the report of a run, the
/// statistics of the points (else NULL).
typedef struct PoiseFigureSource {
    const PoiseSimulation* simulation;
    const struct PoisePointStatistics* points;
} PoiseFigureSource;

typedef struct PoiseFigure PoiseFigure;

/// A chart; all figures of a chart share its axis.
typedef struct PoiseFigureChart {
    const char* label;
    bool logarithmic;
} PoiseFigureChart;

/// A row of the table. `name` is the name in files and columns; `unit` is "" for none; `help` is
/// one sentence; `need` is the goal or force without which a point has no value.
struct PoiseFigure {
    const char* name;
    const char* unit;
    const char* slider_unit; ///< unit for a slider; NULL: `unit`
    const char* help;
    PoiseFigureOwner owner;
    PoiseFigureNeed need;
    unsigned uses;    ///< places that show the figure, bits of PoiseFigureUse
    int count;        ///< how many numbers the figure has; 0: it depends on the joint's kind
    const char* stem; ///< prefix of the column names, before x, y, z; NULL: name.x
    const char* head; ///< column title in the table that `poise run` prints at the end
    const PoiseFigureChart* chart; ///< chart over time; NULL: none
    /// Reads the numbers for the owner: the index of a point or joint, 0 for the run.
    void (*read)(const PoiseFigureSource* source, const PoiseFigure* figure, int owner,
                 PoiseFigureValue* value);
    size_t offset; ///< selects the value that `read` reads
};

/// Returns row `index` of the table; NULL past the end.
POISE_API const PoiseFigure* poise_figure_at(int index);
/// Returns the figure with this name, this owner and at least one of the uses; NULL if missing. A
/// figure of the run has a name like "cost.ik_us".
POISE_API const PoiseFigure* poise_figure_find(PoiseFigureOwner owner, unsigned uses,
                                               const char* name);
/// Returns the figure's numbers for the owner: the index of a point or joint, 0 for the run. Their
/// unit is poise_figure_unit; the count is 0 if there is no value now.
POISE_API PoiseFigureValue poise_figure_read(const PoiseFigure* figure,
                                             const PoiseFigureSource* source, int owner);
/// Returns one number for the figure, in its unit (poise_figure_unit): the norm of three numbers,
/// else the first number. NaN if there is no value.
POISE_API double poise_figure_number(const PoiseFigure* figure, const PoiseFigureSource* source,
                                     int owner);
/// True if the owner has, at the start or now, what the figure needs. True for figures of joints
/// and of the run; false if no point has this index.
POISE_API bool poise_figure_applies(const PoiseFigure* figure, const PoiseSimulation* simulation,
                                    int owner);
/// Returns the figure's unit for this owner, such as "m"; "" for none. The unit for a slider may
/// differ from the unit for a joint that turns.
POISE_API const char* poise_figure_unit(const PoiseFigure* figure,
                                        const PoiseSimulation* simulation, int owner);
/// Prints the reference of all figures as a Markdown table, which is part of `poise format` and of
/// the README.
POISE_API void poise_figures_print(FILE* out);

/// One number over time: a column of a CSV, a curve of a plot, or a watched value.
typedef struct PoiseColumn {
    const PoiseFigure* figure;
    int owner;
    int count;     ///< how many numbers the figure has for this owner
    int component; ///< index of the column's number among these; -1: poise_figure_number
} PoiseColumn;

/// Returns the number of indices that poise_column_at accepts; some of them have no column.
POISE_API int poise_column_places(const PoiseSimulation* simulation);
/// Writes the column at index `place`; false if there is no column of this use. The run's columns
/// come first, then each point's, then each joint's.
POISE_API bool poise_column_at(const PoiseSimulation* simulation, PoiseFigureUse use, int place,
                               PoiseColumn* column);
/// Finds the column of this use by its name, such as "hand.goal_x" or "energy"; false if missing.
POISE_API bool poise_column_find(const PoiseSimulation* simulation, PoiseFigureUse use,
                                 const char* name, PoiseColumn* column);
/// Returns the part of the column's name before the dot: the point's or joint's name; "" for the
/// run.
POISE_API const char* poise_column_owner(const PoiseSimulation* simulation,
                                         const PoiseColumn* column);
/// Writes the part of the column's name after the dot into `text`, cut at 47 bytes: "error",
/// "goal_x", "angle.z". Returns `text`.
POISE_API const char* poise_column_field(const PoiseColumn* column, char text[48]);
/// Returns the column's number now, in the figure's unit (poise_figure_unit); NaN without a value.
POISE_API double poise_column_value(const PoiseColumn* column, const PoiseFigureSource* source);

#ifdef __cplusplus
}
#endif

#endif
