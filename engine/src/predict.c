// SPDX-License-Identifier: MIT
// Foresees where the springs come to rest, on a copy of the tree: "if p_orig is too large the goal
// is missed" (sec. 5.1), and by how much. Each reference has its own law of balance.
#include "rig_internal.h"

enum { MOST_STEPS = 5000, MOST_IK_STEPS = 300 };

// rest is when no joint moves by more than this in a step, rad and m
#define AT_REST 1e-10

// the torque that the drive does not answer by itself: asked forces, and the weight that is not fed
// forward
static PoiseVec3 outer_torque(const PoiseRig* rig, const PoiseTree* copy, const Binding* binding) {
    double force[POISE_MAX_DOF] = {0.0};
    double hold[POISE_MAX_DOF] = {0.0};
    (void)poise_node_force_torque(copy, binding->node, force);
    if (!rig->gravity || !binding->anchored) {
        (void)poise_node_gravity_torque(copy, binding->node, hold);
    }
    return poise_vec3(force[0] - hold[0], force[1] - hold[1], force[2] - hold[2]);
}

// puts one node where its two springs and the outer torque balance; returns how far it moved
static double balance_node(const PoiseRig* rig, PoiseTree* copy, const Binding* binding,
                           double ik_angle, PoiseQuat ik_rotation) {
    const PoiseSpring none = {0.0, 0.0};
    const PoiseVec3 still = poise_vec3(0.0, 0.0, 0.0);
    PoiseSpring ik = binding->follows_ik ? binding->ik : none;
    double stiffness = ik.stiffness + binding->original.stiffness;
    if (!(stiffness > 0.0)) {
        return 0.0;
    }
    PoiseVec3 give = poise_scale(1.0 / stiffness, outer_torque(rig, copy, binding));
    if (binding->kind == POISE_NODE_BALL) {
        PoiseBallDrive a = {binding->original, binding->natural_rotation, still};
        PoiseBallDrive b = {ik, ik_rotation, still};
        PoiseQuat joint = poise_node_joint_world(copy, binding->node).q;
        PoiseQuat rest = poise_quat_mul(poise_quat_exp(poise_quat_unrotate(joint, give)),
                                        poise_blend_ball(a, b).target);
        PoiseQuat was = poise_node_rotation(copy, binding->node);
        (void)poise_node_set_rotation(copy, binding->node, rest);
        return poise_length(poise_quat_log(poise_quat_mul(rest, poise_quat_conjugate(was))));
    }
    PoiseHingeDrive a = {binding->original, poise__natural_angle(binding, ik_angle), 0.0};
    PoiseHingeDrive b = {ik, ik_angle, 0.0};
    double rest = poise_blend_hinge(a, b).target + give.x;
    rest = fmin(fmax(rest, binding->lower), binding->upper);
    double was = poise_node_angle(copy, binding->node);
    (void)poise_node_set_angle(copy, binding->node, rest);
    return fabs(rest - was);
}

static PoiseStatus outer_forces(const PoiseRig* rig, PoiseTree* copy) {
    dVector3 g;
    dWorldGetGravity(rig->world, g);
    PoiseStatus status = poise_forces(copy);
    return status < 0 ? status
                      : poise_gravity(copy, poise_vec3((double)g[0], (double)g[1], (double)g[2]));
}

// own posture: theta_ik goes to its goal first, whatever the bodies do
static PoiseStatus converge_own(PoiseTree* copy, const PoiseSolveDef* solve) {
    PoiseStatus status = poise_forward(copy);
    for (int i = 0; status >= 0 && i < MOST_IK_STEPS; i++) {
        status = poise_solve(copy, solve, NULL);
        if (status >= 0) {
            status = poise_advance(copy);
        }
        if (status >= 0) {
            status = poise_forward(copy);
        }
    }
    return status;
}

