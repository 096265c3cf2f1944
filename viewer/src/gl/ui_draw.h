// SPDX-License-Identifier: MIT
// Draws the triangles of the panels with OpenGL, over a picture that is there already.
#ifndef POISE_UI_DRAW_H
#define POISE_UI_DRAW_H

#include "note.h"
#include "ui.h"

typedef struct PoiseUiPainter PoiseUiPainter;

/// Needs a current context. NULL, and why, when it cannot be made.
PoiseUiPainter* poise__ui_painter_create(PoiseUi* ui, PoiseNote* note);
/// NULL is allowed.
void poise__ui_painter_destroy(PoiseUiPainter* painter);

/// A framebuffer's size in pixels, and the window units that these stand for.
typedef struct PoiseUiCanvas {
    int width;
    int height;
    double window_width;
    double window_height;
} PoiseUiCanvas;

/// Draws what the last frame of `ui` left into the framebuffer that is bound.
void poise__ui_painter_draw(PoiseUiPainter* painter, PoiseUi* ui, const PoiseUiCanvas* canvas);

#endif
