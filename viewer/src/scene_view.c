// SPDX-License-Identifier: MIT
// Simulation -> draw list. Bodies first, then what belongs to control points.
#include "scene_view.h"

#include <stdlib.h>
#include <string.h>

#include "palette.h"

/// Rounding of box edges and cylinder rims: part of the smallest side.
static const double BEVEL_PART = 0.07;
/// A scene stands on what is fixed when that reaches so much lower than the rest; else its floor
/// lies so much below it: parts of the scene's radius.
static const double FOOT_PART = 0.02;
static const double FLOOR_DROP_PART = 0.35;
/// Tethers shorter than this many marker radii of the goal are not drawn.
static const double TETHER_SHORTEST = 0.25;

PoiseHighlight poise__no_highlight(void) {
    PoiseHighlight highlight = {.hover = {.kind = POISE_PICK_NONE, .index = -1}, .held = -1};
    return highlight;
}

/// The name without the robot it belongs to and the side it is on: "one/left_hand" and
/// "right_hand" are both "hand".
static const char* bare_name(const char* name) {
    static const char* const sides[] = {"left_", "right_", "l_", "r_"};
    const char* slash = strrchr(name, '/');
    name = slash ? slash + 1 : name;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        size_t length = strlen(sides[i]);
        if (strncmp(name, sides[i], length) == 0 && name[length] != '\0') {
            return name + length;
        }
    }
    return name;
}

/// Whether two shapes are to have the same colour: parts of one body, or its mirror image.
static bool look_alike(const PoiseShapeView* a, const PoiseShapeView* b) {
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
            known = look_alike(&shape, &other) ? j : -1;
        }
        if (shape.fixed) {
            view->shape_colours[i] = -1;
        } else {
            view->shape_colours[i] = known >= 0 ? view->shape_colours[known] : colours++;
        }
    }
}

/// A round number, 1, 2 or 5 times a power of ten, near `length`.
static double round_length(double length) {
    double power = pow(10.0, floor(log10(length)));
    double digit = length / power;
    return power * (digit < 1.5 ? 1.0 : digit < 3.5 ? 2.0 : digit < 7.5 ? 5.0 : 10.0);
}

/// Where a scene without ground gets a floor to see places by: under its foot where it stands on
/// one, else some way below, with room for what hangs and swings.
static double floor_below(const PoiseSimulation* simulation, PoiseBounds bounds) {
    double radius = poise__bounds_radius(bounds);
    PoiseBounds fixed = poise__bounds_empty();
    PoiseBounds moving = poise__bounds_empty();
    for (int i = 0; i < poise_simulation_shape_count(simulation); i++) {
        PoiseShapeView shape = poise_simulation_shape(simulation, i);
        PoiseBounds* kind = shape.fixed ? &fixed : &moving;
        *kind = poise__bounds_add_shape(*kind, &shape);
    }
    if (fixed.lower.z < moving.lower.z - FOOT_PART * radius) {
        return fixed.lower.z;
    }
    return bounds.lower.z - FLOOR_DROP_PART * radius;
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
    if (!view->shape_colours) {
        return false;
    }
    choose_colours(view, simulation);
    view->ground = choose_ground(simulation);
    return true;
}

void poise__scene_view_finish(PoiseSceneView* view) {
    free(view->shape_colours);
    *view = (PoiseSceneView){.shape_colours = NULL};
}

static void shape_mesh(const PoiseShapeView* shape, PoiseInstance* instance) {
    PoiseVec3 size = shape->size;
    double bevel = 0.0;
    switch (shape->kind) {
    case POISE_SHAPE_BOX:
        bevel = BEVEL_PART * fmin(size.x, fmin(size.y, size.z));
        instance->mesh = POISE_MESH_BOX;
        instance->core = poise__vec3s(
            poise_vec3(0.5 * size.x - bevel, 0.5 * size.y - bevel, 0.5 * size.z - bevel));
        break;
    case POISE_SHAPE_SPHERE:
        bevel = size.x;
        instance->mesh = POISE_MESH_BALL;
        break;
    case POISE_SHAPE_CAPSULE:
        bevel = size.x;
        instance->mesh = POISE_MESH_CAPSULE;
        instance->core = poise__vec3s(poise_vec3(0.0, 0.0, 0.5 * size.y));
        break;
    case POISE_SHAPE_CYLINDER:
        bevel = BEVEL_PART * fmin(2.0 * size.x, size.y);
        instance->mesh = POISE_MESH_CYLINDER;
        instance->core =
            poise__vec3s(poise_vec3(size.x - bevel, size.x - bevel, 0.5 * size.y - bevel));
        break;
    }
    instance->shell = (float)bevel;
}

static void draw_shape(const PoiseSceneView* view, const PoiseShapeView* shape, int index,
                       const PoiseHighlight* highlight, PoiseDrawList* list) {
    if (!poise_is_finite_pose(shape->pose_world)) {
        return;
    }
    int colour = index < view->shape_count ? view->shape_colours[index] : 0;
    PoiseInstance instance = {
        .id = poise__draw_id(POISE_DRAW_SHAPE, index),
        .place = poise__vec3s(shape->pose_world.p),
        .turn = poise__quat4s(shape->pose_world.q),
        .colour = colour < 0 ? poise__palette_fixed() : poise__palette_body(colour),
        .gloss = colour < 0 ? 0.25f : 0.55f,
    };
    if (highlight->hover.kind == POISE_PICK_SHAPE && highlight->hover.index == index) {
        instance.glow = 0.06f;
    }
    shape_mesh(shape, &instance);
    poise__draw_instance(list, &instance);
}

