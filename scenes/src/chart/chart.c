// SPDX-License-Identifier: MIT
// Draws a chart: computes the range of its curves, then draws ticks at round numbers, the curves as
// paths, and the legend at the right.
#include "chart.h"

#include <math.h>
#include <string.h>

#include "svg.h"

// Sizes of the picture, in CSS pixels.
enum { WIDTH = 1040, HEAD = 44, FOOT = 12, LEFT = 86, PLOT_WIDTH = 560, LEAST_HEIGHT = 300 };
enum { BELOW = 66, LEGEND_ROW = 17, LEGEND_LEFT = LEFT + PLOT_WIDTH + 16 };
// Most letters in the head and in the legend.
enum { TITLE_LETTERS = 90, LABEL_LETTERS = 30, REMARK_LETTERS = 20 };

// Largest number that is drawn. Differences of such numbers are finite.
#define MOST_DRAWN 1e100
// Length of an axis relative to the extent of the paths.
#define MARGIN 1.06

typedef struct Axis {
    double low; // range; of a logarithmic axis the decimal logarithms
    double high;
    double start; // positions of `low` and `high` in the picture
    double end;
    double step; // distance of two ticks
    bool logarithmic;
} Axis;

// Colours that colour-blind readers can tell apart (Okabe and Ito), without yellow, which is faint
// on white.
static const char* const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#444444"};
static const char* const dashes[] = {"", "8 3", "2 3", "10 3 2 3"};
enum { COLOUR_COUNT = 7, DASH_COUNT = 4 };

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

// Extends the range to whole ticks.
static void round_out(Axis* axis) {
    double span = axis->high - axis->low;
    axis->step = axis->logarithmic ? fmax(1.0, ceil(span / 8.0)) : round_step(span, 6.0);
    axis->low = axis->step * floor(axis->low / axis->step + 1e-9);
    axis->high = axis->step * ceil(axis->high / axis->step - 1e-9);
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

static void print_label(FILE* out, const Axis* axis, double at) {
    if (axis->logarithmic) {
        fprintf(out, "%g", pow(10.0, at));
        return;
    }
    double value = fabs(at) < 0.5 * axis->step ? 0.0 : at;
    int decimals = (int)fmax(0.0, ceil(-log10(axis->step) - 1e-9));
    if (decimals > 6 || fabs(value) >= 1e6) {
        fprintf(out, "%.*g", 7, value);
    } else {
        fprintf(out, "%.*f", decimals, value);
    }
}

static void print_tick(FILE* out, const Axis* axis, const Axis* across, bool vertical, double at) {
    double part = (at - axis->low) / (axis->high - axis->low);
    double place = axis->start + part * (axis->end - axis->start);
    if (vertical) {
        fprintf(out, "<path class=\"grid\" d=\"M%.2f %.2fH%.2f\"/>", across->start, place,
                across->end);
        fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">", across->start - 7.0,
                place + 4.0);
    } else {
        fprintf(out, "<path class=\"grid\" d=\"M%.2f %.2fV%.2f\"/>", place, across->start,
                across->end);
        fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">", place,
                across->start + 18.0);
    }
    print_label(out, axis, at);
    fputs("</text>\n", out);
}

static void print_ticks(FILE* out, const Axis* axis, const Axis* across, bool vertical) {
    double first = ceil(axis->low / axis->step - 1e-6);
    double last = floor(axis->high / axis->step + 1e-6);
    for (double i = first; i <= last; i += 1.0) {
        print_tick(out, axis, across, vertical, i * axis->step);
    }
}

static void print_frame(FILE* out, const Chart* chart, const Axis* x, const Axis* y) {
    print_ticks(out, x, y, false);
    print_ticks(out, y, x, true);
    fprintf(out, "<rect class=\"frame\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
            x->start, y->end, x->end - x->start, y->start - y->end);
    fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">", 0.5 * (x->start + x->end),
            y->start + 40.0);
    svg_text(out, chart->x_label, TITLE_LETTERS);
    double middle = 0.5 * (y->start + y->end);
    fprintf(out,
            "</text>\n<text transform=\"translate(18 %.2f) rotate(-90)\" "
            "text-anchor=\"middle\">",
            middle);
    svg_text(out, chart->y_label, TITLE_LETTERS);
    fputs("</text>\n", out);
}

