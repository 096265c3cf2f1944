// SPDX-License-Identifier: MIT
// MJCF: reads attributes with their default classes, and orientations.
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mjcf.h"
#include "number.h"

bool poise__mjcf_is(const Element* element, const char* tag) {
    return element->kind == ELEMENT_MAP && strcmp(element->key, tag) == 0;
}

bool poise__mjcf_refuse(Document* document, PoiseMark mark, const char* format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    poise__diagnose(document->diagnostics, POISE_ERROR, mark, "%s", text);
    return false;
}

void poise__mjcf_note(MjcfReader* reader, PoiseSeverity severity, const Element* element,
                      const char* why) {
    char kind[160];
    snprintf(kind, sizeof kind, "%.60s %s", element->key, why);
    poise__diagnose_kind(reader->base.document->diagnostics, (FindingKind){severity, kind},
                         element->mark, "<%.60s> %s", element->key, why);
}

// ------------------------------------------------------------------------------------- attributes

int poise__mjcf_class(MjcfReader* reader, const Element* element, const char* key, int inherited) {
    const Element* name = poise__element_find(element, key);
    int found = name ? poise__names_find(&reader->model->class_names, name->text) : inherited;
    if (!name || found >= 0) {
        return found;
    }
    Suggestion suggestion = poise__suggestion_for(reader->base.document->diagnostics, name->text);
    for (int i = 0; poise__urdf_may_guess(&reader->base) && i < reader->class_count; i++) {
        poise__suggestion_offer(&suggestion, reader->classes[i].name);
    }
    char guess[100];
    poise__diagnose(reader->base.document->diagnostics, POISE_ERROR, name->mark,
                    "there is no default class '%.60s'%s", name->text,
                    poise__suggestion_text(&suggestion, guess, sizeof guess));
    return inherited;
}

static bool is_actuator(const char* tag) {
    static const char* const tags[] = {"general", "motor",    "position", "velocity", "intvelocity",
                                       "damper",  "cylinder", "muscle",   "adhesion"};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if (strcmp(tag, tags[i]) == 0) {
            return true;
        }
    }
    return false;
}

// True if the settings apply to elements of the tag. All actuators share their settings.
static bool is_for(const Element* settings, const char* tag) {
    return strcmp(settings->key, tag) == 0 || (is_actuator(settings->key) && is_actuator(tag));
}

// Searches the settings of the class and of the classes around it.
static const Element* holder_in_class(MjcfSource from, const char* key) {
    const MjcfReader* reader = from.reader;
    // There may be no class at all if memory was short.
    int first = from.class_index < reader->class_count ? from.class_index : -1;
    for (int i = first; i >= 0; i = reader->classes[i].parent) {
        const MjcfClass* class = &reader->classes[i];
        for (int k = class->setting_count - 1; k >= 0; k--) {
            if (is_for(class->settings[k], from.element->key) &&
                poise__element_find(class->settings[k], key)) {
                return class->settings[k];
            }
        }
    }
    return NULL;
}

const Element* poise__mjcf_holder(MjcfSource from, const char* key) {
    return poise__element_find(from.element, key) ? from.element : holder_in_class(from, key);
}

const char* poise__mjcf_text(MjcfSource from, const char* key) {
    const Element* holder = poise__mjcf_holder(from, key);
    return holder ? poise__element_find(holder, key)->text : NULL;
}

bool poise__mjcf_numbers(MjcfSource from, const char* key, double* values, int count) {
    const Element* holder = poise__mjcf_holder(from, key);
    return !holder || poise__urdf_numbers(&from.reader->base, holder, key, values, count);
}

int poise__mjcf_some_numbers(MjcfSource from, const char* key, double* values, int most) {
    const Element* holder = poise__mjcf_holder(from, key);
    if (!holder) {
        return 0;
    }
    double scratch[8];
    PoiseNumberKind kind = POISE_NUMBER_FINE;
    int found = poise_numbers_read(poise__element_find(holder, key)->text, scratch, 8, &kind);
    // More numbers than `most` are an error of poise__urdf_numbers.
    found = found > most ? most : found;
    return poise__urdf_numbers(&from.reader->base, holder, key, values, found > 0 ? found : 1)
               ? found
               : -1;
}

bool poise__mjcf_not_negative(MjcfSource from, const char* key, const char* owner) {
    double value = 0.0;
    const Element* holder = poise__mjcf_holder(from, key);
    const int count = holder ? poise__mjcf_some_numbers(from, key, &value, 1) : 0;
    if (count < 0 || value >= 0.0) {
        return count >= 0;
    }
    return poise__mjcf_refuse(from.reader->base.document, poise__element_find(holder, key)->mark,
                              "'%s' of %s must be at least 0, not %g", key, owner, value);
}

bool poise__mjcf_is_limited(MjcfSource from, const char* limited, const char* range) {
    const char* word = poise__mjcf_text(from, limited);
    bool given = poise__mjcf_holder(from, range) != NULL;
    bool off = word && strcmp(word, "false") == 0;
    return given && !off &&
           ((word && strcmp(word, "true") == 0) || from.reader->model->auto_limits);
}

// ----------------------------------------------------------------------------------- orientations

