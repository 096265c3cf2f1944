// SPDX-License-Identifier: MIT
// Sources of the shaders, in the common part of GLSL 3.30 and GLSL ES 3.00.
#ifndef POISE_SHADERS_H
#define POISE_SHADERS_H

/// The uniforms that all shaders of a frame share: the block `Frame` of frame.h.
extern const char POISE__SHADER_FRAME[];
/// Sky, lights and shadow, for fragment shaders.
extern const char POISE__SHADER_LIGHT[];

/// Functions that compute positions from a picture's depths, for fragment shaders.
extern const char POISE__SHADER_DEPTH[];

extern const char POISE__SHADER_BODY_VERTEX[];
extern const char POISE__SHADER_BODY_FRAGMENT[];
extern const char POISE__SHADER_SHADOW_VERTEX[];
extern const char POISE__SHADER_SHADOW_FRAGMENT[];
extern const char POISE__SHADER_ID_FRAGMENT[];
extern const char POISE__SHADER_SKY_VERTEX[];
extern const char POISE__SHADER_SKY_FRAGMENT[];
extern const char POISE__SHADER_GROUND_VERTEX[];
extern const char POISE__SHADER_GROUND_FRAGMENT[];
extern const char POISE__SHADER_LINE_VERTEX[];
extern const char POISE__SHADER_LINE_FRAGMENT[];
extern const char POISE__SHADER_SCREEN_VERTEX[];
extern const char POISE__SHADER_OCCLUSION_FRAGMENT[];
extern const char POISE__SHADER_BLUR_FRAGMENT[];
extern const char POISE__SHADER_PRESENT_FRAGMENT[];
/// Enlarges a picture and sharpens its edges.
extern const char POISE__SHADER_ENLARGE_FRAGMENT[];

#endif
