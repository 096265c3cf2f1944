// SPDX-License-Identifier: MIT
// Keeps the bodies of a scene apart: registers the geoms of `keep_apart:` in the rig, and names the
// pairs that touch at the start.
#include <stdio.h>
#include <string.h>

#include "poise/tip.h"
#include "running.h"

// size of the text with the names of pairs, bytes; further pairs are only counted
enum { NAMES_CAPACITY = 400 };

static const RunningShape* shape_of(const PoiseSimulation* simulation, dGeomID geom) {
    const RunningShape* found = NULL;
    for (int i = 0; geom && i < simulation->shape_count; i++) {
        found = simulation->shapes[i].geom == geom ? &simulation->shapes[i] : found;
    }
    return found;
}

const char* poise__simulation_geom_name(void* user, dGeomID geom) {
    const PoiseSimulation* simulation = (const PoiseSimulation*)user;
    const RunningShape* shape = shape_of(simulation, geom);
    return shape ? simulation->scene->bodies[shape->body].name : NULL;
}

// True if `keep_apart.from` names the body; if it names none, true unless joints of the rig connect
// the body to a link.
static bool is_kept_off(const PoiseSimulation* simulation, int body) {
    const PoiseScene* scene = simulation->scene;
    const PoiseRefs* from = &scene->keep_apart.from;
    const int group = scene->bodies[body].group;
    bool named = false, robot = false;
    for (int i = 0; i < from->count; i++) {
        named = named || from->items[i].index == body;
    }
    for (int i = 0; from->count == 0 && group >= 0 && i < simulation->shape_count; i++) {
        const RunningShape* shape = &simulation->shapes[i];
        const dBodyID on = shape->geom ? dGeomGetBody(shape->geom) : NULL;
        robot = robot || (scene->bodies[shape->body].group == group &&
                          poise_rig_node_of_body(simulation->rig, on).index1 != 0);
    }
    return from->count > 0 ? named : !robot;
}

// True if the shape is one of those that the pair lists for its body `end`, 0 or 1.
static bool is_of(const PoiseSimulation* simulation, const PoiseSceneExclusion* pair, int end,
                  const RunningShape* shape) {
    if (shape->body != pair->body[end]) {
        return false;
    }
    const ptrdiff_t at = shape->scene - simulation->scene->bodies[shape->body].shapes;
    return at >= pair->first[end] && at < pair->first[end] + pair->count[end];
}

// Registers in the rig the shapes to keep apart: all, or those of `keep_apart:`. Then allows the
// pairs that robots' files exclude to touch. Returns POISE_ERROR_INVALID_ARGUMENT, without a
// message in the rig, if there are no shapes.
static PoiseStatus keep_shapes_apart(PoiseSimulation* simulation, bool all, double distance,
                                     bool self) {
    const PoiseScene* scene = simulation->scene;
    PoiseRig* rig = simulation->rig;
    const size_t most = (size_t)simulation->shape_count + 1;
    dGeomID* geoms = calloc(most, sizeof *geoms);
    const char** names = calloc(most, sizeof *names);
    bool* kept_off = calloc(most, sizeof *kept_off);
    const bool memory = geoms && names && kept_off;
    PoiseGeomsApart geoms_apart = {
        .geoms = geoms, .names = names, .distance = distance, .kept_off = self ? NULL : kept_off};
    for (int i = 0; memory && i < simulation->shape_count; i++) {
        const RunningShape* shape = &simulation->shapes[i];
        const bool from = shape->geom && is_kept_off(simulation, shape->body);
        if (shape->geom && (all || from || scene->bodies[shape->body].group >= 0)) {
            names[geoms_apart.count] = scene->bodies[shape->body].name;
            kept_off[geoms_apart.count] = from;
            geoms[geoms_apart.count++] = shape->geom;
        }
    }
    PoiseStatus status = !memory                  ? POISE_ERROR_OUT_OF_MEMORY
                         : geoms_apart.count == 0 ? POISE_ERROR_INVALID_ARGUMENT
                                                  : poise_rig_keep_geoms_apart(rig, &geoms_apart);
    free(geoms);
    free(names);
    free(kept_off);
    PoiseApart* apart = status < 0 || scene->exclusion_count == 0 ? NULL : poise_rig_apart(rig);
    PoiseApartPair pairs[POISE_APART_PAIRS_MOST];
    const int pair_count = poise_apart_pairs(apart, pairs, POISE_APART_PAIRS_MOST);
    for (int k = 0; k < pair_count && status >= 0; k++) {
        const RunningShape* a = shape_of(simulation, poise_rig_apart_geom(rig, pairs[k].a));
        const RunningShape* b = shape_of(simulation, poise_rig_apart_geom(rig, pairs[k].b));
        bool excluded = false;
        for (int i = 0; a && b && i < scene->exclusion_count && !excluded; i++) {
            const PoiseSceneExclusion* pair = &scene->exclusions[i];
            excluded = (is_of(simulation, pair, 0, a) && is_of(simulation, pair, 1, b)) ||
                       (is_of(simulation, pair, 0, b) && is_of(simulation, pair, 1, a));
        }
        status = excluded ? poise_apart_allow(apart, pairs[k], true) : status;
    }
    return status;
}

