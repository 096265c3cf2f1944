// SPDX-License-Identifier: MIT
// Draws a chart: computes the range of its curves, then draws ticks at round numbers, the curves as
// paths, and the legend at the right. A canvas makes a picture of them.
#include "chart.h"

#include <math.h>
#include <string.h>

// Sizes of the picture, in CSS pixels.
enum { WIDTH = 1040, HEAD = 44, FOOT = 12, LEFT = 86, PLOT_WIDTH = 560, LEAST_HEIGHT = 300 };
enum { BELOW = 66, LEGEND_ROW = 17, LEGEND_LEFT = LEFT + PLOT_WIDTH + 16 };
// Largest numbers of letters in the title, and in the label and the remark of a curve.
enum { TITLE_LETTERS = 90, LABEL_LETTERS = 30, REMARK_LETTERS = 20 };

// Largest number in a chart. Differences of such numbers are finite.
#define MOST_DRAWN 1e100
// Length of an axis relative to the extent of the curves.
#define MARGIN 1.06

typedef struct Axis {
    double low; // least value, or its decimal logarithm if the axis is logarithmic
    double high;
    double start; // positions of `low` and `high` in the picture
    double end;
    double step; // distance between two ticks
    bool logarithmic;
} Axis;

// ---------------------------------------------------------------------------------------- ranges

static double value_at(const Chart* chart, const double* values, int i) {
    return values[(size_t)i * (size_t)chart->stride];
}

static bool is_drawn(double value) {
    return fabs(value) <= MOST_DRAWN;
}

static double on_axis(const Axis* axis, double value) {
    return axis->logarithmic ? log10(value) : value;
}

// Returns 1, 2 or 5 times a power of ten, so that about `count` steps make up the span.
static double round_step(double span, double count) {
    double raw = span / count;
    double power = pow(10.0, floor(log10(raw)));
    double factor = raw / power;
    return power * (factor < 1.5 ? 1.0 : factor < 3.5 ? 2.0 : factor < 7.5 ? 5.0 : 10.0);
}

// Finds the range of all curves' values on one axis. An empty axis has the range 0 to 1
// (logarithmic: 0.1 to 1).
static void find_range(const Chart* chart, Axis* axis, bool vertical) {
    double low = (double)INFINITY;
    double high = -(double)INFINITY;
    for (int k = 0; k < chart->curve_count; k++) {
        const ChartCurve* curve = &chart->curves[k];
        for (int i = 0; i < chart->point_count; i++) {
            double value = value_at(chart, vertical ? curve->y : curve->x, i);
            value = axis->logarithmic ? fmax(value, chart->least) : value;
            if (is_drawn(value) && is_drawn(value_at(chart, vertical ? curve->x : curve->y, i))) {
                low = fmin(low, value);
                high = fmax(high, value);
            }
        }
    }
    if (!(low <= high)) {
        low = axis->logarithmic ? 0.1 : 0.0;
        high = 1.0;
    }
    axis->low = on_axis(axis, low);
    axis->high = on_axis(axis, high);
}

// Returns the least range whose ticks have different labels.
static double least_span(const Axis* axis) {
    return axis->logarithmic ? 1.0 : 1e-9 * fmax(fabs(axis->low), 1e-3);
}

// Widens the range on both sides to at least `least`.
static void widen(Axis* axis, double least) {
    double missing = least - (axis->high - axis->low);
    if (missing > 0.0) {
        axis->low -= 0.5 * missing;
        axis->high += 0.5 * missing;
    }
}

// Gives both axes the same scale: the range of the axis with the larger scale grows on both sides.
static void equalise(Axis* x, Axis* y) {
    double x_unit = fabs(x->end - x->start) / (x->high - x->low);
    double y_unit = fabs(y->end - y->start) / (y->high - y->low);
    Axis* narrow = x_unit > y_unit ? x : y;
    double span = fabs(narrow->end - narrow->start) / fmin(x_unit, y_unit);
    double middle = 0.5 * (narrow->low + narrow->high);
    narrow->low = middle - 0.5 * span;
    narrow->high = middle + 0.5 * span;
    x->step = y->step = fmax(round_step(x->high - x->low, 6.0), round_step(y->high - y->low, 5.0));
}

