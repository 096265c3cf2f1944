// SPDX-License-Identifier: MIT
// Renders draw lists with OpenGL 3.3 or OpenGL ES 3 in the current context. The result is a picture
// of the renderer's own, which can be shown in a window or read.
#ifndef POISE_RENDERER_H
#define POISE_RENDERER_H

#include "camera.h"
#include "draw_list.h"
#include "note.h"
#include "ui.h"

typedef enum PoiseQuality {
    POISE_QUALITY_FAST = 0,   ///< no anti-aliasing, hard shadows
    POISE_QUALITY_NORMAL = 1, ///< 4 samples per pixel, soft shadows
    POISE_QUALITY_HIGH = 2    ///< 4 x 4 samples per pixel, finer shadows and meshes, for pictures
} PoiseQuality;

/// The draw list to render, the camera, and the size in pixels. The camera's own size is in window
/// units.
typedef struct PoisePicture {
    const PoiseDrawList* list;
    const PoiseCamera* camera;
    int width;
    int height;
    /// Rendered pixels per shown pixel along each axis, 0.25 to 1; used only at POISE_QUALITY_FAST.
    double scale;
    /// Part of the scene that differs from the last picture; NULL: all. If the size is the same,
    /// the renderer keeps all other pixels. Above POISE_QUALITY_FAST it keeps all pixels or none.
    const PoiseRegion* changed;
    /// True if the scene moves, so that outlines may be wrong by half a pixel.
    bool moves;
    /// True if the panels of the last picture may be shown again, since their numbers change faster
    /// than anyone reads.
    bool keeps_panels;
} PoisePicture;

typedef struct PoiseRenderer PoiseRenderer;

/// Makes a renderer. Returns NULL, with the reason in the note, if the context is too old or memory
/// runs out.
PoiseRenderer* poise__renderer_create(PoiseQuality quality, PoiseNote* note);
/// Destroys the renderer. NULL is allowed.
void poise__renderer_destroy(PoiseRenderer* renderer);

/// Sets the panels that are shown over the picture; NULL: none. Loads their font. Returns false,
/// with the reason in the note, on failure.
bool poise__renderer_set_ui(PoiseRenderer* renderer, PoiseUi* ui, PoiseNote* note);

/// Renders the picture and stores it. Returns false, with the reason in the note, on failure.
bool poise__renderer_draw(PoiseRenderer* renderer, const PoisePicture* picture, PoiseNote* note);
/// Shows the last picture in the window's framebuffer.
void poise__renderer_present(PoiseRenderer* renderer);
/// Does the work of poise__renderer_present without a window, so that its time can be measured.
void poise__renderer_show(PoiseRenderer* renderer);
/// Reads the last picture: 3 bytes per pixel, rows from the top, width * height * 3 bytes.
bool poise__renderer_read(PoiseRenderer* renderer, unsigned char* rgb, PoiseNote* note);

/// Renders the list with ids (poise__draw_id) instead of colours and reads the ids: width * height
/// numbers, rows from the top. Goals and points are in front of everything, as they are for the
/// mouse.
bool poise__renderer_ids(PoiseRenderer* renderer, const PoisePicture* picture, uint32_t* ids,
                         PoiseNote* note);
/// Like poise__renderer_ids, but with the colours of things instead of their ids: 0xrrggbbaa, sRGB,
/// without light, shadow and tone mapping.
bool poise__renderer_unlit(PoiseRenderer* renderer, const PoisePicture* picture, uint32_t* colours,
                           PoiseNote* note);

/// Returns the driver's name, for bug reports.
const char* poise__renderer_driver(void);

#endif
