// SPDX-License-Identifier: MIT
// `--plot`: draws a run's history as charts: figures over time, with a chart for each kind of axis,
// and the points' paths with their goals.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "run.h"

// Least error on a logarithmic axis, m and rad. Smaller errors are replaced by this value, since 0
// has no logarithm.
#define MIN_DRAWN_ERROR 1e-12

enum { MAX_CHARTS = 8 };

typedef struct Plot {
    const Run* run;
    const PoiseFigureChart* axes[MAX_CHARTS]; ///< axis of each chart; NULL: the chart of the paths
    Chart charts[MAX_CHARTS];
    ChartCurve* curves[MAX_CHARTS];
    int chart_count;
    char (*fields)[50]; ///< for each column, the part of its name after the owner, such as ".error"
} Plot;

static const double* column_at(const Plot* plot, int column) {
    return &plot->run->history.rows[column];
}

// Returns the chart of an axis and adds it if it is new; -1 if there are too many charts or memory
// is short.
static int find_chart(Plot* plot, const PoiseFigureChart* axis) {
    for (int i = 0; i < plot->chart_count; i++) {
        if (plot->axes[i] == axis) {
            return i;
        }
    }
    const int i = plot->chart_count;
    if (i == MAX_CHARTS) {
        return -1;
    }
    const History* history = &plot->run->history;
    // Each point adds two curves: its path and its goal's.
    const int most =
        history->columns.count + 2 * poise_simulation_point_count(plot->run->simulation);
    plot->curves[i] = calloc((size_t)most + 1, sizeof *plot->curves[i]);
    if (!plot->curves[i]) {
        return -1;
    }
    plot->axes[i] = axis;
    plot->charts[i] = (Chart){.x_label = "time, s",
                              .y_label = axis ? axis->label : "",
                              .logarithmic = axis && axis->logarithmic,
                              .least = MIN_DRAWN_ERROR,
                              .equal = !axis,
                              .curves = plot->curves[i],
                              .point_count = history->count,
                              .stride = history->columns.count};
    plot->chart_count++;
    return i;
}

static void add_curve(Plot* plot, int chart, ChartCurve curve) {
    plot->curves[chart][plot->charts[chart].curve_count++] = curve;
}

// Adds a curve over time for each figure that has a chart. The first column is the time.
static bool add_over_time(Plot* plot) {
    const Columns* columns = &plot->run->history.columns;
    for (int j = 0; j < columns->count; j++) {
        const PoiseColumn* column = &columns->items[j];
        const PoiseFigureChart* axis = column->figure->chart;
        const int chart = axis ? find_chart(plot, axis) : -1;
        if (axis && chart < 0) {
            return false;
        }
        plot->fields[j][0] = '.';
        poise_column_field(column, plot->fields[j] + 1);
        if (axis) {
            ChartCurve curve = {.x = column_at(plot, 0),
                                .y = column_at(plot, j),
                                .label = poise_column_owner(plot->run->simulation, column),
                                .remark = plot->fields[j],
                                .colour = plot->charts[chart].curve_count};
            add_curve(plot, chart, curve);
        }
    }
    return true;
}

// ----------------------------------------------------------------------------------------- paths

static int find_column(const Plot* plot, const char* figure, int owner, int component) {
    const Columns* columns = &plot->run->history.columns;
    for (int i = 0; i < columns->count; i++) {
        const PoiseColumn* column = &columns->items[i];
        if (column->figure->owner == POISE_FIGURE_OF_POINT && column->owner == owner &&
            column->component == component && strcmp(column->figure->name, figure) == 0) {
            return i;
        }
    }
    return -1;
}

// Returns the extent (m) of all points' positions or goals along an axis.
static double find_extent(const Plot* plot, const char* figure, int axis) {
    const History* history = &plot->run->history;
    double low = (double)INFINITY;
    double high = -(double)INFINITY;
    for (int p = 0; p < poise_simulation_point_count(plot->run->simulation); p++) {
        const int column = find_column(plot, figure, p, axis);
        for (int i = 0; column >= 0 && i < history->count; i++) {
            double value =
                history->rows[(size_t)i * (size_t)history->columns.count + (size_t)column];
            low = isfinite(value) ? fmin(low, value) : low;
            high = isfinite(value) ? fmax(high, value) : high;
        }
    }
    return high > low ? high - low : 0.0;
}

// Returns the axis with the least extent, which the chart of paths omits. The goals decide; if they
// have no extent, the points' positions decide.
static int find_least_axis(const Plot* plot) {
    static const double goals_first = 1e6;
    int least = 0;
    double smallest = (double)INFINITY;
    for (int axis = 2; axis >= 0; axis--) {
        double extent =
            goals_first * find_extent(plot, "goal", axis) + find_extent(plot, "position", axis);
        if (extent < smallest) {
            smallest = extent;
            least = axis;
        }
    }
    return least;
}

static bool add_paths(Plot* plot) {
    static const char* const labels[] = {"x, m", "y, m", "z, m"};
    static const char* const figures[] = {"goal", "position"};
    const PoiseSimulation* simulation = plot->run->simulation;
    const int least = find_least_axis(plot);
    const int across = least == 0 ? 1 : 0;
    const int up = least == 2 ? 1 : 2;
    const int chart = find_chart(plot, NULL);
    if (chart < 0) {
        return false;
    }
    plot->charts[chart].x_label = labels[across];
    plot->charts[chart].y_label = labels[up];
    for (int i = 0; i < 2 * poise_simulation_point_count(simulation); i++) {
        const int x = find_column(plot, figures[i % 2], i / 2, across);
        const int y = find_column(plot, figures[i % 2], i / 2, up);
        if (x >= 0 && y >= 0) {
            ChartCurve curve = {.x = column_at(plot, x),
                                .y = column_at(plot, y),
                                .label = poise_simulation_point(simulation, i / 2).name,
                                .remark = i % 2 == 0 ? ": goal" : "",
                                .colour = i / 2,
                                .wide = i % 2 == 0};
            add_curve(plot, chart, curve);
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------ the picture

static bool draw_charts(const Plot* plot, FILE* out, CanvasFormat format) {
    const PoiseScene* scene = plot->run->scene;
    double heights = 0.0;
    for (int i = 0; i < plot->chart_count; i++) {
        heights += chart_height(&plot->charts[i]);
    }
    Canvas* canvas =
        chart_begin(out, format, scene->title[0] ? scene->title : scene->file, heights);
    double top = 0.0;
    for (int i = 0; canvas && i < plot->chart_count; i++) {
        chart_draw(canvas, &plot->charts[i], top);
        top += chart_height(&plot->charts[i]);
    }
    return canvas && canvas->end(canvas);
}

bool poise__plot_is_format(const char* path) {
    return canvas_format(path) != CANVAS_NONE;
}

bool poise__plot_write(const Run* run, FILE* out) {
    Plot plot = {.run = run};
    plot.fields = calloc((size_t)run->history.columns.count + 1, sizeof *plot.fields);
    const bool fine = plot.fields && add_over_time(&plot) &&
                      (poise_simulation_point_count(run->simulation) == 0 || add_paths(&plot)) &&
                      draw_charts(&plot, out, canvas_format(run->options->plot));
    for (int i = 0; i < plot.chart_count; i++) {
        free(plot.curves[i]);
    }
    free(plot.fields);
    return fine;
}
