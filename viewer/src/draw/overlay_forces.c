// SPDX-License-Identifier: MIT
// Shows forces in newtons. A hollow arrow is the force that a point is asked to exert. A solid
// arrow is the force that its body does exert. Both act on the world.
#include <stdio.h>

#include "overlay.h"
#include "palette.h"

/// Length of the arrow of the largest force in view, as part of the scene's radius.
static const double LONGEST = 0.55;
/// Distance of the arrows from a pressing point, as part of the scene's radius.
static const double CLEAR = 0.11;
/// Smaller forces count as 0, N.
static const double LEAST_FORCE = 1e-6;
static const uint32_t FORCE_INK = 0xf3c6faff;
/// Offsets of the id's index for bodies and for the hand; smaller indices are points.
enum { FORCE_OF_BODY = 0x1000000, FORCE_OF_HAND = 0x2000000 };

double poise__force_scale(const PoiseSimulation* simulation, const PoiseCamera* camera) {
    double weight = 0.0, largest = 0.0;
    for (int i = 0; i < poise_simulation_body_count(simulation); i++) {
        weight += 9.81 * poise_simulation_body(simulation, i).mass;
    }
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        largest = fmax(largest, point.presses ? poise_length(point.force) : 0.0);
    }
    largest = largest > 0.0 ? 1.5 * largest : fmax(weight, 1.0);
    return LONGEST * camera->scene_radius / largest;
}

static PoiseInstance force_look(uint32_t id, bool hollow) {
    PoiseInstance look = {.flags =
                              POISE_DRAW_NO_SHADOW | (hollow ? 0u : (unsigned)POISE_DRAW_X_RAY),
                          .id = id,
                          .colour = poise__palette(POISE_COLOUR_FORCE),
                          .glow = hollow ? 0.9f : 0.45f,
                          .gloss = 0.3f};
    if (hollow) {
        look.colour.w = 0.32f;
    }
    return look;
}

/// A force on the world, and the arrow that shows it.
typedef struct Force {
    PoiseVec3 place;
    PoiseVec3 newtons;
    bool hollow; ///< true for an asked force, false for a measured one
    bool ends;   ///< true if the arrow ends at the place, so that the pressed body does not hide it
    uint32_t id;
} Force;

/// Draws the outline of a hollow arrow as the camera sees it.
static void draw_outline(const PoiseOverlay* overlay, PoiseVec3 from, PoiseVec3 to, double radius,
                         uint32_t id) {
    PoiseVec3 span = poise_sub(to, from);
    double length = poise_length(span);
    PoiseVec3 along = poise__unit(span, poise_vec3(0.0, 0.0, 1.0));
    PoiseVec3 side = poise__unit(poise_cross(along, poise__camera_forward(overlay->camera)),
                                 poise__camera_right(overlay->camera));
    PoiseVec3 neck = poise_add_scaled(from, length - fmin(5.0 * radius, 0.6 * length), along);
    for (int k = -1; k <= 1; k += 2) {
        const PoiseVec3 corners[4] = {poise_add_scaled(from, k * radius, side),
                                      poise_add_scaled(neck, k * radius, side),
                                      poise_add_scaled(neck, 2.3 * k * radius, side), to};
        for (int i = 0; i < 3; i++) {
            PoiseLine line = {.from = poise__vec3s(corners[i]),
                              .to = poise__vec3s(corners[i + 1]),
                              .colour = poise__palette(POISE_COLOUR_FORCE),
                              .width = 1.5f,
                              .id = id};
            poise__draw_line(overlay->list, &line);
        }
    }
}

/// Returns the offset from a pressed place to its arrows: across the force, upwards in the picture.
static PoiseVec3 arrow_offset(const PoiseOverlay* overlay, PoiseVec3 newtons) {
    const PoiseVec3 along = poise__unit(newtons, poise_vec3(0.0, 0.0, 1.0));
    const PoiseVec3 up = poise__camera_up(overlay->camera);
    const PoiseVec3 across = poise_add_scaled(up, -poise_dot(up, along), along);
    return poise_scale(CLEAR * overlay->camera->scene_radius,
                       poise__unit(across, poise__camera_right(overlay->camera)));
}

/// Draws the arrow of a force; `scale` is the length, m, for 1 N.
static void draw_force(const PoiseOverlay* overlay, const Force* force, double scale) {
    double newtons = poise_length(force->newtons);
    double radius = (force->hollow ? 0.021 : 0.011) * overlay->camera->scene_radius;
    double length = fmin(newtons * scale, 2.0 * overlay->camera->scene_radius);
    if (!(length > 1e-6)) {
        return;
    }
    PoiseVec3 span = poise_scale(length / newtons, force->newtons);
    PoiseVec3 from = force->ends ? poise_sub(force->place, span) : force->place;
    if (force->ends) { // move the arrow away from the pressing limb, which lies along it
        const PoiseVec3 away = arrow_offset(overlay, force->newtons);
        from = poise_add(from, away);
        const PoiseLine leader = {.from = poise__vec3s(force->place),
                                  .to = poise__vec3s(poise_add(force->place, away)),
                                  .colour = poise__palette(POISE_COLOUR_FORCE),
                                  .width = 1.2f,
                                  .id = force->id};
        poise__draw_line(overlay->list, &leader);
    }
    PoiseVec3 to = poise_add(from, span);
    PoiseInstance look = force_look(force->id, force->hollow);
    poise__draw_arrow(overlay->list, from, to, radius, &look);
    if (force->hollow) {
        draw_outline(overlay, from, to, radius, force->id);
    }
}

