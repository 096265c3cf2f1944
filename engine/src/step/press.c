// SPDX-License-Identifier: MIT
// Forces at points (sec. 5.2), hybrid control: along the asked force the point yields and the
// springs add nothing to the force; across the force the springs hold the point. poise__force_share
// computes the wrenches that the springs would add at the point, and subtracts them. K = p_ik, and
// J are the rows of all directions of the point:
//
//     w(tau) = (J K^-1 J^T)^-1 J K^-1 tau   the wrench that torques tau press with
//     x = p_ik (theta_ik - theta)           loses its part along the yielding rows, J_y^T w_y(x)
//     t = p_orig (theta_orig - theta)       loses its whole wrench, J^T w(t)
//
// The remaining part of w(x) acts across the force like a spring, for sliding and sticking
// contacts.
//
// With POISE_REFERENCE_OWN, theta_ik may be far from theta although the point has nearly the same
// position in both postures, since p_orig pulls in the null space of the point. Then J K^-1 x is
// not the displacement of the point. Along the force, poise__force_follow moves the point in the
// own posture to its measured position. Across the force, the displacement e of the point between
// the postures replaces J K^-1 x (not with feet or loops): the pull is (J K^-1 J^T)^-1 e. A large e
// in a direction with hardly any compliance would give unbounded forces. Therefore pivots of J K^-1
// J^T are raised to 2 |e| / arm times the largest of displacements or rotations (press_rows.c).
#include "press.h"

#include <string.h>

#include "numbers.h"
#include "step.h"

// Largest displacement of the own posture in a step, rad or m: J holds only near the posture.
#define MAX_FOLLOWED 0.2

// Fills `net`: the torques of the last step minus the torques that hold the weight. Sets
// joint->stops to the stops on which torques press beyond those for weight and asked force.
static void read_torques(const PoiseTree* tree, JointState* joint, double* net) {
    double given[POISE_MAX_DOF] = {0.0};
    double push[POISE_MAX_NV];
    double force[POISE_MAX_DOF];
    double hold[POISE_MAX_DOF] = {0.0};
    // the bodies of a joint that is not ready may be destroyed
    if (joint->ready) {
        poise__joint_given(joint, given);
    }
    const int count = poise_node_force_torque(tree, joint->of->node, force);
    poise_node_gravity_torque(tree, joint->of->node, hold);
    for (int d = 0; d < count; d++) {
        net[d] = given[d] - hold[d];
        push[d] = given[d] - (hold[d] + force[d]);
    }
    joint->stops = joint->ready ? poise__joint_find_stops(joint, push) : 0;
}

void poise__force_measure(RigState* state) {
    Press* press = &state->press;
    for (int b = 0; b < state->rig->binding_count; b++) {
        read_torques(state->tree, &state->joints[b], &press->spring[press->first[b]]);
    }
    poise__press_fill(state, state->tree, press);
    if (press->point_count == 0) {
        return;
    }
    poise__press_wrench(press, press->row_count, press->spring);
    for (int r = 0; r < press->row_count; r++) {
        PressPoint* point = &press->points[press->row_point[r]];
        const double* e = &press->directions[r * POISE_MAX_ROWS];
        const double part = press->work[r];
        point->force_measured =
            poise_add_scaled(point->force_measured, part, poise_vec3(e[0], e[1], e[2]));
        point->torque_measured =
            poise_add_scaled(point->torque_measured, part, poise_vec3(e[3], e[4], e[5]));
    }
}

// True if some point yields and the reference is POISE_REFERENCE_OWN.
static bool has_own_place(const RigState* state) {
    return state->press.point_count > 0 && state->press.yield_rows > 0 &&
           state->rig->settings.reference == POISE_REFERENCE_OWN;
}

