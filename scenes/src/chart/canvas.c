// SPDX-License-Identifier: MIT
// Chooses the kind of a canvas, and calls it.
#include <stdlib.h>
#include <string.h>

#include "canvas_internal.h"

CanvasFormat canvas_format(const char* path) {
    static const struct {
        const char* ending;
        CanvasFormat format;
    } endings[] = {{".svg", CANVAS_SVG}, {".png", CANVAS_PNG}, {".pdf", CANVAS_PDF}};
    if (strcmp(path, "-") == 0) {
        return CANVAS_SVG;
    }
    const char* dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++) {
        if (strcmp(dot, endings[i].ending) == 0 &&
            (endings[i].format == CANVAS_SVG || canvas_has_cairo())) {
            return endings[i].format;
        }
    }
    return CANVAS_NONE;
}

Canvas* canvas_begin(FILE* out, CanvasFormat format, const char* title, double width,
                     double height) {
    const CanvasSheet sheet = {out, format, title, width, height};
    Canvas* canvas = malloc(sizeof *canvas);
    if (!canvas) {
        return NULL;
    }
    *canvas = format == CANVAS_SVG ? canvas_begin_svg(&sheet) : canvas_begin_cairo(&sheet);
    if (!canvas->state) {
        free(canvas);
        return NULL;
    }
    return canvas;
}

bool canvas_end(Canvas* canvas) {
    const bool fine = canvas && canvas->kind->end(canvas->state);
    free(canvas);
    return fine;
}

void canvas_path(Canvas* canvas, CanvasStroke stroke) {
    canvas->kind->path(canvas->state, stroke);
}

void canvas_move(Canvas* canvas, double x, double y) {
    canvas->kind->move(canvas->state, x, y);
}

void canvas_line(Canvas* canvas, double x, double y) {
    canvas->kind->line(canvas->state, x, y);
}

void canvas_stroke(Canvas* canvas) {
    canvas->kind->stroke(canvas->state);
}

void canvas_text(Canvas* canvas, CanvasText place, const char* text) {
    canvas->kind->text(canvas->state, place, text);
}
