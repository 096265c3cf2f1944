// SPDX-License-Identifier: MIT
// Draws joints as knobs. Those registered with the point under the pointer, the set Nd(point),
// glow. If a joint is under the pointer, rings mark its points (the set Cp(joint)) and the joints
// that share them, Nd(joint).
#include "overlay.h"
#include "palette.h"

enum { MAX_IDS = 256 };

static bool holds_node(const PoiseNodeId* nodes, int count, PoiseNodeId node) {
    for (int i = 0; i < count && i < MAX_IDS; i++) {
        if (nodes[i].index1 == node.index1 && nodes[i].generation == node.generation) {
            return true;
        }
    }
    return false;
}

/// Draws rings around the points of the joint under the pointer.
static void draw_points_of(const PoiseOverlay* overlay, PoiseNodeId node) {
    PoisePointId points[MAX_IDS];
    int count =
        poise_node_points(poise_simulation_tree(overlay->simulation), node, points, MAX_IDS);
    for (int i = 0; i < count && i < MAX_IDS; i++) {
        int index = poise__point_of_id(overlay->simulation, points[i]);
        if (index < 0) {
            continue;
        }
        PoisePointView point = poise_simulation_point(overlay->simulation, index);
        PoiseVec3 goal = point.has_position ? point.goal_world.p : point.pose_world.p;
        double radius = 2.6 * poise__marker_radius(overlay->camera, goal);
        poise__overlay_halo(overlay, goal, radius, poise__palette(POISE_COLOUR_NEIGHBOUR),
                            poise__draw_id(POISE_DRAW_GOAL, index));
    }
}

/// How a joint is related to the thing under the pointer.
typedef struct Relation {
    bool registered; ///< the joint is in Nd of the point
    bool chosen;     ///< the pointer is on the joint's link
    bool neighbour;  ///< the joint is in Nd of the joint under the pointer
} Relation;

static void draw_joint(const PoiseOverlay* overlay, int index, Relation relation) {
    const PoiseVec3 place = poise_simulation_joint_frame(overlay->simulation, index).p;
    const double radius = 0.5 * poise__marker_radius(overlay->camera, place);
    const bool springs = poise__overlay_shows(overlay, POISE_SHOW_SPRINGS);
    const PoiseInstance look = {.id = poise__draw_id(POISE_DRAW_JOINT, index),
                                .colour = relation.registered ? poise__palette(POISE_COLOUR_NODES)
                                                              : poise__srgb(0x505a66),
                                .glow = relation.registered ? 0.9f : 0.35f,
                                .gloss = 0.5f};
    // while springs are shown, overlay_springs.c draws a ball at the joint
    if (relation.registered || !springs) {
        poise__draw_ball(overlay->list, place, (relation.registered ? 1.7 : 1.0) * radius, &look);
    }
    if (relation.chosen) {
        poise__overlay_halo(overlay, place, 3.0 * radius, poise__palette(POISE_COLOUR_NODES),
                            look.id);
    } else if (relation.neighbour) {
        poise__overlay_halo(overlay, place, 2.4 * radius, poise__palette(POISE_COLOUR_NEIGHBOUR),
                            look.id);
    }
    if ((relation.registered || relation.chosen) && !springs) {
        poise__overlay_label(overlay, (PoiseLabelPlace){place, 16.0f, 0xffe28aff, false}, "%.40s",
                             poise_simulation_joint(overlay->simulation, index).name);
    }
}

void poise__overlay_sets(const PoiseOverlay* overlay, PoiseFocus focus) {
    const PoiseSimulation* simulation = overlay->simulation;
    PoiseTree* tree = poise_simulation_tree(simulation);
    PoiseNodeId registered[MAX_IDS];
    PoiseNodeId neighbour[MAX_IDS];
    int registered_count = 0, neighbour_count = 0;
    PoiseNodeId focus_node = poise_simulation_joint_node(simulation, focus.joint);
    if (focus.point >= 0) {
        PoisePointId id = poise_simulation_point(simulation, focus.point).point;
        registered_count = poise_point_nodes(tree, id, registered, MAX_IDS);
    } else if (focus_node.index1 != 0) {
        neighbour_count = poise_node_neighbours(tree, focus_node, neighbour, MAX_IDS);
        draw_points_of(overlay, focus_node);
    }
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        PoiseNodeId node = poise_simulation_joint_node(simulation, i);
        if (node.index1 != 0) {
            const Relation relation = {.registered = holds_node(registered, registered_count, node),
                                       .chosen = i == focus.joint,
                                       .neighbour = holds_node(neighbour, neighbour_count, node)};
            draw_joint(overlay, i, relation);
        }
    }
}