// then the springs meet: the weight depends on where, so step by step
static PoiseStatus rest_own(const PoiseRig* rig, PoiseTree* copy, const PoiseTree* reference) {
    PoiseStatus status = POISE_OK;
    double moved = 1.0;
    for (int i = 0; status >= 0 && moved > AT_REST && i < MOST_STEPS; i++) {
        status = outer_forces(rig, copy);
        moved = 0.0;
        for (int b = 0; status >= 0 && b < rig->binding_count; b++) {
            const Binding* binding = &rig->bindings[b];
            moved = fmax(moved, balance_node(rig, copy, binding,
                                             poise_node_angle(reference, binding->node),
                                             poise_node_rotation(reference, binding->node)));
        }
        if (status >= 0) {
            status = poise_forward(copy);
        }
    }
    return status;
}

// measured: theta_ik = theta + omega(theta), until p_ik omega = p_orig (theta - theta_orig) - tau
static PoiseStatus rest_measured(const PoiseRig* rig, PoiseTree* copy, const PoiseSolveDef* solve) {
    PoiseStatus status = poise_forward(copy);
    double moved = 1.0;
    for (int i = 0; status >= 0 && moved > AT_REST && i < MOST_STEPS; i++) {
        status = outer_forces(rig, copy);
        status = status < 0 ? status : poise_solve(copy, solve, NULL);
        moved = 0.0;
        for (int b = 0; status >= 0 && b < rig->binding_count; b++) {
            const Binding* binding = &rig->bindings[b];
            double omega[POISE_MAX_DOF] = {0.0};
            (void)poise_node_omega(copy, binding->node, omega);
            PoiseQuat joint = poise_node_joint_world(copy, binding->node).q;
            PoiseVec3 turn = poise_quat_unrotate(joint, poise_vec3(omega[0], omega[1], omega[2]));
            PoiseQuat rotation =
                poise_quat_mul(poise_quat_exp(turn), poise_node_rotation(copy, binding->node));
            moved = fmax(moved,
                         balance_node(rig, copy, binding,
                                      poise_node_angle(copy, binding->node) + omega[0], rotation));
        }
        status = status < 0 ? status : poise_forward(copy);
    }
    return status;
}

static PoiseStatus rest_of(const PoiseRig* rig, PoiseTree* copy, PoiseTree* reference) {
    PoiseSolveDef solve = rig->solve;
    solve.step = 0.0;
    if (rig->reference == POISE_REFERENCE_MEASURED) {
        return rest_measured(rig, copy, &solve);
    }
    PoiseStatus status = converge_own(reference, &solve);
    status = status < 0 ? status : poise_forward(copy);
    return status < 0 ? status : rest_own(rig, copy, reference);
}

PoiseStatus poise_rig_predicted_miss(PoiseRig* rig, PoisePointId point, double* miss,
                                     double* angle_miss) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!poise_point_is_valid(rig->tree, point)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE,
                               "poise_rig_predicted_miss: point %u is null, destroyed, or of "
                               "another tree",
                               (unsigned)point.index1);
    }
    // who follows the solver, and which bases stand firm
    PoiseStatus sets = poise__read_sets(rig);
    if (sets < 0) {
        return sets;
    }
    (void)poise__read_bodies(rig);
    PoiseTree* copy = poise_tree_clone(rig->tree);
    PoiseTree* reference = poise_tree_clone(rig->tree);
    PoiseStatus status = POISE_ERROR_OUT_OF_MEMORY;
    if (copy && reference) {
        status = rest_of(rig, copy, reference);
        if (status >= 0 && miss) {
            *miss = poise_point_error(copy, point);
        }
        if (status >= 0 && angle_miss) {
            *angle_miss = poise_point_angle_error(copy, point);
        }
    }
    poise_tree_destroy(reference);
    poise_tree_destroy(copy);
    return status < 0 ? poise__rig_fail(rig, status, "poise_rig_predicted_miss: %s",
                                        poise_status_name(status))
                      : status;
}
