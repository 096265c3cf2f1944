// SPDX-License-Identifier: MIT
// Draws targets, the points that follow them, and tethers from the points to the targets.
#include <stdio.h>
#include <string.h>

#include "overlay.h"
#include "palette.h"
#include "suggest_name.h"
#include "units.h"

/// Tethers shorter than this many marker radii of the goal are omitted.
static const double TETHER_SHORTEST = 0.25;
static const uint32_t NAME_INK = 0xe8ecf1ff;
static const uint32_t STOP_INK = 0xffb4acff;

static PoiseVec3 goal_place(const PoisePointView* point) {
    return point->has_position ? point->goal_world.p : point->pose_world.p;
}

static void draw_goal(const PoiseOverlay* overlay, const PoisePointView* point, int index) {
    const PoiseHighlight* highlight = overlay->highlight;
    const PoiseVec3 place = goal_place(point);
    const double radius = poise__marker_radius(overlay->camera, place);
    const bool hovered =
        highlight->hover.kind == POISE_PICK_GOAL && highlight->hover.index == index;
    const bool chosen = hovered || highlight->held == index;
    PoiseInstance look = {.id = poise__draw_id(POISE_DRAW_GOAL, index),
                          .colour = chosen ? poise__palette(POISE_COLOUR_HELD)
                                           : poise__palette(POISE_COLOUR_GOAL),
                          .glow = 0.5f,
                          .gloss = 0.6f};
    if (point->has_position) {
        poise__draw_ball(overlay->list, place, radius * (chosen ? 0.9 : 0.75), &look);
        // the ring shows that the goal can be grabbed
        poise__overlay_halo(overlay, place, 1.7 * radius, look.colour, look.id);
    }
    if (point->has_orientation) {
        look.flags = POISE_DRAW_X_RAY;
        poise__draw_axes(overlay->list, poise_pose(place, point->goal_world.q), 5.0 * radius, 1.0f,
                         &look);
    }
}

static void draw_point(const PoiseOverlay* overlay, const PoisePointView* point, int index) {
    const double radius = poise__marker_radius(overlay->camera, point->pose_world.p);
    PoiseInstance look = {.id = poise__draw_id(POISE_DRAW_POINT, index),
                          .colour = poise__palette(POISE_COLOUR_POINT),
                          .glow = 0.5f,
                          .gloss = 0.6f};
    poise__draw_ball(overlay->list, point->pose_world.p, 0.55 * radius, &look);
    if (point->has_orientation) {
        look.flags = POISE_DRAW_X_RAY;
        poise__draw_axes(overlay->list, point->pose_world, 3.5 * radius, 0.65f, &look);
    }
}

/// Returns the vector from the point to its goal in the directions that the goal restricts, world,
/// m. Its length is the point's error.
static PoiseVec3 goal_offset(const PoiseSimulation* simulation, const PoisePointView* point) {
    double rows[36];
    const int count = poise_point_goal_rows(poise_simulation_tree(simulation), point->point, rows);
    const PoiseVec3 span = poise_sub(point->goal_world.p, point->pose_world.p);
    PoiseVec3 sum = poise_vec3(0.0, 0.0, 0.0);
    for (int r = 0; r < count; r++) {
        const PoiseVec3 along = poise_vec3(rows[6 * r], rows[6 * r + 1], rows[6 * r + 2]);
        sum = poise_add_scaled(sum, poise_dot(along, span), along);
    }
    return sum;
}

static bool has_label(const PoiseDrawList* list, const char* text) {
    for (int i = 0; i < list->label_count; i++) {
        if (strcmp(list->labels[i].text, text) == 0) {
            return true;
        }
    }
    return false;
}

/// Draws rings around the joints whose limits keep the point from its goal, and their names.
static void draw_stops(const PoiseOverlay* overlay, int point) {
    const PoiseSimulation* simulation = overlay->simulation;
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        if (poise__joint_stops(simulation, i, point)) {
            const PoiseVec3 joint = poise_simulation_joint_frame(simulation, i).p;
            const double radius = 1.6 * poise__marker_radius(overlay->camera, joint);
            poise__overlay_halo(overlay, joint, radius, poise__palette(POISE_COLOUR_GOAL),
                                poise__draw_id(POISE_DRAW_JOINT, i));
            PoiseLabel label = {
                .place = poise__vec3s(joint), .down = -18.0f, .colour = STOP_INK, .always = true};
            snprintf(label.text, sizeof label.text, "%.36s: limit",
                     poise__bare_name(poise_simulation_joint(simulation, i).name));
            // another point may have added the label already
            if (!has_label(overlay->list, label.text)) {
                poise__draw_label(overlay->list, &label);
            }
        }
    }
}

