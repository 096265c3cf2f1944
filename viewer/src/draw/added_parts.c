// SPDX-License-Identifier: MIT
// Draws what scenes lack but a picture needs: the necks and noses of figures, legs of tables, and
// the dark ground under a foot.
#include "added_parts.h"

#include <math.h>
#include <string.h>

#include "suggest_name.h"

/// Radius of the rod between a joint and its bodies, as a fraction of a body's half width.
static const double NECK_PART = 0.42;
/// Height below which a body darkens the ground, and width of its soft edge, as a fraction of the
/// scene's radius.
static const double SHADOW_PART = 0.06;

/// Returns half the shortest side of a shape, m.
static double half_width(const PoiseShapeView* shape) {
    const PoiseVec3 size = shape->size;
    const bool box = shape->kind == POISE_SHAPE_BOX || shape->kind == POISE_SHAPE_HULL;
    return box ? 0.5 * fmin(size.x, fmin(size.y, size.z)) : size.x;
}

/// Draws a capsule between two places, as part of a body.
static void draw_rod(const PoiseOverlay* overlay, PoiseVec3 from, PoiseVec3 to, double radius,
                     PoiseInstance look) {
    const PoiseVec3 along = poise_sub(to, from);
    const double length = poise_length(along);
    if (length > 1e-9 && radius > 0.0) {
        const PoiseQuat turn = poise__turn_to(poise_scale(1.0 / length, along));
        look.mesh = POISE_MESH_CAPSULE;
        look.place = poise__vec3s(poise_scale(0.5, poise_add(from, to)));
        look.turn = poise__quat4s(turn);
        look.core = (vec3s){{0.0f, 0.0f, (float)(0.5 * length)}};
        look.shell = (float)radius;
        poise__draw_instance(overlay->list, &look);
    }
}

/// True if the place is inside the shape, enlarged by a tenth of its half width.
static bool holds_place(const PoiseShapeView* shape, PoiseVec3 place) {
    const PoiseVec3 local = poise_pose_apply(poise_pose_inverse(shape->pose_world), place);
    const bool round = shape->kind == POISE_SHAPE_SPHERE || shape->kind == POISE_SHAPE_CAPSULE;
    const double half = shape->kind == POISE_SHAPE_CAPSULE ? 0.5 * shape->size.y : 0.0;
    const double margin = 1.1;
    if (round) {
        const double z = fmax(0.0, fabs(local.z) - half);
        return hypot(hypot(local.x, local.y), z) < margin * shape->size.x;
    }
    if (shape->kind == POISE_SHAPE_CYLINDER) {
        return hypot(local.x, local.y) < margin * shape->size.x &&
               fabs(local.z) < margin * 0.5 * shape->size.y;
    }
    const PoiseVec3 size = poise_scale(0.5 * margin, shape->size);
    return fabs(local.x) < size.x && fabs(local.y) < size.y && fabs(local.z) < size.z;
}

void poise__add_neck(const PoiseOverlay* overlay, int index, vec4s colour) {
    const PoiseSimulation* simulation = overlay->simulation;
    const PoiseShapeView shape = poise_simulation_shape(simulation, index);
    const int joint =
        shape.body_index >= 0 ? poise_simulation_body(simulation, shape.body_index).joint : -1;
    const PoiseScene* scene = poise_simulation_scene(simulation);
    const int before_index =
        index > 0 ? poise_simulation_shape(simulation, index - 1).body_index : -1;
    const bool is_first = before_index != shape.body_index;
    if (joint < 0 || !is_first || poise_kind_floats(scene->joints[joint].kind) ||
        !poise_is_finite_pose(shape.pose_world)) {
        return;
    }
    const PoiseVec3 anchor = poise_simulation_joint_frame(simulation, joint).p;
    const PoiseInstance look = {
        .id = poise__draw_id(POISE_DRAW_DECOR, shape.body_index), .colour = colour, .gloss = 0.55f};
    const double radius = NECK_PART * half_width(&shape);
    if (!holds_place(&shape, anchor)) {
        draw_rod(overlay, anchor, shape.pose_world.p, radius, look);
    }
    for (int i = 0; i < poise_simulation_shape_count(simulation); i++) {
        const PoiseShapeView before = poise_simulation_shape(simulation, i);
        if (before.body_index >= 0 && before.body_index == scene->joints[joint].parent.index &&
            poise_is_finite_pose(before.pose_world)) {
            const double thin = fmin(radius, NECK_PART * half_width(&before));
            if (!holds_place(&before, anchor)) {
                draw_rod(overlay, anchor, before.pose_world.p, thin, look);
            }
            return;
        }
    }
}

