// SPDX-License-Identifier: MIT
// The colours, all in one place. Written as sRGB, given out as linear light.
#ifndef POISE_PALETTE_H
#define POISE_PALETTE_H

#include "linear.h"

/// 0xrrggbb as linear light, opaque.
vec4s poise__srgb(uint32_t hex);

/// Of the `index`-th body; after the last the colours begin again, a little lighter.
vec4s poise__palette_body(int index);
/// Of what is fixed to the world.
vec4s poise__palette_fixed(void);
vec4s poise__palette_goal(void);
/// Of a goal in someone's hand.
vec4s poise__palette_held(void);
vec4s poise__palette_point(void);
/// The path of a point.
vec4s poise__palette_pen(void);
/// A body, unless each has its own colour.
vec4s poise__palette_neutral(int index);
/// theta_orig and its spring; theta_ik and its spring.
vec4s poise__palette_original(void);
vec4s poise__palette_ik(void);
/// Joints that serve a point; and points and joints that a joint has to do with.
vec4s poise__palette_nodes(void);
vec4s poise__palette_neighbour(void);
vec4s poise__palette_force(void);
/// Where bodies touch.
vec4s poise__palette_contact(void);
/// How fast a point moves each way.
vec4s poise__palette_ellipsoid(void);
/// A run that was left.
vec4s poise__palette_past(void);
/// 0: at ease (green), 0.5: amber, 1 and above: at the limit (red).
vec4s poise__palette_strain(double part);
/// Red, green, blue for x, y, z.
vec4s poise__palette_axis(int axis);

#endif
