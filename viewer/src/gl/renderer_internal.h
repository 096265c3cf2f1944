// SPDX-License-Identifier: MIT
// What the renderer consists of. Only the renderer's own files include this.
#ifndef POISE_RENDERER_INTERNAL_H
#define POISE_RENDERER_INTERNAL_H

#include "frame.h"
#include "gl_objects.h"
#include "mesh_store.h"
#include "renderer.h"
#include "ui_draw.h"

typedef enum PoiseProgramKind {
    POISE_PROGRAM_BODY = 0,
    POISE_PROGRAM_SHADOW,
    POISE_PROGRAM_ID,
    POISE_PROGRAM_SKY,
    POISE_PROGRAM_GROUND,
    POISE_PROGRAM_LINE,
    POISE_PROGRAM_OCCLUSION,
    POISE_PROGRAM_BLUR,
    POISE_PROGRAM_PRESENT,
    POISE_PROGRAM_COUNT
} PoiseProgramKind;

typedef struct PoiseRenderSettings {
    /// 0: none.
    int samples;
    /// Pixels drawn for one shown, each way.
    int supersampling;
    int shadow_size;
    /// Of meshes: segments of a quarter turn.
    int detail;
    /// Whether what is close together darkens.
    bool occlusion;
    /// What is drawn is shown as it is, be it smaller.
    bool plain;
    /// Put before the fragment shaders.
    const char* defines;
} PoiseRenderSettings;

struct PoiseRenderer {
    PoiseRenderSettings settings;
    GLuint programs[POISE_PROGRAM_COUNT];
    GLint strength_of_body;
    GLint strength_of_line;
    GLuint frame_buffer;
    GLuint line_array;
    GLuint line_buffer;
    /// For passes whose vertices come from their number alone.
    GLuint empty_array;
    int line_count;
    PoiseMeshStore meshes;
    PoiseTarget shadow;
    /// Multisampled; unused without.
    PoiseTarget samples;
    /// Linear light in sRGB texels, and depths.
    PoiseTarget picture;
    /// Half as large: rough, and evened out.
    PoiseTarget occlusion[2];
    /// As shown.
    PoiseTarget shown;
    int width;
    int height;
    /// Of the picture that is drawn, before it is shown.
    int drawn_width;
    int drawn_height;
    /// Of the camera that drew the last picture, window units.
    double window_width;
    double window_height;
    PoiseUi* ui;
    PoiseUiPainter* painter;
};

/// Targets for a picture of this size; nothing to do when there are.
bool poise__renderer_resize(PoiseRenderer* renderer, const PoisePicture* picture, PoiseNote* note);
/// Sends what a frame needs to the graphics card, for a picture of so many pixels. False when
/// memory is short.
bool poise__renderer_load(PoiseRenderer* renderer, const PoisePicture* picture, PoiseFrameSize size,
                          PoiseNote* note);
/// Binds the target, clears its depth, and sets the state that opaque things are drawn in.
void poise__renderer_begin_pass(const PoiseTarget* target);
/// The last picture in sRGB, into a framebuffer of its size.
void poise__renderer_convert(PoiseRenderer* renderer, GLuint framebuffer);

#endif
