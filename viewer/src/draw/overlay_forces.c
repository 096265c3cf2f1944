// SPDX-License-Identifier: MIT
// Shows forces in newtons. A hollow arrow is the force that a point is asked to exert, a solid
// arrow the force that its body does exert; both act on the world.
#include <stdio.h>

#include "overlay.h"
#include "palette.h"

/// Length of the arrow of the largest force in the picture, as a fraction of the scene's radius.
static const double LONGEST = 0.55;
/// Smaller forces count as 0, N.
static const double LEAST_FORCE = 1e-6;
/// A measured force below this fraction of the asked one is shown as 0.
static const double NOISE_PART = 1e-3;
static const uint32_t FORCE_INK = 0xf3c6faff;
/// Offsets of the index in a force's id, by which bodies, pushes and the person's hand are told
/// apart; smaller indices are points.
enum { FORCE_OF_BODY = 0x1000000, FORCE_OF_PUSH = 0x1800000, FORCE_OF_HAND = 0x2000000 };

static bool push_acts(const PoiseScenePush* push, double now) {
    const double since = now - push->from;
    const double within = isfinite(push->every) ? fmod(since, push->every) : since;
    return since >= 0.0 && within < push->seconds;
}

double poise__force_scale(const PoiseSimulation* simulation, const PoiseCamera* camera) {
    double weight = 0.0, largest = 0.0, pushed = 0.0;
    for (int i = 0; i < poise_simulation_body_count(simulation); i++) {
        weight += 9.81 * poise_simulation_body(simulation, i).mass;
    }
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        largest = fmax(largest, point.presses ? poise_length(point.force) : 0.0);
    }
    const PoiseScene* scene = poise_simulation_scene(simulation);
    for (int i = 0; i < scene->push_count; i++) {
        if (!(largest > 0.0) && push_acts(&scene->pushes[i], poise_simulation_time(simulation))) {
            pushed = fmax(pushed, poise_length(scene->pushes[i].force));
        }
    }
    largest = largest > 0.0 ? largest : pushed;
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

/// A force in the world's frame, and the arrow that shows it.
typedef struct Force {
    PoiseVec3 place;
    PoiseVec3 newtons;
    bool hollow; ///< the force is asked, not measured
    /// the arrow ends at the place instead of beginning there, so that the pressed body does not
    /// hide it
    bool ends;
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

/// Draws the arrow of a force; `scale` is the arrow's length for 1 N, m. Returns the position of
/// its tail.
static PoiseVec3 draw_force(const PoiseOverlay* overlay, const Force* force, double scale) {
    double newtons = poise_length(force->newtons);
    double radius = (force->hollow ? 0.021 : 0.011) * overlay->camera->scene_radius;
    double length = fmin(newtons * scale, 2.0 * overlay->camera->scene_radius);
    if (!(length > 1e-6)) {
        return force->place;
    }
    PoiseVec3 span = poise_scale(length / newtons, force->newtons);
    PoiseVec3 from = force->ends ? poise_sub(force->place, span) : force->place;
    PoiseVec3 to = poise_add(from, span);
    PoiseInstance look = force_look(force->id, force->hollow);
    poise__draw_arrow(overlay->list, from, to, radius, &look);
    if (force->hollow) {
        draw_outline(overlay, from, to, radius, force->id);
    }
    return from;
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
    PoiseVec3 tail = draw_force(overlay, &(Force){place, given, false, true, id}, scale);
    if (newtons > 0.0) {
        tail = draw_force(overlay, &(Force){place, asked, true, true, id}, scale);
        // the component of the measured force along the asked one; before contact it is noise
        const double along = poise_dot(given, asked) / newtons;
        poise__overlay_label(overlay, (PoiseLabelPlace){tail, -18.0f, FORCE_INK, true},
                             "%.3g of %.3g N", fabs(along) < NOISE_PART * newtons ? 0.0 : along,
                             newtons);
    } else if (poise_length(given) > LEAST_FORCE) {
        poise__overlay_label(overlay, (PoiseLabelPlace){tail, -18.0f, FORCE_INK, true}, "%.3g N",
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

/// Draws the scene's pushes that act now, each as an arrow that ends where the push acts.
static void draw_pushes(const PoiseOverlay* overlay, double scale) {
    const PoiseSimulation* simulation = overlay->simulation;
    const PoiseScene* scene = poise_simulation_scene(simulation);
    const double now = poise_simulation_time(simulation);
    for (int i = 0; i < scene->push_count; i++) {
        const PoiseScenePush* push = &scene->pushes[i];
        if (push_acts(push, now)) {
            const PoiseBodyView body = poise_simulation_body(simulation, push->body.index);
            const PoiseVec3 place = poise_pose_apply(body.pose_world, push->at);
            const uint32_t id = poise__draw_id(POISE_DRAW_FORCE, FORCE_OF_PUSH + i);
            const PoiseVec3 tail =
                draw_force(overlay, &(Force){place, push->force, false, true, id}, scale);
            poise__overlay_label(overlay, (PoiseLabelPlace){tail, -18.0f, FORCE_INK, true},
                                 "%.3g N", poise_length(push->force));
        }
    }
}

void poise__overlay_forces(const PoiseOverlay* overlay) {
    const PoiseSimulation* simulation = overlay->simulation;
    const double scale = poise__force_scale(simulation, overlay->camera);
    draw_pushes(overlay, scale);
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

/// Draws a coil from the body to the pointer's position, and the pulling force as a label.
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