static double place_on(const Axis* axis, double value) {
    double part = (on_axis(axis, value) - axis->low) / (axis->high - axis->low);
    return axis->start + part * (axis->end - axis->start);
}

// -------------------------------------------------------------------------------------- the frame

static void write_label(char text[CANVAS_TEXT], const Axis* axis, double at) {
    if (axis->logarithmic) {
        snprintf(text, CANVAS_TEXT, "%g", pow(10.0, at));
        return;
    }
    double value = fabs(at) < 0.5 * axis->step ? 0.0 : at;
    int decimals = (int)fmax(0.0, ceil(-log10(axis->step) - 1e-9));
    if (decimals > 6 || fabs(value) >= 1e6) {
        snprintf(text, CANVAS_TEXT, "%.*g", 7, value);
    } else {
        snprintf(text, CANVAS_TEXT, "%.*f", decimals, value);
    }
}

static void draw_tick(Canvas* canvas, const Axis* axis, const Axis* across, bool vertical,
                      double at) {
    double part = (at - axis->low) / (axis->high - axis->low);
    double place = axis->start + part * (axis->end - axis->start);
    char text[CANVAS_TEXT];
    write_label(text, axis, at);
    canvas->path(canvas, (CanvasStroke){PEN_GRID, 0});
    if (vertical) {
        canvas->move(canvas, across->start, place);
        canvas->line(canvas, across->end, place);
    } else {
        canvas->move(canvas, place, across->start);
        canvas->line(canvas, place, across->end);
    }
    canvas->stroke(canvas);
    canvas->text(canvas,
                 vertical ? (CanvasText){across->start - 7.0, place + 4.0, .anchor = ANCHOR_END}
                          : (CanvasText){place, across->start + 18.0, .anchor = ANCHOR_MIDDLE},
                 text);
}

static void draw_ticks(Canvas* canvas, const Axis* axis, const Axis* across, bool vertical) {
    double first = ceil(axis->low / axis->step - 1e-6);
    double last = floor(axis->high / axis->step + 1e-6);
    for (double i = first; i <= last; i += 1.0) {
        draw_tick(canvas, axis, across, vertical, i * axis->step);
    }
}

static void draw_clean(Canvas* canvas, CanvasText place, const char* text) {
    char clean[CANVAS_TEXT] = "";
    canvas_clean(clean, text, TITLE_LETTERS);
    canvas->text(canvas, place, clean);
}

static void draw_frame(Canvas* canvas, const Chart* chart, const Axis* x, const Axis* y) {
    draw_ticks(canvas, x, y, false);
    draw_ticks(canvas, y, x, true);
    canvas->path(canvas, (CanvasStroke){PEN_FRAME, 0});
    canvas->move(canvas, x->start, y->end);
    canvas->line(canvas, x->end, y->end);
    canvas->line(canvas, x->end, y->start);
    canvas->line(canvas, x->start, y->start);
    canvas->line(canvas, x->start, y->end);
    canvas->stroke(canvas);
    draw_clean(canvas,
               (CanvasText){0.5 * (x->start + x->end), y->start + 40.0, .anchor = ANCHOR_MIDDLE},
               chart->x_label);
    draw_clean(
        canvas,
        (CanvasText){18.0, 0.5 * (y->start + y->end), .anchor = ANCHOR_MIDDLE, .upright = true},
        chart->y_label);
}

// ------------------------------------------------------------------------------------- the curves

static void begin_curve(Canvas* canvas, const ChartCurve* curve) {
    canvas->path(canvas, (CanvasStroke){curve->wide ? PEN_WIDE : PEN_CURVE, curve->colour});
}

