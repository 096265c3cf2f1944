// SPDX-License-Identifier: MIT
#include "gl_objects.h"

static const char DESKTOP_HEADER[] = "#version 330 core\n";
static const char ES_HEADER[] = "#version 300 es\n"
                                "precision highp float;\n"
                                "precision highp int;\n";

static GLuint compile(const PoiseProgramSource* source, GLenum stage,
                      const char* const parts[POISE_SHADER_MAX_PARTS], PoiseNote* note) {
    const char* texts[POISE_SHADER_MAX_PARTS + 1] = {epoxy_is_desktop_gl() ? DESKTOP_HEADER
                                                                           : ES_HEADER};
    GLsizei count = 1;
    for (int i = 0; i < POISE_SHADER_MAX_PARTS && parts[i]; i++) {
        texts[count++] = parts[i];
    }
    GLuint shader = glCreateShader(stage);
    glShaderSource(shader, count, texts, NULL);
    glCompileShader(shader);
    GLint done = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (done == GL_TRUE) {
        return shader;
    }
    char log[512] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    poise__note_fail(note, "the %s shader of '%s' does not compile: %s",
                     stage == GL_VERTEX_SHADER ? "vertex" : "fragment", source->name, log);
    glDeleteShader(shader);
    return 0;
}

static GLuint link_program(const PoiseProgramSource* source, GLuint vertex, GLuint fragment,
                           PoiseNote* note) {
    GLuint program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    GLint done = GL_FALSE;
    glGetProgramiv(program, GL_LINK_STATUS, &done);
    if (done != GL_TRUE) {
        char log[512] = "";
        glGetProgramInfoLog(program, sizeof log, NULL, log);
        poise__note_fail(note, "the shaders of '%s' do not link: %s", source->name, log);
        glDeleteProgram(program);
        return 0;
    }
    GLuint block = glGetUniformBlockIndex(program, "Frame");
    if (block != GL_INVALID_INDEX) {
        glUniformBlockBinding(program, block, 0);
    }
    return program;
}

GLuint poise__gl_program(const PoiseProgramSource* source, PoiseNote* note) {
    GLuint vertex = compile(source, GL_VERTEX_SHADER, source->vertex, note);
    GLuint fragment = vertex ? compile(source, GL_FRAGMENT_SHADER, source->fragment, note) : 0;
    GLuint program = fragment ? link_program(source, vertex, fragment, note) : 0;
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    return program;
}

typedef struct TexelLayout {
    GLenum format;
    GLenum type;
} TexelLayout;

/// Returns the format and type of texels for an internal format, for textures without initial
/// texels.
static TexelLayout layout_of(GLenum internal) {
    switch (internal) {
    case GL_DEPTH_COMPONENT24:
        return (TexelLayout){GL_DEPTH_COMPONENT, GL_UNSIGNED_INT};
    case GL_R32UI:
        return (TexelLayout){GL_RED_INTEGER, GL_UNSIGNED_INT};
    case GL_R8:
        return (TexelLayout){GL_RED, GL_UNSIGNED_BYTE};
    default:
        return (TexelLayout){GL_RGBA, GL_UNSIGNED_BYTE};
    }
}

static GLuint make_texture(GLenum internal, int width, int height, GLint filter) {
    GLuint texture = 0;
    TexelLayout layout = layout_of(internal);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)internal, width, height, 0, layout.format, layout.type,
                 NULL);
    glBindTexture(GL_TEXTURE_2D, 0);
    return texture;
}

static GLuint make_depth_texture(const PoiseTargetDef* def) {
    bool compared = def->depth == POISE_DEPTH_SHADOW;
    GLuint texture = make_texture(GL_DEPTH_COMPONENT24, def->width, def->height,
                                  compared ? GL_LINEAR : GL_NEAREST);
    if (compared) {
        glBindTexture(GL_TEXTURE_2D, texture);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
        glBindTexture(GL_TEXTURE_2D, 0);
    }
    return texture;
}

static GLuint make_renderbuffer(GLenum format, int width, int height, int samples) {
    GLuint buffer = 0;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    glBindRenderbuffer(GL_RENDERBUFFER, 0);
    return buffer;
}

static void attach(GLenum attachment, GLuint object, bool is_texture) {
    if (is_texture) {
        glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D, object, 0);
    } else {
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, object);
    }
}

static void attach_colour(PoiseTarget* target, const PoiseTargetDef* def) {
    if (def->colour_format == GL_NONE) {
        const GLenum none = GL_NONE;
        glDrawBuffers(1, &none);
        glReadBuffer(GL_NONE);
        return;
    }
    target->colour_is_texture = def->samples == 0;
    // the occlusion map is enlarged and filtered; all other textures are read texel by texel
    GLint filter = def->colour_format == GL_R8 ? GL_LINEAR : GL_NEAREST;
    target->colour =
        target->colour_is_texture
            ? make_texture(def->colour_format, def->width, def->height, filter)
            : make_renderbuffer(def->colour_format, def->width, def->height, def->samples);
    attach(GL_COLOR_ATTACHMENT0, target->colour, target->colour_is_texture);
}

static void attach_depth(PoiseTarget* target, const PoiseTargetDef* def) {
    if (def->depth == POISE_DEPTH_NONE) {
        return;
    }
    target->depth_is_texture = def->depth != POISE_DEPTH_BUFFER;
    target->depth = target->depth_is_texture ? make_depth_texture(def)
                                             : make_renderbuffer(GL_DEPTH_COMPONENT24, def->width,
                                                                 def->height, def->samples);
    attach(GL_DEPTH_ATTACHMENT, target->depth, target->depth_is_texture);
}

bool poise__gl_target_init(PoiseTarget* target, const PoiseTargetDef* def, PoiseNote* note) {
    *target = (PoiseTarget){.width = def->width, .height = def->height};
    glGenFramebuffers(1, &target->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
    attach_colour(target, def);
    attach_depth(target, def);
    GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (status != GL_FRAMEBUFFER_COMPLETE) {
        poise__gl_target_finish(target);
        return poise__note_fail(note,
                                "the graphics driver refuses a picture of %d x %d with %d samples "
                                "(0x%x); try --quality fast or a smaller --size",
                                def->width, def->height, def->samples, status);
    }
    return true;
}

static void delete_attachment(GLuint object, bool is_texture) {
    if (is_texture) {
        glDeleteTextures(1, &object);
    } else {
        glDeleteRenderbuffers(1, &object);
    }
}

void poise__gl_target_finish(PoiseTarget* target) {
    if (target->framebuffer) {
        delete_attachment(target->colour, target->colour_is_texture);
        delete_attachment(target->depth, target->depth_is_texture);
        glDeleteFramebuffers(1, &target->framebuffer);
    }
    *target = (PoiseTarget){.framebuffer = 0};
}