// ------------------------------------------------------------------------------------- the curves

static void print_stroke(FILE* out, const ChartCurve* curve) {
    if (curve->wide) {
        fputs("class=\"wide\"", out);
        return;
    }
    const char* dash = dashes[curve->colour / COLOUR_COUNT % DASH_COUNT];
    fprintf(out, "class=\"curve\" stroke=\"%s\"", colours[curve->colour % COLOUR_COUNT]);
    if (dash[0]) {
        fprintf(out, " stroke-dasharray=\"%s\"", dash);
    }
}

static void print_curve(FILE* out, const Chart* chart, int index, const Axis* x, const Axis* y) {
    const ChartCurve* curve = &chart->curves[index];
    fputs("<path ", out);
    print_stroke(out, curve);
    fputs(" d=\"", out);
    bool down = false;
    for (int i = 0; i < chart->point_count; i++) {
        double across = value_at(chart, curve->x, i);
        double up = value_at(chart, curve->y, i);
        if (!is_drawn(across) || !is_drawn(up)) {
            down = false;
            continue;
        }
        up = y->logarithmic ? fmax(up, chart->least) : up;
        fprintf(out, "%s%.2f %.2f", down ? " " : "M", place_on(x, across), place_on(y, up));
        // Draws a dot for a single point, or for a point that stands still.
        if (!down) {
            fprintf(out, "h0L%.2f %.2f", place_on(x, across), place_on(y, up));
        }
        down = true;
    }
    fputs("\"/>\n", out);
}

static void print_legend(FILE* out, const Chart* chart, double top) {
    for (int k = 0; k < chart->curve_count; k++) {
        const ChartCurve* curve = &chart->curves[k];
        double y = top + LEGEND_ROW * (k + 0.5);
        fputs("<path ", out);
        print_stroke(out, curve);
        fprintf(out, " d=\"M%d %.2fh24\"/><text x=\"%d\" y=\"%.2f\">", LEGEND_LEFT, y,
                LEGEND_LEFT + 30, y + 4.0);
        svg_text(out, curve->label, LABEL_LETTERS);
        svg_text(out, curve->remark, REMARK_LETTERS);
        fputs("</text>\n", out);
    }
}

// ------------------------------------------------------------------------------------ the picture

double chart_height(const Chart* chart) {
    return fmax(LEAST_HEIGHT, LEGEND_ROW * chart->curve_count) + BELOW;
}

void chart_print(FILE* out, const Chart* chart, double top) {
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
        round_out(&y);
    }
    print_frame(out, chart, &x, &y);
    for (int k = 0; k < chart->curve_count; k++) {
        print_curve(out, chart, k, &x, &y);
    }
    print_legend(out, chart, above);
}

void chart_begin(FILE* out, const char* title, double heights) {
    double height = HEAD + heights + FOOT;
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
            "viewBox=\"0 0 %d %.0f\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n"
            "<title>",
            WIDTH, height, WIDTH, height);
    svg_text(out, title, TITLE_LETTERS);
    fprintf(out,
            "</title>\n<style>.grid{stroke:#ddd;fill:none}.frame{stroke:#555;fill:none}"
            ".wide{stroke:#ccc;fill:none;stroke-width:6;stroke-linecap:round}.curve{fill:none;"
            "stroke-width:1.5;stroke-"
            "linejoin:round;stroke-linecap:round}</style>\n"
            "<rect width=\"%d\" height=\"%.0f\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"26\" font-size=\"16\" text-anchor=\"middle\">",
            WIDTH, height, WIDTH / 2);
    svg_text(out, title, TITLE_LETTERS);
    fputs("</text>\n", out);
}

void chart_end(FILE* out) {
    fputs("</svg>\n", out);
}
