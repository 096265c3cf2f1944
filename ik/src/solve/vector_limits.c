// SPDX-License-Identifier: MIT
// Limits on vectors of several dofs: the speed of balls, translations and free joints, and the
// cones of balls. A vector that is too fast is bounded at its speed, and the step is solved again.
// At the end of a solve, steps that still exceed a limit are shortened.
#include "solve.h"

// squared speeds are equal within this factor
#define FASTER (1.0 + 1e-9)
// rad; up to this swing the twist changes by at most FASTEST_TWIST times the ball's rotation
#define WIDE_SWING    2.6
#define FASTEST_TWIST 4.0

// Shortens a step to `most` in its direction.
static void shorten_to_speed(const PoiseJointType* type, double most, double* omega) {
    if (!poise__joint_is_vector(type)) {
        for (int d = 0; d < type->nv; d++) {
            omega[d] = poise_min(poise_max(omega[d], -most), most);
        }
        return;
    }
    double* v = poise__joint_turn_of(type, omega);
    v = v ? v : omega;
    double length = poise_length(poise_vec3(v[0], v[1], v[2]));
    for (int i = 0; length > most && i < 3; i++) {
        v[i] *= most / length;
    }
}

// True if max_speed limits this dof. A joint that translates and rotates has its rotation limited.
static bool has_speed(const Task* task, const Column* column, int d) {
    return !task->linear[column->first_dof + d] ||
           poise__joint_moves(column->type) == column->type->nv;
}

// Returns the factor, 0..1, that brings the node's rotation (or displacement) down to its speed.
static double speed_part(const Task* task, const Answer* answer, const Column* column,
                         double most) {
    double square = 0.0;
    for (int d = 0; d < column->dof; d++) {
        const double omega = column->scale * answer->omega[column->first_dof + d];
        square += has_speed(task, column, d) ? omega * omega : 0.0;
    }
    return square > most * most * FASTER ? most / sqrt(square) : 1.0;
}

bool poise__speeds_bound(PoiseTree* tree, double step) {
    Layout* layout = &tree->solver->layout;
    const Task* task = &tree->solver->task;
    Metric* metric = &tree->solver->metric;
    const Answer* answer = &tree->solver->answer;
    bool any = false;
    for (int i = 0; metric->bounded && step > 0.0 && i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Node* node = &tree->nodes[column->node];
        if (!poise__joint_is_vector(column->type) || !(node->max_speed < HUGE_VAL)) {
            continue; // a single axis already has bounds of its own
        }
        const double part = speed_part(task, answer, column, node->max_speed * step);
        for (int d = 0; part < 1.0 && d < column->dof; d++) {
            const int dof = column->first_dof + d;
            if (has_speed(task, column, d)) {
                metric->lower[dof] = part * answer->omega[dof];
                metric->upper[dof] = metric->lower[dof];
            }
        }
        any = any || part < 1.0;
    }
    return any;
}

// True if the step is too short to bring a ball to the end of its cone. The swing grows by at most
// the rotation. The twist grows by at most the rotation over the cosine of half the swing, which is
// above 1/4 up to WIDE_SWING.
static bool stays_inside(const Metric* metric, const Node* node, const Column* column) {
    const double* omega = node->omega;
    const double* lower = &metric->lower[column->first_dof];
    const double* upper = &metric->upper[column->first_dof];
    const double turn = sqrt(omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]);
    const double room = column->scale * poise_min(upper[0], poise_min(upper[2], -lower[2]));
    const double swing = node->joint.upper[0] - column->scale * upper[0];
    return node->max_speed == HUGE_VAL && FASTEST_TWIST * turn < room && swing + turn < WIDE_SWING;
}

void poise__limits_shorten(PoiseTree* tree, double step) {
    Layout* layout = &tree->solver->layout;
    const Metric* metric = &tree->solver->metric;
    Answer* answer = &tree->solver->answer;
    for (int i = 0; metric->bounded && i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Node* node = &tree->nodes[column->node];
        double* omega = tree->nodes[column->node].omega;
        const double most = step > 0.0 ? node->max_speed * step : HUGE_VAL;
        if (column->plain) {
            omega[0] = poise_min(poise_max(omega[0], -most), most);
            continue;
        }
        if (most < HUGE_VAL) {
            shorten_to_speed(column->type, most, omega);
        }
        if (poise__joint_has_cone(&node->joint) && !stays_inside(metric, node, column)) {
            const int held = poise__cone_hold_step(&node->joint, omega);
            answer->fixed[column->first_dof] |= (unsigned char)(held & 1);
            answer->fixed[column->first_dof + 2] |= (unsigned char)(held >> 1);
        }
    }
}
