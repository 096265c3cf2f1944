// SPDX-License-Identifier: MIT
// A program that uses poise::ik alone. One hinge turns until its point is at its goal.
#include <poise/ik.h>
#include <stdio.h>

int main(void) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseNodeDef hinge_def = poise_default_hinge_def();
    PoiseNodeId hinge = poise_node_create(tree, &hinge_def);
    PoisePointDef point_def = poise_default_position_def();
    point_def.link = hinge;
    point_def.in_link.p = poise_vec3(1.0, 0.0, 0.0);
    point_def.has_goal = true;
    point_def.goal.p = poise_vec3(0.6, 0.8, 0.0);
    PoisePointId point = poise_point_create(tree, &point_def);
    PoiseStatus status = poise_register_chain(tree, point, poise_null_node());
    for (int step = 0; step < 30 && status >= POISE_OK; step++) {
        status = poise_forward(tree);
        status = status == POISE_OK ? poise_solve(tree, NULL, NULL) : status;
        status = status >= POISE_OK ? poise_advance(tree) : status;
    }
    status = status >= POISE_OK ? poise_forward(tree) : status;
    double error = poise_point_planned_error(tree, point);
    printf("%s, %.3g m from the goal\n", poise_status_name(status), error);
    poise_tree_destroy(tree);
    return status >= POISE_OK && error < 1e-3 ? 0 : 1;
}
