// SPDX-License-Identifier: MIT
// Draws line charts on a canvas, one below the other in one picture: axes with ticks, curves, a
// legend. Any text is allowed.
#ifndef POISE_CHART_H
#define POISE_CHART_H

#include <stdbool.h>

#include "canvas.h"

/// A curve through the points (x, y). Consecutive numbers of a curve are `stride` apart in memory.
/// At a number that is not finite the curve breaks.
typedef struct ChartCurve {
    const double* x;
    const double* y;
    const char* label;  ///< name of the curve in the legend, UTF-8
    const char* remark; ///< printed after the label; "" for none
    int colour;         ///< 0, 1, 2, ...; equal numbers have the same colour and dashes
    bool wide;          ///< True for a broad grey curve, which other curves should follow
} ChartCurve;

typedef struct Chart {
    const char* x_label;
    const char* y_label;
    bool logarithmic; ///< True if the y axis is logarithmic; values below `least` are drawn there
    double least;     ///< > 0 if the y axis is logarithmic
    bool equal;       ///< True if both axes have one scale; else the x axis begins at 0
    const ChartCurve* curves;
    int curve_count;
    int point_count; ///< number of points of each curve
    int stride;
} Chart;

/// Begins the picture with its title. `heights` is the sum of chart_height over all charts. Returns
/// NULL when memory is short. `end` of the canvas ends the picture.
Canvas* chart_begin(FILE* out, CanvasFormat format, const char* title, double heights);

/// Returns the height of the chart in the picture's units. A long legend makes it larger.
double chart_height(const Chart* chart);
/// Draws the chart below `top`, the sum of the heights above it.
void chart_draw(Canvas* canvas, const Chart* chart, double top);

#endif
