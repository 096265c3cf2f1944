// SPDX-License-Identifier: MIT
// Tests every kind of node of the joint model: statics by virtual work, switched axes against trees
// built without them (row 2.1 of DOCUMENTS.md). J against central differences: test_points.c.
#include <criterion/criterion.h>
#include <string.h>

#include "models.h"
#include "near.h"

static const double h = 1e-6;

static Model random_model(uint64_t seed) {
    Random random = random_from(seed);
    RandomTree kinds = {7, 4, true, true, true, true, true, POISE_BALL_THREE_AXES};
    return model_random_kinds(&random, &kinds);
}

// Row 0.1 of DOCUMENTS.md
Test(kinds, translation_is_the_identity) {
    Model model = model_chain(POISE_NODE_TRANSLATION, 2, 1.0, POISE_POINT_POSITION);
    cr_assert(poise_stage_jacobians(model.tree) == POISE_OK);
    for (int n = 0; n < 2; n++) {
        double block[POISE_MAX_ROWS * POISE_MAX_DOF];
        cr_assert(poise_jacobian(model.tree, model.points[0], model.nodes[n], block) == 9);
        for (int i = 0; i < 9; i++) {
            cr_expect_eq(block[i], i % 4 == 0 ? 1.0 : 0.0);
        }
    }
    model_finish(&model);
}

static double height_energy(const Model* model, PoiseVec3 gravity) {
    double energy = 0.0;
    for (int n = 0; n < model->node_count; n++) {
        PoiseVec3 com = poise_pose_apply(poise_node_link_world(model->tree, model->nodes[n]),
                                         poise_vec3(0.1, 0.2, -0.1));
        energy -= 2.0 * poise_dot(gravity, com);
    }
    return energy;
}

// The torques are the slopes of the potential energy.
Test(kinds, gravity_torque_is_the_slope_of_the_energy) {
    const PoiseVec3 gravity = poise_vec3(1.0, -2.0, -9.8);
    for (uint64_t seed = 0; seed < 20; seed++) {
        Model model = random_model(3400 + seed);
        for (int n = 0; n < model.node_count; n++) {
            cr_assert(poise_node_set_mass(model.tree, model.nodes[n], 2.0,
                                          poise_vec3(0.1, 0.2, -0.1)) == POISE_OK);
        }
        cr_assert(poise_gravity(model.tree, gravity) == POISE_OK);
        for (int n = 0; n < model.node_count; n++) {
            double torque[POISE_MAX_DOF], numbers[POISE_MAX_POSTURE];
            int dof = poise_node_gravity_torque(model.tree, model.nodes[n], torque);
            int count = poise_node_posture(model.tree, model.nodes[n], numbers);
            for (int d = 0; d < dof; d++) {
                double energy[2];
                for (int side = 0; side < 2; side++) {
                    model_nudge(&model, model.nodes[n], d, side == 0 ? -h : h);
                    energy[side] = height_energy(&model, gravity);
                    cr_assert(poise_node_set_posture(model.tree, model.nodes[n], numbers, count) ==
                              POISE_OK);
                    cr_assert(poise_forward(model.tree) == POISE_OK);
                }
                EXPECT_NEAR(torque[d], (energy[1] - energy[0]) * 0.5 / h, 1e-6);
            }
        }
        model_finish(&model);
    }
}

// Makes a ball at the end of a root, which is made of sliders along some axes or is a node with
// switched axes.
static Model rooted(bool switched, PoiseNodeKind kind, unsigned axes) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeId parent = poise_null_node();
    PoisePose base = poise_pose(poise_vec3(0.1, 0.2, 0.3),
                                poise_quat_from_axis_angle(poise_vec3(1.0, 2.0, 3.0), 0.7));
    if (switched) {
        PoiseNodeDef def =
            kind == POISE_NODE_FREE ? poise_default_free_def() : poise_default_translation_def();
        def.free_axes = axes;
        def.joint_in_parent = base;
        parent = model_add_node(&model, &def);
    }
    for (int i = 0; !switched && i < 3; i++) {
        if ((axes >> i & 1) != 0) {
            PoiseNodeDef def = poise_default_slider_def();
            def.axis = poise_vec3(i == 0, i == 1, i == 2);
            def.parent = parent;
            def.joint_in_parent = parent.index1 != 0 ? poise_pose_identity() : base;
            parent = model_add_node(&model, &def);
        }
    }
    for (int i = 0; i < 2; i++) {
        PoiseNodeDef def = poise_default_ball_def();
        def.parent = parent;
        def.joint_in_parent = parent.index1 != 0 ? poise_pose_identity() : base;
        def.joint_in_parent.p.x += i > 0 ? 0.5 : 0.0;
        parent = model_add_node(&model, &def);
    }
    model_add_pose(&model, parent, poise_pose(poise_vec3(0.4, 0.1, 0.0), poise_quat_identity()));
    return model;
}

