// SPDX-License-Identifier: MIT
// The two kinds of OpenGL objects whose creation can fail: programs and render targets.
#ifndef POISE_GL_OBJECTS_H
#define POISE_GL_OBJECTS_H

#include <epoxy/gl.h>

#include "note.h"

enum { POISE_SHADER_MAX_PARTS = 4 };

typedef struct PoiseProgramSource {
    /// Name of the program in messages.
    const char* name;
    /// Parts of the shader sources, joined in this order. NULL ends a list early.
    const char* vertex[POISE_SHADER_MAX_PARTS];
    const char* fragment[POISE_SHADER_MAX_PARTS];
} PoiseProgramSource;

/// Compiles and links a program for the context's version, OpenGL 3.3 or OpenGL ES 3. Binds the
/// uniform block `Frame` to binding 0. On failure returns 0 and writes the compiler's message to
/// the note.
GLuint poise__gl_program(const PoiseProgramSource* source, PoiseNote* note);

typedef struct PoiseTarget {
    GLuint framebuffer;
    GLuint colour;
    GLuint depth;
    int width;
    int height;
    bool colour_is_texture;
    bool depth_is_texture;
} PoiseTarget;

typedef enum PoiseDepthKind {
    POISE_DEPTH_NONE = 0,
    POISE_DEPTH_BUFFER = 1,  ///< a depth buffer for depth tests
    POISE_DEPTH_TEXTURE = 2, ///< a depth texture, which shaders can read
    POISE_DEPTH_SHADOW = 3   ///< a depth texture, which shaders read by filtered comparison
} PoiseDepthKind;

typedef struct PoiseTargetDef {
    int width;
    int height;
    /// Samples per pixel of multisampled renderbuffers; 0: textures with a single sample.
    int samples;
    /// Internal format of the colours; GL_NONE: no colour.
    GLenum colour_format;
    PoiseDepthKind depth;
} PoiseTargetDef;

bool poise__gl_target_init(PoiseTarget* target, const PoiseTargetDef* def, PoiseNote* note);
/// Deletes the target. A target of zeros is allowed.
void poise__gl_target_finish(PoiseTarget* target);

#endif
