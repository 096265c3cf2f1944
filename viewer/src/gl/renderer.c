// SPDX-License-Identifier: MIT
// Renders a frame in passes: shadow map, opaque bodies, sky and ground, translucent bodies, lines,
// and last the hidden parts of markers. Then resolves the samples, adds ambient occlusion, and
// converts the picture to sRGB.
#include "renderer.h"

#include "frame.h"
#include "renderer_internal.h"

/// Opacity of the parts of markers that other things hide.
static const float X_RAY_STRENGTH = 0.4f;

bool poise__renderer_load(PoiseRenderer* renderer, const PoisePicture* picture, PoiseFrameSize size,
                          PoiseNote* note) {
    const PoiseDrawList* list = picture->list;
    PoiseFrame frame = poise__frame_make(picture->camera, list, size);
    glBindBuffer(GL_UNIFORM_BUFFER, renderer->frame_buffer);
    glBufferData(GL_UNIFORM_BUFFER, sizeof frame, &frame, GL_STREAM_DRAW);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, renderer->frame_buffer);
    // Selects meshes as if there were at most one pixel per window unit (PoiseMeshView.scale).
    const PoiseMeshView view = {picture->camera, fmin(1.0, picture->scale), picture->moves};
    return poise__mesh_store_load(&renderer->meshes, list, &view) ||
           poise__note_fail(note, "out of memory for %d bodies", list->instance_count);
}

void poise__renderer_begin_pass(const PoiseTarget* target) {
    glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
    glViewport(0, 0, target->width, target->height);
    glDisable(GL_BLEND);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glDepthMask(GL_TRUE);
    glEnable(GL_CULL_FACE);
    if (target->depth) {
        glClear(GL_DEPTH_BUFFER_BIT);
    }
}

static void draw_shadow_map(PoiseRenderer* renderer) {
    poise__renderer_begin_pass(&renderer->shadow);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.5f, 2.0f);
    glUseProgram(renderer->programs[POISE_PROGRAM_SHADOW]);
    poise__mesh_store_draw(&renderer->meshes, POISE_LAYER_CASTERS);
    glDisable(GL_POLYGON_OFFSET_FILL);
}

static void draw_background(PoiseRenderer* renderer, const PoiseGround* ground,
                            const PoiseCamera* camera) {
    glBindVertexArray(renderer->empty_array);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_FALSE);
    glUseProgram(renderer->programs[POISE_PROGRAM_SKY]);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    if (!ground->visible) {
        return;
    }
    // Seen from below, the ground hides nothing.
    bool above = poise__camera_eye(camera).z > (double)ground->height;
    glEnable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDepthMask(above ? GL_TRUE : GL_FALSE);
    glUseProgram(renderer->programs[POISE_PROGRAM_GROUND]);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glEnable(GL_CULL_FACE);
}

/// Draws a translucent layer and all lines. `strength`, 0 to 1, multiplies their opacity.
static void draw_clear(PoiseRenderer* renderer, PoiseLayer layer, float strength) {
    glUseProgram(renderer->programs[POISE_PROGRAM_BODY]);
    glUniform1f(renderer->strength_of_body, strength);
    poise__mesh_store_draw(&renderer->meshes, layer);
    glUseProgram(renderer->programs[POISE_PROGRAM_LINE]);
    glUniform1f(renderer->strength_of_line, strength);
    poise__mesh_store_draw_lines(&renderer->meshes);
}

static void draw_translucent(PoiseRenderer* renderer) {
    glEnable(GL_BLEND);
    glDepthMask(GL_FALSE);
    glDepthFunc(GL_LEQUAL);
    draw_clear(renderer, POISE_LAYER_CLEAR, 1.0f);
    glDepthFunc(GL_GREATER); // parts that other things hide
    draw_clear(renderer, POISE_LAYER_X_RAY, X_RAY_STRENGTH);
}

