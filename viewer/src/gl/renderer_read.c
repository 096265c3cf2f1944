// SPDX-License-Identifier: MIT
// Reads pictures back from the graphics card: colours to be saved, and the id of the thing at each
// pixel.
#include <stdlib.h>

#include "renderer_internal.h"

static bool no_gl_error(PoiseNote* note) {
    GLenum error = glGetError();
    return error == GL_NO_ERROR || poise__note_fail(note, "OpenGL reports error 0x%x (driver: %s)",
                                                    error, poise__renderer_driver());
}

bool poise__renderer_read(PoiseRenderer* renderer, unsigned char* rgb, PoiseNote* note) {
    size_t width = (size_t)renderer->width;
    size_t height = (size_t)renderer->height;
    unsigned char* rgba = malloc(width * height * 4 + 1);
    if (!rgba) {
        return poise__note_fail(note, "out of memory for a picture of %zu x %zu", width, height);
    }
    poise__renderer_convert(renderer, renderer->shown.framebuffer);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, renderer->width, renderer->height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    for (size_t row = 0; row < height; row++) {
        const unsigned char* from = rgba + (height - 1 - row) * width * 4;
        unsigned char* to = rgb + row * width * 3;
        for (size_t x = 0; x < width; x++) {
            to[3 * x] = from[4 * x];
            to[3 * x + 1] = from[4 * x + 1];
            to[3 * x + 2] = from[4 * x + 2];
        }
    }
    free(rgba);
    return no_gl_error(note);
}

static void draw_ids(PoiseRenderer* renderer, const PoiseTarget* target, bool unlit) {
    const GLuint program = renderer->programs[POISE_PROGRAM_ID];
    const GLuint nothing[4] = {POISE_DRAW_NOTHING, 0, 0, 0};
    poise__renderer_begin_pass(target);
    glClearBufferuiv(GL_COLOR, 0, nothing);
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, "unlit"), unlit);
    poise__mesh_store_draw(&renderer->meshes, POISE_LAYER_CASTERS);
    poise__mesh_store_draw(&renderer->meshes, POISE_LAYER_PLAIN);
    poise__mesh_store_draw(&renderer->meshes, POISE_LAYER_CLEAR);
    glClear(GL_DEPTH_BUFFER_BIT);
    poise__mesh_store_draw(&renderer->meshes, POISE_LAYER_X_RAY);
}

/// Reads the ids. Every driver can read integers as four numbers per pixel, of which the first is
/// the id.
static bool read_ids(const PoiseTarget* target, uint32_t* ids, PoiseNote* note) {
    size_t width = (size_t)target->width;
    size_t height = (size_t)target->height;
    uint32_t* four = malloc(width * height * 4 * sizeof *four);
    if (!four) {
        return poise__note_fail(note, "out of memory for %zu x %zu ids", width, height);
    }
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, target->width, target->height, GL_RGBA_INTEGER, GL_UNSIGNED_INT, four);
    for (size_t row = 0; row < height; row++) {
        for (size_t x = 0; x < width; x++) {
            ids[row * width + x] = four[4 * ((height - 1 - row) * width + x)];
        }
    }
    free(four);
    return no_gl_error(note);
}

static bool render_ids(PoiseRenderer* renderer, const PoisePicture* picture, bool unlit,
                       uint32_t* ids, PoiseNote* note) {
    const PoiseTargetDef def = {.width = picture->width,
                                .height = picture->height,
                                .colour_format = GL_R32UI,
                                .depth = POISE_DEPTH_BUFFER};
    PoiseTarget target;
    if (!poise__gl_target_init(&target, &def, note)) {
        return false;
    }
    const PoiseFrameSize size = {picture->width, picture->height, 1,
                                 renderer->settings.shadow_size};
    bool done = poise__renderer_load(renderer, picture, size, note);
    if (done) {
        draw_ids(renderer, &target, unlit);
        done = read_ids(&target, ids, note);
    }
    poise__gl_target_finish(&target);
    return done;
}

bool poise__renderer_ids(PoiseRenderer* renderer, const PoisePicture* picture, uint32_t* ids,
                         PoiseNote* note) {
    return render_ids(renderer, picture, false, ids, note);
}

bool poise__renderer_unlit(PoiseRenderer* renderer, const PoisePicture* picture, uint32_t* colours,
                           PoiseNote* note) {
    return render_ids(renderer, picture, true, colours, note);
}
