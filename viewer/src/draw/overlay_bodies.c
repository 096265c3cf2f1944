// SPDX-License-Identifier: MIT
// Shows a body as physics describes it: a box with its mass and moments of inertia, and the axes of
// its link.
#include "overlay.h"
#include "palette.h"

/// Length of the axes, window units.
static const double AXES_UNITS = 26.0;

/// Returns the sides of a box with the body's mass and moments of inertia, and the box's rotation
/// in the body's frame.
static PoiseVec3 box_of(const PoiseSceneBody* body, PoiseQuat* turn) {
    const double* i = body->inertia;
    double m[3][3] = {{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}};
    double moments[3];
    *turn = poise__principal_axes(m, moments);
    const double sum = 0.5 * (moments[0] + moments[1] + moments[2]);
    double side[3];
    for (int k = 0; k < 3; k++) { // the moment of inertia of a box about x is m/12 (y^2 + z^2)
        side[k] = sqrt(fmax(0.0, 12.0 * (sum - moments[k]) / body->mass));
    }
    return poise_vec3(side[0], side[1], side[2]);
}

static void draw_box(const PoiseOverlay* overlay, int index) {
    const PoiseSceneBody* body = &poise_simulation_scene(overlay->simulation)->bodies[index];
    const PoiseBodyView view = poise_simulation_body(overlay->simulation, index);
    PoiseQuat turn;
    if (view.fixed || !(body->mass > 0.0) || !poise_is_finite_pose(view.pose_world)) {
        return;
    }
    const PoiseVec3 side = box_of(body, &turn);
    PoiseInstance box = {.mesh = POISE_MESH_BOX,
                         .flags = POISE_DRAW_NO_SHADOW,
                         .id = poise__draw_id(POISE_DRAW_BODY, index),
                         .place = poise__vec3s(view.com_world),
                         .turn = poise__quat4s(poise_quat_mul(view.pose_world.q, turn)),
                         .core = poise__vec3s(poise_scale(0.5, side)),
                         .colour = poise__palette(POISE_COLOUR_FORCE),
                         .glow = 0.4f};
    box.colour.w = 0.35f;
    poise__draw_instance(overlay->list, &box);
}

void poise__overlay_bodies(const PoiseOverlay* overlay) {
    const PoiseSimulation* simulation = overlay->simulation;
    for (int i = 0; i < poise_simulation_body_count(simulation); i++) {
        if (poise__overlay_shows(overlay, POISE_SHOW_INERTIA)) {
            draw_box(overlay, i);
        }
    }
    const PoiseScene* scene = poise_simulation_scene(simulation);
    for (int i = 0; poise__overlay_shows(overlay, POISE_SHOW_FRAMES) && i < scene->frame_count;
         i++) {
        const PoiseSceneFrame* frame = &scene->frames[i];
        const PoisePose pose = poise_pose_mul(
            poise_simulation_body(simulation, frame->body).pose_world, frame->in_body);
        if (poise_is_finite_pose(pose)) {
            const PoiseInstance look = {.flags = POISE_DRAW_X_RAY,
                                        .id = poise__draw_id(POISE_DRAW_BODY, frame->body)};
            poise__draw_axes(overlay->list, pose,
                             AXES_UNITS * poise__camera_unit_at(overlay->camera, pose.p), 1.0f,
                             &look);
        }
    }
}
