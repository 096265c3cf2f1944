// SPDX-License-Identifier: MIT
// Chooses the format of a picture by its file's name, and begins the canvas of that format.
#include "canvas.h"

#include <string.h>

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

Canvas* canvas_begin(const CanvasSheet* sheet) {
    return sheet->format == CANVAS_SVG ? canvas_begin_svg(sheet) : canvas_begin_cairo(sheet);
}