static void draw_curve(Canvas* canvas, const Chart* chart, int index, const Axis* x,
                       const Axis* y) {
    const ChartCurve* curve = &chart->curves[index];
    bool down = false;
    begin_curve(canvas, curve);
    for (int i = 0; i < chart->point_count; i++) {
        double across = value_at(chart, curve->x, i);
        double up = value_at(chart, curve->y, i);
        if (!is_drawn(across) || !is_drawn(up)) {
            down = false;
            continue;
        }
        up = y->logarithmic ? fmax(up, chart->least) : up;
        if (!down) {
            canvas->move(canvas, place_on(x, across), place_on(y, up));
        }
        // A path of one place needs a line, of length 0, to show as a dot.
        canvas->line(canvas, place_on(x, across), place_on(y, up));
        down = true;
    }
    canvas->stroke(canvas);
}

static void draw_legend(Canvas* canvas, const Chart* chart, double top) {
    for (int k = 0; k < chart->curve_count; k++) {
        const ChartCurve* curve = &chart->curves[k];
        double y = top + LEGEND_ROW * (k + 0.5);
        char text[CANVAS_TEXT] = "";
        begin_curve(canvas, curve);
        canvas->move(canvas, LEGEND_LEFT, y);
        canvas->line(canvas, LEGEND_LEFT + 24.0, y);
        canvas->stroke(canvas);
        canvas_clean(text, curve->label, LABEL_LETTERS);
        canvas_clean(text, curve->remark, REMARK_LETTERS);
        canvas->text(canvas, (CanvasText){LEGEND_LEFT + 30.0, y + 4.0, .anchor = ANCHOR_START},
                     text);
    }
}

// ------------------------------------------------------------------------------------ the picture

double chart_height(const Chart* chart) {
    return fmax(LEAST_HEIGHT, LEGEND_ROW * chart->curve_count) + BELOW;
}

void chart_draw(Canvas* canvas, const Chart* chart, double top) {
    double above = HEAD + top;
    Axis x = {.start = LEFT, .end = LEFT + PLOT_WIDTH};
    Axis y = {.start = above + LEAST_HEIGHT, .end = above, .logarithmic = chart->logarithmic};
    find_range(chart, &x, false);
    x.low = chart->equal ? x.low : fmin(x.low, 0.0);
    find_range(chart, &y, true);
    widen(&x, least_span(&x));
    widen(&y, least_span(&y));
    if (chart->equal) {
        widen(&x, MARGIN * (x.high - x.low));
        widen(&y, MARGIN * (y.high - y.low));
        equalise(&x, &y);
    } else {
        x.step = round_step(x.high - x.low, 6.0);
        // Extends the axis so that it begins and ends at a tick.
        double span = y.high - y.low;
        y.step = y.logarithmic ? fmax(1.0, ceil(span / 8.0)) : round_step(span, 6.0);
        y.low = y.step * floor(y.low / y.step + 1e-9);
        y.high = y.step * ceil(y.high / y.step - 1e-9);
    }
    draw_frame(canvas, chart, &x, &y);
    for (int k = 0; k < chart->curve_count; k++) {
        draw_curve(canvas, chart, k, &x, &y);
    }
    draw_legend(canvas, chart, above);
}

Canvas* chart_begin(FILE* out, CanvasFormat format, const char* title, double heights) {
    char clean[CANVAS_TEXT] = "";
    canvas_clean(clean, title, TITLE_LETTERS);
    Canvas* canvas = canvas_begin(&(CanvasSheet){out, format, clean, WIDTH, HEAD + heights + FOOT});
    if (canvas) {
        canvas->text(canvas, (CanvasText){WIDTH / 2, 26.0, .anchor = ANCHOR_MIDDLE, .size = 16.0},
                     clean);
    }
    return canvas;
}
