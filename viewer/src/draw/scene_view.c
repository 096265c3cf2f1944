// SPDX-License-Identifier: MIT
// Turns a simulation into a draw list: bodies first, then the overlays.
#include "scene_looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "added_parts.h"
#include "palette.h"
#include "shape_mesh.h"

/// The floor of a scene without ground is at the foot of the fixed shapes, if they reach lower than
/// the moving ones by FOOT_PART. Otherwise it is FLOOR_DROP_PART below the scene. Both are
/// fractions of the scene's radius.
static const double FOOT_PART = 0.02;
static const double FLOOR_DROP_PART = 0.35;
/// Distance from its body at which a ghost has its full opacity, as a fraction of the scene's
/// radius. A nearer ghost is fainter, since it would only tint the body. A ghost below the fraction
/// GHOST_FAINTEST of the opacity is not shown.
static const double GHOST_FULL = 0.06;
static const double GHOST_FAINTEST = 0.06;
/// Growth of a ghost beyond its body, as a fraction of the scene's radius.
static const double GHOST_VEIL = 0.004;

/// Width of the highlight around a body, window units.
static const double OUTLINE_UNITS = 2.0;

PoiseHighlight poise__no_highlight(void) {
    PoiseHighlight highlight = {.hover = {.kind = POISE_PICK_NONE, .index = -1},
                                .held = -1,
                                .selected = -1,
                                .panel = {-1, -1},
                                .parts = POISE_SHOW_POINTS,
                                .exaggeration = 6.0,
                                .trail = 3.0,
                                .body = -1,
                                .yielding = {.point = -1, .end = -1}};
    return highlight;
}

/// Returns the name without its robot and its side: "one/left_hand" and "right_hand" give "hand".
static const char* bare_name(const char* name) {
    static const char* const sides[] = {"left_", "right_", "l_", "r_"};
    name = poise__bare_name(name);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        size_t length = strlen(sides[i]);
        if (strncmp(name, sides[i], length) == 0 && name[length] != '\0') {
            return name + length;
        }
    }
    return name;
}

/// True if two shapes have the same colour, because they belong to one body or to mirrored bodies.
static bool share_colour(const PoiseShapeView* a, const PoiseShapeView* b) {
    if (a->fixed != b->fixed) {
        return false;
    }
    if (a->body && b->body) {
        return strcmp(bare_name(a->body), bare_name(b->body)) == 0;
    }
    return a->body_index == b->body_index;
}

static void choose_colours(PoiseSceneView* view, const PoiseSimulation* simulation) {
    int colours = 0;
    for (int i = 0; i < view->shape_count; i++) {
        PoiseShapeView shape = poise_simulation_shape(simulation, i);
        int known = -1;
        for (int j = 0; j < i && known < 0; j++) {
            PoiseShapeView other = poise_simulation_shape(simulation, j);
            known = share_colour(&shape, &other) ? j : -1;
        }
        if (shape.fixed) {
            view->shape_colours[i] = -1;
        } else {
            view->shape_colours[i] = known >= 0 ? view->shape_colours[known] : colours++;
        }
    }
}

/// Rounds a length to 1, 2 or 5 times a power of ten.
static double round_length(double length) {
    double power = pow(10.0, floor(log10(length)));
    double digit = length / power;
    return power * (digit < 1.5 ? 1.0 : digit < 3.5 ? 2.0 : digit < 7.5 ? 5.0 : 10.0);
}

/// Returns the height of the floor of a scene without ground, m: under the scene's fixed foot, if
/// there is one; otherwise lower, with space for parts that hang and swing.
static double floor_below(const PoiseSimulation* simulation, PoiseBounds bounds) {
    double radius = poise__bounds_radius(bounds);
    PoiseBounds fixed = poise__bounds_empty();
    PoiseBounds moving = poise__bounds_empty();
    for (int i = 0; i < poise_simulation_shape_count(simulation); i++) {
        PoiseShapeView shape = poise_simulation_shape(simulation, i);
        PoiseBounds* kind = shape.fixed ? &fixed : &moving;
        *kind = poise__bounds_add_shape(*kind, &shape);
    }
    return fixed.lower.z < moving.lower.z - FOOT_PART * radius
               ? fixed.lower.z
               : bounds.lower.z - FLOOR_DROP_PART * radius;
}

