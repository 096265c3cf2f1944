// SPDX-License-Identifier: MIT
// Step 6 of the tutorial: limits, and goals in strict order of priority.
#include <stdio.h>

#include "poise/reach.h"

enum { LINKS = 4 };

int main(void) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseNodeId nodes[LINKS];
    PoiseNodeDef hinge = poise_default_hinge_def();
    hinge.lower = -1; // rad
    hinge.upper = 1;
    for (int i = 0; i < LINKS; i++) {
        hinge.joint_in_parent.p = poise_vec3(i > 0 ? 0.5 : 0, 0, 0);
        hinge.angle = 0.2;
        nodes[i] = poise_node_create(tree, &hinge);
        hinge.parent = nodes[i];
    }
    PoisePointDef point = poise_default_position_def();
    point.link = nodes[LINKS - 1];
    point.in_link.p = poise_vec3(0.5, 0, 0);
    PoisePointId hand = poise_point_create(tree, &point);
    point.link = nodes[1]; // the elbow
    point.priority = 1;    // moves only in the null space of the hand
    PoisePointId elbow = poise_point_create(tree, &point);
    poise_register_chain(tree, hand, poise_null_node());
    poise_register_chain(tree, elbow, poise_null_node());
    poise_point_set_position(tree, hand, poise_vec3(0.9, 0.9, 0));
    poise_point_set_position(tree, elbow, poise_vec3(0.9, 0.2, 0));

    PoiseReachReport report;
    poise_reach(tree, NULL, &report);
    double hand_off = poise_point_planned_error(tree, hand);
    double elbow_off = poise_point_planned_error(tree, elbow);
    printf("hand %.6f m off, elbow %.3f m: the hand comes first\n", hand_off, elbow_off);

    // a goal that the limits forbid: the report names the reason
    poise_point_set_enabled(tree, elbow, false);
    poise_point_set_position(tree, hand, poise_vec3(-1, 0.5, 0));
    poise_reach(tree, NULL, &report);
    printf("behind its back: %.3f m off, %s, %d joints on their limits\n", report.largest_error,
           poise_reach_reason_name(report.reason), report.limited_nodes);
    poise_tree_destroy(tree);
    return hand_off < 1e-5 && elbow_off > 0.01 && report.reason == POISE_REACH_AT_LIMITS ? 0 : 1;
}
