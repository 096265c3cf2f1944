// SPDX-License-Identifier: MIT
// Makes and destroys the renderer: programs, buffers, targets.
#include <math.h>
#include <stdlib.h>

#include "renderer_internal.h"
#include "shaders.h"

#define FAST_DEFINES                                                                               \
    "#define SHADOW_TAPS 1\n"                                                                      \
    "#define SHADOW_STRIDE 1.0\n"

static const PoiseRenderSettings SETTINGS[] = {
    [POISE_QUALITY_FAST] = {.samples = 0,
                            .supersampling = 1,
                            .shadow_size = 1024,
                            .detail = 6,
                            .plain = true,
                            .defines = FAST_DEFINES},
    [POISE_QUALITY_NORMAL] = {.samples = 4,
                              .supersampling = 1,
                              .shadow_size = 2048,
                              .detail = 8,
                              .occlusion = true,
                              .defines = "#define SHADOW_TAPS 4\n"
                                         "#define SHADOW_STRIDE 1.5\n"
                                         "#define OCCLUSION_TAPS 10\n"
                                         "#define OCCLUSION_TURNS 3.0\n"},
    [POISE_QUALITY_HIGH] = {.samples = 4,
                            .supersampling = 2,
                            .shadow_size = 4096,
                            .detail = 16,
                            .occlusion = true,
                            .defines = "#define SHADOW_TAPS 9\n"
                                       "#define SHADOW_STRIDE 1.7\n"
                                       "#define OCCLUSION_TAPS 24\n"
                                       "#define OCCLUSION_TURNS 5.0\n"},
};

/// Strength of the sharpening of enlarged pictures. In the finest octave a picture rendered at half
/// size then has 0.75 of the energy of the full-size picture; without sharpening it has 0.35
/// (measured on three scenes).
#define SHARPNESS "#define SHARPNESS 0.5\n"

static void list_sources(const char* defines, PoiseProgramSource sources[POISE_PROGRAM_COUNT]) {
    const char* frame = POISE__SHADER_FRAME;
    const char* light = POISE__SHADER_LIGHT;
    const char* depth = POISE__SHADER_DEPTH;
    const char* screen = POISE__SHADER_SCREEN_VERTEX;
    sources[POISE_PROGRAM_BODY] =
        (PoiseProgramSource){"body",
                             {frame, POISE__SHADER_BODY_VERTEX},
                             {defines, frame, light, POISE__SHADER_BODY_FRAGMENT}};
    sources[POISE_PROGRAM_SHADOW] = (PoiseProgramSource){
        "shadow", {frame, POISE__SHADER_SHADOW_VERTEX}, {POISE__SHADER_SHADOW_FRAGMENT}};
    sources[POISE_PROGRAM_ID] =
        (PoiseProgramSource){"id", {frame, POISE__SHADER_BODY_VERTEX}, {POISE__SHADER_ID_FRAGMENT}};
    sources[POISE_PROGRAM_SKY] =
        (PoiseProgramSource){"sky",
                             {frame, POISE__SHADER_SKY_VERTEX},
                             {defines, frame, light, POISE__SHADER_SKY_FRAGMENT}};
    sources[POISE_PROGRAM_GROUND] =
        (PoiseProgramSource){"ground",
                             {frame, POISE__SHADER_GROUND_VERTEX},
                             {defines, frame, light, POISE__SHADER_GROUND_FRAGMENT}};
    sources[POISE_PROGRAM_LINE] = (PoiseProgramSource){
        "line", {frame, POISE__SHADER_LINE_VERTEX}, {defines, frame, POISE__SHADER_LINE_FRAGMENT}};
    sources[POISE_PROGRAM_OCCLUSION] = (PoiseProgramSource){
        "occlusion", {screen}, {defines, frame, depth, POISE__SHADER_OCCLUSION_FRAGMENT}};
    sources[POISE_PROGRAM_BLUR] =
        (PoiseProgramSource){"blur", {screen}, {frame, depth, POISE__SHADER_BLUR_FRAGMENT}};
    sources[POISE_PROGRAM_PRESENT] =
        (PoiseProgramSource){"present", {screen}, {defines, frame, POISE__SHADER_PRESENT_FRAGMENT}};
    sources[POISE_PROGRAM_ENLARGE] =
        (PoiseProgramSource){"enlarge", {screen}, {SHARPNESS, POISE__SHADER_ENLARGE_FRAGMENT}};
}