void poise__add_nose(const PoiseOverlay* overlay, int index, vec4s colour) {
    const PoiseShapeView shape = poise_simulation_shape(overlay->simulation, index);
    if (shape.kind != POISE_SHAPE_SPHERE || !shape.body ||
        strcmp(poise__bare_name(shape.body), "head") != 0 ||
        !poise_is_finite_pose(shape.pose_world)) {
        return;
    }
    const PoisePose body = poise_simulation_body(overlay->simulation, shape.body_index).pose_world;
    const PoiseVec3 front = poise_quat_rotate(body.q, poise_vec3(1.0, 0.0, 0.0));
    const PoiseInstance look = {
        .id = poise__draw_id(POISE_DRAW_DECOR, shape.body_index), .colour = colour, .gloss = 0.55f};
    draw_rod(overlay, poise_add_scaled(shape.pose_world.p, 0.9 * shape.size.x, front),
             poise_add_scaled(shape.pose_world.p, 1.12 * shape.size.x, front), 0.16 * shape.size.x,
             look);
}

void poise__add_legs(const PoiseOverlay* overlay, const PoiseGround* ground,
                     const PoiseShapeView* shape, PoiseInstance look) {
    const PoiseVec3 half = poise_scale(0.5, shape->size);
    const PoiseVec3 up = poise_quat_rotate(shape->pose_world.q, poise_vec3(0.0, 0.0, 1.0));
    const double bottom = shape->pose_world.p.z - half.z;
    const double height = bottom - (double)ground->height;
    const bool table = half.z < 0.25 * fmin(half.x, half.y);
    if (!ground->visible || shape->kind != POISE_SHAPE_BOX || up.z < 0.999 ||
        height < 0.02 * overlay->camera->scene_radius) {
        return;
    }
    const double radius = table ? 0.07 * fmin(half.x, half.y) : 0.35 * fmin(half.x, half.y);
    for (int i = 0; i < (table ? 4 : 1); i++) {
        const double x = table ? (i % 2 == 0 ? 1.0 : -1.0) * (half.x - 2.0 * radius) : 0.0;
        const double y = table ? (i < 2 ? 1.0 : -1.0) * (half.y - 2.0 * radius) : 0.0;
        const PoiseVec3 top = poise_pose_apply(shape->pose_world, poise_vec3(x, y, -half.z));
        const PoiseVec3 foot = poise_vec3(top.x, top.y, (double)ground->height);
        draw_rod(overlay, foot, top, radius, look);
    }
}

void poise__add_contact_shadow(const PoiseOverlay* overlay, const PoiseGround* ground,
                               const PoiseShapeView* shape) {
    enum { RINGS = 3 };
    PoiseBounds bounds = poise__bounds_add_shape(poise__bounds_empty(), shape);
    const double height = bounds.lower.z - (double)ground->height;
    const double reach = SHADOW_PART * overlay->camera->scene_radius;
    if (!ground->visible || !ground->solid || height > reach ||
        bounds.upper.z < (double)ground->height) {
        return;
    }
    const double part = 1.0 - fmax(0.0, height) / reach;
    const PoiseVec3 middle = poise__bounds_centre(bounds);
    for (int i = 0; i < RINGS; i++) {
        const double more = reach * (0.1 + 0.4 * i);
        const PoiseInstance disc = {
            .mesh = POISE_MESH_CONE,
            .flags = POISE_DRAW_NO_SHADOW,
            .id = poise__draw_id(POISE_DRAW_GROUND, 0),
            .place = {{(float)middle.x, (float)middle.y,
                       ground->height + (float)(0.002 * reach * (i + 1))}},
            .turn = {{0.0f, 0.0f, 0.0f, 1.0f}},
            .core = {{(float)(0.5 * (bounds.upper.x - bounds.lower.x) + more),
                      (float)(0.5 * (bounds.upper.y - bounds.lower.y) + more),
                      (float)(0.001 * reach)}},
            .colour = {{0.01f, 0.02f, 0.04f, (float)(0.2 * part)}},
            .glow = 1.0f};
        poise__draw_instance(overlay->list, &disc);
    }
}
