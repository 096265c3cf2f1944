// SPDX-License-Identifier: MIT
// Step 3 of the tutorial: two hands and one spine. Both goals need the spine; the weights decide
// which hand comes nearer.
#include <stdio.h>

#include "poise/reach.h"

typedef struct Figure {
    PoiseTree* tree;
    PoiseNodeId spine;
    PoisePointId hands[2];
} Figure;

static Figure make_figure(void) {
    Figure figure;
    PoiseTreeDef tree_def = poise_default_tree_def();
    figure.tree = poise_tree_create(&tree_def);
    PoiseNodeDef ball = poise_default_ball_def();
    figure.spine = poise_node_create(figure.tree, &ball);
    for (int side = 0; side < 2; side++) {
        double out = side == 0 ? -0.2 : 0.2;
        ball.parent = figure.spine; // the shoulder, 0.5 m up the spine
        ball.joint_in_parent.p = poise_vec3(0, out, 0.5);
        PoiseNodeId shoulder = poise_node_create(figure.tree, &ball);
        PoiseNodeDef elbow = poise_default_hinge_def();
        elbow.parent = shoulder;
        elbow.joint_in_parent.p = poise_vec3(0, 0, -0.3);
        elbow.axis = poise_vec3(0, 1, 0);
        elbow.lower = -2.5;
        elbow.upper = 0;
        elbow.angle = -0.5;
        PoisePointDef hand = poise_default_position_def();
        hand.link = poise_node_create(figure.tree, &elbow);
        hand.in_link.p = poise_vec3(0, 0, -0.3);
        figure.hands[side] = poise_point_create(figure.tree, &hand);
        poise_register_chain(figure.tree, figure.hands[side], poise_null_node());
    }
    return figure;
}

int main(void) {
    Figure figure = make_figure();
    // goals ahead, too far from each other for both hands
    poise_point_set_position(figure.tree, figure.hands[0], poise_vec3(0.2, -1.0, 0.4));
    poise_point_set_position(figure.tree, figure.hands[1], poise_vec3(0.2, 1.0, 0.4));
    double miss[2][2];
    for (int heavy = 0; heavy < 2; heavy++) {
        poise_point_set_weight(figure.tree, figure.hands[1], heavy ? 10 : 1);
        poise_reach(figure.tree, NULL, NULL);
        for (int side = 0; side < 2; side++) {
            miss[heavy][side] = poise_point_planned_error(figure.tree, figure.hands[side]);
        }
        printf("weights 1 and %2d: right hand %.1f mm off, left hand %.1f mm\n", heavy ? 10 : 1,
               1e3 * miss[heavy][0], 1e3 * miss[heavy][1]);
    }
    PoiseNodeId shared[8];
    printf("the spine shares a point with %d joints, itself included\n",
           poise_node_neighbours(figure.tree, figure.spine, shared, 8));
    poise_tree_destroy(figure.tree);
    return miss[1][1] < miss[0][1] && miss[1][0] > miss[0][0] ? 0 : 1;
}
