// SPDX-License-Identifier: MIT
// Joints as knobs. Those of the point under the pointer glow: Nd(point). With a joint under the
// pointer its points, Cp(joint), and the joints it shares them with, Nd(joint), are outlined.
#include "overlay.h"
#include "palette.h"

enum { MOST = 256 };

static bool holds_node(const PoiseNodeId* nodes, int count, PoiseNodeId node) {
    for (int i = 0; i < count && i < MOST; i++) {
        if (nodes[i].index1 == node.index1 && nodes[i].generation == node.generation) {
            return true;
        }
    }
    return false;
}

static void draw_knob(PoiseVec3 place, double radius, vec4s colour, float glow, uint32_t id,
                      PoiseDrawList* list) {
    PoiseInstance knob = {.mesh = POISE_MESH_BALL,
                          .flags = POISE_DRAW_NO_SHADOW | POISE_DRAW_X_RAY,
                          .id = id,
                          .place = poise__vec3s(place),
                          .turn = {{0.0f, 0.0f, 0.0f, 1.0f}},
                          .shell = (float)radius,
                          .colour = colour,
                          .glow = glow,
                          .gloss = 0.5f};
    poise__draw_instance(list, &knob);
}

/// A ring that faces the camera.
static void draw_halo(PoiseVec3 place, double radius, vec4s colour, uint32_t id,
                      const PoiseCamera* camera, PoiseDrawList* list) {
    PoiseVec3 towards = poise_scale(-1.0, poise__camera_forward(camera));
    PoiseInstance halo = {
        .mesh = POISE_MESH_RING,
        .flags = POISE_DRAW_NO_SHADOW | POISE_DRAW_X_RAY,
        .id = id,
        .place = poise__vec3s(place),
        .turn = poise__quat4s(poise__turn_to_with(towards, poise__camera_right(camera))),
        .core = {{(float)radius, (float)radius, 0.0f}},
        .shell = (float)(0.10 * radius),
        .colour = colour,
        .glow = 0.9f};
    poise__draw_instance(list, &halo);
}

/// The points of a joint under the pointer.
static void draw_points_of(const PoiseSimulation* simulation, PoiseNodeId node,
                           const PoiseCamera* camera, PoiseDrawList* list) {
    PoisePointId points[MOST];
    int count = poise_node_points(poise_simulation_tree(simulation), node, points, MOST);
    for (int i = 0; i < count && i < MOST; i++) {
        int index = poise__point_of_id(simulation, points[i]);
        if (index < 0) {
            continue;
        }
        PoisePointView point = poise_simulation_point(simulation, index);
        PoiseVec3 goal = point.has_position ? point.goal_world.p : point.pose_world.p;
        double radius = 2.6 * poise__marker_radius(camera, goal);
        draw_halo(goal, radius, poise__palette_neighbour(), poise__draw_id(POISE_DRAW_GOAL, index),
                  camera, list);
    }
}

void poise__overlay_sets(const PoiseSimulation* simulation, const PoiseCamera* camera,
                         PoiseFocus focus, unsigned parts, PoiseDrawList* list) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    PoiseNodeId serving[MOST];
    PoiseNodeId near[MOST];
    int serving_count = 0;
    int near_count = 0;
    PoiseNodeId focus_node = poise_simulation_joint_node(simulation, focus.joint);
    if (focus.point >= 0) {
        PoisePointId id = poise_simulation_point(simulation, focus.point).point;
        serving_count = poise_point_nodes(tree, id, serving, MOST);
    } else if (focus_node.index1 != 0) {
        near_count = poise_node_neighbours(tree, focus_node, near, MOST);
        draw_points_of(simulation, focus_node, camera, list);
    }
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        PoiseJointView joint = poise_simulation_joint(simulation, i);
        if (joint.node.index1 == 0) {
            continue;
        }
        PoiseVec3 place = poise_simulation_joint_frame(simulation, i).p;
        double radius = 0.5 * poise__marker_radius(camera, place);
        uint32_t id = poise__draw_id(POISE_DRAW_JOINT, i);
        bool serves = holds_node(serving, serving_count, joint.node);
        vec4s colour = serves ? poise__palette_nodes() : poise__srgb(0x505a66);
        bool knob_there = (parts & POISE_SHOW_SPRINGS) && !serves;
        if (!knob_there) {
            draw_knob(place, serves ? 1.7 * radius : radius, colour, serves ? 0.9f : 0.35f, id,
                      list);
        }
        if (i == focus.joint) {
            draw_halo(place, 3.0 * radius, poise__palette_nodes(), id, camera, list);
        } else if (holds_node(near, near_count, joint.node)) {
            draw_halo(place, 2.4 * radius, poise__palette_neighbour(), id, camera, list);
        }
        if ((parts & POISE_SHOW_LABELS) && (serves || i == focus.joint) &&
            !(parts & POISE_SHOW_SPRINGS)) {
            poise__draw_label(list, place, 16.0f, 0xffe28aff, "%.40s", joint.name);
        }
    }
}
