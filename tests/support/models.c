// SPDX-License-Identifier: MIT
#include "models.h"
#include "posture.h"
#include "works.h"

#include <stdlib.h>

Model model_empty(PoiseBallAxes ball_axes) {
    Model model = {0};
    PoiseTreeDef def = poise_default_tree_def();
    def.ball_axes = ball_axes;
    model.tree = poise_tree_create(&def);
    return model;
}

void model_finish(Model* model) {
    poise_tree_destroy(model->tree);
    model->tree = NULL;
}

PoiseNodeId model_add_node(Model* model, const PoiseNodeDef* def) {
    if (model->node_count == MODEL_NODES) {
        abort();
    }
    PoiseNodeId node = poise_node_create(model->tree, def);
    model->bias[model->node_count] = def->bias;
    model->nodes[model->node_count++] = node;
    return node;
}

PoisePointId model_add_point(Model* model, const PoisePointDef* def) {
    if (model->point_count == MODEL_POINTS) {
        abort();
    }
    PoisePointId point = poise_point_create(model->tree, def);
    WORKS(poise_register_chain(model->tree, point, poise_null_node()));
    model->weight[model->point_count] = def->weight;
    model->points[model->point_count++] = point;
    return point;
}

PoisePointDef model_point_def(PoisePointKind kind) {
    switch (kind) {
    case POISE_POINT_ORIENTATION:
        return poise_default_orientation_def();
    case POISE_POINT_POSE:
        return poise_default_pose_def();
    case POISE_POINT_DIRECTION:
        return poise_default_direction_def();
    case POISE_POINT_LOOK_AT:
        return poise_default_look_at_def();
    case POISE_POINT_COM:
        return poise_default_com_def();
    case POISE_POINT_POSITION:
        break;
    }
    return poise_default_position_def();
}

static void add_tip(Model* model, PoisePointDef def, PoiseNodeId link, PoisePose in_link) {
    def.link = link;
    def.in_link = in_link;
    (void)model_add_point(model, &def);
}

void model_add_tip(Model* model, PoiseNodeId link, PoiseVec3 in_link) {
    add_tip(model, poise_default_position_def(), link, poise_pose(in_link, poise_quat_identity()));
}

void model_add_pose(Model* model, PoiseNodeId link, PoisePose in_link) {
    add_tip(model, poise_default_pose_def(), link, in_link);
}

Model model_chain(PoiseNodeKind kind, int count, double length, PoisePointKind point) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeId parent = poise_null_node();
    for (int i = 0; i < count; i++) {
        PoiseNodeDef def = poise_default_node_def(kind);
        def.parent = parent;
        def.joint_in_parent.p = poise_vec3(i > 0 ? length : 0.0, 0.0, 0.0);
        parent = model_add_node(&model, &def);
    }
    PoisePointDef def = model_point_def(point);
    def.link = parent;
    def.in_link.p = poise_vec3(length, 0.0, 0.0);
    model_add_point(&model, &def);
    WORKS(poise_forward(model.tree));
    return model;
}

Model model_springhead(int balls, double length) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeId parent = poise_null_node();
    for (int i = 0; i < balls; i++) {
        PoiseNodeDef def = poise_default_ball_def();
        def.parent = parent;
        def.joint_in_parent.p = poise_vec3(0.0, i > 0 ? 0.5 * length : 0.1 * length, 0.0);
        def.link_in_joint.p = poise_vec3(0.0, 0.5 * length, 0.0);
        def.mass = 1.0;
        parent = model_add_node(&model, &def);
    }
    PoisePointDef def = poise_default_position_def();
    def.link = parent;
    def.in_link.p = poise_vec3(0.0, 0.5 * length, 0.0);
    model_add_point(&model, &def);
    WORKS(poise_forward(model.tree));
    return model;
}

static PoiseNodeKind random_kind(Random* random, const RandomTree* def, bool others) {
    if (others && random_index(random, 2) == 0) {
        int rows = 0;
        while (poise_joint_type((PoiseNodeKind)(POISE_NODE_UNIVERSAL + rows))) {
            rows++;
        }
        return (PoiseNodeKind)(POISE_NODE_UNIVERSAL + random_index(random, rows));
    }
    for (;;) {
        int kind = random_index(random, 3);
        if (kind == 0 && def->hinges) {
            return POISE_NODE_HINGE;
        }
        if (kind == 1 && def->sliders) {
            return POISE_NODE_SLIDER;
        }
        if (kind == 2 && def->balls) {
            return POISE_NODE_BALL;
        }
    }
}

