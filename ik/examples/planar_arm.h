// SPDX-License-Identifier: MIT
// The arm of the paper's numbers: three hinges in a plane with links of 1 m, at angles of 0.3, 0.4
// and 0.5 rad. All of them are registered with a point at the tip.
#ifndef PLANAR_ARM_H
#define PLANAR_ARM_H

#include "poise/ik.h"

enum { LINKS = 3 };

typedef struct PlanarArm {
    PoiseTree* tree;
    PoiseNodeId nodes[LINKS];
    PoisePointId tip;
} PlanarArm;

static inline PlanarArm planar_arm(void) {
    static const double angles[LINKS] = {0.3, 0.4, 0.5};
    PlanarArm arm;
    PoiseTreeDef tree_def = poise_default_tree_def();
    arm.tree = poise_tree_create(&tree_def);
    PoiseNodeDef hinge = poise_default_hinge_def();
    for (int i = 0; i < LINKS; i++) {
        hinge.joint_in_parent.p = poise_vec3(i > 0 ? 1 : 0, 0, 0);
        hinge.angle = angles[i];
        arm.nodes[i] = poise_node_create(arm.tree, &hinge);
        hinge.parent = arm.nodes[i];
    }
    PoisePointDef point = poise_default_position_def();
    point.link = arm.nodes[LINKS - 1];
    point.in_link.p = poise_vec3(1, 0, 0);
    arm.tip = poise_point_create(arm.tree, &point);
    poise_register_chain(arm.tree, arm.tip, poise_null_node());
    return arm;
}

#endif