static void bind_sampler(GLuint program, const char* name, GLint unit) {
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, name), unit);
}

static bool make_programs(PoiseRenderer* renderer, PoiseNote* note) {
    PoiseProgramSource sources[POISE_PROGRAM_COUNT];
    list_sources(renderer->settings.defines, sources);
    GLuint* programs = renderer->programs;
    for (int i = 0; i < POISE_PROGRAM_COUNT; i++) {
        bool unused = (i == POISE_PROGRAM_OCCLUSION || i == POISE_PROGRAM_BLUR) &&
                      !renderer->settings.occlusion;
        programs[i] = unused ? 0 : poise__gl_program(&sources[i], note);
        if (!programs[i] && !unused) {
            return false;
        }
    }
    renderer->strength_of_body = glGetUniformLocation(programs[POISE_PROGRAM_BODY], "strength");
    renderer->strength_of_line = glGetUniformLocation(programs[POISE_PROGRAM_LINE], "strength");
    if (renderer->settings.occlusion) {
        bind_sampler(programs[POISE_PROGRAM_BLUR], "occlusion_map", 1);
        bind_sampler(programs[POISE_PROGRAM_PRESENT], "occlusion_map", 1);
    }
    return true;
}

static bool init_renderer(PoiseRenderer* renderer, PoiseQuality quality, PoiseNote* note) {
    GLint max_samples = 0;
    GLint largest = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &max_samples);
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
    renderer->settings = SETTINGS[quality];
    if (renderer->settings.plain && !epoxy_is_desktop_gl()) {
        renderer->settings.encodes = true;
        renderer->settings.defines = FAST_DEFINES "#define ENCODES\n";
    }
    if (renderer->settings.samples > max_samples) {
        renderer->settings.samples = max_samples;
    }
    if (renderer->settings.shadow_size > largest) {
        renderer->settings.shadow_size = largest;
    }
    glGenBuffers(1, &renderer->frame_buffer);
    glGenVertexArrays(1, &renderer->empty_array);
    return make_programs(renderer, note) &&
           poise__mesh_store_init(&renderer->meshes, renderer->settings.detail, note);
}

PoiseRenderer* poise__renderer_create(PoiseQuality quality, PoiseNote* note) {
    const int needed = epoxy_is_desktop_gl() ? 33 : 30;
    if (epoxy_gl_version() < needed) {
        poise__note_fail(note, "OpenGL 3.3 or OpenGL ES 3.0 is needed, the driver has %d.%d",
                         epoxy_gl_version() / 10, epoxy_gl_version() % 10);
        return NULL;
    }
    PoiseRenderer* renderer = calloc(1, sizeof *renderer);
    if (!renderer) {
        poise__note_fail(note, "out of memory");
        return NULL;
    }
    if (!init_renderer(renderer, quality, note)) {
        poise__renderer_destroy(renderer);
        return NULL;
    }
    return renderer;
}

static void finish_picture(PoiseRenderer* renderer) {
    poise__gl_target_finish(&renderer->shadow);
    poise__gl_target_finish(&renderer->samples);
    poise__gl_target_finish(&renderer->picture);
    poise__gl_target_finish(&renderer->occlusion[0]);
    poise__gl_target_finish(&renderer->occlusion[1]);
    renderer->drawn_width = 0;
    renderer->drawn_height = 0;
    renderer->has_picture = false;
    renderer->unshown = (PoiseRegion){0.0, 0.0, HUGE_VAL, HUGE_VAL};
}

static void finish_targets(PoiseRenderer* renderer) {
    finish_picture(renderer);
    poise__gl_target_finish(&renderer->shown);
    poise__gl_target_finish(&renderer->panels);
    renderer->width = 0;
    renderer->height = 0;
}

