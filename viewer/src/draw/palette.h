// SPDX-License-Identifier: MIT
// All colours of the viewer, defined as sRGB and returned as linear light.
#ifndef POISE_PALETTE_H
#define POISE_PALETTE_H

#include "linear.h"

/// Things with a colour of their own.
typedef enum PoiseColour {
    POISE_COLOUR_FIXED, ///< a body fixed to the world
    POISE_COLOUR_GOAL,
    POISE_COLOUR_HELD, ///< a goal that is being dragged
    POISE_COLOUR_POINT,
    POISE_COLOUR_PEN,       ///< the path of a point (trail)
    POISE_COLOUR_ORIGINAL,  ///< theta_orig and its spring
    POISE_COLOUR_IK,        ///< theta_ik and its spring
    POISE_COLOUR_NODES,     ///< joints registered with a point
    POISE_COLOUR_NEIGHBOUR, ///< points of the joint under the pointer, and joints that share them
    POISE_COLOUR_FORCE,
    POISE_COLOUR_CONTACT,  ///< contact points
    POISE_COLOUR_TOUCHING, ///< bodies that touch each other, while contacts are shown
    POISE_COLOUR_GAP,      ///< gaps of pairs that are kept apart
    POISE_COLOUR_YIELDING, ///< the ellipsoid of a point's compliance
    POISE_COLOUR_PAST,     ///< the past run, as a ghost
} PoiseColour;

/// Converts 0xrrggbb, sRGB, to linear light, opaque.
vec4s poise__srgb(uint32_t hex);

vec4s poise__palette(PoiseColour colour);
/// Returns the colour of a body by its index. Colours repeat after the last one, a little lighter.
vec4s poise__palette_body(int index);
/// Returns the colour of a body by its index, while links have no colours of their own.
vec4s poise__palette_neutral(int index);
/// Returns the colour of a strain (torque / limit): green at 0, amber at 0.5, red at 1 and above.
vec4s poise__palette_strain(double part);
/// Returns the colour of an axis: red for x, green for y, blue for z.
vec4s poise__palette_axis(int axis);

#endif