static void draw_ball(PoiseDrawList* list, PoiseVec3 place, double radius, vec4s colour,
                      uint32_t id) {
    PoiseInstance ball = {.mesh = POISE_MESH_BALL,
                          .flags = POISE_DRAW_NO_SHADOW | POISE_DRAW_X_RAY,
                          .id = id,
                          .place = poise__vec3s(place),
                          .turn = poise__quat4s(poise_quat_identity()),
                          .shell = (float)radius,
                          .colour = colour,
                          .glow = 0.5f,
                          .gloss = 0.6f};
    poise__draw_instance(list, &ball);
}

/// A ring that always faces the camera, so that a goal reads as something to take.
static void draw_ring(PoiseDrawList* list, const PoiseCamera* camera, PoiseVec3 place,
                      double radius, vec4s colour, uint32_t id) {
    PoiseVec3 x = poise__camera_right(camera);
    PoiseVec3 y = poise__camera_up(camera);
    PoiseVec3 z = poise_cross(x, y);
    const double rows[9] = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    PoiseInstance ring = {.mesh = POISE_MESH_RING,
                          .flags = POISE_DRAW_NO_SHADOW | POISE_DRAW_X_RAY,
                          .id = id,
                          .place = poise__vec3s(place),
                          .turn = poise__quat4s(poise_quat_from_rows(rows)),
                          .core = {{(float)radius, (float)radius, 0.0f}},
                          .shell = (float)(0.09 * radius),
                          .colour = colour,
                          .glow = 0.8f};
    poise__draw_instance(list, &ring);
}

static void draw_goal(const PoisePointView* point, int index, const PoiseCamera* camera,
                      const PoiseHighlight* highlight, PoiseDrawList* list) {
    PoiseVec3 place = point->has_position ? point->goal_world.p : point->pose_world.p;
    bool hovered = highlight->hover.kind == POISE_PICK_GOAL && highlight->hover.index == index;
    bool held = highlight->held == index;
    double radius = poise__marker_radius(camera, place);
    uint32_t id = poise__draw_id(POISE_DRAW_GOAL, index);
    if (point->has_position) {
        vec4s colour = held || hovered ? poise__palette_held() : poise__palette_goal();
        draw_ball(list, place, radius * (hovered || held ? 0.9 : 0.75), colour, id);
        draw_ring(list, camera, place, 1.7 * radius, colour, id);
    }
    if (point->has_orientation) {
        poise__draw_axes(list, poise_pose(place, point->goal_world.q), 5.0 * radius, 1.0f, id,
                         POISE_DRAW_X_RAY);
    }
}

static void draw_point(const PoisePointView* point, int index, const PoiseCamera* camera,
                       PoiseDrawList* list) {
    PoiseVec3 place = point->pose_world.p;
    double radius = poise__marker_radius(camera, place);
    uint32_t id = poise__draw_id(POISE_DRAW_POINT, index);
    draw_ball(list, place, 0.55 * radius, poise__palette_point(), id);
    if (point->has_orientation) {
        poise__draw_axes(list, point->pose_world, 3.5 * radius, 0.65f, id, POISE_DRAW_X_RAY);
    }
}

static void draw_tether(const PoisePointView* point, int index, const PoiseCamera* camera,
                        PoiseDrawList* list) {
    PoiseVec3 goal = point->goal_world.p;
    double length = poise_length(poise_sub(goal, point->pose_world.p));
    if (!point->has_position || length < TETHER_SHORTEST * poise__marker_radius(camera, goal)) {
        return;
    }
    PoiseLine line = {.from = poise__vec3s(point->pose_world.p),
                      .to = poise__vec3s(goal),
                      .colour = poise__palette_goal(),
                      .width = 1.6f,
                      .dash = 6.0f,
                      .id = poise__draw_id(POISE_DRAW_TETHER, index)};
    poise__draw_line(list, &line);
}

void poise__scene_view_draw(const PoiseSceneView* view, const PoiseSimulation* simulation,
                            const PoiseCamera* camera, const PoiseHighlight* highlight,
                            PoiseDrawList* list) {
    PoiseBounds bounds = poise__bounds_empty();
    poise__draw_list_clear(list);
    for (int i = 0; i < poise_simulation_shape_count(simulation); i++) {
        PoiseShapeView shape = poise_simulation_shape(simulation, i);
        draw_shape(view, &shape, i, highlight, list);
        bounds = poise__bounds_add_shape(bounds, &shape);
    }
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        if (!point.enabled || !poise_is_finite_pose(point.pose_world) ||
            !poise_is_finite_pose(point.goal_world)) {
            continue;
        }
        draw_tether(&point, i, camera, list);
        draw_goal(&point, i, camera, highlight, list);
        draw_point(&point, i, camera, list);
    }
    list->ground = view->ground;
    list->centre = poise__vec3s(poise__bounds_centre(bounds));
    list->radius = (float)fmax(1e-3, poise__bounds_radius(bounds));
}