void poise__renderer_destroy(PoiseRenderer* renderer) {
    if (!renderer) {
        return;
    }
    for (int i = 0; i < POISE_PROGRAM_COUNT; i++) {
        glDeleteProgram(renderer->programs[i]);
    }
    glDeleteVertexArrays(1, &renderer->empty_array);
    glDeleteBuffers(1, &renderer->frame_buffer);
    poise__mesh_store_finish(&renderer->meshes);
    finish_targets(renderer);
    free(renderer);
}

/// Returns the width or height, in rendered pixels, of a picture whose shown width or height is
/// `length`.
static int rendered_size(const PoiseRenderer* renderer, const PoisePicture* picture, int length) {
    const bool smaller = renderer->settings.plain && picture->scale < 1.0;
    const double scale = smaller ? fmax(0.25, picture->scale) : 1.0;
    return (int)fmax(1.0, round(scale * length)) * renderer->settings.supersampling;
}

/// Makes the targets of a picture whose shown height is `shown` pixels.
static bool make_picture(PoiseRenderer* renderer, int shown, PoiseNote* note) {
    const int width = renderer->drawn_width;
    const int height = renderer->drawn_height;
    const bool occlusion = renderer->settings.occlusion;
    const PoiseTargetDef picture = {.width = width,
                                    .height = height,
                                    .colour_format =
                                        renderer->settings.encodes ? GL_RGBA8 : GL_SRGB8_ALPHA8,
                                    .depth = occlusion ? POISE_DEPTH_TEXTURE : POISE_DEPTH_BUFFER};
    PoiseTargetDef samples = picture;
    samples.samples = renderer->settings.samples;
    samples.depth = POISE_DEPTH_BUFFER;
    // chooses the shadow map so that a texel covers about the same number of rendered pixels at
    // half the size
    const bool smaller = 2 * height <= shown * renderer->settings.supersampling + 1;
    const int shadow_size = renderer->settings.shadow_size / (smaller ? 2 : 1);
    const PoiseTargetDef shadow = {.width = shadow_size,
                                   .height = shadow_size,
                                   .colour_format = GL_NONE,
                                   .depth = POISE_DEPTH_SHADOW};
    const PoiseTargetDef half = {
        .width = (width + 1) / 2, .height = (height + 1) / 2, .colour_format = GL_R8};
    if (occlusion && (!poise__gl_target_init(&renderer->occlusion[0], &half, note) ||
                      !poise__gl_target_init(&renderer->occlusion[1], &half, note))) {
        return false;
    }
    return poise__gl_target_init(&renderer->shadow, &shadow, note) &&
           poise__gl_target_init(&renderer->picture, &picture, note) &&
           (samples.samples == 0 || poise__gl_target_init(&renderer->samples, &samples, note));
}

bool poise__renderer_resize(PoiseRenderer* renderer, const PoisePicture* picture, PoiseNote* note) {
    const int width = rendered_size(renderer, picture, picture->width);
    const int height = rendered_size(renderer, picture, picture->height);
    const PoiseTargetDef shown = {
        .width = picture->width, .height = picture->height, .colour_format = GL_RGBA8};
    bool good = true;
    if (renderer->drawn_width != width || renderer->drawn_height != height) {
        finish_picture(renderer);
        renderer->drawn_width = width;
        renderer->drawn_height = height;
        good = make_picture(renderer, picture->height, note);
    }
    if (good && (renderer->width != picture->width || renderer->height != picture->height)) {
        poise__gl_target_finish(&renderer->shown);
        poise__gl_target_finish(&renderer->panels);
        renderer->panels_hash = 0;
        good = poise__gl_target_init(&renderer->shown, &shown, note) &&
               poise__gl_target_init(&renderer->panels, &shown, note);
        renderer->width = picture->width;
        renderer->height = picture->height;
    }
    if (!good) {
        finish_targets(renderer);
    }
    return good;
}

const char* poise__renderer_driver(void) {
    const char* name = (const char*)glGetString(GL_RENDERER);
    return name ? name : "unknown";
}
