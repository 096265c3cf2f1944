// SPDX-License-Identifier: MIT
// Shows the nearest pairs of parts that are kept apart: a thin line across each gap, with the gap's
// length in millimetres.
#include <stdio.h>
#include <stdlib.h>

#include "overlay.h"
#include "palette.h"

enum {
    MOST_GAPS = 4 ///< largest number of gaps in a picture, which shows the nearest ones
};
/// Widths of a gap's line, and of the line of a gap that limits the planned posture; radius of the
/// balls at a line's ends; window units.
static const float GAP_WIDTH = 1.6f, HELD_WIDTH = 2.6f;
static const double END_UNITS = 2.6;
static const uint32_t GAP_INK = 0xb8ecffff;

// Inserts a pair into the sorted list of the nearest pairs. Returns the new length of the list.
static int insert(PoiseApartNear* nearest, int count, const PoiseApartNear* pair) {
    int at = count;
    while (at > 0 && nearest[at - 1].gap.distance > pair->gap.distance) {
        at--;
    }
    if (at == MOST_GAPS) {
        return count;
    }
    const int last = count < MOST_GAPS ? count : MOST_GAPS - 1;
    for (int i = last; i > at; i--) {
        nearest[i] = nearest[i - 1];
    }
    nearest[at] = *pair;
    return last + 1;
}

static int by_height(const void* first, const void* second) {
    const PoiseApartNear *a = first, *b = second;
    return (a->gap.a.z < b->gap.a.z) - (a->gap.a.z > b->gap.a.z);
}

static void draw_gap(const PoiseOverlay* overlay, const PoiseApartNear* pair) {
    const PoiseLine line = {.from = poise__vec3s(pair->gap.a),
                            .to = poise__vec3s(pair->gap.b),
                            .colour = poise__palette(POISE_COLOUR_GAP),
                            .width = pair->held ? HELD_WIDTH : GAP_WIDTH};
    const PoiseInstance end = {.colour = line.colour, .glow = 0.9f};
    poise__draw_line(overlay->list, &line);
    for (int i = 0; i < 2; i++) {
        const PoiseVec3 place = i == 0 ? pair->gap.a : pair->gap.b;
        poise__draw_ball(overlay->list, place,
                         END_UNITS * poise__camera_unit_at(overlay->camera, place), &end);
    }
    const PoiseVec3 middle = poise_scale(0.5, poise_add(pair->gap.a, pair->gap.b));
    PoiseLabel label = {
        .place = poise__vec3s(middle), .colour = GAP_INK, .always = true, .aside = true};
    snprintf(label.text, sizeof label.text, "%.0f mm", 1e3 * pair->gap.distance);
    poise__draw_label(overlay->list, &label);
}

void poise__overlay_apart(const PoiseOverlay* overlay) {
    PoiseApartNear near[POISE_APART_PAIRS_MOST], nearest[MOST_GAPS];
    const PoiseApart* apart = poise_rig_apart(poise_simulation_rig(overlay->simulation));
    const int count = poise_apart_near(apart, near, POISE_APART_PAIRS_MOST);
    int shown = 0;
    for (int i = 0; i < count && i < POISE_APART_PAIRS_MOST; i++) {
        if (poise_is_finite3(poise_add(near[i].gap.a, near[i].gap.b))) {
            shown = insert(nearest, shown, &near[i]);
        }
    }
    // sorts from above to below, so that the lines to labels that avoid each other do not cross
    qsort(nearest, (size_t)shown, sizeof *nearest, by_height);
    for (int i = 0; i < shown; i++) {
        draw_gap(overlay, &nearest[i]);
    }
}