// Row 2.1 of DOCUMENTS.md: axes switched off and on during the run, against trees built without
// them
Test(kinds, switched_off_axes_equal_a_root_without_them) {
    static const unsigned masks[] = {0, 1, 2, 4, 3, 5, 6, 7};
    for (int kind = POISE_NODE_TRANSLATION; kind <= POISE_NODE_FREE; kind++) {
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
            Model a = rooted(true, (PoiseNodeKind)kind, POISE_AXES_ALL);
            Model b = rooted(false, (PoiseNodeKind)kind, masks[m]);
            cr_assert(poise_node_set_free_axes(a.tree, a.nodes[0], masks[m]) == POISE_OK);
            for (int step = 0; step < 30; step++) {
                PoiseVec3 goal = poise_vec3(0.9 + 0.01 * step, 0.4, 0.5);
                cr_assert(poise_point_set_position(a.tree, a.points[0], goal) == POISE_OK);
                cr_assert(poise_point_set_position(b.tree, b.points[0], goal) == POISE_OK);
                cr_assert(model_step(&a, NULL, NULL) == POISE_OK);
                cr_assert(model_step(&b, NULL, NULL) == POISE_OK);
            }
            cr_expect(poise_node_dof(a.tree, a.nodes[0]) ==
                      (int)((masks[m] & 1) + (masks[m] >> 1 & 1) + (masks[m] >> 2 & 1)));
            EXPECT_NEAR3(poise_point_planned_pose(a.tree, a.points[0]).p,
                         poise_point_planned_pose(b.tree, b.points[0]).p, 1e-12);
            EXPECT_NEAR_QUAT(poise_point_planned_pose(a.tree, a.points[0]).q,
                             poise_point_planned_pose(b.tree, b.points[0]).q, 1e-12);
            model_finish(&a);
            model_finish(&b);
        }
    }
}

// A node whose motions have axes equals hinges and sliders in series along and about these axes.
Test(kinds, every_kind_equals_its_motions_one_by_one) {
    Random random = random_from(51);
    for (int kind = POISE_NODE_HINGE; poise_joint_type((PoiseNodeKind)kind); kind++) {
        const PoiseJointType* type = poise_joint_type((PoiseNodeKind)kind);
        for (int trial = 0; trial < 20 && type->linear != 7 && type->nq == type->nv; trial++) {
            Model model = model_empty(POISE_BALL_THREE_AXES);
            PoiseNodeDef def = poise_default_node_def((PoiseNodeKind)kind);
            const PoiseVec3 first = random_direction(&random);
            const PoiseVec3 second = poise_cross(first, random_direction(&random));
            const PoiseVec3 third = poise_cross(second, random_direction(&random));
            PoiseVec3 axes[3] = {first, kind == POISE_NODE_PISTON ? first : second, third};
            def.axis = first;
            def.axis2 = second;
            def.axis3 = third;
            def.joint_in_parent = random_pose(&random, 0.5, 3.0);
            const PoiseNodeId whole = model_add_node(&model, &def);
            double q[POISE_MAX_POSTURE];
            PoiseNodeId parent = poise_null_node();
            for (int m = 0; m < type->motion_count; m++) {
                PoiseNodeDef one = type->motions[m] == POISE_PRISMATIC ? poise_default_slider_def()
                                                                       : poise_default_hinge_def();
                one.parent = parent;
                one.joint_in_parent = m == 0 ? def.joint_in_parent : poise_pose_identity();
                one.axis = axes[m];
                one.angle = q[m] = random_between(&random, -3.0, 3.0);
                parent = model_add_node(&model, &one);
            }
            cr_assert(poise_node_set_posture(model.tree, whole, q, type->nq) == POISE_OK);
            cr_assert(poise_forward(model.tree) == POISE_OK);
            const PoisePose a = poise_node_link_world(model.tree, whole);
            const PoisePose b = poise_node_link_world(model.tree, parent);
            EXPECT_NEAR3(a.p, b.p, 1e-14);
            EXPECT_NEAR_QUAT(a.q, b.q, 1e-14);
            model_finish(&model);
        }
    }
}

Test(kinds, every_kind_has_a_default_of_its_own) {
    PoiseNodeDef (*const defs[])(void) = {poise_default_hinge_def,  poise_default_slider_def,
                                          poise_default_ball_def,   poise_default_universal_def,
                                          poise_default_free_def,   poise_default_translation_def,
                                          poise_default_hinge2_def, poise_default_piston_def,
                                          poise_default_pr_def,     poise_default_pu_def};
    static const PoiseNodeKind kinds[] = {
        POISE_NODE_HINGE, POISE_NODE_SLIDER,      POISE_NODE_BALL,   POISE_NODE_UNIVERSAL,
        POISE_NODE_FREE,  POISE_NODE_TRANSLATION, POISE_NODE_HINGE2, POISE_NODE_PISTON,
        POISE_NODE_PR,    POISE_NODE_PU};
    Model model = model_empty(POISE_BALL_THREE_AXES);
    for (size_t i = 0; i < sizeof defs / sizeof defs[0]; i++) {
        const PoiseNodeDef def = defs[i]();
        const PoiseNodeId node = model_add_node(&model, &def);
        cr_expect_eq(poise_node_kind(model.tree, node), kinds[i], "%s",
                     poise_tree_message(model.tree));
    }
    model_finish(&model);
}
