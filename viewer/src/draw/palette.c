// SPDX-License-Identifier: MIT
#include "palette.h"

/// Colours in the order of their hue, so that neighbours on a chain differ but match. All have
/// about the same lightness, so that no body stands out.
static const uint32_t BODY_COLOURS[] = {
    0x4f86c6, // blue
    0x45a8b5, // teal
    0x62b287, // green
    0xa8b957, // olive
    0xf0b34f, // amber
    0xe88a5d, // orange
    0xd9707a, // coral
    0xb873a9, // plum
    0x8577c2, // violet
};

static float linear_channel(uint32_t byte) {
    float s = (float)byte / 255.0f;
    return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}

vec4s poise__srgb(uint32_t hex) {
    return (vec4s){{linear_channel((hex >> 16) & 255u), linear_channel((hex >> 8) & 255u),
                    linear_channel(hex & 255u), 1.0f}};
}

vec4s poise__palette_body(int index) {
    int count = (int)(sizeof BODY_COLOURS / sizeof *BODY_COLOURS);
    int cycle = (index / count) % 3;
    vec4s colour = poise__srgb(BODY_COLOURS[index % count]);
    return glms_vec4_lerp(colour, (vec4s){{1.0f, 1.0f, 1.0f, 1.0f}}, 0.25f * (float)cycle);
}

static const uint32_t COLOURS[] = {
    [POISE_COLOUR_FIXED] = 0x8a6745,     [POISE_COLOUR_GOAL] = 0xff4d3d,
    [POISE_COLOUR_HELD] = 0xffb400,      [POISE_COLOUR_POINT] = 0xfdfdfb,
    [POISE_COLOUR_PEN] = 0x1f5fbf,       [POISE_COLOUR_ORIGINAL] = 0x3d7ef5,
    [POISE_COLOUR_IK] = 0xff9a1f,        [POISE_COLOUR_NODES] = 0xffd60a,
    [POISE_COLOUR_NEIGHBOUR] = 0x30e0c0, [POISE_COLOUR_FORCE] = 0xc026d3,
    [POISE_COLOUR_CONTACT] = 0xffe066,   [POISE_COLOUR_YIELDING] = 0xf29a38,
    [POISE_COLOUR_PAST] = 0x8f7fc4,      [POISE_COLOUR_GAP] = 0x22b8e0,
    [POISE_COLOUR_TOUCHING] = 0x9be03a,
};

vec4s poise__palette(PoiseColour colour) {
    return poise__srgb(COLOURS[colour]);
}

vec4s poise__palette_neutral(int index) {
    // a warm neutral colour and an accent; neighbours differ, so that the border between bodies is
    // visible
    static const uint32_t colours[] = {0xf0dfc2, 0xd98b3f, 0xdcc49c};
    return poise__srgb(colours[index % 3]);
}

vec4s poise__palette_strain(double part) {
    vec4s ease = poise__srgb(0x2fb344);
    vec4s amber = poise__srgb(0xffb020);
    vec4s limit = poise__srgb(0xf03e3e);
    float t = (float)fmax(0.0, fmin(1.0, part));
    return t < 0.5f ? glms_vec4_lerp(ease, amber, 2.0f * t)
                    : glms_vec4_lerp(amber, limit, 2.0f * t - 1.0f);
}

vec4s poise__palette_axis(int axis) {
    static const uint32_t colours[3] = {0xe5484d, 0x46a758, 0x3e7bfa};
    return poise__srgb(colours[axis]);
}
