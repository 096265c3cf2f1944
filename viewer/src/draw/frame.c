// SPDX-License-Identifier: MIT
// Computes the lights and matrices of a frame: a warm key light above, a cool fill light on the
// other side, and a bright sky.
#include "frame.h"

#include "palette.h"

static const PoiseVec3 TO_KEY = {0.48, -0.46, 0.95};
static const PoiseVec3 TO_FILL = {-0.55, -0.75, 0.30};
static const PoiseVec3 UP = {0.0, 0.0, 1.0};

PoiseVec3 poise__frame_to_key(void) {
    return poise__unit(TO_KEY, UP);
}

double poise__frame_shadow_radius(const PoiseDrawList* list) {
    // the radius is rounded up to a quarter of an octave, so that shadow texels stay still while
    // bodies move
    return exp2(ceil(4.0 * log2(1.02 * (double)list->radius)) / 4.0);
}

/// Returns the matrix that projects the ball around all shadow casters along the key light. The
/// view moves by whole texels only. `texel` becomes the size of a texel, m.
static mat4s light_matrix(const PoiseDrawList* list, PoiseFrameSize size, double* texel) {
    PoiseVec3 out = poise__frame_to_key();
    PoiseVec3 right = poise__unit(poise_cross(UP, out), poise_vec3(1.0, 0.0, 0.0));
    PoiseVec3 up = poise_cross(out, right);
    double radius = poise__frame_shadow_radius(list);
    *texel = 2.0 * radius / size.shadow;

    PoiseVec3 centre =
        poise_vec3((double)list->centre.x, (double)list->centre.y, (double)list->centre.z);
    double x = floor(poise_dot(centre, right) / *texel) * *texel;
    double y = floor(poise_dot(centre, up) / *texel) * *texel;
    double z = poise_dot(centre, out);
    PoiseVec3 middle = poise_scale(x, right);
    middle = poise_add_scaled(poise_add_scaled(middle, y, up), z, out);

    mat4s view = glms_lookat(poise__vec3s(poise_add_scaled(middle, 2.0 * radius, out)),
                             poise__vec3s(middle), poise__vec3s(up));
    float r = (float)radius;
    return glms_mat4_mul(glms_ortho(-r, r, -r, r, 0.9f * r, 3.1f * r), view);
}

/// Distance over which bodies and ground darken each other, as a fraction of the scene's radius.
static const double OCCLUSION_PART = 0.18;

static void set_lights(PoiseFrame* frame, double shadow_texel) {
    frame->key_direction = poise__vec4s(poise__unit(TO_KEY, UP), shadow_texel);
    frame->fill_direction = poise__vec4s(poise__unit(TO_FILL, UP), 0.0);
    frame->key_colour = (vec4s){{0.92f, 0.81f, 0.64f, 0.0f}};
    frame->fill_colour = (vec4s){{0.07f, 0.09f, 0.13f, 0.0f}};
    frame->sky_light = (vec4s){{0.18f, 0.21f, 0.26f, 0.0f}};
    frame->ground_light = (vec4s){{0.13f, 0.14f, 0.15f, 0.0f}};
    frame->zenith = poise__srgb(0x3a86d0);
    frame->horizon = poise__srgb(0xdaeeff);
}

static void set_ground(PoiseFrame* frame, const PoiseGround* ground) {
    frame->ground_colour = poise__srgb(0x436f8c);
    frame->ground_colour.w = ground->visible && ground->solid ? 1.0f : 0.0f;
    frame->ground_place =
        (vec4s){{ground->centre.x, ground->centre.y, ground->centre.z, ground->height}};
    const float cell = fmaxf(1e-4f, ground->cell);
    const float fade = fmaxf(1e-4f, ground->fade);
    frame->ground_grid = (vec4s){{cell, fade, 1.0f / cell, 1.0f / fade}};
}

PoiseFrame poise__frame_make(const PoiseCamera* camera, const PoiseDrawList* list,
                             PoiseFrameSize size) {
    PoiseFrame frame = {.eye = poise__vec4s(poise__camera_eye(camera), 1.0)};
    double tall = tan(0.5 * camera->field_of_view);
    double wide = tall * camera->width / camera->height;
    double texel = 0.0;
    frame.view_projection =
        glms_mat4_mul(poise__camera_projection(camera), poise__camera_view(camera));
    frame.light_view_projection = light_matrix(list, size, &texel);
    frame.screen_right = poise__vec4s(poise_scale(wide, poise__camera_right(camera)), 0.0);
    frame.screen_up = poise__vec4s(poise_scale(tall, poise__camera_up(camera)), 0.0);
    // a point at the middle of the picture, from which panels may shift the focus
    frame.screen_forward = poise__vec4s(poise_add_scaled(poise__camera_forward(camera),
                                                         wide * camera->inset / camera->width,
                                                         poise__camera_right(camera)),
                                        0.0);
    frame.viewport = (vec4s){{(float)size.width, (float)size.height,
                              (float)(size.height / camera->height), (float)size.supersampling}};
    PoiseDepthRange range = poise__camera_depth_range(camera);
    frame.depths = (vec4s){
        {(float)range.nearest, (float)range.farthest, (float)OCCLUSION_PART * list->radius, 0.0f}};
    set_lights(&frame, texel);
    set_ground(&frame, &list->ground);
    return frame;
}
