// SPDX-License-Identifier: MIT
#include "chains.h"
#include "works.h"

#include <stdio.h>
#include <stdlib.h>

PoiseChain* chain_of(const Model* model, PoiseChainPath path) {
    PoiseChainDef def = poise_default_chain_def();
    def.tip = model->nodes[model->node_count - 1];
    def.path = path;
    if (model->point_count > 0) {
        // the pose of the point in the frame of its link
        WORKS(poise_forward(model->tree));
        const PoisePose link = poise_node_link_world(model->tree, def.tip);
        def.in_link = poise_pose_mul(poise_pose_inverse(link),
                                     poise_point_planned_pose(model->tree, model->points[0]));
    }
    PoiseChain* chain = poise_chain_compile(model->tree, &def);
    if (!chain) {
        fprintf(stderr, "chain_of: %s\n", poise_tree_message(model->tree));
        abort();
    }
    return chain;
}

static PoiseNodeDef draw_def(Random* random, bool all_kinds) {
    switch (random_index(random, all_kinds ? 6 : 3)) {
    case 0:
        return poise_default_slider_def();
    case 1:
        return poise_default_ball_def();
    case 3:
        return poise_default_universal_def();
    case 4:
        return poise_default_translation_def();
    case 5:
        return poise_default_free_def();
    default:
        return poise_default_hinge_def();
    }
}

Model chain_random_model(Random* random, int nodes, bool all_kinds) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeId parent = poise_null_node();
    for (int i = 0; i < nodes; i++) {
        PoiseNodeDef def = draw_def(random, all_kinds);
        const double length = def.kind == POISE_NODE_SLIDER ? 0.3 : 2.0;
        def.parent = parent;
        def.joint_in_parent = random_pose(random, 0.4, 3.0);
        def.link_in_joint = random_pose(random, 0.2, 3.0);
        def.axis = random_direction(random);
        def.axis2 = poise_cross(def.axis, random_direction(random));
        def.angle = random_between(random, -0.2, 0.2);
        def.angle2 = random_between(random, -0.2, 0.2);
        def.rotation = random_turn(random, 1.0);
        def.translation = random_vec3(random, 0.3);
        def.lower = def.lower2 = -length;
        def.upper = def.upper2 = length;
        parent = model_add_node(&model, &def);
        if (i == 0) {
            WORKS(poise_node_set_base(model.tree, parent, random_pose(random, 1.0, 3.0)));
        }
    }
    model_add_pose(&model, parent, random_pose(random, 0.3, 3.0));
    return model;
}

void chain_draw(const PoiseChain* chain, Random* random, double* posture) {
    for (int i = 0; i < poise_chain_posture_size(chain); i++) {
        const double lower = fmax(poise_chain_lower(chain, i), -2.0);
        const double upper = fmin(poise_chain_upper(chain, i), 2.0);
        posture[i] = random_between(random, lower, upper);
    }
}

bool chain_is_inside(const PoiseChain* chain, const double* posture, double slack) {
    for (int i = 0; i < poise_chain_posture_size(chain); i++) {
        if (!isfinite(posture[i]) || posture[i] < poise_chain_lower(chain, i) - slack ||
            posture[i] > poise_chain_upper(chain, i) + slack) {
            return false;
        }
    }
    return true;
}

void chain_miss(const PoiseChain* chain, const double* posture, PoisePose target, double* distance,
                double* angle) {
    const PoisePose tip = poise_chain_forward(chain, posture);
    *distance = poise_length(poise_sub(tip.p, target.p));
    *angle = poise_length(poise_quat_log(poise_quat_mul(tip.q, poise_quat_conjugate(target.q))));
}