static PoiseGround choose_ground(const PoiseSimulation* simulation) {
    PoiseGround ground = {.visible = false};
    PoiseBounds bounds = poise__bounds_of_simulation(simulation);
    double radius = poise__bounds_radius(bounds);
    double height = 0.0;
    if (radius <= 0.0) {
        return ground;
    }
    ground.visible = true;
    ground.solid = poise_simulation_ground(simulation, &height);
    if (!ground.solid) {
        height = floor_below(simulation, bounds);
    }
    ground.height = (float)height;
    ground.cell = (float)round_length(0.25 * radius);
    ground.centre = poise__vec3s(poise__bounds_centre(bounds));
    ground.fade = (float)(14.0 * radius);
    return ground;
}

bool poise__scene_view_init(PoiseSceneView* view, const PoiseSimulation* simulation) {
    *view = (PoiseSceneView){.shape_count = poise_simulation_shape_count(simulation)};
    view->shape_colours = calloc((size_t)view->shape_count + 1, sizeof *view->shape_colours);
    view->shape_bodies = calloc((size_t)view->shape_count + 1, sizeof *view->shape_bodies);
    const size_t bodies = (size_t)poise_simulation_body_count(simulation);
    view->bodies_seen = calloc(bodies + 1, sizeof *view->bodies_seen);
    if (!view->shape_colours || !view->shape_bodies || !view->bodies_seen) {
        return false;
    }
    for (int i = 0; i < view->shape_count; i++) {
        const PoiseShapeView shape = poise_simulation_shape(simulation, i);
        view->shape_bodies[i] =
            shape.body ? poise__find(simulation, POISE_OWNER_LINK, shape.body) : -1;
    }
    choose_colours(view, simulation);
    view->ground = choose_ground(simulation);
    return true;
}

void poise__scene_view_finish(PoiseSceneView* view) {
    free(view->shape_colours);
    free(view->shape_bodies);
    free(view->bodies_seen);
    poise__ghosts_finish(&view->ghosts);
    poise__scene_looks_finish(view);
    *view = (PoiseSceneView){.shape_colours = NULL};
}

/// Projects the two places of a body (PoiseSceneView.bodies_seen). Returns false if one of them is
/// behind the eye.
static bool see_body(const PoiseSimulation* simulation, int body, const PoiseCamera* camera,
                     vec2s seen[2]) {
    static const PoiseVec3 OFF = {0.06, 0.06, 0.06};
    const PoiseBodyView view = poise_simulation_body(simulation, body);
    const PoiseVec3 other = poise_add(view.com_world, poise_quat_rotate(view.pose_world.q, OFF));
    double x[2], y[2];
    if (!poise__camera_project(camera, view.com_world, &x[0], &y[0]) ||
        !poise__camera_project(camera, other, &x[1], &y[1])) {
        return false;
    }
    seen[0] = (vec2s){{(float)x[0], (float)y[0]}};
    seen[1] = (vec2s){{(float)x[1], (float)y[1]}};
    return true;
}

double poise__scene_view_motion(const PoiseSceneView* view, const PoiseSimulation* simulation,
                                const PoiseCamera* camera) {
    float longest = 0.0f;
    for (int i = 0; i < poise_simulation_body_count(simulation); i++) {
        vec2s seen[2];
        for (int k = 0; k < 2 && see_body(simulation, i, camera, seen); k++) {
            longest = fmaxf(longest, hypotf(seen[k].x - view->bodies_seen[i][k].x,
                                            seen[k].y - view->bodies_seen[i][k].y));
        }
    }
    return (double)longest;
}

