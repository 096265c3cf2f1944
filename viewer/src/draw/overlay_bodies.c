// SPDX-License-Identifier: MIT
// What a body is to the physics: the box that weighs and turns as it does, and the axes of its
// link.
#include "overlay.h"
#include "palette.h"

/// Of the axes, window units.
static const double AXES_UNITS = 26.0;

/// The sides of a box of the body's mass and moments, and its turn in the body, from the principal
/// axes of the inertia (Jacobi's rotations).
static PoiseVec3 box_of(const PoiseSceneBody* body, PoiseQuat* turn) {
    const double* i = body->inertia;
    double m[3][3] = {{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}};
    PoiseQuat q = poise_quat_identity();
    for (int sweep = 0; sweep < 24; sweep++) {
        const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
        const int a = pairs[sweep % 3][0];
        const int b = pairs[sweep % 3][1];
        const double angle = 0.5 * atan2(2.0 * m[a][b], m[a][a] - m[b][b]);
        const double c = cos(angle);
        const double s = sin(angle);
        for (int k = 0; k < 3; k++) { // columns, then rows
            const double x = m[k][a];
            m[k][a] = c * x + s * m[k][b];
            m[k][b] = c * m[k][b] - s * x;
        }
        for (int k = 0; k < 3; k++) {
            const double x = m[a][k];
            m[a][k] = c * x + s * m[b][k];
            m[b][k] = c * m[b][k] - s * x;
        }
        // x to y is about z, y to z about x, x to z against y
        const double about[3] = {a == 1 ? angle : 0.0, b - a == 2 ? -angle : 0.0,
                                 b == 1 ? angle : 0.0};
        q = poise_quat_mul(q, poise_quat_exp(poise_vec3(about[0], about[1], about[2])));
    }
    *turn = q;
    const double sum = 0.5 * (m[0][0] + m[1][1] + m[2][2]);
    double side[3];
    for (int k = 0; k < 3; k++) { // m/12 (y^2 + z^2) and so on
        side[k] = sqrt(fmax(0.0, 12.0 * (sum - m[k][k]) / body->mass));
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
                         .colour = poise__palette_force(),
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