static void draw_scene(PoiseRenderer* renderer, const PoiseTarget* target,
                       const PoiseGround* ground, const PoiseCamera* camera) {
    poise__renderer_begin_pass(target);
    if (epoxy_is_desktop_gl()) {
        glEnable(GL_FRAMEBUFFER_SRGB); // converts colours to sRGB, as OpenGL ES always does
    }
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, renderer->shadow.depth);
    glUseProgram(renderer->programs[POISE_PROGRAM_BODY]);
    glUniform1f(renderer->strength_of_body, 1.0f);
    poise__mesh_store_draw(&renderer->meshes, POISE_LAYER_CASTERS);
    poise__mesh_store_draw(&renderer->meshes, POISE_LAYER_PLAIN);
    draw_background(renderer, ground, camera);
    draw_translucent(renderer);
    if (epoxy_is_desktop_gl()) {
        glDisable(GL_FRAMEBUFFER_SRGB);
    }
}

static void resolve(PoiseRenderer* renderer) {
    const PoiseTarget* picture = &renderer->picture;
    GLbitfield what = GL_COLOR_BUFFER_BIT;
    if (renderer->settings.occlusion) {
        what |= GL_DEPTH_BUFFER_BIT;
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, renderer->samples.framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, picture->framebuffer);
    glBlitFramebuffer(0, 0, picture->width, picture->height, 0, 0, picture->width, picture->height,
                      what, GL_NEAREST);
}

/// Runs a program over all pixels of the target with one triangle.
static void draw_screen(const PoiseRenderer* renderer, PoiseProgramKind program) {
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    glUseProgram(renderer->programs[program]);
    glBindVertexArray(renderer->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindVertexArray(0);
}

static void draw_occlusion(PoiseRenderer* renderer) {
    const PoiseProgramKind programs[2] = {POISE_PROGRAM_OCCLUSION, POISE_PROGRAM_BLUR};
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, renderer->picture.depth);
    for (int i = 0; i < 2; i++) {
        const PoiseTarget* target = &renderer->occlusion[i];
        glActiveTexture(GL_TEXTURE1);
        glBindTexture(GL_TEXTURE_2D, i == 0 ? 0 : renderer->occlusion[0].colour);
        glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
        glViewport(0, 0, target->width, target->height);
        draw_screen(renderer, programs[i]);
    }
}

/// Sets the scissor to the part of a picture of this size that is in `region` and not under a
/// panel. Returns false if that part is empty.
static bool cut_to(const PoiseRenderer* renderer, int width, int height,
                   const PoiseRegion* region) {
    const double x = width / renderer->window_width;
    const double y = height / renderer->window_height;
    const double left = floor(x * fmax(0.0, region->left));
    const double right = ceil(x * fmin(renderer->free_width, region->right));
    const double top = floor(y * fmax(0.0, region->top));
    const double bottom = ceil(y * fmin(renderer->free_height, region->bottom));
    if (!(right > left && bottom > top)) {
        return false;
    }
    glEnable(GL_SCISSOR_TEST);
    glScissor((int)left, height - (int)bottom, (int)(right - left), (int)(bottom - top));
    return true;
}

static const PoiseRegion ALL = {0.0, 0.0, HUGE_VAL, HUGE_VAL};

