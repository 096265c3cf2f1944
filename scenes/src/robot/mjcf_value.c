// SPDX-License-Identifier: MIT
// MJCF: the compiler's settings, default classes, attributes and orientations.
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "mjcf.h"

void poise__mjcf_note(MjcfReader* reader, const Element* element, const char* why) {
    poise__diagnose(reader->base.document->diagnostics, POISE_NOTE, element->mark, "<%.60s> %s",
                    element->key, why);
}

static bool refuse(MjcfReader* reader, PoiseMark mark, const char* format, ...) POISE_PRINTF(3, 4);

static bool refuse(MjcfReader* reader, PoiseMark mark, const char* format, ...) {
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    poise__diagnose(reader->base.document->diagnostics, POISE_ERROR, mark, "%s", text);
    return false;
}

// --------------------------------------------------------------------------------------- settings

static void read_euler_sequence(MjcfReader* reader, const Element* compiler) {
    const Element* sequence = poise__element_find(compiler, "eulerseq");
    if (!sequence) {
        return;
    }
    bool fine = strlen(sequence->text) == 3;
    for (int i = 0; i < 3 && fine; i++) {
        fine = strchr("xyzXYZ", sequence->text[i]) != NULL;
    }
    if (!fine) {
        refuse(reader, sequence->mark, "'eulerseq' must be three of x, y, z, X, Y, Z, not '%.60s'",
               sequence->text);
        return;
    }
    memcpy(reader->euler, sequence->text, 3);
}

static void read_compiler(MjcfReader* reader, const Element* compiler) {
    static const char* const idle[] = {
        "boundmass", "boundinertia", "settotalmass", "balanceinertia", "fitaabb", "fusestatic",
        "strippath", "meshdir",      "texturedir",   "discardvisual",  NULL};
    const Element* angle = poise__element_find(compiler, "angle");
    if (angle && strcmp(angle->text, "radian") == 0) {
        reader->angle_unit = 1.0;
    } else if (angle && strcmp(angle->text, "degree") != 0) {
        refuse(reader, angle->mark, "'angle' must be degree or radian, not '%.60s'", angle->text);
    }
    const Element* coordinate = poise__element_find(compiler, "coordinate");
    if (coordinate && strcmp(coordinate->text, "local") != 0) {
        refuse(reader, coordinate->mark, "coordinates must be local, not '%.60s'",
               coordinate->text);
    }
    const Element* limits = poise__element_find(compiler, "autolimits");
    reader->auto_limits = limits ? strcmp(limits->text, "false") != 0 : reader->auto_limits;
    const Element* inertia = poise__element_find(compiler, "inertiafromgeom");
    reader->mass_from_geoms =
        inertia ? strcmp(inertia->text, "true") == 0 : reader->mass_from_geoms;
    for (int i = 0; idle[i]; i++) {
        const Element* found = poise__element_find(compiler, idle[i]);
        if (found) {
            poise__diagnose(reader->base.document->diagnostics, POISE_NOTE, found->mark,
                            "'%s' is not used", idle[i]);
        }
    }
    read_euler_sequence(reader, compiler);
}

static int count_classes(const Element* element) {
    int count = 0;
    for (int i = 0; i < element->child_count; i++) {
        const Element* child = element->children[i];
        if (child->kind == ELEMENT_MAP) {
            count += (strcmp(child->key, "default") == 0 ? 1 : 0) + count_classes(child);
        }
    }
    return count;
}

static void add_classes(MjcfReader* reader, const Element* element, int parent) {
    const Element* name = poise__element_find(element, "class");
    int index = reader->class_count++;
    MjcfClass added = {name ? name->text : "main", parent, element};
    if (!name && parent >= 0) {
        refuse(reader, element->mark, "a <default> inside another lacks its 'class'");
    }
    reader->classes[index] = added;
    for (int i = 0; i < element->child_count; i++) {
        const Element* child = element->children[i];
        if (child->kind == ELEMENT_MAP && strcmp(child->key, "default") == 0) {
            add_classes(reader, child, index);
        }
    }
}