// True if a control point moves the part.
static bool is_moved(const PoiseSimulation* simulation, int part) {
    PoiseTree* tree = simulation->tree;
    PoiseNodeId node = poise_rig_node_of_body(
        simulation->rig, dGeomGetBody(poise_rig_apart_geom(simulation->rig, part)));
    while (node.index1 != 0 && poise_node_points(tree, node, NULL, 0) == 0) {
        node = poise_node_parent(tree, node);
    }
    return node.index1 != 0;
}

// Warns of pairs that overlap at the start, and says if IK will separate them: it can if a control
// point moves one of the two.
static void warn_touching(const PoiseSimulation* simulation, PoiseDiagnostics* diagnostics) {
    enum { MAX_WARNINGS = 8 };
    PoiseApart* apart = poise_rig_apart(simulation->rig);
    PoiseApartNear near[POISE_APART_PAIRS_MOST];
    if (poise_apart_measure(apart, NULL) <= 0) {
        return;
    }
    const int count = poise_apart_near(apart, near, POISE_APART_PAIRS_MOST);
    void* user = (void*)(uintptr_t)simulation;
    for (int i = 0, named = 0; i < count && named < MAX_WARNINGS; i++) {
        const PoiseApartPair pair = near[i].pair;
        if (near[i].gap.distance < 0.0) {
            named++;
            poise__diagnose(
                diagnostics, POISE_WARNING, simulation->scene->keep_apart.mark,
                "'%.60s' and '%.60s' are to be kept apart and overlap by %.1f mm at the start%s",
                poise__simulation_geom_name(user, poise_rig_apart_geom(simulation->rig, pair.a)),
                poise__simulation_geom_name(user, poise_rig_apart_geom(simulation->rig, pair.b)),
                -1e3 * near[i].gap.distance,
                is_moved(simulation, pair.a) || is_moved(simulation, pair.b)
                    ? ""
                    : "; no control point moves them, so they stay");
        }
    }
}

int poise_simulation_without_room(const PoiseSimulation* simulation, double distance, char* text,
                                  size_t capacity) {
    const PoiseApart* apart = simulation ? poise_rig_apart(simulation->rig) : NULL;
    PoiseApartPair pairs[POISE_APART_PAIRS_MOST];
    char names[NAMES_CAPACITY] = ", "; // each name stands between two commas
    const int all = poise_apart_pairs(apart, pairs, POISE_APART_PAIRS_MOST);
    double kept = distance;
    int count = 0;
    for (int k = 0; k < all; k++) {
        const double own = poise_apart_kept(apart, pairs[k]);
        if (own >= distance || poise_apart_is_allowed(apart, pairs[k])) {
            continue;
        }
        char pair[160];
        snprintf(pair, sizeof pair, ", %.60s - %.60s, ",
                 poise_simulation_part_name(simulation, pairs[k].a),
                 poise_simulation_part_name(simulation, pairs[k].b));
        kept = own;
        count++;
        if (!strstr(names, pair) && strlen(names) + strlen(pair) < sizeof names) {
            strcat(names, pair + 2);
        }
    }
    if (text && capacity > 0) {
        text[0] = '\0';
    }
    if (text && count > 0) {
        snprintf(text, capacity,
                 "no posture found parts %d pair%s of shapes by %g mm, so they keep %g mm: %.*s",
                 count, count > 1 ? "s" : "", 1e3 * distance, 1e3 * kept, (int)strlen(names) - 4,
                 names + 2);
    }
    return count;
}

const char* poise_simulation_part_name(const PoiseSimulation* simulation, int part) {
    const RunningShape* shape =
        simulation ? shape_of(simulation, poise_rig_apart_geom(simulation->rig, part)) : NULL;
    return shape ? simulation->scene->bodies[shape->body].name : "";
}

PoiseStatus poise_simulation_keep_apart(PoiseSimulation* simulation, double distance) {
    if (!simulation || !isfinite(distance)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    return distance < 0.0 ? poise_rig_keep_geoms_apart(simulation->rig, &(PoiseGeomsApart){0})
                          : keep_shapes_apart(simulation, true, distance, true);
}

bool poise__simulation_keep_apart(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics) {
    const PoiseSceneApart* apart = &simulation->scene->keep_apart;
    if (!apart->on) {
        return true;
    }
    if (keep_shapes_apart(simulation, false, apart->distance, apart->robots == 0) < 0) {
        const char* why = strstr(poise_rig_message(simulation->rig), ": ");
        poise__diagnose(diagnostics, POISE_ERROR, apart->mark, "'keep_apart'%.200s",
                        why ? why : " finds no body with a shape that collides");
        return false;
    }
    char text[NAMES_CAPACITY + 100];
    if (poise_simulation_without_room(simulation, apart->distance, text, sizeof text) > 0) {
        poise__diagnose(diagnostics, POISE_WARNING, apart->mark, "%s", text);
    }
    warn_touching(simulation, diagnostics);
    return true;
}