// Fills the displacements of the points from the measured to the own posture, along the first
// `rows` rows.
static void fill_ahead(const RigState* state, int rows, double* ahead) {
    const Press* press = &state->press;
    for (int p = 0; p < press->point_count; p++) {
        const PoisePose measured = press->points[p].pose;
        const PoisePose own = poise_point_planned_pose(state->tree, press->points[p].point);
        const PoiseVec3 displacement = poise_sub(own.p, measured.p);
        const PoiseVec3 rotation =
            poise_quat_log(poise_quat_mul(own.q, poise_quat_conjugate(measured.q)));
        for (int r = 0; r < rows; r++) {
            const double* e = &press->directions[r * POISE_MAX_ROWS];
            if (press->row_point[r] == p) {
                ahead[r] = poise_dot(displacement, poise_vec3(e[0], e[1], e[2])) +
                           poise_dot(rotation, poise_vec3(e[3], e[4], e[5]));
            }
        }
    }
}

void poise__force_follow(RigState* state) {
    Press* press = &state->press;
    if (!has_own_place(state)) {
        return;
    }
    fill_ahead(state, press->yield_rows, press->work);
    for (int r = 0; r < press->goal_rows; r++) {
        press->work[r] = r < press->yield_rows ? -press->work[r] : 0.0;
    }
    // this displacement of the joints has the least spring energy
    poise__press_joint_displacement(press, press->spring);
    const double largest = poise__numbers_largest(press->spring, press->number_count);
    const double scale = largest > MAX_FOLLOWED ? MAX_FOLLOWED / largest : 1.0;
    for (int b = 0; largest > 0.0 && b < state->rig->binding_count; b++) {
        const Binding* binding = &state->rig->bindings[b];
        double step[POISE_MAX_DOF] = {0.0};
        const int count = binding->type->nv;
        for (int d = 0; d < count; d++) {
            step[d] = scale * press->spring[press->first[b] + d];
        }
        if (binding->follows_ik) {
            poise__note(state, poise_node_shift(state->tree, binding->node, step, count));
        }
    }
    poise__note(state, poise_forward(state->tree));
}

void poise__force_place(RigState* state) {
    if (has_own_place(state)) {
        fill_ahead(state, state->press.goal_rows, state->press.across);
    }
}

void poise__force_share(RigState* state) {
    Press* press = &state->press;
    if (press->point_count == 0 || press->yield_rows == 0) {
        return;
    }
    for (int b = 0; b < state->rig->binding_count; b++) {
        const JointState* joint = &state->joints[b];
        double spring[POISE_MAX_NV];
        double posture[POISE_MAX_NV];
        double added[POISE_MAX_NV];
        poise__joint_pull(joint, spring, posture);
        poise__integral_torque(joint, added);
        for (int d = 0; d < joint->of->type->nv; d++) {
            press->spring[press->first[b] + d] = spring[d];
            press->posture[press->first[b] + d] = posture[d] + added[d];
        }
    }
    // feet or loops carry a part of the springs' pull: keep J K^-1 x
    if (!has_own_place(state) || press->kkt->row_count > 0) {
        poise__press_row_displacement(press, press->goal_rows, press->spring);
        memcpy(press->across, press->work, (size_t)press->goal_rows * sizeof *press->across);
    }
    poise__press_across_wrench(press);
    poise__press_wrench(press, press->goal_rows, press->spring);
    double* taken = press->spring;
    memset(taken, 0, (size_t)press->number_count * sizeof *taken);
    for (int r = press->yield_rows; r < press->goal_rows; r++) {
        press->work[r] -= press->across[r];
    }
    poise__press_subtract_wrench(press, press->goal_rows, taken);
    poise__press_wrench(press, press->goal_rows, press->posture);
    poise__press_subtract_wrench(press, press->goal_rows, taken);
    for (int b = 0; b < state->rig->binding_count; b++) {
        JointState* joint = &state->joints[b];
        memcpy(joint->pressing, &taken[press->first[b]],
               (size_t)joint->of->type->nv * sizeof *taken);
    }
}
