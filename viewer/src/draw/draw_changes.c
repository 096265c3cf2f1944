// SPDX-License-Identifier: MIT
// Finds the part of the picture that has changed, so that the renderer draws only that part.
#include <math.h>
#include <string.h>

#include "frame.h"

/// Largest displacement, window units, and largest difference of a colour that are invisible.
static const double UNSEEN = 0.1;
static const float UNSEEN_COLOUR = 1.0f / 512.0f;
/// Margin around changed instances, window units, for the width of their edges.
static const double MARGIN = 2.0;
/// Margin of changed shadows, as a fraction of the radius that the shadow map shows: a few of its
/// texels.
static const double SHADOW_MARGIN = 0.01;

static const PoiseRegion EMPTY = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
static const PoiseRegion ALL = {-HUGE_VAL, -HUGE_VAL, HUGE_VAL, HUGE_VAL};

static bool is_near(const float* a, const float* b, int count, float most) {
    for (int i = 0; i < count; i++) {
        if (!(fabsf(a[i] - b[i]) <= most)) {
            return false;
        }
    }
    return true;
}

static float size_of(const PoiseInstance* instance) {
    return instance->mesh == POISE_MESH_LOOK
               ? instance->reach
               : glms_vec3_norm(instance->core) + fabsf(instance->shell);
}

static bool looks_same(const PoiseInstance* a, const PoiseInstance* b, double unit) {
    const float most = (float)(UNSEEN * unit);
    const float turn = 0.5f * most / fmaxf(size_of(a), 1e-6f);
    const float looks[2][3] = {{a->glow, a->gloss, a->sweep}, {b->glow, b->gloss, b->sweep}};
    return a->mesh == b->mesh && a->flags == b->flags && a->id == b->id &&
           a->first_index == b->first_index && a->index_count == b->index_count &&
           is_near(a->place.raw, b->place.raw, 3, most) &&
           is_near(a->turn.raw, b->turn.raw, 4, turn) &&
           is_near(a->core.raw, b->core.raw, 3, a->mesh == POISE_MESH_LOOK ? 0.0f : most) &&
           is_near(&a->shell, &b->shell, 1, most) &&
           is_near(a->colour.raw, b->colour.raw, 4, UNSEEN_COLOUR) &&
           is_near(looks[0], looks[1], 3, UNSEEN_COLOUR);
}

/// Adds a ball, with a margin, to the region. Adds the whole picture if the ball is near the eye.
static void add_ball(PoiseRegion* region, const PoiseCamera* camera, PoiseVec3 place, double radius,
                     double margin) {
    const double depth =
        poise_dot(poise_sub(place, poise__camera_eye(camera)), poise__camera_forward(camera));
    const double nearest = depth - radius;
    double x = 0.0, y = 0.0;
    if (!(nearest > 0.01 * camera->distance) || !poise__camera_project(camera, place, &x, &y)) {
        *region = ALL;
        return;
    }
    const double unit = poise__camera_unit_at(camera, place) * nearest / depth;
    const double half = radius / unit + margin;
    *region = (PoiseRegion){fmin(region->left, x - half), fmin(region->top, y - half),
                            fmax(region->right, x + half), fmax(region->bottom, y + half)};
}

static PoiseVec3 place_of(vec3s v) {
    return poise_vec3((double)v.x, (double)v.y, (double)v.z);
}

/// Adds the ball's shadow to the region: the ball moved along the light to the ground, or out of
/// the scene.
static void add_shadow(PoiseRegion* region, const PoiseCamera* camera, const PoiseDrawList* list,
                       PoiseVec3 place, double radius) {
    const PoiseVec3 out = poise__frame_to_key();
    const double reach = poise__frame_shadow_radius(list);
    const double wide = (radius + SHADOW_MARGIN * reach) / out.z;
    const double through = 2.0 * reach;
    const double down = (place.z - (double)list->ground.height) / out.z;
    const double far = list->ground.visible ? fmin(through, fmax(0.0, down)) : through;
    add_ball(region, camera, poise_add_scaled(place, -far, out), wide, MARGIN);
}

static void add_instance(PoiseRegion* region, const PoiseCamera* camera, const PoiseDrawList* list,
                         const PoiseInstance* instance) {
    const PoiseVec3 place = place_of(instance->place);
    if (instance->mesh == POISE_MESH_LINE) {
        const double margin = 0.5 * (double)instance->shell + MARGIN;
        add_ball(region, camera, place, 0.0, margin);
        add_ball(region, camera, place_of(instance->core), 0.0, margin);
        return;
    }
    const double radius = (double)size_of(instance);
    add_ball(region, camera, place, radius, MARGIN);
    if (!(instance->flags & POISE_DRAW_NO_SHADOW) && instance->colour.w >= 1.0f) {
        add_shadow(region, camera, list, place, radius);
    }
}

PoiseRegion poise__draw_list_update(PoiseDrawList* drawn, const PoiseDrawList* now,
                                    const PoiseCamera* camera) {
    const double unit = poise__camera_unit_at(camera, camera->focus);
    const int before = drawn->instance_count;
    const bool other = before == 0 || drawn->incomplete ||
                       drawn->looks.vertices != now->looks.vertices ||
                       drawn->looks.revision != now->looks.revision ||
                       memcmp(&drawn->ground, &now->ground, sizeof now->ground) != 0 ||
                       poise__frame_shadow_radius(drawn) != poise__frame_shadow_radius(now);
    PoiseRegion region = other ? ALL : EMPTY;
    for (int i = 0; i < now->instance_count; i++) {
        if (i >= before) {
            add_instance(&region, camera, now, &now->instances[i]);
            poise__draw_instance(drawn, &now->instances[i]);
        } else if (other || !looks_same(&drawn->instances[i], &now->instances[i], unit)) {
            add_instance(&region, camera, now, &drawn->instances[i]);
            add_instance(&region, camera, now, &now->instances[i]);
            drawn->instances[i] = now->instances[i];
        }
    }
    for (int i = now->instance_count; i < before; i++) {
        add_instance(&region, camera, now, &drawn->instances[i]);
        drawn->instance_count = now->instance_count;
    }
    drawn->ground = now->ground;
    drawn->looks = now->looks;
    drawn->centre = now->centre;
    drawn->radius = now->radius;
    return region;
}
