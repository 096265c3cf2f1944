// SPDX-License-Identifier: MIT
// MJCF: reads what many elements have: a default class, a name, limits and a pose.
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "mjcf.h"

const RobotClass* poise__mjcf_class(MjcfReader* reader, const Element* element, const char* key,
                                    const RobotClass* inherited) {
    const MjcfModel* model = reader->model;
    const Element* name = poise__element_find(element, key);
    const int found = name ? poise__robot_find(&reader->base, &model->class_names, name->mark,
                                               "default class", name->text)
                           : -1;
    return found >= 0 ? model->classes[found] : inherited;
}

Source poise__mjcf_source(MjcfReader* reader, const Element* element) {
    // If memory was short the model has no class at all.
    const MjcfModel* model = reader->model;
    const RobotClass* main = model->class_count > 0 ? model->classes[0] : NULL;
    return (Source){&reader->base, element, poise__mjcf_class(reader, element, "class", main)};
}

Source poise__mjcf_part_source(MjcfReader* reader, const MjcfPart* part) {
    return (Source){&reader->base, part->element,
                    poise__mjcf_class(reader, part->element, "class", part->class)};
}

const char* poise__mjcf_name(MjcfReader* reader, const MjcfPart* part, const char* owner,
                             const char* what, int number) {
    Arena* arena = reader->base.arena;
    const char* name = poise__tag_own_text(part->element, "name");
    if (!name || !name[0]) {
        name = poise__arena_format(arena, "%s.%s%d", owner, what, number);
    } else if (part->suffix[0] || part->prefix[0]) {
        name = poise__arena_format(arena, "%s%s%s", part->prefix, name, part->suffix);
    }
    return name ? name : "";
}

const char* poise__mjcf_site_name(MjcfReader* reader, const char* name) {
    const char* own = poise__names_find(&reader->body_names, name) >= 0
                          ? poise__arena_format(reader->base.arena, "%s.site", name)
                          : name;
    return own ? own : name;
}

bool poise__mjcf_limit(const MjcfReader* reader, Source from, const char* limited, const char* key,
                       double range[2]) {
    const char* word = poise__tag_text(from, limited);
    const bool on = word && strcmp(word, "true") == 0;
    const bool off = word && strcmp(word, "false") == 0;
    return poise__tag_holder(from, key) && !off && (on || reader->model->auto_limits) &&
           poise__tag_numbers(from, key, range, 2);
}

// ----------------------------------------------------------------------------------- orientations

static PoiseVec3 vector(const double* n) {
    return poise_vec3(n[0], n[1], n[2]);
}

// Combines three Euler rotations. Lower case: about axes that turn with the rotations before. Upper
// case: about fixed axes.
static bool from_euler(const MjcfModel* model, const double* n, PoiseQuat* turn) {
    *turn = poise_quat_identity();
    for (int i = 0; i < 3; i++) {
        const int axis = tolower((unsigned char)model->euler[i]) - 'x';
        const PoiseQuat one = poise_quat_from_axis_angle(
            poise_vec3(axis == 0, axis == 1, axis == 2), model->angle_unit * n[i]);
        const bool fixed = isupper((unsigned char)model->euler[i]);
        *turn = fixed ? poise_quat_mul(one, *turn) : poise_quat_mul(*turn, one);
    }
    return true;
}

// Computes the rotation to an x axis along the first direction, and a y axis in the plane of both
// directions.
static bool from_axes(const MjcfModel* model, const double* n, PoiseQuat* turn) {
    (void)model;
    PoiseVec3 x = vector(n);
    PoiseVec3 y = vector(n + 3);
    if (!(poise_length(poise_cross(x, y)) > 0.0)) {
        return false;
    }
    x = poise_scale(1.0 / poise_length(x), x);
    y = poise_add_scaled(y, -poise_dot(x, y), x);
    y = poise_scale(1.0 / poise_length(y), y);
    // First rotates the x axis to its direction, then the y axis by a rotation about x.
    const PoiseVec3 ex = poise_vec3(1.0, 0.0, 0.0);
    const PoiseVec3 across = poise_cross(ex, x);
    const double sine = poise_length(across);
    const PoiseQuat first = poise_quat_from_axis_angle(
        sine > 0.0 ? across : poise_vec3(0.0, 0.0, 1.0), poise_atan2(sine, poise_dot(ex, x)));
    const PoiseVec3 has = poise_quat_rotate(first, poise_vec3(0.0, 1.0, 0.0));
    const double angle = poise_atan2(poise_dot(x, poise_cross(has, y)), poise_dot(has, y));
    *turn = poise_quat_mul(poise_quat_from_axis_angle(x, angle), first);
    return true;
}

static bool is_direction(const double* n) {
    const double length = poise_length(vector(n));
    return length > 0.0 && isfinite(length);
}

static bool from_axis_angle(const MjcfModel* model, const double* n, PoiseQuat* turn) {
    *turn = poise_quat_from_axis_angle(vector(n), model->angle_unit * n[3]);
    return is_direction(n);
}

static bool from_z(const MjcfModel* model, const double* n, PoiseQuat* turn) {
    (void)model;
    *turn = poise__robot_turn_to(vector(n));
    return is_direction(n);
}

static bool from_quaternion(const MjcfModel* model, const double* n, PoiseQuat* turn) {
    (void)model;
    *turn = poise_quat_normalize(poise_quat(n[0], n[1], n[2], n[3]));
    return n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3] > 0.0;
}

// The attributes of an orientation. As in MuJoCo, axes or angles of a class have priority over the
// element's own quaternion; so the quaternion comes last.
enum { TURNS = 5, QUATERNION = TURNS - 1 };
static const struct {
    const char* key;
    int count;
    bool (*read)(const MjcfModel* model, const double* numbers, PoiseQuat* turn);
} turns[TURNS] = {{"axisangle", 4, from_axis_angle},
                  {"xyaxes", 6, from_axes},
                  {"zaxis", 3, from_z},
                  {"euler", 3, from_euler},
                  {"quat", 4, from_quaternion}};

PoisePose poise__mjcf_pose(const MjcfReader* reader, Source from) {
    double n[6] = {0.0};
    PoisePose pose = poise_pose_identity();
    const Element* holder = NULL;
    int found = 0;
    poise__tag_numbers(from, "pos", n, 3);
    pose.p = vector(n);
    for (int i = 0; i < QUATERNION && !holder; i++) {
        found = i;
        holder = poise__element_find(from.element, turns[i].key) ? from.element : NULL;
    }
    for (int i = 0; i < TURNS && !holder; i++) {
        found = i;
        holder = poise__tag_holder(from, turns[i].key);
    }
    const char* key = turns[found].key;
    if (!holder || !poise__tag_needed_numbers(from.reader, holder, key, n, turns[found].count)) {
        return pose;
    }
    for (int i = 0; i < TURNS && holder == from.element; i++) {
        const Element* other = i != found ? poise__element_find(holder, turns[i].key) : NULL;
        if (other) {
            poise__robot_refuse(from.reader, other->mark, "a second rotation, '%s', beside '%s'",
                                turns[i].key, key);
        }
    }
    if (!turns[found].read(reader->model, n, &pose.q)) {
        poise__robot_refuse(from.reader, poise__element_find(holder, key)->mark,
                            "'%s' names no rotation", key);
        pose.q = poise_quat_identity();
    }
    return pose;
}
