// SPDX-License-Identifier: MIT
// Tests the frames: forward kinematics against 4 x 4 matrices written here, the filler that
// measures, and stale frames.
#include <criterion/criterion.h>
#include <string.h>

#include "models.h"
#include "near.h"
#include "posture.h"

typedef struct Matrix {
    double m[16];
} Matrix;

static Matrix product(Matrix a, Matrix b) {
    Matrix c;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            double sum = 0.0;
            for (int l = 0; l < 4; l++) {
                sum += a.m[4 * i + l] * b.m[4 * l + k];
            }
            c.m[4 * i + k] = sum;
        }
    }
    return c;
}

static Matrix moved(PoiseVec3 p) {
    Matrix a = {{1, 0, 0, p.x, 0, 1, 0, p.y, 0, 0, 1, p.z, 0, 0, 0, 1}};
    return a;
}

// Returns the matrix of a rotation about an axis, by Rodrigues' formula.
static Matrix turned(PoiseVec3 axis, double angle) {
    double l = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
    double x = axis.x / l, y = axis.y / l, z = axis.z / l;
    double c = cos(angle), s = sin(angle), v = 1.0 - c;
    Matrix a = {{c + x * x * v, x * y * v - z * s, x * z * v + y * s, 0, //
                 y * x * v + z * s, c + y * y * v, y * z * v - x * s, 0, //
                 z * x * v - y * s, z * y * v + x * s, c + z * z * v, 0, //
                 0, 0, 0, 1}};
    return a;
}

static void expect_frame(PoisePose frame, Matrix matrix, const char* what, int node) {
    // Compares the origin and three unit points of the frame.
    static const PoiseVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 4; i++) {
        PoiseVec3 x = corners[i];
        const double* m = matrix.m;
        PoiseVec3 expected = poise_vec3(m[0] * x.x + m[1] * x.y + m[2] * x.z + m[3],
                                        m[4] * x.x + m[5] * x.y + m[6] * x.z + m[7],
                                        m[8] * x.x + m[9] * x.y + m[10] * x.z + m[11]);
        PoiseVec3 off = poise_sub(poise_pose_apply(frame, x), expected);
        cr_expect(poise_length(off) < 1e-12, "%s of node %d is %g off", what, node,
                  poise_length(off));
    }
}

// An axis and an angle; both the quaternion and the matrix are made from them.
typedef struct Turn {
    PoiseVec3 axis;
    double angle;
} Turn;

static Turn random_axis_angle(Random* random) {
    Turn turn;
    turn.axis = random_direction(random);
    turn.angle = random_between(random, -6.0, 6.0);
    return turn;
}

static PoiseQuat quat_of(Turn turn) {
    PoiseQuat q = poise_quat_from_axis_angle(turn.axis, turn.angle);
    // Rotations may have any length but 0.
    return poise_quat(2.5 * q.w, 2.5 * q.x, 2.5 * q.y, 2.5 * q.z);
}

static Matrix matrix_of(PoiseVec3 p, Turn turn) {
    return product(moved(p), turned(turn.axis, turn.angle));
}

enum { NODES = 20 };

typedef struct Frames {
    Matrix joints[NODES], links[NODES];
} Frames;

// Sets a node to a random posture; returns the matrix of its motion.
static Matrix move_node(Model* model, Random* random, PoiseNodeId node, const PoiseNodeDef* def) {
    const double angle = random_between(random, -4.0, 4.0);
    const Turn ball = random_axis_angle(random);
    switch (poise_node_kind(model->tree, node)) {
    case POISE_NODE_HINGE:
        cr_assert(poise_node_set_angle(model->tree, node, angle) == POISE_OK);
        return turned(def->axis, angle);
    case POISE_NODE_SLIDER:
        cr_assert(poise_node_set_angle(model->tree, node, angle) == POISE_OK);
        return moved(poise_scale(angle / 3.0, def->axis));
    default:
        cr_assert(set_rotation(model->tree, node, quat_of(ball)) == POISE_OK);
        return turned(ball.axis, ball.angle);
    }
}

// Adds a hinge, slider or ball on a random earlier node or on a base; computes its frames by
// matrices.
static void add_random_node(Model* model, Random* random, Frames* frames) {
    const int i = model->node_count;
    const int kind = random_index(random, 3);
    PoiseNodeDef def = kind == 0   ? poise_default_hinge_def()
                       : kind == 1 ? poise_default_slider_def()
                                   : poise_default_ball_def();
    const int parent = random_index(random, i + 1);
    const Turn in_parent = random_axis_angle(random), in_joint = random_axis_angle(random);
    const Turn at_base = random_axis_angle(random);
    const PoiseVec3 base = random_vec3(random, 1.0);
    def.parent = parent == i ? poise_null_node() : model->nodes[parent];
    def.joint_in_parent = poise_pose(random_vec3(random, 0.5), quat_of(in_parent));
    def.link_in_joint = poise_pose(random_vec3(random, 0.5), quat_of(in_joint));
    def.axis = poise_scale(3.0, random_direction(random));
    const PoiseNodeId node = model_add_node(model, &def);
    const Matrix motion = move_node(model, random, node, &def);
    if (parent == i) {
        cr_assert(poise_node_set_base(model->tree, node, poise_pose(base, quat_of(at_base))) ==
                  POISE_OK);
    }
    const Matrix from = parent == i ? matrix_of(base, at_base) : frames->links[parent];
    frames->joints[i] = product(from, matrix_of(def.joint_in_parent.p, in_parent));
    frames->links[i] =
        product(product(frames->joints[i], motion), matrix_of(def.link_in_joint.p, in_joint));
}