bool poise__renderer_draw(PoiseRenderer* renderer, const PoisePicture* picture, PoiseNote* note) {
    if (!poise__renderer_resize(renderer, picture, note)) {
        return false;
    }
    const PoiseCamera* camera = picture->camera;
    const bool covered = renderer->ui && poise__ui_has_frame(renderer->ui);
    const double free_width = camera->width - (covered ? camera->inset : 0.0);
    const double free_height = camera->height - (covered ? camera->covered_below : 0.0);
    const bool same = renderer->free_width == free_width && renderer->free_height == free_height;
    renderer->keeps_panels = picture->keeps_panels && same;
    const PoiseRegion* changed =
        picture->changed && renderer->has_picture && same ? picture->changed : &ALL;
    renderer->free_width = free_width;
    renderer->free_height = free_height;
    renderer->window_width = camera->width;
    renderer->window_height = camera->height;
    if (!cut_to(renderer, renderer->drawn_width, renderer->drawn_height, changed)) {
        return true;
    }
    const PoiseRegion before = renderer->unshown;
    renderer->unshown =
        (PoiseRegion){fmin(before.left, changed->left), fmin(before.top, changed->top),
                      fmax(before.right, changed->right), fmax(before.bottom, changed->bottom)};
    glDisable(GL_SCISSOR_TEST);
    const PoiseFrameSize size = {renderer->drawn_width, renderer->drawn_height,
                                 renderer->settings.supersampling, renderer->shadow.width};
    if (!poise__renderer_load(renderer, picture, size, note)) {
        return false;
    }
    draw_shadow_map(renderer);
    bool multisampled = renderer->settings.samples > 0;
    cut_to(renderer, renderer->drawn_width, renderer->drawn_height,
           renderer->settings.plain ? changed : &ALL);
    draw_scene(renderer, multisampled ? &renderer->samples : &renderer->picture,
               &picture->list->ground, picture->camera);
    glDisable(GL_SCISSOR_TEST);
    if (multisampled) {
        resolve(renderer);
    }
    if (renderer->settings.occlusion) {
        draw_occlusion(renderer);
    }
    renderer->has_picture = true;
    return true;
}

/// Copies the picture without conversion. Enlarges a picture that was rendered smaller; sharpens it
/// if its colours can be read without conversion to linear light. A web page only enlarges:
/// SwiftShader needs 28 ms for four samples per pixel, 15 ms for one.
static void copy_picture(const PoiseRenderer* renderer, GLuint framebuffer) {
    const PoiseTarget* from = &renderer->picture;
    const bool same = from->width == renderer->width && from->height == renderer->height;
    const bool sharpens = !same && !renderer->settings.encodes &&
                          epoxy_has_gl_extension("GL_EXT_texture_sRGB_decode");
    if (!sharpens) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, from->framebuffer);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
        glBlitFramebuffer(0, 0, from->width, from->height, 0, 0, renderer->width, renderer->height,
                          GL_COLOR_BUFFER_BIT, same ? GL_NEAREST : GL_LINEAR);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, renderer->width, renderer->height);
    if (sharpens) {
        const GLuint program = renderer->programs[POISE_PROGRAM_ENLARGE];
        glUseProgram(program);
        glUniform4f(glGetUniformLocation(program, "texel"), 1.0f / (float)from->width,
                    1.0f / (float)from->height, 1.0f / (float)renderer->width,
                    1.0f / (float)renderer->height);
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(GL_TEXTURE_2D, from->colour);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SRGB_DECODE_EXT, GL_SKIP_DECODE_EXT);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        draw_screen(renderer, POISE_PROGRAM_ENLARGE);
        glBindTexture(GL_TEXTURE_2D, 0);
    }
}

