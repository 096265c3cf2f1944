// SPDX-License-Identifier: MIT
// A canvas that writes SVG. A path is written as its places are added, so that a long curve takes
// no memory.
#include <stdlib.h>
#include <string.h>

#include "canvas.h"

typedef struct Svg {
    Canvas canvas; ///< first member: the caller's Canvas* points to the whole struct
    FILE* out;
    bool down; ///< True if the path has a line to the last place
} Svg;

// Writes text as XML character data.
static void print_escaped(FILE* out, const char* text) {
    static const char letters[] = "&<>\"'";
    static const char* const escapes[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (; *text; text++) {
        const char* at = strchr(letters, *text);
        if (at) {
            fputs(escapes[at - letters], out);
        } else {
            fputc(*text, out);
        }
    }
}

static void path(Canvas* canvas, CanvasStroke stroke) {
    static const char* const classes[] = {
        [PEN_GRID] = "grid", [PEN_FRAME] = "frame", [PEN_WIDE] = "wide", [PEN_CURVE] = "curve"};
    Svg* svg = (Svg*)canvas;
    const CanvasStyle style = canvas_style(stroke);
    fprintf(svg->out, "<path class=\"%s\"", classes[stroke.pen]);
    if (stroke.pen == PEN_CURVE) {
        fprintf(svg->out, " stroke=\"%s\"", style.colour);
    }
    for (int i = 0; i < style.dash_count; i++) {
        fprintf(svg->out, "%s%g", i == 0 ? " stroke-dasharray=\"" : " ", style.dashes[i]);
    }
    fputs(style.dash_count > 0 ? "\" d=\"" : " d=\"", svg->out);
}

static void move(Canvas* canvas, double x, double y) {
    Svg* svg = (Svg*)canvas;
    fprintf(svg->out, "M%.2f %.2f", x, y);
    svg->down = false;
}

static void line(Canvas* canvas, double x, double y) {
    Svg* svg = (Svg*)canvas;
    fprintf(svg->out, "%s%.2f %.2f", svg->down ? " " : "L", x, y);
    svg->down = true;
}

static void stroke(Canvas* canvas) {
    const Svg* svg = (const Svg*)canvas;
    fputs("\"/>\n", svg->out);
}

static void text(Canvas* canvas, CanvasText place, const char* text) {
    static const char* const anchors[] = {[ANCHOR_START] = "",
                                          [ANCHOR_MIDDLE] = " text-anchor=\"middle\"",
                                          [ANCHOR_END] = " text-anchor=\"end\""};
    Svg* svg = (Svg*)canvas;
    if (place.upright) {
        fprintf(svg->out, "<text transform=\"translate(%g %.2f) rotate(-90)\"", place.x, place.y);
    } else {
        fprintf(svg->out, "<text x=\"%.2f\" y=\"%.2f\"", place.x, place.y);
    }
    if (place.size > 0.0) {
        fprintf(svg->out, " font-size=\"%g\"", place.size);
    }
    fprintf(svg->out, "%s>", anchors[place.anchor]);
    print_escaped(svg->out, text);
    fputs("</text>\n", svg->out);
}

static bool end(Canvas* canvas) {
    Svg* svg = (Svg*)canvas;
    fputs("</svg>\n", svg->out);
    free(svg);
    return true;
}

Canvas* canvas_begin_svg(const CanvasSheet* sheet) {
    Svg* svg = malloc(sizeof *svg);
    if (!svg) {
        return NULL;
    }
    *svg = (Svg){{path, move, line, stroke, text, end}, sheet->out, false};
    fprintf(sheet->out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n"
            "<title>",
            sheet->width, sheet->height, sheet->width, sheet->height);
    print_escaped(sheet->out, sheet->title);
    fprintf(
        sheet->out,
        "</title>\n<style>.grid{stroke:#ddd;fill:none}.frame{stroke:#555;fill:none}"
        ".wide{stroke:#ccc;fill:none;stroke-width:6;stroke-linecap:round;stroke-linejoin:round}"
        ".curve{fill:none;stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}</style>\n"
        "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n",
        sheet->width, sheet->height);
    return &svg->canvas;
}