Test(forward, frames_of_random_trees_equal_matrix_products) {
    for (uint64_t seed = 0; seed < 50; seed++) {
        Random random = random_from(seed);
        Model model = model_empty(POISE_BALL_THREE_AXES);
        Frames frames;
        for (int i = 0; i < NODES; i++) {
            add_random_node(&model, &random, &frames);
        }
        cr_assert(poise_forward(model.tree) == POISE_OK);
        for (int i = 0; i < NODES; i++) {
            expect_frame(poise_node_joint_world(model.tree, model.nodes[i]), frames.joints[i],
                         "joint", i);
            expect_frame(poise_node_link_world(model.tree, model.nodes[i]), frames.links[i], "link",
                         i);
        }
        // Checks a point's pose, and its default goal: the pose at its creation.
        PoisePointDef def = poise_default_pose_def();
        Turn in_link = random_axis_angle(&random);
        def.link = model.nodes[NODES - 1];
        def.in_link = poise_pose(random_vec3(&random, 0.5), quat_of(in_link));
        PoisePointId point = poise_point_create(model.tree, &def);
        Matrix expected = product(frames.links[NODES - 1], matrix_of(def.in_link.p, in_link));
        expect_frame(poise_point_planned_pose(model.tree, point), expected, "point on", NODES - 1);
        expect_frame(poise_point_goal(model.tree, point), expected, "goal on", NODES - 1);
        EXPECT_NEAR(poise_point_planned_error(model.tree, point), 0.0, 1e-13);
        EXPECT_NEAR(poise_point_planned_angle_error(model.tree, point), 0.0, 1e-13);
        model_finish(&model);
    }
}

// A rotation so small that its w rounds to 1 is kept.
Test(forward, smallest_turns_of_a_link_are_kept) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef def = poise_default_hinge_def();
    def.link_in_joint.q = poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), 1e-9);
    PoiseNodeId node = model_add_node(&model, &def);
    cr_assert(poise_forward(model.tree) == POISE_OK);
    PoiseVec3 turned_z =
        poise_quat_rotate(poise_node_link_world(model.tree, node).q, poise_vec3(0.0, 0.0, 1.0));
    EXPECT_NEAR(turned_z.x, 1e-9, 1e-16);
    model_finish(&model);
}

Test(forward, goal_of_a_new_point_follows_the_posture_even_when_frames_are_stale) {
    Model model = model_chain(POISE_NODE_HINGE, 2, 1.0, POISE_POINT_POSITION);
    cr_assert(poise_node_set_angle(model.tree, model.nodes[0], 0.5) == POISE_OK);
    PoisePointDef def = poise_default_position_def();
    def.link = model.nodes[1];
    def.in_link.p = poise_vec3(1.0, 0.0, 0.0);
    PoisePointId point = poise_point_create(model.tree, &def);
    EXPECT_NEAR3(poise_point_goal(model.tree, point).p,
                 poise_vec3(2.0 * cos(0.5), 2.0 * sin(0.5), 0.0), 1e-14);
    model_finish(&model);
}

Test(forward, measured_frames_serve_as_well_as_computed_ones) {
    for (uint64_t seed = 0; seed < 30; seed++) {
        Random random = random_from(500 + seed);
        RandomTree kinds = {8, 3, true, true, true, true, true, POISE_BALL_THREE_AXES};
        Model model = model_random_kinds(&random, &kinds);
        model_reachable_goals(&model, &random, 0.3);
        PoisePose joints[8], links[8];
        double expected[8 * POISE_MAX_DOF], omega[8 * POISE_MAX_DOF], q[POISE_MAX_POSTURE];
        for (int i = 0; i < 8; i++) {
            joints[i] = poise_node_joint_world(model.tree, model.nodes[i]);
            links[i] = poise_node_link_world(model.tree, model.nodes[i]);
        }
        PoiseSolveDef def = model_plain_def(POISE_SOLVER_DUAL, 1e-4);
        cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
        int count = model_omega(&model, expected);
        // Sets another posture and the frames of the first: the solve uses the frames, and the
        // posture stays.
        model_scatter(&model, &random, 1.0);
        const uint64_t posture = model_hash(&model);
        const int numbers = poise_node_posture(model.tree, model.nodes[0], q);
        cr_assert(poise_node_set_posture(model.tree, model.nodes[0], q, numbers) == POISE_OK);
        for (int i = 0; i < 8; i++) {
            cr_expect_not(poise_tree_is_fresh(model.tree), "%d measured", i);
            cr_expect(poise_solve(model.tree, &def, NULL) == POISE_ERROR_STALE);
            cr_assert(poise_node_set_frames(model.tree, model.nodes[i], joints[i], links[i]) ==
                      POISE_OK);
            // setting the same frames of a node twice has the effect of once
            cr_assert(poise_node_set_frames(model.tree, model.nodes[i], joints[i], links[i]) ==
                      POISE_OK);
        }
        cr_expect(poise_tree_is_fresh(model.tree));
        cr_expect(model_hash(&model) == posture);
        cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
        cr_assert(model_omega(&model, omega) == count);
        for (int i = 0; i < count; i++) {
            EXPECT_NEAR(omega[i], expected[i], 1e-12);
        }
        model_finish(&model);
    }
}