static PoiseNodeDef random_node(Random* random, const RandomTree* def, bool others) {
    PoiseNodeDef node = poise_default_node_def(random_kind(random, def, others));
    node.joint_in_parent = random_pose(random, 0.3, 3.0);
    node.link_in_joint = random_pose(random, 0.3, 3.0);
    node.axis = random_direction(random);
    // not of length 1: poise_node_create must normalise it
    node.axis = poise_scale(random_between(random, 0.1, 5.0), node.axis);
    node.angle = random_between(random, -1.0, 1.0);
    node.rotation = random_turn(random, 1.5);
    node.mass = random_between(random, 0.1, 5.0);
    node.com_link = random_vec3(random, 0.2);
    node.bias = def->weighted ? exp(random_between(random, -1.0, 2.0)) : 1.0;
    if (others) {
        node.axis2 =
            poise_add_scaled(poise_cross(node.axis, random_direction(random)), 0.3, node.axis);
        node.axis3 =
            poise_add_scaled(poise_cross(node.axis2, random_direction(random)), 0.3, node.axis2);
        node.angle2 = random_between(random, -1.0, 1.0);
        node.angle3 = random_between(random, -1.0, 1.0);
        node.translation = random_vec3(random, 0.3);
        if (random_index(random, 2) == 0) {
            node.free_axes = (unsigned)random_index(random, POISE_AXES_ALL + 1);
        }
    }
    return node;
}

static void add_random_point(Model* model, Random* random, const RandomTree* def, int link) {
    PoisePointDef point = model_point_def((PoisePointKind)(1 + random_index(random, 3)));
    point.link = model->nodes[link];
    point.in_link = random_pose(random, 0.3, 3.0);
    point.weight = def->weighted ? exp(random_between(random, -2.0, 2.0)) : 1.0;
    PoisePointId id = poise_point_create(model->tree, &point);
    model->weight[model->point_count] = point.weight;
    model->points[model->point_count++] = id;
    PoiseNodeId node = point.link;
    while (node.index1 != 0) {
        // register most nodes of the chain
        if (random_index(random, 8) > 0) {
            WORKS(poise_register(model->tree, id, node));
        }
        node = poise_node_parent(model->tree, node);
    }
}

static Model make_random(Random* random, const RandomTree* def, bool others) {
    Model model = model_empty(def->ball_axes);
    for (int i = 0; i < def->nodes; i++) {
        PoiseNodeDef node = random_node(random, def, others);
        if (i > 0 && def->branched) {
            // some nodes are on the base
            int parent = random_index(random, i + 1);
            node.parent = parent < i ? model.nodes[parent] : poise_null_node();
        } else if (i > 0) {
            node.parent = model.nodes[i - 1];
        }
        PoiseNodeId id = model_add_node(&model, &node);
        if (node.parent.index1 == 0) {
            WORKS(poise_node_set_base(model.tree, id, random_pose(random, 1.0, 3.0)));
        }
    }
    for (int i = 0; i < def->points; i++) {
        int link = def->branched ? random_index(random, def->nodes) : def->nodes - 1 - i;
        add_random_point(&model, random, def, link < 0 ? 0 : link);
    }
    WORKS(poise_forward(model.tree));
    return model;
}

Model model_random(Random* random, const RandomTree* def) {
    return make_random(random, def, false);
}

Model model_random_kinds(Random* random, const RandomTree* def) {
    return make_random(random, def, true);
}

static void scatter_numbers(PoiseTree* tree, PoiseNodeId node, Random* random, double angle) {
    double numbers[POISE_MAX_POSTURE];
    int count = poise_node_posture(tree, node, numbers);
    for (int i = 0; i < count; i++) {
        numbers[i] += random_between(random, -0.3 * angle, 0.3 * angle);
    }
    WORKS(poise_node_set_posture(tree, node, numbers, count));
}

