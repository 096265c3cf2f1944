// SPDX-License-Identifier: MIT
// Growing arrays of instances and lines, and the figures made of several.
#include "draw_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/geometry.h"
#include "palette.h"

enum { FIRST_CAPACITY = 64 };
/// Of an arrow, as parts of its length.
static const double SHAFT_RADIUS = 0.025;
static const double HEAD_RADIUS = 0.075;
static const double HEAD_LENGTH = 0.19;

void poise__draw_list_clear(PoiseDrawList* list) {
    list->instance_count = 0;
    list->line_count = 0;
    list->label_count = 0;
    list->incomplete = false;
    list->ground = (PoiseGround){.visible = false};
    list->centre = (vec3s){{0.0f, 0.0f, 0.0f}};
    list->radius = 1.0f;
}

void poise__draw_list_finish(PoiseDrawList* list) {
    free(list->instances);
    free(list->lines);
    free(list->labels);
    *list = (PoiseDrawList){.instances = NULL};
}

/// The array, with room for one more element; the old one, and false in `room`, when memory is
/// short.
static void* grow(void* array, int count, int* capacity, size_t size, bool* room) {
    *room = true;
    if (count < *capacity) {
        return array;
    }
    int larger = *capacity > 0 ? 2 * *capacity : FIRST_CAPACITY;
    void* moved = realloc(array, (size_t)larger * size);
    if (!moved) {
        *room = false;
        return array;
    }
    *capacity = larger;
    return moved;
}

void poise__draw_instance(PoiseDrawList* list, const PoiseInstance* instance) {
    bool room = false;
    list->instances = grow(list->instances, list->instance_count, &list->instance_capacity,
                           sizeof *list->instances, &room);
    if (!room) {
        list->incomplete = true;
        return;
    }
    list->instances[list->instance_count++] = *instance;
}

void poise__draw_line(PoiseDrawList* list, const PoiseLine* line) {
    bool room = false;
    list->lines =
        grow(list->lines, list->line_count, &list->line_capacity, sizeof *list->lines, &room);
    if (!room) {
        list->incomplete = true;
        return;
    }
    list->lines[list->line_count++] = *line;
}

void poise__draw_label(PoiseDrawList* list, PoiseVec3 place, float down, uint32_t colour,
                       const char* format, ...) {
    bool room = false;
    list->labels =
        grow(list->labels, list->label_count, &list->label_capacity, sizeof *list->labels, &room);
    if (!room) {
        list->incomplete = true;
        return;
    }
    PoiseLabel* label = &list->labels[list->label_count++];
    *label = (PoiseLabel){.place = poise__vec3s(place), .down = down, .colour = colour};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(label->text, sizeof label->text, format, arguments);
    va_end(arguments);
}

void poise__draw_arrow(PoiseDrawList* list, PoiseVec3 from, PoiseVec3 to, double radius,
                       const PoiseInstance* look) {
    PoiseVec3 way = poise_sub(to, from);
    double length = poise_length(way);
    if (!(length > 1e-9)) {
        return;
    }
    PoisePose frame = poise_pose(from, poise__turn_to(poise_scale(1.0 / length, way)));
    double head = fmin(5.0 * radius, 0.6 * length);
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
    part.core = (vec3s){{(float)(2.3 * radius), (float)(2.3 * radius), (float)head}};
    part.shell = 0.0f;
    poise__draw_instance(list, &part);
}

void poise__draw_arc(PoiseDrawList* list, PoisePose frame, double radius, double thickness,
                     double sweep, const PoiseInstance* look) {
    const double turn = 6.28318530717958647693;
    PoiseInstance arc = *look;
    arc.mesh = POISE_MESH_ARC;
    arc.place = poise__vec3s(frame.p);
    arc.turn = poise__quat4s(frame.q);
    arc.core = (vec3s){{(float)radius, 0.0f, 0.0f}};
    arc.shell = (float)thickness;
    arc.sweep = (float)fmax(-turn, fmin(turn, sweep));
    if (arc.sweep != 0.0f) {
        poise__draw_instance(list, &arc);
    }
}

/// A shaft and a head along z of `pose`.
static void draw_arrow(PoiseDrawList* list, PoisePose pose, double length,
                       const PoiseInstance* look) {
    double shaft = length * (1.0 - HEAD_LENGTH);
    PoiseInstance part = *look;
    part.turn = poise__quat4s(pose.q);
    part.mesh = POISE_MESH_CAPSULE;
    part.place = poise__vec3s(poise_pose_apply(pose, poise_vec3(0.0, 0.0, 0.5 * shaft)));
    part.core = (vec3s){{0.0f, 0.0f, (float)(0.5 * shaft)}};
    part.shell = (float)(SHAFT_RADIUS * length);
    poise__draw_instance(list, &part);

    part.mesh = POISE_MESH_CONE;
    part.place = poise__vec3s(poise_pose_apply(pose, poise_vec3(0.0, 0.0, shaft)));
    part.core = (vec3s){{(float)(HEAD_RADIUS * length), (float)(HEAD_RADIUS * length),
                         (float)(HEAD_LENGTH * length)}};
    part.shell = 0.0f;
    poise__draw_instance(list, &part);
}

void poise__draw_axes(PoiseDrawList* list, PoisePose pose, double length, float strength,
                      uint32_t id, unsigned flags) {
    // turns that lay z along x, y and z
    const double half = 0.70710678118654752440;
    const PoiseQuat along[3] = {poise_quat(half, 0.0, half, 0.0), poise_quat(half, -half, 0.0, 0.0),
                                poise_quat_identity()};
    for (int axis = 0; axis < 3; axis++) {
        PoiseInstance look = {.id = id,
                              .flags = flags | POISE_DRAW_NO_SHADOW,
                              .colour = poise__palette_axis(axis),
                              .glow = 0.45f,
                              .gloss = 0.2f};
        look.colour = glms_vec4_lerp((vec4s){{0.5f, 0.5f, 0.5f, 1.0f}}, look.colour, strength);
        PoisePose arrow = poise_pose(pose.p, poise_quat_mul(pose.q, along[axis]));
        draw_arrow(list, arrow, length, &look);
    }
}
