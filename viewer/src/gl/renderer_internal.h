// SPDX-License-Identifier: MIT
// The renderer's members and internal functions, for the renderer's own files only.
#ifndef POISE_RENDERER_INTERNAL_H
#define POISE_RENDERER_INTERNAL_H

#include "frame.h"
#include "gl_objects.h"
#include "mesh_store.h"
#include "renderer.h"

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
    POISE_PROGRAM_ENLARGE,
    POISE_PROGRAM_COUNT
} PoiseProgramKind;

typedef struct PoiseRenderSettings {
    /// Samples per pixel of the multisampled target; 0: no multisampling.
    int samples;
    /// Rendered pixels per shown pixel, along each axis.
    int supersampling;
    /// Width and height of the shadow map for a picture of full size.
    int shadow_size;
    /// Segments of a quarter turn in the fine meshes.
    int detail;
    /// True if nearby surfaces darken each other (ambient occlusion).
    bool occlusion;
    /// True if the picture is shown without a conversion pass, and enlarged if it was rendered
    /// smaller.
    bool plain;
    /// True if the shaders write sRGB colours, since OpenGL ES converts sRGB to linear light when
    /// it copies.
    bool encodes;
    /// Definitions that precede the fragment shaders.
    const char* defines;
} PoiseRenderSettings;

struct PoiseRenderer {
    PoiseRenderSettings settings;
    GLuint programs[POISE_PROGRAM_COUNT];
    GLint strength_of_body;
    GLint strength_of_line;
    GLuint frame_buffer;
    /// A vertex array without buffers, for passes whose shaders compute vertices from their index.
    GLuint empty_array;
    PoiseMeshStore meshes;
    PoiseTarget shadow;
    /// The multisampled picture; unused without multisampling.
    PoiseTarget samples;
    /// The picture in linear light, stored as sRGB, with depths.
    PoiseTarget picture;
    /// Ambient occlusion at half the size of the picture: rough, then blurred.
    PoiseTarget occlusion[2];
    /// The picture as shown, with the panels.
    PoiseTarget shown;
    /// The panels alone, and the hash of those in it. A change of the hash requires another
    /// rendering.
    PoiseTarget panels;
    uint64_t panels_hash;
    bool keeps_panels;
    /// Framebuffer that showed the last picture, and hash of the labels and popups in it.
    GLuint shown_in;
    uint64_t others_hash;
    /// Part of the picture that was rendered after the last shown picture.
    PoiseRegion unshown;
    /// True if `picture` contains a rendered scene.
    bool has_picture;
    int width;
    int height;
    /// Size of the picture in rendered pixels.
    int drawn_width;
    int drawn_height;
    /// Size of the last picture's camera, window units, width and height.
    double window_width;
    double window_height;
    /// Part of the picture that no opaque panel covers, window units, width and height.
    double free_width;
    double free_height;
    PoiseUi* ui;
};

/// Makes the targets for a picture of this size, if the present ones have another size.
bool poise__renderer_resize(PoiseRenderer* renderer, const PoisePicture* picture, PoiseNote* note);
/// Uploads the data of a frame, for a picture of this size. Returns false if memory runs out.
bool poise__renderer_load(PoiseRenderer* renderer, const PoisePicture* picture, PoiseFrameSize size,
                          PoiseNote* note);
/// Binds the target, clears its depth, and sets the OpenGL state for opaque things.
void poise__renderer_begin_pass(const PoiseTarget* target);
/// Converts the last picture to sRGB, into a framebuffer of the shown size, and draws the panels
/// over it.
void poise__renderer_convert(PoiseRenderer* renderer, GLuint framebuffer);

#endif
