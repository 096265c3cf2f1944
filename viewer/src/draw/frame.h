// SPDX-License-Identifier: MIT
// The numbers that all shaders of a frame share: the uniform block `Frame` of shaders.c, member by
// member.
#ifndef POISE_FRAME_H
#define POISE_FRAME_H

#include "camera.h"
#include "draw_list.h"

typedef struct PoiseFrame {
    mat4s view_projection;
    mat4s light_view_projection;
    vec4s eye;
    vec4s screen_right;
    vec4s screen_up;
    vec4s screen_forward;
    /// Width and height of the rendered picture, pixels; pixels per window unit; rendered pixels
    /// per shown pixel, along each axis.
    vec4s viewport;
    vec4s key_direction;
    vec4s key_colour;
    vec4s fill_direction;
    vec4s fill_colour;
    vec4s sky_light;
    vec4s ground_light;
    vec4s zenith;
    vec4s horizon;
    vec4s ground_colour;
    vec4s ground_place;
    vec4s ground_grid;
    /// Distances of the near and the far plane, and of occlusion, m.
    vec4s depths;
} PoiseFrame;

typedef struct PoiseFrameSize {
    /// Size of the rendered picture, pixels.
    int width;
    int height;
    /// Rendered pixels per shown pixel, along each axis.
    int supersampling;
    /// Number of texels of the shadow map along each axis.
    int shadow;
} PoiseFrameSize;

/// Returns the direction to the key light, which casts the shadows.
PoiseVec3 poise__frame_to_key(void);
/// Returns the radius of the ball that the shadow map shows, m, rounded up in steps.
double poise__frame_shadow_radius(const PoiseDrawList* list);
/// Computes lights, colours and matrices for the list as the camera sees it.
PoiseFrame poise__frame_make(const PoiseCamera* camera, const PoiseDrawList* list,
                             PoiseFrameSize size);

#endif