/// Copies a rectangle, in pixels from the lower left, from the picture of the panels.
static void copy_panel(const PoiseRenderer* renderer, GLuint framebuffer, const int from[2],
                       const int to[2]) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, renderer->panels.framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    glBlitFramebuffer(from[0], from[1], to[0], to[1], from[0], from[1], to[0], to[1],
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

/// Copies the panels, which have a picture of their own, over the picture of the scene. Does
/// nothing if they have not changed and `kept` is true: the framebuffer still shows them.
static void draw_panels(PoiseRenderer* renderer, GLuint framebuffer, const PoiseUiCanvas* canvas,
                        bool kept) {
    const int right = (int)floor(renderer->width / renderer->window_width * renderer->free_width);
    const int below = (int)ceil(renderer->height -
                                renderer->height / renderer->window_height * renderer->free_height);
    const uint64_t hash = poise__ui_part_hash(renderer->ui, canvas, POISE_UI_PANELS_PART);
    if (hash != renderer->panels_hash && !renderer->keeps_panels) {
        glBindFramebuffer(GL_FRAMEBUFFER, renderer->panels.framebuffer);
        poise__ui_paint(renderer->ui, canvas, POISE_UI_PANELS_PART);
        renderer->panels_hash = hash;
        kept = false;
    }
    if (right < renderer->width && !kept) {
        copy_panel(renderer, framebuffer, (const int[2]){right, 0},
                   (const int[2]){renderer->width, renderer->height});
    }
    if (below > 0 && !kept) {
        copy_panel(renderer, framebuffer, (const int[2]){0, 0}, (const int[2]){right, below});
    }
}

void poise__renderer_convert(PoiseRenderer* renderer, GLuint framebuffer) {
    PoiseUiCanvas canvas = {.width = renderer->width,
                            .height = renderer->height,
                            .window_width = renderer->window_width,
                            .window_height = renderer->window_height,
                            .free_width = renderer->free_width,
                            .free_height = renderer->free_height,
                            .part = {-HUGE_VAL, -HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    const uint64_t others =
        renderer->ui ? poise__ui_part_hash(renderer->ui, &canvas, POISE_UI_OTHERS_PART) : 0;
    // In a web page the framebuffer keeps its pixels, which are valid unless popups or labels have
    // changed.
    const bool kept = renderer->settings.encodes && renderer->shown_in == framebuffer &&
                      renderer->others_hash == others && renderer->unshown.right < HUGE_VAL;
    const PoiseRegion* part = kept ? &renderer->unshown : &ALL;
    if (cut_to(renderer, renderer->width, renderer->height, part)) {
        if (renderer->settings.plain) {
            copy_picture(renderer, framebuffer);
        } else {
            glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
            glViewport(0, 0, renderer->width, renderer->height);
            glActiveTexture(GL_TEXTURE1);
            glBindTexture(GL_TEXTURE_2D, renderer->occlusion[1].colour);
            glActiveTexture(GL_TEXTURE0);
            glBindTexture(GL_TEXTURE_2D, renderer->picture.colour);
            draw_screen(renderer, POISE_PROGRAM_PRESENT);
            glBindTexture(GL_TEXTURE_2D, 0);
        }
        glDisable(GL_SCISSOR_TEST);
    }
    if (renderer->ui) {
        draw_panels(renderer, framebuffer, &canvas, kept);
        if (kept) { // rounds the part to draw again outward to whole pixels, as cut_to does
            const double x = renderer->width / renderer->window_width;
            const double y = renderer->height / renderer->window_height;
            canvas.part[0] = floor(x * fmax(0.0, part->left)) / x;
            canvas.part[1] = floor(y * fmax(0.0, part->top)) / y;
            canvas.part[2] = ceil(x * fmin(renderer->window_width, part->right)) / x;
            canvas.part[3] = ceil(y * fmin(renderer->window_height, part->bottom)) / y;
        }
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        poise__ui_paint(renderer->ui, &canvas, POISE_UI_OTHERS_PART);
    }
    renderer->shown_in = framebuffer;
    renderer->others_hash = others;
    renderer->unshown = (PoiseRegion){HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
}

bool poise__renderer_set_ui(PoiseRenderer* renderer, PoiseUi* ui, PoiseNote* note) {
    renderer->ui = ui;
    return !ui || poise__ui_paint_begin(ui) ||
           poise__note_fail(note, "the panels cannot be drawn with this version of OpenGL");
}

void poise__renderer_show(PoiseRenderer* renderer) {
    poise__renderer_convert(renderer, renderer->shown.framebuffer);
}

void poise__renderer_present(PoiseRenderer* renderer) {
    poise__renderer_convert(renderer, 0);
}
