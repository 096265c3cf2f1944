// SPDX-License-Identifier: MIT
// Shows the compliance of a point as a solid ellipsoid, with its values, mm/N, at the handles of
// its axes. A cage of thin dashed lines is the compliance for which a pull asks.
#include "overlay.h"
#include "palette.h"

#include <stdio.h>

/// Least half axis of the solid, as a fraction of its longest, so that a flat ellipsoid stays
/// visible.
static const double THINNEST = 0.05;
static const uint32_t YIELDING_INK = 0xffc27aff;
static const uint32_t ASKED_INK = 0xffffffff;
enum { CAGE_STEPS = 48 };

static void draw_solid(const PoiseOverlay* overlay, const PoiseYielding* yielding, uint32_t id) {
    const PoiseEllipsoid* has = &yielding->has;
    const double least = THINNEST * has->half[0];
    PoiseInstance look = {.mesh = POISE_MESH_ELLIPSOID,
                          .flags = POISE_DRAW_NO_SHADOW,
                          .id = id,
                          .place = poise__vec3s(yielding->place),
                          .turn = poise__quat4s(has->turn),
                          .core = poise__vec3s(poise_scale(
                              yielding->scale, poise_vec3(has->half[0], fmax(least, has->half[1]),
                                                          fmax(least, has->half[2])))),
                          .colour = poise__palette(POISE_COLOUR_YIELDING),
                          .glow = 0.35f};
    look.colour.w = 0.75f;
    poise__draw_instance(overlay->list, &look);
}

/// Draws the three principal sections of the ellipsoid that the drag of an axis asks for.
static void draw_cage(const PoiseOverlay* overlay, const PoiseYielding* yielding, uint32_t id) {
    const PoiseEllipsoid* asked = &yielding->asked;
    const double step = 6.28318530717958647693 / CAGE_STEPS;
    for (int axis = 0; axis < 3; axis++) {
        const int a = (axis + 1) % 3;
        const int b = (axis + 2) % 3;
        PoiseVec3 from = {0.0, 0.0, 0.0};
        for (int i = 0; i <= CAGE_STEPS; i++) {
            const PoiseVec3 local =
                poise_add(poise_scale(asked->half[a] * cos(i * step), poise__axis(a)),
                          poise_scale(asked->half[b] * sin(i * step), poise__axis(b)));
            const PoiseVec3 to = poise_add_scaled(yielding->place, yielding->scale,
                                                  poise_quat_rotate(asked->turn, local));
            const PoiseLine line = {.from = poise__vec3s(from),
                                    .to = poise__vec3s(to),
                                    .colour = poise__palette(POISE_COLOUR_HELD),
                                    .width = 1.2f,
                                    .dash = 4.0f,
                                    .id = id};
            if (i > 0) {
                poise__draw_line(overlay->list, &line);
            }
            from = to;
        }
    }
}

/// Draws a handle and its stem, and at the first end of each axis the compliance along it.
static void draw_handle(const PoiseOverlay* overlay, const PoiseYielding* yielding, int end) {
    const PoiseCamera* camera = overlay->camera;
    const bool chosen = yielding->end >= 0 && end / 2 == yielding->end / 2;
    const PoiseVec3 grip = poise__yielding_grip(camera, yielding, end);
    const vec4s colour = poise__palette(chosen ? POISE_COLOUR_HELD : POISE_COLOUR_YIELDING);
    const uint32_t id = poise__draw_id(POISE_DRAW_ELLIPSOID, yielding->point);
    const PoiseLine stem = {.from = poise__vec3s(yielding->place),
                            .to = poise__vec3s(grip),
                            .colour = colour,
                            .width = chosen ? 2.4f : 1.4f,
                            .id = id};
    const PoiseInstance look = {
        .id = id, .colour = colour, .glow = chosen ? 0.9f : 0.5f, .gloss = 0.3f};
    poise__draw_line(overlay->list, &stem);
    poise__draw_ball(overlay->list, grip, poise__yielding_radius(camera, yielding), &look);
    if (end % 2 != 0) {
        return;
    }
    const double has =
        poise__ellipsoid_along(&yielding->has, poise__yielding_direction(yielding, end));
    PoiseLabel label = {.place = poise__vec3s(grip),
                        .down = 16.0f,
                        .colour = yielding->asks ? ASKED_INK : YIELDING_INK,
                        .always = true};
    if (yielding->asks) {
        snprintf(label.text, sizeof label.text, "%.3g mm/N, asked %.3g", 1e3 * has,
                 1e3 * yielding->asked.half[end / 2]);
    } else {
        snprintf(label.text, sizeof label.text, "%.3g mm/N", 1e3 * has);
    }
    poise__draw_label(overlay->list, &label);
}

void poise__overlay_yielding(const PoiseOverlay* overlay) {
    const PoiseYielding* yielding = &overlay->highlight->yielding;
    if (yielding->point < 0) {
        return;
    }
    const uint32_t id = poise__draw_id(POISE_DRAW_ELLIPSOID, yielding->point);
    draw_solid(overlay, yielding, id);
    if (yielding->asks) {
        draw_cage(overlay, yielding, id);
    }
    for (int end = 0; end < POISE_YIELDING_ENDS; end++) {
        draw_handle(overlay, yielding, end);
    }
    if (yielding->why[0] != '\0') {
        PoiseLabel label = {.place = poise__vec3s(yielding->place),
                            .down = 40.0f,
                            .colour = ASKED_INK,
                            .always = true};
        snprintf(label.text, sizeof label.text, "%.60s", yielding->why);
        poise__draw_label(overlay->list, &label);
    }
}
