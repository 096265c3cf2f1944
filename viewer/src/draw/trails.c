// SPDX-License-Identifier: MIT
#include "trails.h"

#include <math.h>
#include <string.h>

#include "palette.h"

static const double SAMPLE_TIME = 1.0 / 60.0;
/// A goal that moved by less than this has no trail, as a fraction of the scene's radius.
static const double STILL_PART = 0.004;
static const float GOAL_WIDTH = 1.8f;
static const float TIP_WIDTH = 3.0f;

static void shift(PoiseTrails* trails) {
    const size_t kept = POISE_TRAIL_SAMPLES - 1;
    memmove(trails->times, trails->times + 1, kept * sizeof *trails->times);
    for (int i = 0; i < POISE_TRAIL_POINTS; i++) {
        memmove(trails->goals[i], trails->goals[i] + 1, kept * sizeof *trails->goals[i]);
        memmove(trails->tips[i], trails->tips[i] + 1, kept * sizeof *trails->tips[i]);
    }
    trails->count--;
}

static void put(float place[3], PoiseVec3 v) {
    place[0] = (float)v.x;
    place[1] = (float)v.y;
    place[2] = (float)v.z;
}

void poise__trails_add(PoiseTrails* trails, const PoiseSimulation* simulation) {
    const double time = poise_simulation_time(simulation);
    while (trails->count > 0 && (double)trails->times[trails->count - 1] > time) {
        trails->count--;
    }
    if (trails->count > 0 && time - (double)trails->times[trails->count - 1] < SAMPLE_TIME - 1e-6) {
        return;
    }
    if (trails->count == POISE_TRAIL_SAMPLES) {
        shift(trails);
    }
    const int sample = trails->count++;
    trails->times[sample] = (float)time;
    const PoiseVec3 nowhere = {(double)NAN, (double)NAN, (double)NAN};
    for (int i = 0; i < POISE_TRAIL_POINTS; i++) {
        const bool exists = i < poise_simulation_point_count(simulation);
        const PoisePointView point = poise_simulation_point(simulation, exists ? i : 0);
        const bool counts = exists && point.enabled && !point.removed;
        put(trails->goals[i][sample], counts ? point.goal_world.p : nowhere);
        put(trails->tips[i][sample], counts ? point.pose_world.p : nowhere);
    }
}

static vec3s place_of(const float place[3]) {
    return (vec3s){{place[0], place[1], place[2]}};
}

/// Returns the first sample within the trail's duration.
static int first_shown(const PoiseOverlay* overlay, const PoiseTrails* trails) {
    const double from = poise_simulation_time(overlay->simulation) - overlay->highlight->trail;
    int first = 0;
    while (first < trails->count && (double)trails->times[first] < from) {
        first++;
    }
    return first;
}

static bool moves(const PoiseTrails* trails, int point, int first, double least) {
    while (first < trails->count && isnan(trails->goals[point][first][0])) {
        first++; // skips samples from the time before the point was added
    }
    for (int i = first + 1; i < trails->count; i++) {
        const vec3s displacement =
            glms_vec3_sub(place_of(trails->goals[point][i]), place_of(trails->goals[point][first]));
        if ((double)glms_vec3_norm(displacement) > least) {
            return true;
        }
    }
    return false;
}

static void draw_path(const PoiseOverlay* overlay, const float (*places)[3], int first, int end,
                      PoiseLine look) {
    const float strength = look.colour.w;
    for (int i = first; i + 1 < end; i++) {
        if (isnan(places[i][0]) || isnan(places[i + 1][0])) {
            continue;
        }
        look.from = place_of(places[i]);
        look.to = place_of(places[i + 1]);
        look.colour.w = strength * (float)(i + 1 - first) / (float)(end - first);
        poise__draw_line(overlay->list, &look);
    }
}

void poise__overlay_trails(const PoiseOverlay* overlay, const PoiseTrails* trails) {
    const PoiseSimulation* simulation = overlay->simulation;
    const double least = STILL_PART * overlay->camera->scene_radius;
    const int first = first_shown(overlay, trails);
    int end = trails->count;
    while (end > first &&
           (double)trails->times[end - 1] > poise_simulation_time(simulation) + 1e-6) {
        end--;
    }
    for (int i = 0; i < POISE_TRAIL_POINTS && i < poise_simulation_point_count(simulation); i++) {
        const PoisePointView point = poise_simulation_point(simulation, i);
        if (!point.enabled || !point.has_position || !moves(trails, i, first, least)) {
            continue;
        }
        PoiseLine look = {.colour = poise__palette(POISE_COLOUR_GOAL),
                          .width = GOAL_WIDTH,
                          .id = poise__draw_id(POISE_DRAW_TRAIL, i)};
        look.colour.w = 0.8f;
        draw_path(overlay, trails->goals[i], first, end, look);
        look.colour = poise__palette(POISE_COLOUR_PEN);
        look.width = TIP_WIDTH;
        draw_path(overlay, trails->tips[i], first, end, look);
    }
}
