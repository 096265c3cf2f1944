// SPDX-License-Identifier: MIT
// The two kinds of OpenGL objects that can fail: programs and render targets.
#ifndef POISE_GL_OBJECTS_H
#define POISE_GL_OBJECTS_H

#include <epoxy/gl.h>

#include "note.h"

enum { POISE_SHADER_MAX_PARTS = 4 };

typedef struct PoiseProgramSource {
    /// For the messages.
    const char* name;
    /// Joined in this order; NULL ends the list early.
    const char* vertex[POISE_SHADER_MAX_PARTS];
    const char* fragment[POISE_SHADER_MAX_PARTS];
} PoiseProgramSource;

/// Compiles and links, for OpenGL 3.3 or OpenGL ES 3, whichever the context is. Binds the uniform
/// block `Frame` to binding 0. 0, and the compiler's words in the note, when it fails.
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
    POISE_DEPTH_BUFFER = 1,  ///< tested against
    POISE_DEPTH_TEXTURE = 2, ///< and read as a number
    POISE_DEPTH_SHADOW = 3   ///< and compared with, filtered
} PoiseDepthKind;

typedef struct PoiseTargetDef {
    int width;
    int height;
    /// 0: one sample, and textures; else multisampled renderbuffers.
    int samples;
    /// GL_NONE: no colour.
    GLenum colour_format;
    PoiseDepthKind depth;
} PoiseTargetDef;

bool poise__gl_target_init(PoiseTarget* target, const PoiseTargetDef* def, PoiseNote* note);
/// All zero is allowed.
void poise__gl_target_finish(PoiseTarget* target);

#endif
