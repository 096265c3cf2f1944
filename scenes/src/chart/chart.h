// SPDX-License-Identifier: MIT
// Line charts as SVG, one below the other in one picture: axes with ticks, curves, a legend. Any
// text may be given: it is escaped, so that it is never more than text in the picture.
#ifndef POISE_CHART_H
#define POISE_CHART_H

#include <stdbool.h>
#include <stdio.h>

/// A curve through the points (x, y). The numbers of a chart's curves lie `stride` apart. A point
/// with a number that is not finite is left out, and the curve breaks there.
typedef struct ChartCurve {
    const double* x;
    const double* y;
    const char* label;  ///< for the legend, UTF-8
    const char* remark; ///< after the label, "" for none
    int colour;         ///< 0, 1, 2, ...; the same number, the same colour and dashes
    bool wide;          ///< grey and broad, for what other curves should follow
} ChartCurve;

typedef struct Chart {
    const char* x_label;
    const char* y_label;
    bool logarithmic; ///< the y axis; values below `least` are drawn on it
    double least;     ///< > 0 where the y axis is logarithmic
    bool equal;       ///< one scale for both axes; else the x axis begins at 0
    const ChartCurve* curves;
    int curve_count;
    int point_count; ///< of each curve
    int stride;
} Chart;

/// The picture's beginning, its title in the head, and its end. The heights of the charts are those
/// of chart_height, added up.
void chart_begin(FILE* out, const char* title, double heights);
void chart_end(FILE* out);

/// How much room the chart takes, in the picture's units; more where its legend is long.
double chart_height(const Chart* chart);
/// Draws the chart below `top`, the sum of the heights above it.
void chart_print(FILE* out, const Chart* chart, double top);

#endif
