// SPDX-License-Identifier: MIT
// `--plot`: the history of a run as charts: the errors over time, what the scene records, and the
// points' paths against their goals.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "run.h"

// errors below this are drawn on it: a logarithm has no place for 0, m and rad
#define LEAST_ERROR 1e-12

enum { ERRORS, ANGLES, TORQUES, PATHS, CHART_COUNT };

typedef struct Plot {
    const Run* run;
    const SeriesList* columns;
    Chart charts[CHART_COUNT];
    ChartCurve* curves[CHART_COUNT];
} Plot;

static const double* column_at(const Plot* plot, int column) {
    return &plot->run->history.rows[column];
}

static void add_curve(Plot* plot, int chart, ChartCurve curve) {
    plot->curves[chart][plot->charts[chart].curve_count++] = curve;
}

static int chart_of(SeriesKind kind) {
    switch (kind) {
    case SERIES_ERROR:
    case SERIES_ANGLE_ERROR:
        return ERRORS;
    case SERIES_JOINT_ANGLE:
    case SERIES_JOINT_TARGET:
        return ANGLES;
    case SERIES_JOINT_TORQUE:
        return TORQUES;
    default:
        return -1;
    }
}

// what is drawn over time: the first column
static void add_over_time(Plot* plot) {
    for (int j = 0; j < plot->columns->count; j++) {
        const Series* series = &plot->columns->items[j];
        int chart = chart_of(series->kind);
        if (chart >= 0) {
            ChartCurve curve = {.x = column_at(plot, 0),
                                .y = column_at(plot, j),
                                .label = series->label,
                                .remark = "",
                                .colour = plot->charts[chart].curve_count};
            add_curve(plot, chart, curve);
        }
    }
}

// ----------------------------------------------------------------------------------------- paths

static int find_column(const SeriesList* columns, SeriesKind kind, int index, int component) {
    for (int i = 0; i < columns->count; i++) {
        const Series* series = &columns->items[i];
        if (series->kind == kind && series->index == index && series->component == component) {
            return i;
        }
    }
    return -1;
}

// how far the columns of one kind reach along an axis
static double find_extent(const Plot* plot, SeriesKind kind, int axis) {
    const History* history = &plot->run->history;
    double low = (double)INFINITY;
    double high = -(double)INFINITY;
    for (int j = 0; j < plot->columns->count; j++) {
        const Series* series = &plot->columns->items[j];
        bool counted = series->kind == kind && series->component == axis;
        for (int i = 0; counted && i < history->count; i++) {
            double value = history->rows[(size_t)i * (size_t)history->width + (size_t)j];
            low = isfinite(value) ? fmin(low, value) : low;
            high = isfinite(value) ? fmax(high, value) : high;
        }
    }
    return high > low ? high - low : 0.0;
}

// the axis along which least is to be seen: the goals say it, the paths where these stand still
static int find_least_axis(const Plot* plot) {
    static const double goals_first = 1e6;
    int least = 0;
    double smallest = (double)INFINITY;
    for (int axis = 2; axis >= 0; axis--) {
        double extent = goals_first * find_extent(plot, SERIES_GOAL, axis) +
                        find_extent(plot, SERIES_PLACE, axis);
        if (extent < smallest) {
            smallest = extent;
            least = axis;
        }
    }
    return least;
}

static void add_paths(Plot* plot) {
    static const char* const labels[] = {"x, m", "y, m", "z, m"};
    const PoiseSimulation* simulation = plot->run->simulation;
    int least = find_least_axis(plot);
    int across = least == 0 ? 1 : 0;
    int up = least == 2 ? 1 : 2;
    plot->charts[PATHS].x_label = labels[across];
    plot->charts[PATHS].y_label = labels[up];
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        ChartCurve curve = {.label = poise_simulation_point(simulation, i).name,
                            .remark = ": goal",
                            .colour = i,
                            .wide = true};
        int x = find_column(plot->columns, SERIES_GOAL, i, across);
        int y = find_column(plot->columns, SERIES_GOAL, i, up);
        if (x >= 0) {
            curve.x = column_at(plot, x);
            curve.y = column_at(plot, y);
            add_curve(plot, PATHS, curve);
        }
        curve.x = column_at(plot, find_column(plot->columns, SERIES_PLACE, i, across));
        curve.y = column_at(plot, find_column(plot->columns, SERIES_PLACE, i, up));
        curve.remark = "";
        curve.wide = false;
        add_curve(plot, PATHS, curve);
    }
}

// ------------------------------------------------------------------------------------ the picture

static void print_charts(const Plot* plot, FILE* out) {
    const PoiseScene* scene = plot->run->scene;
    double heights = 0.0;
    for (int i = 0; i < CHART_COUNT; i++) {
        heights += plot->charts[i].curve_count > 0 ? chart_height(&plot->charts[i]) : 0.0;
    }
    chart_begin(out, scene->title[0] ? scene->title : scene->file, heights);
    double top = 0.0;
    for (int i = 0; i < CHART_COUNT; i++) {
        if (plot->charts[i].curve_count > 0) {
            chart_print(out, &plot->charts[i], top);
            top += chart_height(&plot->charts[i]);
        }
    }
    chart_end(out);
}

static bool plan(Plot* plot) {
    static const char* const labels[] = {
        [ERRORS] = "error, m and rad",
        [ANGLES] = "angle, rad; slider, m",
        [TORQUES] = "torque, N m; slider, N",
        [PATHS] = "",
    };
    // a point has at most one path and one goal
    size_t most = (size_t)plot->columns->count +
                  2 * (size_t)poise_simulation_point_count(plot->run->simulation);
    for (int i = 0; i < CHART_COUNT; i++) {
        plot->curves[i] = calloc(most, sizeof *plot->curves[i]);
        if (!plot->curves[i]) {
            return false;
        }
        Chart chart = {.x_label = "time, s",
                       .y_label = labels[i],
                       .logarithmic = i == ERRORS,
                       .least = LEAST_ERROR,
                       .equal = i == PATHS,
                       .curves = plot->curves[i],
                       .point_count = plot->run->history.count,
                       .stride = plot->run->history.width};
        plot->charts[i] = chart;
    }
    add_over_time(plot);
    add_paths(plot);
    return true;
}

int poise__plot_write(const Run* run, const SeriesList* columns, const char* path) {
    Plot plot = {.run = run, .columns = columns};
    const char* trouble = NULL;
    FILE* file = NULL;
    errno = 0;
    if (!plan(&plot)) {
        trouble = "memory is short";
    } else if (!(file = fopen(path, "w"))) {
        trouble = strerror(errno);
    } else {
        print_charts(&plot, file);
        bool written = !ferror(file);
        written = fclose(file) == 0 && written;
        trouble = written ? NULL : strerror(errno ? errno : EIO);
    }
    for (int i = 0; i < CHART_COUNT; i++) {
        free(plot.curves[i]);
    }
    if (trouble) {
        fprintf(stderr, "poise: %s: cannot be written: %s\n", path, trouble);
    }
    return trouble ? EXIT_INPUT : EXIT_DONE;
}
