// SPDX-License-Identifier: MIT
// A picture of lines and text: as SVG, or through cairo as PNG or PDF. Positions are in CSS pixels,
// from the top left corner.
#ifndef POISE_CANVAS_H
#define POISE_CANVAS_H

#include <stdbool.h>
#include <stdio.h>

typedef enum CanvasFormat {
    CANVAS_NONE, ///< a file of another kind
    CANVAS_SVG,
    CANVAS_PNG,
    CANVAS_PDF
} CanvasFormat;

/// Returns the format for the ending of a file's name; "-" is SVG. CANVAS_NONE for other endings,
/// and for PNG and PDF in a build without cairo.
CanvasFormat canvas_format(const char* path);

typedef enum CanvasPen {
    PEN_GRID,  ///< thin light lines, for the grid
    PEN_FRAME, ///< thin dark lines, for the frame
    PEN_WIDE,  ///< broad grey lines, for curves that others should follow
    PEN_CURVE  ///< coloured curves
} CanvasPen;

typedef struct CanvasStroke {
    CanvasPen pen;
    int colour; ///< number of the colour of a PEN_CURVE; equal numbers also have equal dashes
} CanvasStroke;

typedef enum CanvasAnchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END } CanvasAnchor;

typedef struct CanvasText {
    double x;
    double y; ///< place of the text's baseline
    CanvasAnchor anchor;
    bool upright; ///< True if the text runs upwards
    double size;  ///< size of the letters; 0: the default size
} CanvasText;

/// Largest size of a text after canvas_clean, bytes with the final 0.
enum { CANVAS_TEXT = 600 };

typedef struct Canvas Canvas;

/// A picture under construction: the functions of its format.
struct Canvas {
    /// Begins a path, to be ended by `stroke`.
    void (*path)(Canvas* canvas, CanvasStroke stroke);
    /// `move` begins a line of the path at a place; `line` extends it to a place. A line without
    /// length is a dot.
    void (*move)(Canvas* canvas, double x, double y);
    void (*line)(Canvas* canvas, double x, double y);
    /// Draws the path that `move` and `line` made.
    void (*stroke)(Canvas* canvas);
    /// Draws a text that canvas_clean made.
    void (*text)(Canvas* canvas, CanvasText place, const char* text);
    /// Completes the picture, and frees the canvas. Returns false if the picture could not be made.
    bool (*end)(Canvas* canvas);
};

/// A picture to begin in `out`, an open file; sizes in CSS pixels.
typedef struct CanvasSheet {
    FILE* out;
    CanvasFormat format;
    const char* title;
    double width;
    double height;
} CanvasSheet;

/// Begins a picture. Returns NULL when memory is short.
Canvas* canvas_begin(const CanvasSheet* sheet);

/// Appends at most `most` letters of a text to `clean`, then "..." if the text is longer. Control
/// characters and bytes that are no UTF-8 become U+FFFD.
void canvas_clean(char clean[CANVAS_TEXT], const char* text, int most);

// ----------------------------------------------------------------------------------- for canvases

/// Colour and dashes with which a curve is drawn.
typedef struct CanvasStyle {
    const char* colour; ///< colour of the curve as #rrggbb
    double width;
    const double* dashes; ///< lengths of dashes and gaps
    int dash_count;
} CanvasStyle;

CanvasStyle canvas_style(CanvasStroke stroke);

/// Begin a picture as SVG, or as PNG or PDF. The second function returns NULL in a build without
/// cairo.
Canvas* canvas_begin_svg(const CanvasSheet* sheet);
Canvas* canvas_begin_cairo(const CanvasSheet* sheet);
/// True in a build with cairo.
bool canvas_has_cairo(void);

#endif
