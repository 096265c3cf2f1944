// SPDX-License-Identifier: MIT
// Step 1 of the tutorial: one hinge, one point, one goal.
#include <stdio.h>

#include "poise/ik.h"

int main(void) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);

    // a hinge about z, and a point on its link, 1 m from the axis
    PoiseNodeDef hinge_def = poise_default_hinge_def();
    PoiseNodeId hinge = poise_node_create(tree, &hinge_def);
    PoisePointDef point_def = poise_default_position_def();
    point_def.link = hinge;
    point_def.in_link.p = poise_vec3(1, 0, 0);
    PoisePointId tip = poise_point_create(tree, &point_def);

    // let the solver move the hinge for the point
    poise_register(tree, tip, hinge);
    poise_point_set_position(tree, tip, poise_vec3(0, 1, 0));

    for (int step = 0; step < 8; step++) {
        poise_forward(tree);           // fills the frames
        poise_solve(tree, NULL, NULL); // computes omega: J omega = v
        printf("step %d: angle %.4f rad, %.4f m to go\n", step, poise_node_angle(tree, hinge),
               poise_point_planned_error(tree, tip));
        poise_advance(tree); // angle <- angle + omega
    }
    double angle = poise_node_angle(tree, hinge);
    poise_tree_destroy(tree);
    return angle > 1.5707 && angle < 1.5709 ? 0 : 1;
}
