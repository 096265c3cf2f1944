// SPDX-License-Identifier: MIT
#include "bodies.h"
#include "works.h"

#include <stdlib.h>
#include <string.h>

/// A hinge of a limb: position in the parent's link, axis (0 x, 1 y, 2 z), range.
typedef struct HingeRow {
    double x, y, z;
    int axis;
    double lower, upper;
} HingeRow;

static PoiseNodeId add_hinges(BodyModel* body, PoiseNodeId parent, const HingeRow* rows,
                              int count) {
    for (int i = 0; i < count; i++) {
        PoiseNodeDef def = poise_default_hinge_def();
        def.parent = parent;
        def.joint_in_parent.p = poise_vec3(rows[i].x, rows[i].y, rows[i].z);
        def.axis = poise_vec3(rows[i].axis == 0, rows[i].axis == 1, rows[i].axis == 2);
        def.lower = rows[i].lower;
        def.upper = rows[i].upper;
        parent = model_add_node(&body->model, &def);
    }
    return parent;
}

static void add_tip(BodyModel* body, PoiseNodeId link, PoiseVec3 at) {
    body->tips[body->tip_count].link = link;
    body->tips[body->tip_count++].in_link = poise_pose(at, poise_quat_identity());
}

static const HingeRow waist[] = {
    {0, 0, 0.1, 2, -1, 1}, {0, 0, 0, 1, -0.5, 0.5}, {0, 0, 0, 0, -0.4, 0.4}};

// Adds an arm of 7 hinges at the shoulder (0, y, 0.4). Returns its last node.
static PoiseNodeId add_arm(BodyModel* body, PoiseNodeId chest, double y) {
    const HingeRow arm[] = {{0, y, 0.4, 1, -3, 3},   {0, 0, 0, 0, -1.8, 1.8},
                            {0, 0, 0, 2, -2, 2},     {0, 0, -0.3, 1, -2.6, 0},
                            {0, 0, 0, 2, -1.5, 1.5}, {0, 0, -0.25, 1, -1, 1},
                            {0, 0, 0, 0, -1, 1}};
    return add_hinges(body, chest, arm, 7);
}

static void add_leg(BodyModel* body, PoiseNodeId pelvis, double y) {
    const HingeRow leg[] = {{0, y, -0.05, 2, -1, 1}, {0, 0, 0, 0, -0.6, 0.6},
                            {0, 0, 0, 1, -2, 1},     {0, 0, -0.4, 1, 0, 2.5},
                            {0, 0, -0.4, 1, -1, 1},  {0, 0, 0, 0, -0.5, 0.5}};
    add_tip(body, add_hinges(body, pelvis, leg, 6), poise_vec3(0, 0, -0.1));
}

static PoiseNodeId add_free(BodyModel* body) {
    PoiseNodeDef def = poise_default_free_def();
    return model_add_node(&body->model, &def);
}

static void make_humanoid(BodyModel* body, bool free_base, bool legs) {
    const PoiseNodeId base = free_base ? add_free(body) : poise_null_node();
    const PoiseNodeId chest = add_hinges(body, base, waist, 3);
    add_tip(body, add_arm(body, chest, 0.2), poise_vec3(0, 0, -0.1));
    add_tip(body, add_arm(body, chest, -0.2), poise_vec3(0, 0, -0.1));
    if (legs) {
        add_leg(body, base, 0.1);
        add_leg(body, base, -0.1);
    }
}

// Adds a wrist and five fingers: four of 4 hinges, the little one with a hinge in the palm, and a
// thumb of 5.
static void add_hand(BodyModel* body, PoiseNodeId arm) {
    const HingeRow wrist[] = {{0, 0, 0, 0, -0.52, 0.17}, {0, 0, 0, 1, -0.7, 0.49}};
    const PoiseNodeId palm = add_hinges(body, arm, wrist, 2);
    for (int f = 0; f < 4; f++) {
        const double x = 0.033 - 0.022 * f;
        PoiseNodeId at = palm;
        if (f == 3) {
            const HingeRow metacarpal[] = {{0, 0, 0.02, 2, 0, 0.78}};
            at = add_hinges(body, palm, metacarpal, 1);
        }
        const HingeRow finger[] = {{x, 0, 0.09, 1, -0.35, 0.35},
                                   {0, 0, 0, 0, -0.26, 1.57},
                                   {0, 0, 0.045, 0, 0, 1.57},
                                   {0, 0, 0.025, 0, 0, 1.57}};
        add_tip(body, add_hinges(body, at, finger, 4), poise_vec3(0, 0, 0.026));
    }
    const HingeRow thumb[] = {{0.034, 0.01, 0.03, 2, -1.05, 1.05},
                              {0, 0, 0, 0, 0, 1.22},
                              {0, 0, 0.038, 0, -0.21, 0.21},
                              {0, 0, 0, 1, -0.7, 0.7},
                              {0, 0, 0.032, 0, -0.26, 1.57}};
    add_tip(body, add_hinges(body, palm, thumb, 5), poise_vec3(0, 0, 0.027));
    body->goal = POISE_BODY_POSITION;
}