void poise__scene_view_see(PoiseSceneView* view, const PoiseSimulation* simulation,
                           const PoiseCamera* camera) {
    for (int i = 0; i < poise_simulation_body_count(simulation); i++) {
        vec2s seen[2];
        if (see_body(simulation, i, camera, seen)) {
            memcpy(view->bodies_seen[i], seen, sizeof seen);
        }
    }
}

static vec4s colour_of(const PoiseOverlay* overlay, int colour) {
    if (colour < 0) {
        return poise__palette(POISE_COLOUR_FIXED);
    }
    return poise__overlay_shows(overlay, POISE_SHOW_BY_LINK) ? poise__palette_body(colour)
                                                             : poise__palette_neutral(colour);
}

/// Draws a veil of this colour around a shape of a body.
static void draw_outline(const PoiseOverlay* overlay, const PoiseInstance* body, vec4s colour) {
    const PoiseVec3 place =
        poise_vec3((double)body->place.x, (double)body->place.y, (double)body->place.z);
    PoiseInstance veil = *body;
    veil.flags = POISE_DRAW_NO_SHADOW;
    veil.colour = colour;
    veil.colour.w = 0.4f;
    veil.glow = 0.8f;
    veil.shell += (float)(OUTLINE_UNITS * poise__camera_unit_at(overlay->camera, place));
    poise__draw_instance(overlay->list, &veil);
}

static void draw_shape(const PoiseSceneView* view, const PoiseOverlay* overlay,
                       const PoiseShapeView* shape, int index) {
    if (!poise_is_finite_pose(shape->pose_world)) {
        return;
    }
    int colour = index < view->shape_count ? view->shape_colours[index] : 0;
    PoiseInstance instance = {
        .id = poise__draw_id(POISE_DRAW_SHAPE, index),
        .place = poise__vec3s(shape->pose_world.p),
        .turn = poise__quat4s(shape->pose_world.q),
        .colour = colour_of(overlay, colour),
        .gloss = colour < 0 ? 0.25f : 0.55f,
    };
    poise__shape_mesh(shape, &instance);
    poise__draw_instance(overlay->list, &instance);
    vec4s veil;
    if (poise__overlay_highlights(overlay, shape->body_index, &veil)) {
        draw_outline(overlay, &instance, veil);
    }
    if (shape->fixed) {
        instance.id = poise__draw_id(POISE_DRAW_GROUND, 0);
        poise__add_legs(overlay, &view->ground, shape, instance);
    }
}

/// How a translucent copy of a body looks.
typedef struct GhostLook {
    vec4s colour;
    float strength;
    /// Growth of the copy beyond the body, m.
    float veil;
    /// Distance from the body at which the copy has its full opacity, m.
    double full;
} GhostLook;

/// Returns the largest displacement of a corner of a shape from its present pose to `pose`, m.
static double largest_displacement(const PoiseShapeView* shape, PoisePose pose) {
    PoiseShapeView there = *shape;
    there.pose_world = pose;
    double farthest = 0.0;
    for (int i = 0; i < 8; i++) {
        PoiseVec3 displacement =
            poise_sub(poise__shape_corner(&there, i), poise__shape_corner(shape, i));
        farthest = fmax(farthest, poise_length(displacement));
    }
    return farthest;
}

/// Returns the larger displacement of two places of a body to `pose`, m: its centre of mass and a
/// place 0.1 m away.
static double displacement_of(const PoiseSimulation* simulation, int body, PoisePose pose) {
    const PoiseBodyView view = poise_simulation_body(simulation, body);
    const PoiseVec3 com = poise_pose_apply(poise_pose_inverse(view.pose_world), view.com_world);
    double most = 0.0;
    for (int axis = 0; axis < 4; axis++) {
        const PoiseVec3 place = poise_add_scaled(com, 0.1, poise__axis(axis));
        most = fmax(most, poise_length(poise_sub(poise_pose_apply(pose, place),
                                                 poise_pose_apply(view.pose_world, place))));
    }
    return most;
}

