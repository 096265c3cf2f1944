// SPDX-License-Identifier: MIT
// Stores growing arrays of instances and labels. Composes arrows, rings and axes of several
// instances.
#include "draw_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry.h"
#include "grow.h"
#include "palette.h"

/// Radius of a ring's tube, as a fraction of the ring's radius.
static const double TUBE_PART = 0.09;
/// Radius and length of an arrow's head, as multiples of the shaft's radius. The length is at most
/// MAX_HEAD_PART of the whole arrow.
static const double HEAD_RADIUS = 2.3;
static const double HEAD_LENGTH = 5.0;
static const double MAX_HEAD_PART = 0.6;
/// Radius of an axis' shaft, as a fraction of its length.
static const double AXIS_RADIUS = 0.033;

void poise__draw_list_clear(PoiseDrawList* list) {
    list->instance_count = 0;
    list->label_count = 0;
    list->incomplete = false;
    list->looks = (PoiseTriangles){.vertices = NULL};
    list->ground = (PoiseGround){.visible = false};
    list->centre = (vec3s){{0.0f, 0.0f, 0.0f}};
    list->radius = 1.0f;
}

void poise__draw_list_finish(PoiseDrawList* list) {
    free(list->instances);
    free(list->labels);
    *list = (PoiseDrawList){.instances = NULL};
}

/// Returns the address of a new element at the end. If memory runs out, returns NULL and marks the
/// list as incomplete.
static void* add(PoiseDrawList* list, void* array, int* count, int* capacity, size_t size) {
    if (!poise__array_grow(array, *count, capacity, size)) {
        list->incomplete = true;
        return NULL;
    }
    return *(char**)array + (size_t)(*count)++ * size;
}

void poise__draw_instance(PoiseDrawList* list, const PoiseInstance* instance) {
    PoiseInstance* place = add(list, &list->instances, &list->instance_count,
                               &list->instance_capacity, sizeof *list->instances);
    if (place) {
        *place = *instance;
    }
}

void poise__draw_line(PoiseDrawList* list, const PoiseLine* line) {
    const PoiseInstance instance = {.mesh = POISE_MESH_LINE,
                                    .id = line->id,
                                    .place = line->from,
                                    .core = line->to,
                                    .shell = line->width,
                                    .colour = line->colour,
                                    .sweep = line->dash};
    poise__draw_instance(list, &instance);
}

void poise__draw_label(PoiseDrawList* list, const PoiseLabel* label) {
    PoiseLabel* place =
        add(list, &list->labels, &list->label_count, &list->label_capacity, sizeof *list->labels);
    if (place) {
        *place = *label;
    }
}

void poise__draw_ball(PoiseDrawList* list, PoiseVec3 place, double radius,
                      const PoiseInstance* look) {
    PoiseInstance ball = *look;
    ball.mesh = POISE_MESH_BALL;
    ball.flags |= POISE_DRAW_NO_SHADOW | POISE_DRAW_X_RAY;
    ball.place = poise__vec3s(place);
    ball.turn = poise__quat4s(poise_quat_identity());
    ball.shell = (float)radius;
    poise__draw_instance(list, &ball);
}

void poise__draw_ring(PoiseDrawList* list, PoisePose frame, double radius,
                      const PoiseInstance* look) {
    PoiseInstance ring = *look;
    ring.mesh = POISE_MESH_RING;
    ring.flags |= POISE_DRAW_NO_SHADOW | POISE_DRAW_X_RAY;
    ring.place = poise__vec3s(frame.p);
    ring.turn = poise__quat4s(frame.q);
    ring.core = (vec3s){{(float)radius, (float)radius, 0.0f}};
    ring.shell = ring.shell > 0.0f ? ring.shell : (float)(TUBE_PART * radius);
    poise__draw_instance(list, &ring);
}

void poise__draw_arrow(PoiseDrawList* list, PoiseVec3 from, PoiseVec3 to, double radius,
                       const PoiseInstance* look) {
    PoiseVec3 span = poise_sub(to, from);
    double length = poise_length(span);
    if (!(length > 1e-9)) {
        return;
    }
    PoisePose frame = poise_pose(from, poise__turn_to(poise_scale(1.0 / length, span)));
    double head = fmin(HEAD_LENGTH * radius, MAX_HEAD_PART * length);
    double shaft = length - head;
    PoiseInstance part = *look;
    part.turn = poise__quat4s(frame.q);
    part.mesh = POISE_MESH_CYLINDER;
    part.place = poise__vec3s(poise_pose_apply(frame, poise_vec3(0.0, 0.0, 0.5 * shaft)));
    part.core = (vec3s){{(float)(0.8 * radius), (float)(0.8 * radius), (float)(0.5 * shaft)}};
    part.shell = (float)(0.2 * radius);
    poise__draw_instance(list, &part);
    part.mesh = POISE_MESH_CONE;
    part.place = poise__vec3s(poise_pose_apply(frame, poise_vec3(0.0, 0.0, shaft)));
    part.core =
        (vec3s){{(float)(HEAD_RADIUS * radius), (float)(HEAD_RADIUS * radius), (float)head}};
    part.shell = 0.0f;
    poise__draw_instance(list, &part);
}

void poise__draw_arc(PoiseDrawList* list, const PoiseArc* arc, const PoiseInstance* look) {
    const double turn = 6.28318530717958647693;
    PoiseInstance bow = *look;
    bow.mesh = POISE_MESH_ARC;
    bow.place = poise__vec3s(arc->frame.p);
    bow.turn = poise__quat4s(arc->frame.q);
    bow.core = (vec3s){{(float)arc->radius, 0.0f, 0.0f}};
    bow.shell = (float)arc->thickness;
    bow.sweep = (float)fmax(-turn, fmin(turn, arc->sweep));
    if (bow.sweep != 0.0f) {
        poise__draw_instance(list, &bow);
    }
}

void poise__draw_axes(PoiseDrawList* list, PoisePose pose, double length, float strength,
                      const PoiseInstance* look) {
    for (int axis = 0; axis < 3; axis++) {
        const PoiseVec3 end = poise_pose_apply(pose, poise_scale(length, poise__axis(axis)));
        const vec4s grey = {{0.5f, 0.5f, 0.5f, 1.0f}};
        PoiseInstance arrow = *look;
        arrow.flags |= POISE_DRAW_NO_SHADOW;
        arrow.colour = glms_vec4_lerp(grey, poise__palette_axis(axis), strength);
        arrow.glow = 0.45f;
        arrow.gloss = 0.2f;
        poise__draw_arrow(list, pose.p, end, AXIS_RADIUS * length, &arrow);
    }
}
