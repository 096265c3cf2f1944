// SPDX-License-Identifier: MIT
#include "chains.h"
#include "works.h"

#include <stdio.h>
#include <stdlib.h>

Chain chain_of(const Model* model, PoiseBodyPath path) {
    PoiseBodyTip tip = {.link = model->nodes[model->node_count - 1],
                        .in_link = poise_pose_identity()};
    PoiseBodyDef def = poise_default_body_def();
    def.tips = &tip;
    def.tip_count = 1;
    def.seeds = 2048;
    if (model->point_count > 0) {
        // the pose of the point in the frame of its link
        WORKS(poise_forward(model->tree));
        const PoisePose link = poise_node_link_world(model->tree, tip.link);
        tip.in_link = poise_pose_mul(poise_pose_inverse(link),
                                     poise_point_planned_pose(model->tree, model->points[0]));
    }
    const Chain chain = {poise_body_compile(model->tree, &def), path};
    if (!chain.body) {
        fprintf(stderr, "chain_of: %s\n", poise_tree_message(model->tree));
        abort();
    }
    return chain;
}

void chain_destroy(Chain chain) {
    poise_body_destroy(chain.body);
}

// ------------------------------------------------------------------------------------------- calls

ChainSolveDef chain_goal_def(PoiseBodyGoal goal) {
    return (ChainSolveDef){goal, poise_default_body_solve_def()};
}

// Returns the settings with the chain's path.
static PoiseBodySolveDef settings(Chain chain, const ChainSolveDef* def) {
    PoiseBodySolveDef all = def ? def->all : poise_default_body_solve_def();
    all.path = chain.path;
    return all;
}

static PoiseBodyTarget target_of(const ChainSolveDef* def, PoisePose pose) {
    PoiseBodyTarget target = poise_default_body_target(pose);
    target.goal = def ? def->goal : POISE_BODY_POSE;
    return target;
}

PoiseStatus chain_solve(Chain chain, const ChainSolveDef* def, PoisePose target, double* posture,
                        PoiseBodyReport* report) {
    const PoiseBodySolveDef all = settings(chain, def);
    const PoiseBodyTarget own = target_of(def, target);
    return poise_body_solve(chain.body, &all, &own, posture, report);
}

PoiseStatus chain_track(Chain chain, const ChainSolveDef* def, PoisePose target, double* posture,
                        PoiseBodyReport* report) {
    const PoiseBodySolveDef all = settings(chain, def);
    const PoiseBodyTarget own = target_of(def, target);
    return poise_body_track(chain.body, &all, &own, posture, report);
}

bool chain_descend(Chain chain, const ChainSolveDef* def, PoisePose target, int steps,
                   double* posture) {
    PoiseStatus status = POISE_NOT_CONVERGED;
    for (int i = 0; i < steps && status == POISE_NOT_CONVERGED; i++) {
        status = chain_track(chain, def, target, posture, NULL);
    }
    return status == POISE_OK;
}

PoiseStatus chain_answers(Chain chain, PoisePose target, const double* start,
                          PoiseBodyAnswers* answers) {
    const PoiseBodySolveDef all = settings(chain, NULL);
    const PoiseBodyTarget own = target_of(NULL, target);
    return poise_body_answers(chain.body, &all, &own, start, answers);
}

// Runs a batch by one of the two calls.
static PoiseStatus run(Chain chain, const ChainSolveDef* def, const ChainBatch* batch,
                       PoiseStatus (*call)(const PoiseBody*, const PoiseBodySolveDef*,
                                           const PoiseBodyBatch*)) {
    const PoiseBodySolveDef all = settings(chain, def);
    PoiseBodyTarget* targets = malloc((size_t)(batch->count + 1) * sizeof *targets);
    if (!targets) {
        abort();
    }
    for (int t = 0; t < batch->count; t++) {
        targets[t] = target_of(def, batch->targets[t]);
    }
    const PoiseBodyBatch own = {batch->count, targets, batch->postures, batch->reports};
    const PoiseStatus status = call(chain.body, &all, &own);
    free(targets);
    return status;
}

PoiseStatus chain_solve_batch(Chain chain, const ChainSolveDef* def, const ChainBatch* batch) {
    return run(chain, def, batch, poise_body_solve_batch);
}

PoiseStatus chain_follow_batch(Chain chain, const ChainSolveDef* def, const ChainBatch* batch) {
    return run(chain, def, batch, poise_body_follow_batch);
}

// ------------------------------------------------------------------------------------------ models

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

void chain_draw(Chain chain, Random* random, double* posture) {
    for (int i = 0; i < poise_body_posture_size(chain.body); i++) {
        const double lower = fmax(poise_body_lower(chain.body, i), -2.0);
        const double upper = fmin(poise_body_upper(chain.body, i), 2.0);
        posture[i] = random_between(random, lower, upper);
    }
}

bool chain_is_inside(Chain chain, const double* posture, double slack) {
    for (int i = 0; i < poise_body_posture_size(chain.body); i++) {
        if (!isfinite(posture[i]) || posture[i] < poise_body_lower(chain.body, i) - slack ||
            posture[i] > poise_body_upper(chain.body, i) + slack) {
            return false;
        }
    }
    return true;
}

void chain_miss(Chain chain, const double* posture, PoisePose target, double* distance,
                double* angle) {
    const PoisePose tip = poise_body_forward(chain.body, posture, 0);
    *distance = poise_length(poise_sub(tip.p, target.p));
    *angle = poise_length(poise_quat_log(poise_quat_mul(tip.q, poise_quat_conjugate(target.q))));
}
