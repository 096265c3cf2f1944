// SPDX-License-Identifier: MIT
// Step 5 of the tutorial: a force at a point by the transpose of J (section 5.2 of the paper).
#include <math.h>
#include <stdio.h>

#include "planar_arm.h"

int main(void) {
    // the equation's torques for 10 N downward at the tip
    static const double expected[LINKS] = {-20.8253643, -11.2719994, -3.62357754};
    const PlanarArm arm = planar_arm();
    poise_point_set_force(arm.tree, arm.tip, poise_vec3(0, -10, 0)); // N, exerted on the world

    poise_forward(arm.tree);
    poise_forces(arm.tree);
    int wrong = 0;
    for (int i = 0; i < LINKS; i++) {
        double torque[POISE_MAX_DOF];
        poise_node_force_torque(arm.tree, arm.nodes[i], torque);
        // a spring of 1000 N m/rad exerts it if its target is shifted by torque / 1000
        printf("joint %d: %.4f N m, target shifted by %.5f rad\n", i + 1, torque[0],
               torque[0] / 1000);
        wrong += fabs(torque[0] - expected[i]) > 1e-6;
    }
    poise_tree_destroy(arm.tree);
    return wrong;
}
