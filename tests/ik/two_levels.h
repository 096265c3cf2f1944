// SPDX-License-Identifier: MIT
// The shared vectors of priorities: a planar arm of five unit links with a first point on its tip
// and a second on its third link.
#ifndef POISE_TEST_TWO_LEVELS_H
#define POISE_TEST_TWO_LEVELS_H

#include <criterion/criterion.h>

#include "models.h"

enum { LINKS = 5 };

typedef struct Case {
    PoiseVec3 high;
    PoiseVec3 low;
    double best_low;
} Case;

static const Case cases[3] = {{{2, 2, 0}, {-2, -1, 0}, 3.0},
                              {{2, 2, 0}, {1, 2, 0}, 0.0},
                              {{3, 1, 0}, {1, 2, 0}, 0.2360679774997898}};

static inline Model planar_arm(PoiseVec3 high, PoiseVec3 low, int high_priority, int low_priority) {
    static const double q[LINKS] = {0.2, 0.4, -0.3, 0.5, 0.1};
    Model model = model_chain(POISE_NODE_HINGE, LINKS, 1.0, POISE_POINT_POSITION);
    PoisePointDef def = poise_default_position_def();
    def.link = model.nodes[2];
    def.in_link.p = poise_vec3(1.0, 0.0, 0.0);
    def.priority = low_priority;
    (void)model_add_point(&model, &def);
    cr_assert(poise_point_set_priority(model.tree, model.points[0], high_priority) == POISE_OK);
    for (int i = 0; i < LINKS; i++) {
        cr_assert(poise_node_set_angle(model.tree, model.nodes[i], q[i]) == POISE_OK);
    }
    cr_assert(poise_forward(model.tree) == POISE_OK);
    cr_assert(poise_point_set_position(model.tree, model.points[0], high) == POISE_OK);
    cr_assert(poise_point_set_position(model.tree, model.points[1], low) == POISE_OK);
    return model;
}

#endif
