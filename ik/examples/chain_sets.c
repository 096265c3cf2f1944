// SPDX-License-Identifier: MIT
// Step 2 of the tutorial: a chain, its sets, and one step taken apart into the paper's stages.
#include <math.h>
#include <stdio.h>

#include "poise/ik.h"

enum { LINKS = 3 };

int main(void) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    static const double angles[LINKS] = {0.3, 0.4, 0.5};
    PoiseNodeId nodes[LINKS];
    PoiseNodeDef hinge = poise_default_hinge_def();
    for (int i = 0; i < LINKS; i++) {
        hinge.joint_in_parent.p = poise_vec3(i > 0 ? 1 : 0, 0, 0);
        hinge.angle = angles[i];
        nodes[i] = poise_node_create(tree, &hinge);
        hinge.parent = nodes[i];
    }
    PoisePointDef point = poise_default_position_def();
    point.link = nodes[LINKS - 1];
    point.in_link.p = poise_vec3(1, 0, 0);
    PoisePointId tip = poise_point_create(tree, &point);
    poise_register_chain(tree, tip, poise_null_node());

    poise_forward(tree);
    PoiseVec3 place = poise_point_pose(tree, tip).p;
    poise_point_set_position(tree, tip, poise_add(place, poise_vec3(0.05, -0.03, 0)));

    // who serves whom
    PoiseNodeId served[LINKS];
    printf("Nd(tip) has %d joints\n", poise_point_nodes(tree, tip, served, LINKS));

    // the stages, one by one: J and v, then alpha, beta, gamma, then sweeps
    poise_stage_jacobians(tree);
    poise_stage_blocks(tree);
    for (int i = 0; i < LINKS; i++) {
        double j[POISE_MAX_ROWS * POISE_MAX_DOF], alpha[POISE_MAX_DOF], beta[POISE_MAX_DOF];
        poise_jacobian(tree, tip, nodes[i], j);
        poise_block_alpha(tree, nodes[i], alpha);
        poise_block_beta(tree, nodes[i], beta);
        printf("joint %d: J (%.4f, %.4f, %.4f), alpha %.4f, beta %.4f\n", i + 1, j[0], j[1], j[2],
               alpha[0], beta[0]);
    }
    double residual = 1;
    for (int sweep = 1; sweep <= 200; sweep++) {
        poise_stage_sweep(tree, 0, &residual);
        if (sweep == 1 || sweep == 10 || sweep == 50 || sweep == 200) {
            printf("after %3d sweeps |J omega - v| is %.2e\n", sweep, residual);
        }
    }
    poise_tree_destroy(tree);
    return residual < 1e-12 ? 0 : 1;
}
