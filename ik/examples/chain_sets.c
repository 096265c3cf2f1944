// SPDX-License-Identifier: MIT
// Step 2 of the tutorial: a chain, its sets, and the stages of the paper's solver.
#include <stdio.h>

#include "planar_arm.h"

int main(void) {
    const PlanarArm arm = planar_arm();
    PoiseTree* tree = arm.tree;
    poise_forward(tree);
    PoiseVec3 place = poise_point_planned_pose(tree, arm.tip).p;
    poise_point_set_position(tree, arm.tip, poise_add(place, poise_vec3(0.05, -0.03, 0)));

    // the nodes registered with the tip
    PoiseNodeId served[LINKS];
    printf("Nd(tip) has %d joints\n", poise_point_nodes(tree, arm.tip, served, LINKS));

    // run the stages: first J and v, next alpha, beta and gamma, last the sweeps
    poise_stage_jacobians(tree);
    poise_stage_blocks(tree);
    for (int i = 0; i < LINKS; i++) {
        double j[POISE_MAX_ROWS * POISE_MAX_DOF], alpha[POISE_MAX_DOF], beta[POISE_MAX_DOF];
        poise_jacobian(tree, arm.tip, arm.nodes[i], j);
        poise_block_alpha(tree, arm.nodes[i], alpha);
        poise_block_beta(tree, arm.nodes[i], beta);
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
