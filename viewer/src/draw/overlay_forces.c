// SPDX-License-Identifier: MIT
// Forces in newtons: what a point is asked to press with, hollow, and what its body does press
// with, solid. Both are what the body gives to the world.
#include "overlay.h"
#include "palette.h"

/// The largest force in view is this part of the scene's radius long.
static const double LONGEST = 0.55;

double poise__force_scale(const PoiseSimulation* simulation, const PoiseCamera* camera) {
    double weight = 0.0;
    double largest = 0.0;
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
                          .colour = poise__palette_force(),
                          .glow = hollow ? 0.9f : 0.45f,
                          .gloss = 0.3f};
    if (hollow) {
        look.colour.w = 0.32f;
    }
    return look;
}

/// A hollow arrow's outline as the camera sees it.
static void draw_outline(PoiseVec3 from, PoiseVec3 to, double radius, uint32_t id,
                         const PoiseCamera* camera, PoiseDrawList* list) {
    PoiseVec3 way = poise_sub(to, from);
    double length = poise_length(way);
    PoiseVec3 along = poise__unit(way, poise_vec3(0.0, 0.0, 1.0));
    PoiseVec3 side =
        poise__unit(poise_cross(along, poise__camera_forward(camera)), poise__camera_right(camera));
    double head = fmin(5.0 * radius, 0.6 * length);
    PoiseVec3 neck = poise_add_scaled(from, length - head, along);
    for (int k = -1; k <= 1; k += 2) {
        const PoiseVec3 corners[4] = {poise_add_scaled(from, k * radius, side),
                                      poise_add_scaled(neck, k * radius, side),
                                      poise_add_scaled(neck, 2.3 * k * radius, side), to};
        for (int i = 0; i < 3; i++) {
            PoiseLine line = {.from = poise__vec3s(corners[i]),
                              .to = poise__vec3s(corners[i + 1]),
                              .colour = poise__palette_force(),
                              .width = 1.5f,
                              .id = id};
            poise__draw_line(list, &line);
        }
    }
}

static double arrow_length(double force, const PoiseCamera* camera, double scale) {
    return fmin(force * scale, 2.0 * camera->scene_radius);
}

/// Where an arrow begins that ends at `tip`.
static PoiseVec3 arrow_start(PoiseVec3 tip, PoiseVec3 force, const PoiseCamera* camera,
                             double scale) {
    double size = poise_length(force);
    return size > 0.0 ? poise_add_scaled(tip, -arrow_length(size, camera, scale) / size, force)
                      : tip;
}

static void draw_force(PoiseVec3 place, PoiseVec3 force, bool hollow, uint32_t id,
                       const PoiseCamera* camera, double scale, PoiseDrawList* list) {
    double size = poise_length(force);
    double length = arrow_length(size, camera, scale);
    if (!(length > 1e-6)) {
        return;
    }
    PoiseVec3 end = poise_add_scaled(place, length / size, force);
    double radius = (hollow ? 0.021 : 0.011) * camera->scene_radius;
    PoiseInstance look = force_look(id, hollow);
    poise__draw_arrow(list, place, end, radius, &look);
    if (hollow) {
        draw_outline(place, end, radius, id, camera, list);
    }
}

static void draw_point(const PoiseSimulation* simulation, const PoisePointView* point, int index,
                       const PoiseCamera* camera, double scale, unsigned parts,
                       PoiseDrawList* list) {
    PoiseVec3 asked = point->presses ? point->force : poise_vec3(0.0, 0.0, 0.0);
    PoiseBodyView body = poise_simulation_body(simulation, point->body);
    PoiseVec3 given =
        point->presses ? point->force_measured : poise_scale(-1.0, body.contact_force);
    uint32_t id = poise__draw_id(POISE_DRAW_FORCE, index);
    bool asks = poise_length(asked) > 0.0;
    bool gives = poise_length(given) > 1e-6;
    // both end where it presses, so that what is pressed does not hide them
    draw_force(arrow_start(point->pose_world.p, asked, camera, scale), asked, true, id, camera,
               scale, list);
    draw_force(arrow_start(point->pose_world.p, given, camera, scale), given, false, id, camera,
               scale, list);
    if (!(parts & POISE_SHOW_LABELS)) {
        return;
    }
    if (asks) {
        // measured along the direction that was asked
        double along = poise_dot(given, asked) / poise_length(asked);
        poise__draw_label(list, point->pose_world.p, 22.0f, 0xf3c6faff, "%.3g of %.3g N", along,
                          poise_length(asked));
    } else if (gives) {
        poise__draw_label(list, point->pose_world.p, 22.0f, 0xf3c6faff, "%.3g N",
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

static void draw_pull(const PoiseSimulation* simulation, const PoiseCamera* camera, double scale,
                      PoiseDrawList* list) {
    PoiseVec3 from;
    PoiseVec3 to;
    PoiseVec3 force;
    if (poise_simulation_pulled(simulation, &from, &to, &force)) {
        draw_force(from, force, false, poise__draw_id(POISE_DRAW_FORCE, 0x2000000), camera, scale,
                   list);
    }
}

void poise__overlay_forces(const PoiseSimulation* simulation, const PoiseCamera* camera,
                           unsigned parts, PoiseDrawList* list) {
    double scale = poise__force_scale(simulation, camera);
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        if (point.enabled) {
            draw_point(simulation, &point, i, camera, scale, parts, list);
        }
    }
    for (int i = 0; i < poise_simulation_body_count(simulation); i++) {
        PoiseBodyView body = poise_simulation_body(simulation, i);
        PoiseVec3 given = poise_scale(-1.0, body.contact_force);
        if (!body.fixed && poise_length(given) > 1e-6 && !has_point(simulation, i)) {
            draw_force(body.com_world, given, false,
                       poise__draw_id(POISE_DRAW_FORCE, 0x1000000 + i), camera, scale, list);
            if (parts & POISE_SHOW_LABELS) {
                poise__draw_label(list, body.com_world, 18.0f, 0xf3c6faff, "%.3g N",
                                  poise_length(given));
            }
        }
    }
    draw_pull(simulation, camera, scale, list);
}