/// Draws a tether: a thin dashed line, or a bold one with its length if the goal is out of reach.
static void draw_tether(const PoiseOverlay* overlay, const PoisePointView* point, int index) {
    const PoiseVec3 from = point->pose_world.p;
    const PoiseVec3 span = goal_offset(overlay->simulation, point);
    const PoiseVec3 to = poise_add(from, span);
    const double length = poise_length(span);
    if (!point->has_position ||
        length < TETHER_SHORTEST * poise__marker_radius(overlay->camera, to)) {
        return;
    }
    const bool far = poise__point_out_of_reach(point, overlay->camera);
    const PoiseLine line = {.from = poise__vec3s(from),
                            .to = poise__vec3s(to),
                            .colour = poise__palette(POISE_COLOUR_GOAL),
                            .width = far ? 2.6f : 1.6f,
                            .dash = far ? 9.0f : 6.0f,
                            .id = poise__draw_id(POISE_DRAW_TETHER, index)};
    poise__draw_line(overlay->list, &line);
    if (far) {
        PoiseLabel label = {.place = poise__vec3s(poise_add_scaled(from, 0.5, span)),
                            .colour = STOP_INK,
                            .always = true,
                            .aside = true};
        char text[POISE_UNIT_TEXT];
        snprintf(label.text, sizeof label.text, "%s", poise__length_text(length, text));
        poise__draw_label(overlay->list, &label);
        draw_stops(overlay, index);
    }
}

/// Draws arrows and rings of the selected target; the part that is dragged or under the pointer is
/// brighter.
static void draw_gizmo(const PoiseOverlay* overlay, const PoisePointView* point) {
    const PoisePose frame = poise__gizmo_frame(point, overlay->highlight->own_axes);
    const int last = point->turns ? POISE_GIZMO_RING_Z : POISE_GIZMO_ARROW_Z;
    for (int i = POISE_GIZMO_ARROW_X; i <= last; i++) {
        const PoiseGizmoPart which = (PoiseGizmoPart)i;
        const bool chosen = which == overlay->highlight->part;
        const PoiseGizmoLine line = poise__gizmo_line(overlay->camera, frame, which);
        const double thick = (chosen ? 0.030 : 0.020) * line.size;
        PoiseInstance look = {.flags = POISE_DRAW_NO_SHADOW | POISE_DRAW_X_RAY,
                              .id = poise__draw_id(POISE_DRAW_GIZMO, i),
                              .colour = poise__palette_axis(poise__gizmo_axis(which)),
                              .glow = chosen ? 0.95f : 0.55f,
                              .gloss = 0.3f};
        if (chosen) {
            look.colour = poise__palette(POISE_COLOUR_HELD);
        }
        if (poise__gizmo_is_arrow(which)) {
            poise__draw_arrow(overlay->list, line.from, line.to, thick, &look);
        } else {
            look.shell = (float)(0.6 * thick);
            poise__draw_ring(overlay->list, poise_pose(frame.p, poise__turn_to(line.axis)),
                             line.radius, &look);
        }
    }
}

/// Draws the name of the point, with its distance from the goal if the tether does not show it. A
/// pressing point yields along its force, so that its distance is no error.
static void draw_name(const PoiseOverlay* overlay, const PoisePointView* point) {
    const PoiseVec3 place = goal_place(point);
    const double miss = poise_length(goal_offset(overlay->simulation, point));
    const bool tethered = point->has_position && !point->presses &&
                          miss >= TETHER_SHORTEST * poise__marker_radius(overlay->camera, place) &&
                          !poise__point_out_of_reach(point, overlay->camera);
    char text[POISE_UNIT_TEXT];
    poise__overlay_label(overlay, (PoiseLabelPlace){place, -20.0f, NAME_INK, false}, "%.40s%s%s",
                         point->name, tethered ? ": " : "",
                         tethered ? poise__length_text(miss, text) : "");
}

void poise__overlay_points(const PoiseOverlay* overlay) {
    for (int i = 0; i < poise_simulation_point_count(overlay->simulation); i++) {
        const PoisePointView point = poise_simulation_point(overlay->simulation, i);
        if (!point.enabled || !poise_is_finite_pose(point.pose_world) ||
            !poise_is_finite_pose(point.goal_world)) {
            continue;
        }
        draw_tether(overlay, &point, i);
        draw_goal(overlay, &point, i);
        draw_point(overlay, &point, i);
        if (i == overlay->highlight->selected) {
            draw_gizmo(overlay, &point);
        }
        draw_name(overlay, &point);
    }
}
