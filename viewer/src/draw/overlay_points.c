// SPDX-License-Identifier: MIT
// Targets, the points that are to reach them, and what lies between.
#include "scene_view.h"

#include "palette.h"

/// Tethers shorter than this many marker radii of the goal are not drawn.
static const double TETHER_SHORTEST = 0.25;

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

/// From the point to its goal, in the directions that the goal counts in: as long as the point's
/// error. World, m.
static PoiseVec3 missing_way(const PoiseSimulation* simulation, const PoisePointView* point) {
    double rows[36];
    const int count = poise_point_goal_rows(poise_simulation_tree(simulation), point->point, rows);
    const PoiseVec3 way = poise_sub(point->goal_world.p, point->pose_world.p);
    PoiseVec3 sum = poise_vec3(0.0, 0.0, 0.0);
    for (int r = 0; r < count; r++) {
        const PoiseVec3 along = poise_vec3(rows[6 * r], rows[6 * r + 1], rows[6 * r + 2]);
        sum = poise_add_scaled(sum, poise_dot(along, way), along);
    }
    return sum;
}

/// What a tether is told by: a thin dashed line, or red with its length where the goal is out of
/// reach; the joints whose limits hold the body back are ringed then.
static void draw_tether(const PoiseSimulation* simulation, const PoisePointView* point, int index,
                        const PoiseCamera* camera, unsigned parts, PoiseDrawList* list) {
    PoiseVec3 way = missing_way(simulation, point);
    PoiseVec3 goal = poise_add(point->pose_world.p, way);
    double length = poise_length(way);
    if (!point->has_position || length < TETHER_SHORTEST * poise__marker_radius(camera, goal)) {
        return;
    }
    bool far = poise__point_out_of_reach(simulation, point, camera);
    PoiseLine line = {.from = poise__vec3s(point->pose_world.p),
                      .to = poise__vec3s(goal),
                      .colour = poise__palette_goal(),
                      .width = far ? 2.6f : 1.6f,
                      .dash = far ? 9.0f : 6.0f,
                      .id = poise__draw_id(POISE_DRAW_TETHER, index)};
    poise__draw_line(list, &line);
    if (!far) {
        return;
    }
    PoiseVec3 middle = poise_scale(0.5, poise_add(point->pose_world.p, goal));
    poise__draw_label(list, middle, 0.0f, 0xffb4acff, length < 1.0 ? "%.1f cm" : "%.4g m",
                      length < 1.0 ? 100.0 * length : length);
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        if (!poise__joint_stops(simulation, i, index)) {
            continue;
        }
        PoiseVec3 joint = poise_simulation_joint_frame(simulation, i).p;
        double radius = 1.6 * poise__marker_radius(camera, joint);
        draw_ring(list, camera, joint, radius, poise__palette_goal(),
                  poise__draw_id(POISE_DRAW_JOINT, i));
        if (parts & POISE_SHOW_LABELS) {
            poise__draw_label(list, joint, -18.0f, 0xffb4acff, "%.36s: limit",
                              poise_simulation_joint(simulation, i).name);
        }
    }
}

/// Arrows and rings of the chosen target; the part under the pointer or in the hand is brighter.
static void draw_gizmo(const PoiseCamera* camera, PoisePose frame, bool turns, PoiseGizmoPart part,
                       PoiseDrawList* list) {
    int last = turns ? POISE_GIZMO_RING_Z : POISE_GIZMO_ARROW_Z;
    for (int i = POISE_GIZMO_ARROW_X; i <= last; i++) {
        PoiseGizmoPart which = (PoiseGizmoPart)i;
        PoiseGizmoLine line = poise__gizmo_line(camera, frame, which);
        PoiseInstance look = {.flags = POISE_DRAW_NO_SHADOW | POISE_DRAW_X_RAY,
                              .id = poise__draw_id(POISE_DRAW_GIZMO, i),
                              .colour = poise__palette_axis(poise__gizmo_axis(which)),
                              .glow = which == part ? 0.95f : 0.55f,
                              .gloss = 0.3f};
        double thick = (which == part ? 0.030 : 0.020) * line.size;
        if (which == part) {
            look.colour = poise__palette_held();
        }
        if (poise__gizmo_is_arrow(which)) {
            poise__draw_arrow(list, line.from, line.to, thick, &look);
            continue;
        }
        look.mesh = POISE_MESH_RING;
        look.place = poise__vec3s(frame.p);
        look.turn = poise__quat4s(poise__turn_to(line.axis));
        look.core = (vec3s){{(float)line.radius, (float)line.radius, 0.0f}};
        look.shell = (float)(0.6 * thick);
        poise__draw_instance(list, &look);
    }
}

void poise__overlay_points(const PoiseSimulation* simulation, const PoiseCamera* camera,
                           const PoiseHighlight* highlight, PoiseDrawList* list) {
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        if (!point.enabled || !poise_is_finite_pose(point.pose_world) ||
            !poise_is_finite_pose(point.goal_world)) {
            continue;
        }
        draw_tether(simulation, &point, i, camera, highlight->parts, list);
        draw_goal(&point, i, camera, highlight, list);
        draw_point(&point, i, camera, list);
        PoiseVec3 goal = point.has_position ? point.goal_world.p : point.pose_world.p;
        if (i == highlight->selected) {
            PoisePose frame = poise__gizmo_frame(&point, highlight->own_axes);
            draw_gizmo(camera, frame, point.turns, highlight->part, list);
        }
        if (highlight->parts & POISE_SHOW_LABELS) {
            poise__draw_label(list, goal, -20.0f, 0xe8ecf1ff, "%.40s", point.name);
        }
    }
}