void poise__mjcf_read_settings(MjcfReader* reader) {
    const Element* root = reader->base.root;
    reader->angle_unit = PI / 180.0;
    memcpy(reader->euler, "xyz", 4);
    reader->auto_limits = true;
    reader->classes = poise__arena_allocate(
        reader->base.document->arena, (size_t)count_classes(root) + 1, sizeof *reader->classes);
    for (int i = 0; reader->classes && i < root->child_count; i++) {
        const Element* child = root->children[i];
        if (child->kind == ELEMENT_MAP && strcmp(child->key, "compiler") == 0) {
            read_compiler(reader, child);
        } else if (child->kind == ELEMENT_MAP && strcmp(child->key, "default") == 0) {
            add_classes(reader, child, -1);
        }
    }
}

// ------------------------------------------------------------------------------------- attributes

static int find_class(const MjcfReader* reader, const char* name) {
    for (int i = 0; i < reader->class_count; i++) {
        if (strcmp(reader->classes[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int poise__mjcf_class(MjcfReader* reader, const Element* element, const char* key, int inherited) {
    const Element* name = poise__element_find(element, key);
    if (!name) {
        return inherited;
    }
    int found = find_class(reader, name->text);
    if (found < 0) {
        Suggestion suggestion = poise__suggestion(name->text);
        for (int i = 0; i < reader->class_count; i++) {
            poise__suggestion_offer(&suggestion, reader->classes[i].name);
        }
        char guess[100];
        poise__diagnose(reader->base.document->diagnostics, POISE_ERROR, name->mark,
                        "there is no default class '%.60s'%s", name->text,
                        poise__suggestion_text(&suggestion, guess, sizeof guess));
    }
    return found < 0 ? inherited : found;
}

const Element* poise__mjcf_holder(const MjcfReader* reader, const Element* element, int class_index,
                                  const char* key) {
    if (poise__element_find(element, key)) {
        return element;
    }
    for (int i = class_index; i >= 0; i = reader->classes[i].parent) {
        const Element* settings = poise__element_find(reader->classes[i].element, element->key);
        if (poise__element_find(settings, key)) {
            return settings;
        }
    }
    return NULL;
}

const char* poise__mjcf_text(const MjcfReader* reader, const Element* element, int class_index,
                             const char* key) {
    const Element* holder = poise__mjcf_holder(reader, element, class_index, key);
    return holder ? poise__element_find(holder, key)->text : NULL;
}

bool poise__mjcf_numbers(MjcfReader* reader, const Element* element, int class_index,
                         const char* key, double* values, int count) {
    const Element* holder = poise__mjcf_holder(reader, element, class_index, key);
    return !holder || poise__urdf_numbers(&reader->base, holder, key, values, count);
}

int poise__mjcf_some_numbers(MjcfReader* reader, const Element* element, int class_index,
                             const char* key, double* values, int most) {
    const Element* holder = poise__mjcf_holder(reader, element, class_index, key);
    if (!holder) {
        return 0;
    }
    double scratch[8];
    NumberKind kind = NUMBER_FINE;
    int found = poise__number_list(poise__element_find(holder, key)->text, scratch, 8, &kind);
    // what is too much is an error of the next call
    found = found > most ? most : found;
    return poise__urdf_numbers(&reader->base, holder, key, values, found > 0 ? found : 1) ? found
                                                                                          : -1;
}

// ----------------------------------------------------------------------------------- orientations

PoiseQuat poise__mjcf_turn_to(PoiseVec3 direction) {
    PoiseVec3 z = poise_vec3(0.0, 0.0, 1.0);
    PoiseVec3 across = poise_cross(z, direction);
    double angle = atan2(poise_length(across), direction.z);
    if (!(poise_length(across) > 0.0)) {
        across = poise_vec3(1.0, 0.0, 0.0);
    }
    return poise_quat_from_axis_angle(across, angle);
}

// lower case: each turn about an axis that the ones before carried along; upper case: about one
// that stays
static PoiseQuat from_euler(const MjcfReader* reader, const double angles[3]) {
    PoiseQuat turn = poise_quat_identity();
    for (int i = 0; i < 3; i++) {
        int axis = tolower((unsigned char)reader->euler[i]) - 'x';
        PoiseQuat one = poise_quat_from_axis_angle(poise_vec3(axis == 0, axis == 1, axis == 2),
                                                   reader->angle_unit * angles[i]);
        bool fixed = isupper((unsigned char)reader->euler[i]);
        turn = fixed ? poise_quat_mul(one, turn) : poise_quat_mul(turn, one);
    }
    return turn;
}

// from the directions of x and, as far as it is across, y
static PoiseQuat from_axes(const double xy[6]) {
    PoiseVec3 x = poise_vec3(xy[0], xy[1], xy[2]);
    PoiseVec3 y = poise_vec3(xy[3], xy[4], xy[5]);
    x = poise_scale(1.0 / poise_length(x), x);
    y = poise_add_scaled(y, -poise_dot(x, y), x);
    y = poise_scale(1.0 / poise_length(y), y);
    // first x, then y by a turn about x
    PoiseVec3 ex = poise_vec3(1.0, 0.0, 0.0);
    PoiseVec3 across = poise_cross(ex, x);
    double sine = poise_length(across);
    PoiseQuat first = poise_quat_from_axis_angle(sine > 0.0 ? across : poise_vec3(0.0, 0.0, 1.0),
                                                 atan2(sine, poise_dot(ex, x)));
    PoiseVec3 has = poise_quat_rotate(first, poise_vec3(0.0, 1.0, 0.0));
    double angle = atan2(poise_dot(x, poise_cross(has, y)), poise_dot(has, y));
    return poise_quat_mul(poise_quat_from_axis_angle(x, angle), first);
}

static bool is_direction(const double* v) {
    double length = poise_length(poise_vec3(v[0], v[1], v[2]));
    return length > 0.0 && isfinite(length);
}

// the one way of five in which the element says how it is turned, NULL for none
static const Element* find_turn(const MjcfReader* reader, const Element* element, int class_index,
                                const char** key) {
    static const char* const keys[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
    for (int i = 0; i < 5; i++) {
        const Element* holder = poise__mjcf_holder(reader, element, class_index, keys[i]);
        if (holder) {
            *key = keys[i];
            return holder;
        }
    }
    return NULL;
}

static bool fill_turn(const MjcfReader* reader, const char* key, const double* n, PoiseQuat* turn) {
    if (strcmp(key, "quat") == 0) {
        double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3];
        *turn = poise_quat_normalize(poise_quat(n[0], n[1], n[2], n[3]));
        return square > 0.0;
    }
    if (strcmp(key, "axisangle") == 0) {
        *turn = poise_quat_from_axis_angle(poise_vec3(n[0], n[1], n[2]), reader->angle_unit * n[3]);
        return is_direction(n);
    }
    if (strcmp(key, "euler") == 0) {
        *turn = from_euler(reader, n);
        return true;
    }
    if (strcmp(key, "zaxis") == 0) {
        *turn = poise__mjcf_turn_to(poise_vec3(n[0], n[1], n[2]));
        return is_direction(n);
    }
    PoiseVec3 cross = poise_cross(poise_vec3(n[0], n[1], n[2]), poise_vec3(n[3], n[4], n[5]));
    if (!(poise_length(cross) > 0.0)) {
        return false;
    }
    *turn = from_axes(n);
    return true;
}

PoisePose poise__mjcf_pose(MjcfReader* reader, const Element* element, int class_index) {
    double place[3] = {0.0, 0.0, 0.0};
    PoisePose pose = poise_pose_identity();
    (void)poise__mjcf_numbers(reader, element, class_index, "pos", place, 3);
    pose.p = poise_vec3(place[0], place[1], place[2]);
    const char* key = NULL;
    const Element* holder = find_turn(reader, element, class_index, &key);
    double n[6] = {0.0};
    int count = !holder                                                     ? 0
                : strcmp(key, "xyaxes") == 0                                ? 6
                : strcmp(key, "quat") == 0 || strcmp(key, "axisangle") == 0 ? 4
                                                                            : 3;
    if (!holder || !poise__urdf_numbers(&reader->base, holder, key, n, count)) {
        return pose;
    }
    if (!fill_turn(reader, key, n, &pose.q)) {
        refuse(reader, poise__element_find(holder, key)->mark, "'%s' names no rotation", key);
        pose.q = poise_quat_identity();
    }
    return pose;
}
