// SPDX-License-Identifier: MIT
// The two kinds of canvases.
#ifndef POISE_CANVAS_INTERNAL_H
#define POISE_CANVAS_INTERNAL_H

#include "canvas.h"

/// The functions of a kind of canvas. Each gets the canvas' own `state`.
typedef struct CanvasKind {
    void (*path)(void* state, CanvasStroke stroke);
    void (*move)(void* state, double x, double y);
    void (*line)(void* state, double x, double y);
    void (*stroke)(void* state);
    void (*text)(void* state, CanvasText place, const char* text);
    /// Completes the picture and frees the state. Returns false if the picture could not be made.
    bool (*end)(void* state);
} CanvasKind;

struct Canvas {
    const CanvasKind* kind;
    void* state;
};

/// The size and title of a picture that begins.
typedef struct CanvasSheet {
    FILE* out;
    CanvasFormat format;
    const char* title;
    double width;
    double height;
} CanvasSheet;

/// Begin a picture. The first function makes SVG, the second PNG or PDF. `state` is NULL if memory
/// is short or the build has no cairo.
Canvas canvas_begin_svg(const CanvasSheet* sheet);
Canvas canvas_begin_cairo(const CanvasSheet* sheet);
/// True in a build with cairo.
bool canvas_has_cairo(void);

#endif