void model_scatter(Model* model, Random* random, double angle) {
    for (int i = 0; i < model->node_count; i++) {
        PoiseNodeId node = model->nodes[i];
        if (poise_node_kind(model->tree, node) > POISE_NODE_BALL) {
            scatter_numbers(model->tree, node, random, angle);
        } else if (poise_node_kind(model->tree, node) == POISE_NODE_BALL) {
            PoiseQuat turn = random_turn(random, angle);
            (void)set_rotation(model->tree, node,
                               poise_quat_mul(turn, poise_node_pose(model->tree, node).q));
        } else {
            double now = poise_node_angle(model->tree, node);
            WORKS(poise_node_set_angle(model->tree, node,
                                       now + random_between(random, -angle, angle)));
        }
    }
    WORKS(poise_forward(model->tree));
}

void model_reachable_goals(Model* model, Random* random, double angle) {
    static double postures[MODEL_NODES][POISE_MAX_POSTURE];
    for (int i = 0; i < model->node_count; i++) {
        GETS(poise_node_posture(model->tree, model->nodes[i], postures[i]));
    }
    model_scatter(model, random, angle);
    for (int i = 0; i < model->point_count; i++) {
        PoisePose pose = poise_point_planned_pose(model->tree, model->points[i]);
        PoisePointKind kind = poise_point_kind(model->tree, model->points[i]);
        if (kind != POISE_POINT_ORIENTATION) {
            WORKS(poise_point_set_position(model->tree, model->points[i], pose.p));
        }
        if (kind != POISE_POINT_POSITION) {
            WORKS(poise_point_set_orientation(model->tree, model->points[i], pose.q));
        }
    }
    for (int i = 0; i < model->node_count; i++) {
        double now[POISE_MAX_POSTURE];
        int count = poise_node_posture(model->tree, model->nodes[i], now);
        WORKS(poise_node_set_posture(model->tree, model->nodes[i], postures[i], count));
    }
    WORKS(poise_forward(model->tree));
}

static void nudge_numbers(PoiseTree* tree, PoiseNodeId node, int dof, double step) {
    double numbers[POISE_MAX_POSTURE];
    int count = poise_node_posture(tree, node, numbers);
    const PoiseJointType* type = poise_joint_type(poise_node_kind(tree, node));
    if (type->linear != 7 && type->nq == type->nv) {
        // a motion with an axis
        numbers[dof] += step;
        WORKS(poise_node_set_posture(tree, node, numbers, count));
        return;
    }
    PoiseVec3 e = poise_vec3(dof % 3 == 0, dof % 3 == 1, dof % 3 == 2);
    e = poise_quat_unrotate(poise_node_joint_world(tree, node).q, poise_scale(step, e));
    PoisePose pose = poise_node_pose(tree, node);
    if (dof < 3) {
        pose.p = poise_add(pose.p, e);
    } else {
        pose.q = poise_quat_mul(poise_quat_from_axis_angle(e, poise_length(e)), pose.q);
    }
    if (count == 3) {
        WORKS(
            poise_node_set_posture(tree, node, (const double[]){pose.p.x, pose.p.y, pose.p.z}, 3));
    } else {
        (void)set_pose(tree, node, pose);
    }
}

void model_nudge(Model* model, PoiseNodeId node, int dof, double step) {
    PoiseTree* tree = model->tree;
    if (poise_node_kind(tree, node) > POISE_NODE_BALL) {
        nudge_numbers(tree, node, dof, step);
    } else if (poise_node_kind(tree, node) != POISE_NODE_BALL) {
        WORKS(poise_node_set_angle(tree, node, poise_node_angle(tree, node) + step));
    } else {
        double e[3] = {0.0, 0.0, 0.0};
        e[dof] = step;
        PoiseVec3 turn =
            poise_quat_unrotate(poise_node_joint_world(tree, node).q, poise_vec3(e[0], e[1], e[2]));
        PoiseQuat q = poise_quat_mul(poise_quat_from_axis_angle(turn, poise_length(turn)),
                                     poise_node_pose(tree, node).q);
        (void)set_rotation(tree, node, q);
    }
    WORKS(poise_forward(tree));
}
