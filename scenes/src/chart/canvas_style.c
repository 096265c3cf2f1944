// SPDX-License-Identifier: MIT
// Chooses the colours and dashes of lines.
#include "canvas.h"

// Colours that colour-blind readers can tell apart (Okabe and Ito), without yellow, which is faint
// on white.
static const char* const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#444444"};
enum { COLOUR_COUNT = 7, DASH_COUNT = 4, MOST_DASHES = 4 };
static const struct {
    double lengths[MOST_DASHES];
    int count;
} dashes[DASH_COUNT] = {{{0.0}, 0}, {{8.0, 3.0}, 2}, {{2.0, 3.0}, 2}, {{10.0, 3.0, 2.0, 3.0}, 4}};

CanvasStyle canvas_style(CanvasStroke stroke) {
    switch (stroke.pen) {
    case PEN_GRID:
        return (CanvasStyle){"#dddddd", 1.0, NULL, 0};
    case PEN_FRAME:
        return (CanvasStyle){"#555555", 1.0, NULL, 0};
    case PEN_WIDE:
        return (CanvasStyle){"#cccccc", 6.0, NULL, 0};
    case PEN_CURVE:
        break;
    }
    const int dash = stroke.colour / COLOUR_COUNT % DASH_COUNT;
    return (CanvasStyle){colours[stroke.colour % COLOUR_COUNT], 1.5, dashes[dash].lengths,
                         dashes[dash].count};
}
