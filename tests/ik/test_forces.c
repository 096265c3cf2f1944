// SPDX-License-Identifier: MIT
// Tests J^T F (sec. 5.2; row 0.14's torques) and the torque against gravity, by finite differences
// of work and of potential energy.
#include <criterion/criterion.h>

#include "models.h"
#include "near.h"

static const double h = 1e-5;

// Row 0.14 of DOCUMENTS.md
Test(forces, planar_arm_gives_the_printed_torques) {
    Model model = model_chain(POISE_NODE_HINGE, 3, 1.0, POISE_POINT_POSITION);
    static const double q[3] = {0.3, 0.4, 0.5};
    static const double tau[3] = {-20.825364308867684, -11.271999417611623, -3.6235775447667384};
    for (int i = 0; i < 3; i++) {
        cr_assert(poise_node_set_angle(model.tree, model.nodes[i], q[i]) == POISE_OK);
    }
    cr_assert(poise_forward(model.tree) == POISE_OK);
    cr_assert(poise_point_set_force(model.tree, model.points[0], poise_vec3(0, -10, 0)) ==
              POISE_OK);
    // Disabled nodes exert no torque. From the fourth pass on the middle node is disabled.
    for (int k = 0; k < 6; k++) {
        cr_assert(poise_node_set_enabled(model.tree, model.nodes[1], k < 3) == POISE_OK);
        cr_assert(poise_forces(model.tree) == POISE_OK);
        double torque[POISE_MAX_DOF];
        cr_assert(poise_node_force_torque(model.tree, model.nodes[k % 3], torque) == 1);
        EXPECT_NEAR(torque[0], k == 4 ? 0.0 : tau[k % 3], 1e-13);
    }
    // The torque is exactly 0 without the force.
    cr_assert(poise_point_set_force(model.tree, model.points[0], poise_vec3(0, 0, 0)) == POISE_OK);
    cr_assert(poise_forces(model.tree) == POISE_OK);
    double torque[POISE_MAX_DOF];
    cr_assert(poise_node_force_torque(model.tree, model.nodes[0], torque) == 1);
    cr_expect(torque[0] == 0.0);
    model_finish(&model);
}

static bool registered(const Model* model, int point, PoiseNodeId node) {
    PoiseNodeId nodes[16];
    int count = poise_point_nodes(model->tree, model->points[point], nodes, 16);
    for (int i = 0; i < count; i++) {
        if (nodes[i].index1 == node.index1) {
            return true;
        }
    }
    return false;
}

// Returns the work of the forces on the registered points for a unit of one degree of freedom.
static double work_per_unit(Model* model, PoiseNodeId node, int dof, const PoiseVec3* force,
                            const PoiseVec3* torque) {
    ModelPosture posture = model_posture(model, node);
    PoisePose after[MODEL_POINTS], before[MODEL_POINTS];
    model_nudge(model, node, dof, h);
    for (int p = 0; p < model->point_count; p++) {
        after[p] = poise_point_planned_pose(model->tree, model->points[p]);
    }
    model_put_back(model, node, posture);
    model_nudge(model, node, dof, -h);
    double work = 0.0;
    for (int p = 0; p < model->point_count; p++) {
        before[p] = poise_point_planned_pose(model->tree, model->points[p]);
        if (registered(model, p, node) && poise_point_enabled(model->tree, model->points[p])) {
            PoiseQuat turn = poise_quat_mul(after[p].q, poise_quat_conjugate(before[p].q));
            work += poise_dot(force[p], poise_sub(after[p].p, before[p].p)) +
                    poise_dot(torque[p], poise_quat_log(turn));
        }
    }
    model_put_back(model, node, posture);
    return work / (2.0 * h);
}

Test(forces, torques_and_forces_do_equal_work) {
    for (uint64_t seed = 0; seed < 40; seed++) {
        Random random = random_from(900 + seed);
        RandomTree kinds = {8, 4, true, true, true, true, true, POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        PoiseVec3 force[4], torque[4];
        for (int p = 0; p < 4; p++) {
            force[p] = random_vec3(&random, 10.0);
            torque[p] = random_vec3(&random, 5.0);
            cr_assert(poise_point_set_force(model.tree, model.points[p], force[p]) == POISE_OK);
            cr_assert(poise_point_set_torque(model.tree, model.points[p], torque[p]) == POISE_OK);
            EXPECT_NEAR3(poise_point_torque(model.tree, model.points[p]), torque[p], 0.0);
        }
        cr_assert(poise_point_set_enabled(model.tree, model.points[3], seed % 2 == 0) == POISE_OK);
        cr_assert(poise_forces(model.tree) == POISE_OK);
        for (int n = 0; n < model.node_count; n++) {
            double tau[POISE_MAX_DOF];
            int dof = poise_node_force_torque(model.tree, model.nodes[n], tau);
            cr_assert(dof == model_dof(&model, n));
            for (int d = 0; d < dof; d++) {
                EXPECT_NEAR(tau[d], work_per_unit(&model, model.nodes[n], d, force, torque), 1e-8);
            }
        }
        model_finish(&model);
    }
}

Test(forces, massless_trees_need_no_torque) {
    Model model = model_chain(POISE_NODE_BALL, 4, 1.0, POISE_POINT_POSITION);
    cr_assert(poise_gravity(model.tree, poise_vec3(0, 0, -9.8)) == POISE_OK);
    for (int n = 0; n < 4; n++) {
        double tau[POISE_MAX_DOF];
        cr_assert(poise_node_gravity_torque(model.tree, model.nodes[n], tau) == 3);
        cr_expect(tau[0] == 0.0 && tau[1] == 0.0 && tau[2] == 0.0);
    }
    cr_expect(poise_gravity(model.tree, poise_vec3((double)NAN, 0, 0)) ==
              POISE_ERROR_INVALID_ARGUMENT);
    model_finish(&model);
}
