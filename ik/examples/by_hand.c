// SPDX-License-Identifier: MIT
// The example of gauss_seidel.md: Gauss-Seidel sweeps for three hinges whose numbers can be
// computed by hand. Returns 0 if alpha, beta, gamma and all sweeps equal those of that page.
#include <math.h>
#include <stdio.h>

#include "poise/ik.h"
#include "poise/stages.h"

enum { JOINTS = 3, SWEEPS = 5 };

// m and rad; the numbers of the page and of the program differ by rounding only
#define ROUNDING 1e-12

typedef struct Arm {
    PoiseTree* tree;
    PoiseNodeId joints[JOINTS];
    PoisePointId hand;
} Arm;

// Three hinges about z at (0, 0), (1, 0) and (1, 1); the hand is at (2, 1), its goal 0.1 m to the
// left and 0.1 m up.
static Arm make_arm(void) {
    static const double places[JOINTS + 1][2] = {{0, 0}, {1, 0}, {1, 1}, {2, 1}};
    const PoiseTreeDef tree_def = poise_default_tree_def();
    Arm arm = {.tree = poise_tree_create(&tree_def)};
    PoiseNodeId parent = poise_null_node();
    for (int i = 0; i < JOINTS; i++) {
        PoiseNodeDef def = poise_default_hinge_def();
        def.parent = parent;
        def.joint_in_parent.p = i == 0 ? poise_vec3(0, 0, 0)
                                       : poise_vec3(places[i][0] - places[i - 1][0],
                                                    places[i][1] - places[i - 1][1], 0);
        parent = arm.joints[i] = poise_node_create(arm.tree, &def);
    }
    PoisePointDef def = poise_default_position_def();
    def.link = parent;
    def.in_link.p = poise_vec3(1, 0, 0);
    arm.hand = poise_point_create(arm.tree, &def);
    poise_register_chain(arm.tree, arm.hand, arm.joints[0]);
    poise_point_set_position(arm.tree, arm.hand, poise_vec3(1.9, 1.1, 0));
    return arm;
}

// Prints J, alpha, beta and the row of gamma for each joint. Returns the sum of their differences
// from the page.
static double print_blocks(const Arm* arm) {
    static const double on_paper[JOINTS][2 + JOINTS] = {
        {5, 0.3, 0, 3, 2}, {2, 0.2, 3, 0, 1}, {1, 0.1, 2, 1, 0}};
    double off = 0.0;
    for (int i = 0; i < JOINTS; i++) {
        double j[POISE_MAX_ROWS * POISE_MAX_DOF] = {0};
        double alpha[POISE_MAX_DOF] = {0};
        double beta[POISE_MAX_DOF] = {0};
        poise_jacobian(arm->tree, arm->hand, arm->joints[i], j);
        poise_block_alpha(arm->tree, arm->joints[i], alpha);
        poise_block_beta(arm->tree, arm->joints[i], beta);
        printf("joint %d: J (%2.0f, %2.0f), alpha %.0f, beta %.1f, gamma", i + 1, j[0], j[1],
               alpha[0], beta[0]);
        off += fabs(alpha[0] - on_paper[i][0]) + fabs(beta[0] - on_paper[i][1]);
        for (int k = 0; k < JOINTS; k++) {
            double gamma[POISE_MAX_DOF * POISE_MAX_DOF] = {0};
            if (k != i && poise_block_gamma(arm->tree, arm->joints[i], arm->joints[k], gamma) > 0) {
                printf(" %.0f with joint %d", gamma[0], k + 1);
                off += fabs(gamma[0] - on_paper[i][2 + k]);
            }
        }
        putchar('\n');
    }
    return off;
}

int main(void) {
    Arm arm = make_arm();
    poise_forward(arm.tree);
    poise_stage_jacobians(arm.tree);
    poise_stage_blocks(arm.tree);
    double off = print_blocks(&arm);

    // print omega and the residual |v - J omega| after each sweep
    double residual = 0.0;
    for (int sweep = 1; sweep <= SWEEPS; sweep++) {
        poise_stage_sweep(arm.tree, 0.0, &residual);
        double omega[JOINTS][POISE_MAX_DOF];
        for (int i = 0; i < JOINTS; i++) {
            poise_node_omega(arm.tree, arm.joints[i], omega[i]);
        }
        printf("sweep %d: omega %.5f %.5f %.5f, %.5f m left\n", sweep, omega[0][0], omega[1][0],
               omega[2][0], residual);
        // on the page each sweep multiplies the residual by 0.6
        off += fabs(residual - 0.03 * pow(0.6, sweep - 1));
    }
    const bool fine = poise_tree_status(arm.tree) == POISE_OK && off < ROUNDING;
    poise_tree_destroy(arm.tree);
    return fine ? 0 : 1;
}
