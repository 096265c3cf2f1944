// SPDX-License-Identifier: MIT
// Step 5 of the tutorial: a force at a point by the transpose of J (section 5.2 of the paper).
#include <math.h>
#include <stdio.h>

#include "poise/forces.h"
#include "poise/ik.h"

enum { LINKS = 3 };

int main(void) {
    static const double angles[LINKS] = {0.3, 0.4, 0.5};
    // what the equation gives for 10 N downward at the tip
    static const double expected[LINKS] = {-20.8253643, -11.2719994, -3.62357754};
    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
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
    poise_point_set_force(tree, tip, poise_vec3(0, -10, 0)); // N, on the world

    poise_forward(tree);
    poise_forces(tree);
    int wrong = 0;
    for (int i = 0; i < LINKS; i++) {
        double torque[POISE_MAX_DOF];
        poise_node_force_torque(tree, nodes[i], torque);
        // a spring of 1000 N m/rad gives it when its target is shifted by torque / 1000
        printf("joint %d: %.4f N m, target shifted by %.5f rad\n", i + 1, torque[0],
               torque[0] / 1000);
        wrong += fabs(torque[0] - expected[i]) > 1e-6;
    }
    poise_tree_destroy(tree);
    return wrong;
}