static void draw_ghost_shape(const PoiseOverlay* overlay, int index, PoisePose body,
                             GhostLook look) {
    const PoiseSimulation* simulation = overlay->simulation;
    PoiseShapeView shape = poise_simulation_shape(simulation, index);
    PoisePose now = poise_simulation_body(simulation, shape.body_index).pose_world;
    PoisePose pose =
        poise_pose_mul(body, poise_pose_mul(poise_pose_inverse(now), shape.pose_world));
    if (!poise_is_finite_pose(pose)) {
        return;
    }
    double part = fmin(1.0, largest_displacement(&shape, pose) / look.full);
    if (part < GHOST_FAINTEST) {
        return;
    }
    PoiseInstance instance = {.flags = POISE_DRAW_NO_SHADOW,
                              .id = poise__draw_id(POISE_DRAW_GHOST, index),
                              .place = poise__vec3s(pose.p),
                              .turn = poise__quat4s(pose.q),
                              .colour = look.colour,
                              .glow = 0.45f,
                              .gloss = 0.2f};
    instance.colour.w = (float)part * look.strength;
    poise__shape_mesh(&shape, &instance);
    // larger than the body, so that it encloses a body at the same pose
    instance.shell += look.veil;
    poise__draw_instance(overlay->list, &instance);
}

/// Draws the bodies at the poses that they have in the copy of the tree.
static void draw_ghost(PoiseSceneView* view, const PoiseOverlay* overlay, GhostLook look) {
    const PoiseSimulation* simulation = overlay->simulation;
    for (int i = 0; i < poise_simulation_shape_count(simulation); i++) {
        PoisePose pose;
        const int body = poise_simulation_shape(simulation, i).body_index;
        if (body >= 0 && !poise__scene_looks_cover(view, overlay, body) &&
            poise__ghosts_body(&view->ghosts, simulation, body, &pose)) {
            draw_ghost_shape(overlay, i, pose, look);
        }
    }
    for (int body = 0; body < poise_simulation_body_count(simulation); body++) {
        PoisePose pose;
        if (poise__scene_looks_cover(view, overlay, body) &&
            poise__ghosts_body(&view->ghosts, simulation, body, &pose)) {
            vec4s colour = look.colour;
            colour.w = (float)fmin(1.0, displacement_of(simulation, body, pose) / look.full) *
                       look.strength;
            if (colour.w > (float)GHOST_FAINTEST * look.strength) {
                poise__scene_looks_ghost(view, overlay, body, pose, colour);
            }
        }
    }
}

/// Draws the posture that IK plans for goals that were moved while the run is paused.
static void draw_plan(PoiseSceneView* view, const PoiseOverlay* overlay) {
    const double radius = overlay->camera->scene_radius;
    const GhostLook look = {poise__palette(POISE_COLOUR_IK), 0.5f, 0.0f, 0.2 * GHOST_FULL * radius};
    view->plans =
        overlay->highlight->paused && poise__ghosts_plan(&view->ghosts, overlay->simulation);
    if (view->plans) {
        draw_ghost(view, overlay, look);
    }
}

static void draw_ghosts(PoiseSceneView* view, const PoiseOverlay* overlay) {
    const PoiseSimulation* simulation = overlay->simulation;
    float veil = (float)(GHOST_VEIL * overlay->camera->scene_radius);
    double full = GHOST_FULL * overlay->camera->scene_radius;
    const GhostLook looks[2] = {{poise__palette(POISE_COLOUR_ORIGINAL), 0.24f, 1.5f * veil, full},
                                {poise__palette(POISE_COLOUR_IK), 0.36f, veil, full}};
    for (int kind = 0; kind < 2; kind++) {
        if (poise__ghosts_pose(&view->ghosts, simulation, (PoiseGhostKind)kind)) {
            draw_ghost(view, overlay, looks[kind]);
        }
    }
}

