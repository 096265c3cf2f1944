// SPDX-License-Identifier: MIT
// The colours, all in one place. Written as sRGB, given out as linear light.
#ifndef POISE_PALETTE_H
#define POISE_PALETTE_H

#include "linear.h"

/// What has a colour of its own.
typedef enum PoiseColour {
    POISE_COLOUR_FIXED, ///< to the world
    POISE_COLOUR_GOAL,
    POISE_COLOUR_HELD, ///< a goal in someone's hand
    POISE_COLOUR_POINT,
    POISE_COLOUR_PEN,       ///< the path of a point
    POISE_COLOUR_ORIGINAL,  ///< theta_orig and its spring
    POISE_COLOUR_IK,        ///< theta_ik and its spring
    POISE_COLOUR_NODES,     ///< joints that serve a point
    POISE_COLOUR_NEIGHBOUR, ///< points and joints that a joint has to do with
    POISE_COLOUR_FORCE,
    POISE_COLOUR_CONTACT,   ///< where bodies touch
    POISE_COLOUR_ELLIPSOID, ///< how fast a point moves each way
    POISE_COLOUR_PAST,      ///< a run that was left
} PoiseColour;

/// 0xrrggbb as linear light, opaque.
vec4s poise__srgb(uint32_t hex);

vec4s poise__palette(PoiseColour colour);
/// Of the `index`-th body; after the last the colours begin again, a little lighter.
vec4s poise__palette_body(int index);
/// A body, unless each has its own colour.
vec4s poise__palette_neutral(int index);
/// 0: at ease (green), 0.5: amber, 1 and above: at the limit (red).
vec4s poise__palette_strain(double part);
/// Red, green, blue for x, y, z.
vec4s poise__palette_axis(int axis);

#endif