static void make_arm_and_hand(BodyModel* body) {
    const HingeRow arm[] = {{0, 0, 0.33, 2, -2.9, 2.9},     {0, 0, 0, 1, -1.7, 1.7},
                            {0, 0, 0.316, 2, -2.9, 2.9},    {0.08, 0, 0, 1, -3, -0.07},
                            {-0.08, 0, 0.38, 2, -2.9, 2.9}, {0, 0, 0, 1, 0, 3.7},
                            {0.09, 0, 0, 2, -2.9, 2.9}};
    add_hand(body, add_hinges(body, poise_null_node(), arm, 7));
}

static void make_quadruped(BodyModel* body) {
    const PoiseNodeId base = add_free(body);
    for (int i = 0; i < 4; i++) {
        const double x = i < 2 ? 0.3 : -0.3;
        const double y = i % 2 == 0 ? 0.1 : -0.1;
        const HingeRow leg[] = {{x, y, 0, 0, -0.7, 0.5},
                                {0, 0.08 * (y > 0 ? 1 : -1), 0, 1, -1.5, 1.5},
                                {0, 0, -0.3, 1, -2.5, 2.5}};
        add_tip(body, add_hinges(body, base, leg, 3), poise_vec3(0, 0, -0.33));
    }
    body->goal = POISE_BODY_POSITION;
}

static void make_balls(BodyModel* body) {
    PoiseNodeDef ball = poise_default_ball_def();
    ball.swing_limit = 0.8;
    ball.twist_lower = -0.5;
    ball.twist_upper = 0.5;
    const PoiseNodeId chest = model_add_node(&body->model, &ball);
    for (int s = 0; s < 2; s++) {
        PoiseNodeDef shoulder = poise_default_ball_def();
        shoulder.parent = chest;
        shoulder.joint_in_parent.p = poise_vec3(0, s == 0 ? 0.2 : -0.2, 0.4);
        shoulder.swing_limit = s == 0 ? 1.5 : HUGE_VAL;
        PoiseNodeDef slider = poise_default_slider_def();
        slider.parent = model_add_node(&body->model, &shoulder);
        slider.lower = -0.1;
        slider.upper = 0.2;
        PoiseNodeDef wrist = poise_default_ball_def();
        wrist.parent = model_add_node(&body->model, &slider);
        wrist.joint_in_parent.p = poise_vec3(0, 0, 0.5);
        add_tip(body, model_add_node(&body->model, &wrist), poise_vec3(0.05, 0, 0.1));
    }
}

const char* body_kind_name(BodyKind kind) {
    static const char* const names[BODY_KINDS] = {
        "humanoid", "humanoid_free", "two_arms", "hand", "arm_and_hand", "quadruped", "balls"};
    return names[kind];
}

BodyModel body_model(BodyKind kind) {
    BodyModel body = {.goal = POISE_BODY_POSE};
    body.model = model_empty(POISE_BALL_THREE_AXES);
    switch (kind) {
    case BODY_HUMANOID:
    case BODY_HUMANOID_FREE:
        make_humanoid(&body, kind == BODY_HUMANOID_FREE, true);
        break;
    case BODY_TWO_ARMS:
        make_humanoid(&body, false, false);
        break;
    case BODY_HAND:
        add_hand(&body, poise_null_node());
        break;
    case BODY_ARM_AND_HAND:
        make_arm_and_hand(&body);
        break;
    case BODY_QUADRUPED:
        make_quadruped(&body);
        break;
    case BODY_BALLS:
    case BODY_KINDS:
        make_balls(&body);
        break;
    }
    return body;
}

void body_model_finish(BodyModel* body) {
    model_finish(&body->model);
}

PoiseBody* body_of(BodyModel* body) {
    PoiseBodyDef def = poise_default_body_def();
    def.tip_count = body->tip_count;
    def.tips = body->tips;
    PoiseBody* compiled = poise_body_compile(body->model.tree, &def);
    if (!compiled) {
        fprintf(stderr, "%s\n", poise_tree_message(body->model.tree));
        abort();
    }
    return compiled;
}

// Draws the numbers of the node from `index` on. Returns their count.
static int draw_node(const PoiseBody* compiled, int index, Random* random, double shift,
                     double* posture) {
    const PoiseNodeId node = poise_body_node(compiled, index);
    int count = 1;
    while (poise_body_node(compiled, index + count).index1 == node.index1) {
        count++;
    }
    for (int k = 0; k < count; k++) {
        const double lower = poise_body_lower(compiled, index + k);
        const double upper = poise_body_upper(compiled, index + k);
        const bool rotation = count == 4 || (count == 7 && k >= 3);
        // a ball swings and twists by less than 0.5 rad, inside all cones
        const double most = count == 7 ? shift : 0.17;
        const bool first = rotation && k == count - 4;
        posture[index + k] = isfinite(lower) && isfinite(upper)
                                 ? random_between(random, lower, upper)
                                 : (first ? 1.0 : 0.0) + random_between(random, -most, most);
    }
    return count;
}

