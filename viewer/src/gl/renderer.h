// SPDX-License-Identifier: MIT
// Draws lists with OpenGL 3.3 or OpenGL ES 3. Needs a current context and nothing else: it draws
// into a picture of its own, which is then shown in a window, or read.
#ifndef POISE_RENDERER_H
#define POISE_RENDERER_H

#include "camera.h"
#include "draw_list.h"
#include "note.h"
#include "ui.h"

typedef enum PoiseQuality {
    POISE_QUALITY_FAST = 0,   ///< no anti-aliasing, hard shadows
    POISE_QUALITY_NORMAL = 1, ///< 4 samples to a pixel, soft shadows
    POISE_QUALITY_HIGH = 2    ///< 4 times 4 samples, finer shadows and meshes: for pictures
} PoiseQuality;

/// What is drawn, how it is seen, and the size in pixels; the camera's own size gives the window
/// units.
typedef struct PoisePicture {
    const PoiseDrawList* list;
    const PoiseCamera* camera;
    int width;
    int height;
    /// Pixels drawn for one shown, each way, 0.25 to 1; 0: one. Only at POISE_QUALITY_FAST.
    double scale;
} PoisePicture;

typedef struct PoiseRenderer PoiseRenderer;

/// NULL, and why, when the context cannot do it or memory is short.
PoiseRenderer* poise__renderer_create(PoiseQuality quality, PoiseNote* note);
/// NULL is allowed.
void poise__renderer_destroy(PoiseRenderer* renderer);

/// From now on the panels of `ui` lie over the picture as shown and read; NULL: none. Draws with a
/// font that is loaded here. False, and why, when that cannot be.
bool poise__renderer_set_ui(PoiseRenderer* renderer, PoiseUi* ui, PoiseNote* note);

/// Draws the picture; the renderer keeps it. False, and why, when that cannot be.
bool poise__renderer_draw(PoiseRenderer* renderer, const PoisePicture* picture, PoiseNote* note);
/// Shows the last picture in the window's framebuffer.
void poise__renderer_present(PoiseRenderer* renderer);
/// The same without a window: what showing costs.
void poise__renderer_show(PoiseRenderer* renderer);
/// Reads the last picture: 3 bytes a pixel, rows from the top, width * height * 3 bytes.
bool poise__renderer_read(PoiseRenderer* renderer, unsigned char* rgb, PoiseNote* note);

/// Draws the ids of the list instead of colours and reads them: rows from the top, width * height
/// numbers. See poise__draw_id. Goals and points stand before all else, as they do for the mouse.
bool poise__renderer_ids(PoiseRenderer* renderer, const PoisePicture* picture, uint32_t* ids,
                         PoiseNote* note);

/// The driver's name, for bug reports.
const char* poise__renderer_driver(void);

#endif