PoiseQuat poise__mjcf_turn_to(PoiseVec3 direction) {
    PoiseVec3 z = poise_vec3(0.0, 0.0, 1.0);
    PoiseVec3 across = poise_cross(z, direction);
    double angle = poise_atan2(poise_length(across), direction.z);
    if (!(poise_length(across) > 0.0)) {
        across = poise_vec3(1.0, 0.0, 0.0);
    }
    return poise_quat_from_axis_angle(across, angle);
}

// Combines three Euler rotations. Lower case: about axes that the rotations before have moved;
// upper case: about fixed axes.
static PoiseQuat from_euler(const MjcfReader* reader, const double angles[3]) {
    PoiseQuat turn = poise_quat_identity();
    for (int i = 0; i < 3; i++) {
        int axis = tolower((unsigned char)reader->model->euler[i]) - 'x';
        PoiseQuat one = poise_quat_from_axis_angle(poise_vec3(axis == 0, axis == 1, axis == 2),
                                                   reader->model->angle_unit * angles[i]);
        bool fixed = isupper((unsigned char)reader->model->euler[i]);
        turn = fixed ? poise_quat_mul(one, turn) : poise_quat_mul(turn, one);
    }
    return turn;
}

// Returns the rotation with x along the first direction, and y along the part of the second that is
// perpendicular to x.
static PoiseQuat from_axes(const double xy[6]) {
    PoiseVec3 x = poise_vec3(xy[0], xy[1], xy[2]);
    PoiseVec3 y = poise_vec3(xy[3], xy[4], xy[5]);
    x = poise_scale(1.0 / poise_length(x), x);
    y = poise_add_scaled(y, -poise_dot(x, y), x);
    y = poise_scale(1.0 / poise_length(y), y);
    // First rotates x into place, then y by a rotation about x.
    PoiseVec3 ex = poise_vec3(1.0, 0.0, 0.0);
    PoiseVec3 across = poise_cross(ex, x);
    double sine = poise_length(across);
    PoiseQuat first = poise_quat_from_axis_angle(sine > 0.0 ? across : poise_vec3(0.0, 0.0, 1.0),
                                                 poise_atan2(sine, poise_dot(ex, x)));
    PoiseVec3 has = poise_quat_rotate(first, poise_vec3(0.0, 1.0, 0.0));
    double angle = poise_atan2(poise_dot(x, poise_cross(has, y)), poise_dot(has, y));
    return poise_quat_mul(poise_quat_from_axis_angle(x, angle), first);
}

static bool is_direction(const double* v) {
    double length = poise_length(poise_vec3(v[0], v[1], v[2]));
    return length > 0.0 && isfinite(length);
}

// Returns the element that has the orientation, and writes its attribute to `key`; NULL if missing.
// As in MuJoCo, axes or angles of a class have priority over the element's own quaternion.
static const Element* find_turn(MjcfSource from, const char** key) {
    static const char* const keys[] = {"axisangle", "xyaxes", "zaxis", "euler", "quat"};
    for (int own = 1; own >= 0; own--) {
        for (int i = 0; i < 5; i++) {
            bool last = strcmp(keys[i], "quat") == 0;
            const Element* holder =
                own ? (last || !poise__element_find(from.element, keys[i]) ? NULL : from.element)
                    : poise__mjcf_holder(from, keys[i]);
            if (holder) {
                *key = keys[i];
                return holder;
            }
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
        *turn = poise_quat_from_axis_angle(poise_vec3(n[0], n[1], n[2]),
                                           reader->model->angle_unit * n[3]);
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

// Reports an element with two orientations.
static void refuse_second_turn(MjcfSource from, const char* key) {
    static const char* const keys[] = {"axisangle", "xyaxes", "zaxis", "euler", "quat"};
    for (int i = 0; i < 5; i++) {
        const Element* other = poise__element_find(from.element, keys[i]);
        if (other && strcmp(keys[i], key) != 0) {
            poise__mjcf_refuse(from.reader->base.document, other->mark,
                               "a second rotation, '%s', beside '%s'", keys[i], key);
        }
    }
}

PoisePose poise__mjcf_pose(MjcfSource from) {
    double place[3] = {0.0, 0.0, 0.0};
    PoisePose pose = poise_pose_identity();
    poise__mjcf_numbers(from, "pos", place, 3);
    pose.p = poise_vec3(place[0], place[1], place[2]);
    const char* key = NULL;
    const Element* holder = find_turn(from, &key);
    double n[6] = {0.0};
    int count = !holder                                                     ? 0
                : strcmp(key, "xyaxes") == 0                                ? 6
                : strcmp(key, "quat") == 0 || strcmp(key, "axisangle") == 0 ? 4
                                                                            : 3;
    if (!holder || !poise__urdf_numbers(&from.reader->base, holder, key, n, count)) {
        return pose;
    }
    if (holder == from.element) {
        refuse_second_turn(from, key);
    }
    if (!fill_turn(from.reader, key, n, &pose.q)) {
        poise__diagnose(from.reader->base.document->diagnostics, POISE_ERROR,
                        poise__element_find(holder, key)->mark, "'%s' names no rotation", key);
        pose.q = poise_quat_identity();
    }
    return pose;
}