// True if a link is `root`, or `root` carries it.
static bool is_carried(const PoiseTree* tree, PoiseNodeId root, PoiseNodeId link) {
    while (link.index1 != 0 && link.index1 != root.index1) {
        link = poise_node_parent(tree, link);
    }
    return link.index1 != 0;
}

static PoiseVec3 centre_of_mass(const BodyModel* body, PoiseNodeId root) {
    const PoiseTree* tree = body->model.tree;
    PoiseVec3 sum = poise_vec3(0.0, 0.0, 0.0);
    double whole = 0.0;
    for (int i = 0; i < body->model.node_count; i++) {
        const PoiseNodeId node = body->model.nodes[i];
        PoiseVec3 com;
        const double mass = is_carried(tree, root, node) ? poise_node_mass(tree, node, &com) : 0.0;
        if (mass > 0.0) {
            sum = poise_add_scaled(sum, mass,
                                   poise_pose_apply(poise_node_link_world(tree, node), com));
            whole += mass;
        }
    }
    return poise_scale(1.0 / whole, sum);
}

void body_join(BodyModel* body, bool hand, bool mass) {
    for (int i = 0; i < body->model.node_count; i++) {
        WORKS(poise_node_set_mass(body->model.tree, body->model.nodes[i], 0.5 + 0.1 * (i % 7),
                                  poise_vec3(0.02, -0.01, -0.1)));
    }
    if (hand) {
        body->tips[1].frame = body->tips[0].link;
    }
    if (mass) {
        body->tips[body->tip_count++] =
            (PoiseBodyTip){.link = body->model.nodes[0], .centre_of_mass = true};
    }
}

// Returns the pose of a tip by the frames of the tree, in the frame of its target.
static PoisePose tip_pose(const BodyModel* body, int t) {
    const PoiseBodyTip* tip = &body->tips[t];
    const PoiseTree* tree = body->model.tree;
    if (tip->centre_of_mass) {
        return poise_pose(centre_of_mass(body, tip->link), poise_quat_identity());
    }
    const PoisePose pose = poise_pose_mul(poise_node_link_world(tree, tip->link), tip->in_link);
    return tip->frame.index1 == 0
               ? pose
               : poise_pose_mul(poise_pose_inverse(poise_node_link_world(tree, tip->frame)), pose);
}

void body_draw(BodyModel* body, const PoiseBody* compiled, Random* random, double shift,
               PoiseBodyTarget* targets) {
    double posture[POISE_BODY_MOST_POSTURE];
    for (int i = 0; i < poise_body_posture_size(compiled);) {
        i += draw_node(compiled, i, random, shift, posture);
    }
    WORKS(poise_body_write(compiled, body->model.tree, posture));
    WORKS(poise_forward(body->model.tree));
    for (int t = 0; t < body->tip_count; t++) {
        targets[t] = poise_default_body_target(tip_pose(body, t));
        targets[t].goal = body->goal;
    }
}

double body_miss(BodyModel* body, const PoiseBody* compiled, const double* posture,
                 const PoiseBodyTarget* targets) {
    double most = 0.0;
    WORKS(poise_body_write(compiled, body->model.tree, posture));
    WORKS(poise_forward(body->model.tree));
    for (int t = 0; t < body->tip_count; t++) {
        const PoisePose pose = tip_pose(body, t);
        const double distance = poise_length(poise_sub(pose.p, targets[t].pose.p));
        const double angle = poise_length(
            poise_quat_log(poise_quat_mul(targets[t].pose.q, poise_quat_conjugate(pose.q))));
        most = targets[t].goal != POISE_BODY_ORIENTATION ? fmax(most, distance) : most;
        most = targets[t].goal != POISE_BODY_POSITION ? fmax(most, angle) : most;
    }
    return most;
}

// True if the rotation of a ball is inside its cone about z.
static bool is_in_cone(const PoiseTree* tree, PoiseNodeId node, const double q[4]) {
    const PoiseLimits limits = poise_node_limits(tree, node);
    const double swing = 2.0 * atan2(hypot(q[1], q[2]), hypot(q[0], q[3]));
    const double twist = 2.0 * atan2(q[0] < 0.0 ? -q[3] : q[3], fabs(q[0]));
    return swing <= limits.upper[0] + 1e-9 && twist >= limits.lower[2] - 1e-9 &&
           twist <= limits.upper[2] + 1e-9;
}

bool body_is_inside(BodyModel* body, const PoiseBody* compiled, const double* posture) {
    for (int i = 0; i < poise_body_posture_size(compiled); i++) {
        if (!(posture[i] >= poise_body_lower(compiled, i) &&
              posture[i] <= poise_body_upper(compiled, i))) {
            return false;
        }
        const PoiseNodeId node = poise_body_node(compiled, i);
        const bool first = i == 0 || poise_body_node(compiled, i - 1).index1 != node.index1;
        if (first && poise_node_kind(body->model.tree, node) == POISE_NODE_BALL &&
            !is_in_cone(body->model.tree, node, &posture[i])) {
            return false;
        }
    }
    return true;
}
