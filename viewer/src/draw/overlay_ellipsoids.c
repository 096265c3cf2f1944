// SPDX-License-Identifier: MIT
// Shows manipulability (Yoshikawa's): how fast a point can move in each direction while its joints
// move. J J^T of the point's position has the squared half axes as eigenvalues.
#include "overlay.h"
#include "palette.h"

/// Length of the longest half axis in view, as part of the scene's radius.
static const double LONGEST = 0.3;
/// Least half axis of an ellipsoid, as part of its longest, so that a flat one stays visible.
static const double THINNEST = 0.01;
static const uint32_t ELLIPSOID_INK = 0x9fe5e0ff;

bool poise__ellipsoid_of(const PoiseSimulation* simulation, int index, PoiseEllipsoid* ellipsoid) {
    const PoisePointView point = poise_simulation_point(simulation, index);
    PoiseTree* tree = poise_simulation_tree(simulation);
    double squares[3][3] = {{0.0}};
    if (!point.enabled || !point.has_position) {
        return false;
    }
    for (int i = 0; i < poise_tree_node_count(tree); i++) {
        const PoiseNodeId node = poise_tree_node(tree, i);
        double block[6 * POISE_MAX_DOF];
        const int dof = poise_is_registered(tree, point.point, node)
                            ? poise_point_jacobian(tree, point.point, node, block)
                            : 0;
        for (int k = 0; k < 9 * dof; k++) {
            const int row = k / dof / 3;
            const int column = k / dof % 3;
            squares[row][column] += block[row * dof + k % dof] * block[column * dof + k % dof];
        }
    }
    *ellipsoid = poise__ellipsoid_from(squares);
    for (int k = 0; k < 3; k++) {
        ellipsoid->half[k] = sqrt(ellipsoid->half[k]);
    }
    return ellipsoid->half[0] > 0.0;
}

static void draw_ellipsoid(const PoiseOverlay* overlay, int index, const PoiseEllipsoid* ellipsoid,
                           double scale) {
    const PoiseVec3 place = poise_simulation_point(overlay->simulation, index).pose_world.p;
    const double least = THINNEST * ellipsoid->half[0];
    PoiseInstance look = {.mesh = POISE_MESH_ELLIPSOID,
                          .flags = POISE_DRAW_NO_SHADOW,
                          .id = poise__draw_id(POISE_DRAW_ELLIPSOID, index),
                          .place = poise__vec3s(place),
                          .turn = poise__quat4s(ellipsoid->turn),
                          .core = poise__vec3s(poise_scale(
                              scale, poise_vec3(ellipsoid->half[0], fmax(least, ellipsoid->half[1]),
                                                fmax(least, ellipsoid->half[2])))),
                          .colour = poise__palette(POISE_COLOUR_ELLIPSOID),
                          .glow = 0.45f};
    look.colour.w = 0.4f;
    poise__draw_instance(overlay->list, &look);
    const double* lengths = ellipsoid->half;
    for (int k = 0; k < 3; k++) {
        const PoiseVec3 along =
            poise_quat_rotate(ellipsoid->turn, poise_vec3(k == 0, k == 1, k == 2));
        const PoiseLine line = {
            .from = poise__vec3s(poise_add_scaled(place, -scale * lengths[k], along)),
            .to = poise__vec3s(poise_add_scaled(place, scale * lengths[k], along)),
            .colour = poise__palette(POISE_COLOUR_ELLIPSOID),
            .width = 1.6f,
            .id = look.id};
        poise__draw_line(overlay->list, &line);
    }
    poise__overlay_label(overlay, (PoiseLabelPlace){place, 36.0f, ELLIPSOID_INK, false},
                         "%.3g, %.3g, %.3g m/rad", lengths[0], lengths[1], lengths[2]);
}

void poise__overlay_ellipsoids(const PoiseOverlay* overlay) {
    const PoiseSimulation* simulation = overlay->simulation;
    const int chosen = overlay->highlight->selected;
    PoiseEllipsoid ellipsoid;
    double longest = 0.0;
    for (int turn = 0; turn < 2; turn++) { // the first pass finds the scale, the second draws
        for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
            if ((chosen >= 0 && i != chosen) || !poise__ellipsoid_of(simulation, i, &ellipsoid)) {
                continue;
            }
            longest = fmax(longest, ellipsoid.half[0]);
            if (turn == 1) {
                draw_ellipsoid(overlay, i, &ellipsoid,
                               LONGEST * overlay->camera->scene_radius / longest);
            }
        }
    }
}