static void draw_point(const PoiseOverlay* overlay, const PoisePointView* point, int index,
                       double scale) {
    const PoiseVec3 place = point->pose_world.p;
    const PoiseVec3 asked = point->presses ? point->force : poise_vec3(0.0, 0.0, 0.0);
    const PoiseBodyView body = poise_simulation_body(overlay->simulation, point->body);
    const PoiseVec3 given =
        point->presses ? point->force_measured : poise_scale(-1.0, body.contact_force);
    const uint32_t id = poise__draw_id(POISE_DRAW_FORCE, index);
    const double newtons = poise_length(asked);
    draw_force(overlay, &(Force){place, asked, true, true, id}, scale);
    draw_force(overlay, &(Force){place, given, false, true, id}, scale);
    if (newtons > 0.0) {
        // the part of the measured force along the asked one
        poise__overlay_label(overlay, (PoiseLabelPlace){place, 22.0f, FORCE_INK, true},
                             "%.3g of %.3g N", poise_dot(given, asked) / newtons, newtons);
    } else if (poise_length(given) > LEAST_FORCE) {
        poise__overlay_label(overlay, (PoiseLabelPlace){place, 22.0f, FORCE_INK, true}, "%.3g N",
                             poise_length(given));
    }
}

static bool has_point(const PoiseSimulation* simulation, int body) {
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        if (point.enabled && point.body == body) {
            return true;
        }
    }
    return false;
}

void poise__overlay_forces(const PoiseOverlay* overlay) {
    const PoiseSimulation* simulation = overlay->simulation;
    const double scale = poise__force_scale(simulation, overlay->camera);
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        if (point.enabled) {
            draw_point(overlay, &point, i, scale);
        }
    }
    for (int i = 0; i < poise_simulation_body_count(simulation); i++) {
        PoiseBodyView body = poise_simulation_body(simulation, i);
        PoiseVec3 given = poise_scale(-1.0, body.contact_force);
        if (!body.fixed && poise_length(given) > LEAST_FORCE && !has_point(simulation, i)) {
            const uint32_t id = poise__draw_id(POISE_DRAW_FORCE, FORCE_OF_BODY + i);
            draw_force(overlay, &(Force){body.com_world, given, false, false, id}, scale);
            poise__overlay_label(overlay, (PoiseLabelPlace){body.com_world, 18.0f, FORCE_INK, true},
                                 "%.3g N", poise_length(given));
        }
    }
}

/// Draws a coil from the body to the hand, and the force of the pull as a label.
static void draw_pull(const PoiseOverlay* overlay, PoiseVec3 from, PoiseVec3 to, double newtons) {
    enum { LINES = 48, WINDINGS = 12 };
    const double turn = 6.28318530717958647693;
    const double wide = 7.0 * poise__camera_unit_at(overlay->camera, from);
    const PoiseVec3 span = poise_sub(to, from);
    const PoiseVec3 across = poise__unit(poise_cross(span, poise__camera_forward(overlay->camera)),
                                         poise__camera_right(overlay->camera));
    PoiseLine line = {.colour = poise__palette(POISE_COLOUR_FORCE),
                      .width = 2.4f,
                      .id = poise__draw_id(POISE_DRAW_FORCE, FORCE_OF_HAND)};
    PoiseVec3 last = from;
    for (int i = 1; i <= LINES; i++) {
        const double part = (double)i / LINES;
        const double swing =
            wide * sin(turn * WINDINGS * part) * fmin(1.0, 8.0 * fmin(part, 1.0 - part));
        const PoiseVec3 next = poise_add_scaled(poise_add_scaled(from, part, span), swing, across);
        line.from = poise__vec3s(last);
        line.to = poise__vec3s(next);
        poise__draw_line(overlay->list, &line);
        last = next;
    }
    PoiseLabel label = {.place = poise__vec3s(poise_add_scaled(from, 0.5, span)),
                        .down = 22.0f,
                        .colour = FORCE_INK,
                        .always = true};
    snprintf(label.text, sizeof label.text, "%.3g N", newtons);
    poise__draw_label(overlay->list, &label);
}

void poise__overlay_pull(const PoiseOverlay* overlay) {
    Force pull = {.id = poise__draw_id(POISE_DRAW_FORCE, FORCE_OF_HAND)};
    PoiseVec3 to;
    if (poise_simulation_pulled(overlay->simulation, &pull.place, &to, &pull.newtons)) {
        draw_force(overlay, &pull, poise__force_scale(overlay->simulation, overlay->camera));
        draw_pull(overlay, pull.place, to, poise_length(pull.newtons));
    }
}
