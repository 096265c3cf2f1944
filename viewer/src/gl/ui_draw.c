// SPDX-License-Identifier: MIT
#include "ui_draw.h"

#include <math.h>
#include <stdlib.h>

#include "gl_objects.h"

static const char VERTEX[] = "layout(location = 0) in vec2 place;\n"
                             "layout(location = 1) in vec2 letter;\n"
                             "layout(location = 2) in vec4 colour;\n"
                             "uniform vec2 window;\n"
                             "out vec2 uv;\n"
                             "out vec4 tint;\n"
                             "void main() {\n"
                             "    uv = letter;\n"
                             "    tint = colour;\n"
                             "    gl_Position = vec4(place.x / window.x * 2.0 - 1.0,\n"
                             "                       1.0 - place.y / window.y * 2.0, 0.0, 1.0);\n"
                             "}\n";
static const char FRAGMENT[] = "uniform sampler2D letters;\n"
                               "in vec2 uv;\n"
                               "in vec4 tint;\n"
                               "out vec4 result;\n"
                               "void main() { result = tint * texture(letters, uv); }\n";

struct PoiseUiPainter {
    GLuint program;
    GLint window;
    GLuint texture;
    /// The version of the letters in `texture`, see poise__ui_letters.
    unsigned letters;
    GLuint array;
    GLuint vertices;
    GLuint indices;
};

static void load_letters(PoiseUiPainter* painter, PoiseUi* ui) {
    int width = 0, height = 0;
    const unsigned char* texels = poise__ui_font_texels(ui, &width, &height);
    painter->letters = poise__ui_letters(ui);
    if (!painter->texture) {
        glGenTextures(1, &painter->texture);
    }
    glBindTexture(GL_TEXTURE_2D, painter->texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glBindTexture(GL_TEXTURE_2D, 0);
}

static void make_buffers(PoiseUiPainter* painter) {
    glGenVertexArrays(1, &painter->array);
    glGenBuffers(1, &painter->vertices);
    glGenBuffers(1, &painter->indices);
    glBindVertexArray(painter->array);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, painter->indices);
    for (GLuint i = 0; i < 3; i++) {
        glEnableVertexAttribArray(i);
    }
    glBindVertexArray(0);
}

PoiseUiPainter* poise__ui_painter_create(PoiseUi* ui, PoiseNote* note) {
    const PoiseProgramSource source = {"panels", {VERTEX}, {FRAGMENT}};
    PoiseUiPainter* painter = calloc(1, sizeof *painter);
    if (!painter) {
        poise__note_fail(note, "out of memory");
        return NULL;
    }
    painter->program = poise__gl_program(&source, note);
    if (!painter->program) {
        free(painter);
        return NULL;
    }
    painter->window = glGetUniformLocation(painter->program, "window");
    load_letters(painter, ui);
    make_buffers(painter);
    return painter;
}

void poise__ui_painter_destroy(PoiseUiPainter* painter) {
    if (!painter) {
        return;
    }
    const GLuint buffers[2] = {painter->vertices, painter->indices};
    glDeleteProgram(painter->program);
    glDeleteTextures(1, &painter->texture);
    glDeleteVertexArrays(1, &painter->array);
    glDeleteBuffers(2, buffers);
    free(painter);
}

/// Moves the attributes to the first vertex. OpenGL 3.3 and ES 3 have no common call with a base
/// vertex.
static void point_attributes(int first) {
    size_t base = (size_t)first * sizeof(PoiseUiVertex);
    const GLsizei stride = sizeof(PoiseUiVertex);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, stride,
                          (const void*)(base + offsetof(PoiseUiVertex, x)));
    glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, stride,
                          (const void*)(base + offsetof(PoiseUiVertex, u)));
    glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride,
                          (const void*)(base + offsetof(PoiseUiVertex, rgba)));
}

/// True if the list belongs to one of the panels that cover the right and the lower part.
static bool is_panel(const PoiseUi* ui, int index, const PoiseUiCanvas* canvas) {
    const PoiseUiList list = poise__ui_list(ui, index);
    return (double)list.left >= canvas->free_width || (double)list.top >= canvas->free_height;
}

uint64_t poise__ui_panels_hash(const PoiseUi* ui, const PoiseUiCanvas* canvas) {
    uint64_t hash = 0;
    for (int i = 0; i < poise__ui_list_count(ui); i++) {
        if (is_panel(ui, i, canvas)) {
            hash = hash * 31u + poise__ui_list_hash(ui, i);
        }
    }
    return hash;
}

/// Draws a list, without its parts under the panels if `cut`.
static void draw_list(PoiseUi* ui, int index, const PoiseUiCanvas* canvas, bool cut) {
    const double pixels = canvas->height / canvas->window_height;
    PoiseUiList list = poise__ui_list(ui, index);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)list.vertex_count * (int)sizeof *list.vertices,
                 list.vertices, GL_STREAM_DRAW);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)list.index_count * (int)sizeof *list.indices,
                 list.indices, GL_STREAM_DRAW);
    for (int i = 0; i < list.command_count; i++) {
        PoiseUiCommand command = poise__ui_command(ui, index, i);
        const double most_right = cut ? canvas->free_width : canvas->window_width;
        const double lowest = cut ? canvas->free_height : canvas->window_height;
        int left = (int)((double)command.clip[0] * pixels);
        int top = (int)((double)command.clip[1] * pixels);
        int right = (int)(fmin((double)command.clip[2], most_right) * pixels);
        int bottom = (int)(fmin((double)command.clip[3], lowest) * pixels);
        if (command.index_count == 0 || right <= left || bottom <= top) {
            continue;
        }
        glScissor(left, canvas->height - bottom, right - left, bottom - top);
        point_attributes(command.first_vertex);
        glDrawElements(GL_TRIANGLES, command.index_count, GL_UNSIGNED_SHORT,
                       (const void*)((size_t)command.first_index * sizeof(uint16_t)));
    }
}

void poise__ui_painter_draw(PoiseUiPainter* painter, PoiseUi* ui, const PoiseUiCanvas* canvas,
                            PoiseUiPart part) {
    if (painter->letters != poise__ui_letters(ui)) {
        load_letters(painter, ui);
    }
    glViewport(0, 0, canvas->width, canvas->height);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glEnable(GL_SCISSOR_TEST);
    glUseProgram(painter->program);
    glUniform2f(painter->window, (float)canvas->window_width, (float)canvas->window_height);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, painter->texture);
    glBindVertexArray(painter->array);
    glBindBuffer(GL_ARRAY_BUFFER, painter->vertices);
    for (int i = 0; i < poise__ui_list_count(ui); i++) {
        if (is_panel(ui, i, canvas) == (part == POISE_UI_PANELS_PART)) {
            // labels, which lie under the panels, are in the first list if there are any
            draw_list(ui, i, canvas, i == 0 && part != POISE_UI_PANELS_PART);
        }
    }
    glBindVertexArray(0);
    glBindTexture(GL_TEXTURE_2D, 0);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_BLEND);
}