static void draw_past(const PoiseOverlay* overlay, const PoiseTimeline* timeline) {
    const PoiseSimulation* simulation = overlay->simulation;
    const double radius = overlay->camera->scene_radius;
    const GhostLook look = {poise__palette(POISE_COLOUR_PAST), 0.25f,
                            (float)(2.0 * GHOST_VEIL * radius), GHOST_FULL * radius};
    double time = poise_simulation_time(simulation);
    for (int i = 0; timeline && i < poise_simulation_shape_count(simulation); i++) {
        PoisePose pose;
        int body = poise_simulation_shape(simulation, i).body_index;
        if (body >= 0 && poise__timeline_ghost_pose(timeline, time, body, &pose)) {
            draw_ghost_shape(overlay, i, pose, look);
        }
    }
}

PoiseFocus poise__scene_view_focus(const PoiseSimulation* simulation,
                                   const PoiseHighlight* highlight) {
    PoiseFocus focus = {-1, -1};
    const PoisePick* hover = &highlight->hover;
    if (highlight->panel.joint >= 0 || highlight->panel.point >= 0) {
        return highlight->panel;
    }
    if (highlight->held >= 0) {
        focus.point = highlight->held;
    } else if (hover->kind == POISE_PICK_GOAL || hover->kind == POISE_PICK_POINT) {
        focus.point = hover->index;
    } else if (hover->kind == POISE_PICK_SHAPE) {
        int body = poise_simulation_shape(simulation, hover->index).body_index;
        focus.joint = body >= 0 ? poise_simulation_body(simulation, body).joint : -1;
    } else if (highlight->selected >= 0) {
        focus.point = highlight->selected;
    }
    return focus;
}

void poise__scene_view_draw(PoiseSceneView* view, const PoiseOverlay* overlay,
                            const PoiseTimeline* timeline) {
    const PoiseSimulation* simulation = overlay->simulation;
    PoiseDrawList* list = overlay->list;
    PoiseBounds bounds = poise__bounds_empty();
    poise__draw_list_clear(list);
    for (int i = 0; i < poise_simulation_shape_count(simulation); i++) {
        PoiseShapeView shape = poise_simulation_shape(simulation, i);
        if (!poise__scene_looks_cover(view, overlay, view->shape_bodies[i])) {
            draw_shape(view, overlay, &shape, i);
            poise__add_neck(overlay, i, colour_of(overlay, view->shape_colours[i]));
            poise__add_nose(overlay, i, colour_of(overlay, view->shape_colours[i]));
        }
        poise__add_contact_shadow(overlay, &view->ground, &shape);
        bounds = poise__bounds_add_shape(bounds, &shape);
    }
    poise__scene_looks_draw(view, overlay);
    if (poise__overlay_shows(overlay, POISE_SHOW_GHOSTS)) {
        draw_ghosts(view, overlay);
    }
    draw_plan(view, overlay);
    if (poise__overlay_shows(overlay, POISE_SHOW_PAST)) {
        draw_past(overlay, timeline);
    }
    if (poise__overlay_shows(overlay, POISE_SHOW_SETS)) {
        poise__overlay_sets(overlay, poise__scene_view_focus(simulation, overlay->highlight));
    }
    if (poise__overlay_shows(overlay, POISE_SHOW_SPRINGS)) {
        poise__overlay_springs(overlay);
    }
    if (poise__overlay_shows(overlay, POISE_SHOW_FORCES)) {
        poise__overlay_forces(overlay);
    }
    if (poise__overlay_shows(overlay, POISE_SHOW_POINTS)) {
        poise__overlay_points(overlay);
        poise__overlay_apart(overlay);
    }
    if (poise__overlay_shows(overlay, POISE_SHOW_TRAILS)) {
        poise__overlay_trails(overlay, &view->trails);
    }
    if (poise__overlay_shows(overlay, POISE_SHOW_CONTACTS)) {
        poise__overlay_contacts(overlay);
    }
    if (poise__overlay_shows(overlay, POISE_SHOW_YIELDING)) {
        poise__overlay_yielding(overlay);
    }
    poise__overlay_pull(overlay);
    poise__overlay_bodies(overlay);
    list->ground = view->ground;
    list->centre = poise__vec3s(poise__bounds_centre(bounds));
    list->radius = (float)fmax(1e-3, poise__bounds_radius(bounds));
}
