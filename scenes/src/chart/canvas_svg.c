// SPDX-License-Identifier: MIT
// A canvas that writes SVG. A path is written as its places are added, so that a long curve takes
// no memory.
#include <stdlib.h>
#include <string.h>

#include "canvas_internal.h"

typedef struct Svg {
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

static void path(void* state, CanvasStroke stroke) {
    static const char* const classes[] = {
        [PEN_GRID] = "grid", [PEN_FRAME] = "frame", [PEN_WIDE] = "wide", [PEN_CURVE] = "curve"};
    Svg* svg = state;
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

static void move(void* state, double x, double y) {
    Svg* svg = state;
    fprintf(svg->out, "M%.2f %.2f", x, y);
    svg->down = false;
}

static void line(void* state, double x, double y) {
    Svg* svg = state;
    fprintf(svg->out, "%s%.2f %.2f", svg->down ? " " : "L", x, y);
    svg->down = true;
}

static void stroke(void* state) {
    const Svg* svg = state;
    fputs("\"/>\n", svg->out);
}

static void text(void* state, CanvasText place, const char* text) {
    static const char* const anchors[] = {[ANCHOR_START] = "",
                                          [ANCHOR_MIDDLE] = " text-anchor=\"middle\"",
                                          [ANCHOR_END] = " text-anchor=\"end\""};
    Svg* svg = state;
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

static bool end(void* state) {
    Svg* svg = state;
    fputs("</svg>\n", svg->out);
    free(svg);
    return true;
}

static const CanvasKind kind = {path, move, line, stroke, text, end};

Canvas canvas_begin_svg(const CanvasSheet* sheet) {
    Svg* svg = calloc(1, sizeof *svg);
    if (!svg) {
        return (Canvas){&kind, NULL};
    }
    svg->out = sheet->out;
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
    return (Canvas){&kind, svg};
}
