// SPDX-License-Identifier: MIT
// Shows contacts: a disc perpendicular to the normal, and an arrow for the force on the body.
#include "overlay.h"
#include "palette.h"

/// Radius of the disc, window units.
static const double DISC_UNITS = 5.0;
static const double DISC_THICK = 0.22;
/// Smaller forces count as 0, N.
static const double LEAST_FORCE = 1e-6;
/// A body of ODE and a body of the scene are the same if their centres of mass are at most this far
/// apart, m.
static const double SAME_PLACE = 1e-9;
/// A contact without a second body is with the ground if it is at most this high above the ground,
/// m. Bodies that sink into the ground and roll over its edges stay below.
static const double GROUND_LAYER = 5e-3;
static const uint32_t CONTACT_INK = 0xffe9a8ff;

static void draw_disc(const PoiseOverlay* overlay, const PoiseContact* contact, uint32_t id) {
    const double radius = DISC_UNITS * poise__camera_unit_at(overlay->camera, contact->place);
    const double half = 0.5 * DISC_THICK * radius;
    const PoiseInstance disc = {.mesh = POISE_MESH_CYLINDER,
                                .flags = POISE_DRAW_NO_SHADOW | POISE_DRAW_X_RAY,
                                .id = id,
                                .place = poise__vec3s(contact->place),
                                .turn = poise__quat4s(poise__turn_to(contact->normal)),
                                .core =
                                    poise__vec3s(poise_vec3(radius - half, radius - half, half)),
                                .shell = (float)half,
                                .colour = poise__palette(POISE_COLOUR_CONTACT),
                                .glow = 0.8f};
    poise__draw_instance(overlay->list, &disc);
}

/// True if a body of ODE is this body of the scene: they have the same centre of mass.
static bool is_body(dBodyID body, const PoiseBodyView* view) {
    const dReal* p = dBodyGetPosition(body);
    const PoiseVec3 off = poise_sub(poise_vec3(p[0], p[1], p[2]), view->com_world);
    return poise_length(off) < SAME_PLACE;
}

/// True if the body touched another body or a fixed shape, except the ground, in the last step.
static bool touches(const PoiseSimulation* simulation, int body) {
    const PoiseWorld* world = poise_simulation_world(simulation);
    const PoiseBodyView view = poise_simulation_body(simulation, body);
    double ground = -HUGE_VAL;
    poise_simulation_ground(simulation, &ground);
    for (int i = 0; !view.fixed && i < poise_world_contact_count(world); i++) {
        PoiseContact contact;
        if (poise_world_contact(world, i, &contact) < 0) {
            continue;
        }
        const bool counts = contact.second || contact.place.z > ground + GROUND_LAYER;
        if (counts &&
            (is_body(contact.first, &view) || (contact.second && is_body(contact.second, &view)))) {
            return true;
        }
    }
    return false;
}

bool poise__overlay_highlights(const PoiseOverlay* overlay, int body, vec4s* colour) {
    if (body >= 0 && body == overlay->highlight->body) {
        *colour = poise__palette(POISE_COLOUR_HELD);
        return true;
    }
    *colour = poise__palette(POISE_COLOUR_TOUCHING);
    return body >= 0 && poise__overlay_shows(overlay, POISE_SHOW_CONTACTS) &&
           touches(overlay->simulation, body);
}

void poise__overlay_contacts(const PoiseOverlay* overlay) {
    const PoiseWorld* world = poise_simulation_world(overlay->simulation);
    const double scale = poise__force_scale(overlay->simulation, overlay->camera);
    const double longest = 2.0 * overlay->camera->scene_radius;
    for (int i = 0; i < poise_world_contact_count(world); i++) {
        PoiseContact contact;
        if (poise_world_contact(world, i, &contact) < 0 ||
            !poise_is_finite3(poise_add(contact.place, contact.force))) {
            continue;
        }
        const uint32_t id = poise__draw_id(POISE_DRAW_CONTACT, i);
        const double newtons = poise_length(contact.force);
        draw_disc(overlay, &contact, id);
        if (newtons > LEAST_FORCE) {
            const double length = fmin(newtons * scale, longest);
            const PoiseInstance look = {.flags = POISE_DRAW_NO_SHADOW | POISE_DRAW_X_RAY,
                                        .id = id,
                                        .colour = poise__palette(POISE_COLOUR_CONTACT),
                                        .glow = 0.6f};
            poise__draw_arrow(overlay->list, contact.place,
                              poise_add_scaled(contact.place, length / newtons, contact.force),
                              0.006 * overlay->camera->scene_radius, &look);
            poise__overlay_label(overlay,
                                 (PoiseLabelPlace){contact.place, 14.0f, CONTACT_INK, false},
                                 "%.3g N", newtons);
        }
    }
}
