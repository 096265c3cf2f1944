// SPDX-License-Identifier: MIT
// Draws the triangles of the panels with OpenGL over the picture in the bound framebuffer.
#ifndef POISE_UI_DRAW_H
#define POISE_UI_DRAW_H

#include "note.h"
#include "ui.h"

typedef struct PoiseUiPainter PoiseUiPainter;

/// Makes a painter in the current context. Returns NULL, with the reason in the note, on failure.
PoiseUiPainter* poise__ui_painter_create(PoiseUi* ui, PoiseNote* note);
/// Destroys the painter. NULL is allowed.
void poise__ui_painter_destroy(PoiseUiPainter* painter);

/// Size of a framebuffer in pixels and in window units.
typedef struct PoiseUiCanvas {
    int width;
    int height;
    double window_width;
    double window_height;
    /// Width and height of the part at the left and above that no opaque panel covers, window
    /// units.
    double free_width;
    double free_height;
} PoiseUiCanvas;

/// What is drawn: the panels, which cover all but the free part, or what lies over the picture.
typedef enum PoiseUiPart { POISE_UI_PANELS_PART, POISE_UI_OTHERS_PART } PoiseUiPart;

/// Draws a part of the last frame of `ui` into the bound framebuffer.
void poise__ui_painter_draw(PoiseUiPainter* painter, PoiseUi* ui, const PoiseUiCanvas* canvas,
                            PoiseUiPart part);
/// Returns a hash of the panels. Equal hashes mean equal pixels.
uint64_t poise__ui_panels_hash(const PoiseUi* ui, const PoiseUiCanvas* canvas);

#endif