Test(forward, whatever_moves_the_posture_makes_the_frames_stale) {
    Model model = model_chain(POISE_NODE_BALL, 2, 1.0, POISE_POINT_POSITION);
    PoiseTree* tree = model.tree;
    cr_expect(poise_tree_is_fresh(tree));
    cr_assert(set_rotation(tree, model.nodes[0], poise_quat(1, 1, 0, 0)) == POISE_OK);
    cr_expect_not(poise_tree_is_fresh(tree));
    cr_expect(poise_solve(tree, NULL, NULL) == POISE_ERROR_STALE);
    cr_expect(poise_stage_jacobians(tree) == POISE_ERROR_STALE);
    cr_expect(poise_forces(tree) == POISE_ERROR_STALE);
    cr_expect(poise_gravity(tree, poise_vec3(0, 0, -9.8)) == POISE_ERROR_STALE);
    cr_expect(strstr(poise_tree_message(tree), "poise_forward") != NULL);
    cr_assert(poise_forward(tree) == POISE_OK);
    cr_expect(poise_tree_is_fresh(tree));
    cr_assert(poise_node_set_base(tree, model.nodes[0], poise_pose_identity()) == POISE_OK);
    cr_expect_not(poise_tree_is_fresh(tree));
    cr_assert(poise_forward(tree) == POISE_OK && poise_solve(tree, NULL, NULL) == POISE_OK);
    cr_expect(poise_tree_is_fresh(tree), "a solve moves nothing");
    cr_assert(poise_advance(tree) == POISE_OK);
    cr_expect_not(poise_tree_is_fresh(tree));
    cr_assert(poise_forward(tree) == POISE_OK);
    PoiseNodeDef def = poise_default_hinge_def();
    def.parent = model.nodes[1];
    (void)model_add_node(&model, &def);
    cr_expect_not(poise_tree_is_fresh(tree));
    // Goals and registrations do not make the frames stale.
    cr_assert(poise_forward(tree) == POISE_OK);
    cr_assert(poise_point_set_position(tree, model.points[0], poise_vec3(1, 1, 1)) == POISE_OK);
    cr_assert(poise_unregister(tree, model.points[0], model.nodes[0]) == POISE_OK);
    cr_expect(poise_tree_is_fresh(tree));
    model_finish(&model);
}

Test(forward, advance_applies_omega_once_and_about_world_axes) {
    for (uint64_t seed = 0; seed < 30; seed++) {
        Random random = random_from(600 + seed);
        RandomTree kinds = {6, 2, true, true, true, true, false, POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        model_reachable_goals(&model, &random, 0.2);
        cr_assert(poise_solve(model.tree, NULL, NULL) == POISE_OK);
        double angles[6];
        PoiseQuat expected[6];
        for (int i = 0; i < 6; i++) {
            double omega[POISE_MAX_DOF] = {0.0};
            cr_expect(poise_node_omega(model.tree, model.nodes[i], omega) == model_dof(&model, i));
            angles[i] = poise_node_angle(model.tree, model.nodes[i]) + omega[0];
            // The rotation about world axes, in the joint's frame: joint^-1 exp(omega) joint q.
            PoiseQuat joint = poise_node_joint_world(model.tree, model.nodes[i]).q;
            PoiseQuat world = poise_quat_mul(joint, poise_node_pose(model.tree, model.nodes[i]).q);
            world = poise_quat_mul(poise_quat_exp(poise_vec3(omega[0], omega[1], omega[2])), world);
            expected[i] = poise_quat_mul(poise_quat_conjugate(joint), world);
        }
        cr_assert(poise_advance(model.tree) == POISE_OK);
        uint64_t posture = model_hash(&model);
        for (int i = 0; i < 6; i++) {
            if (model_dof(&model, i) == 3) {
                EXPECT_NEAR_QUAT(poise_node_pose(model.tree, model.nodes[i]).q, expected[i], 1e-14);
            } else {
                EXPECT_NEAR(poise_node_angle(model.tree, model.nodes[i]), angles[i], 0.0);
            }
        }
        cr_assert(poise_advance(model.tree) == POISE_OK);
        cr_expect(model_hash(&model) == posture, "omega is used up");
        model_finish(&model);
    }
}
