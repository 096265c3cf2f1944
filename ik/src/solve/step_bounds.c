// SPDX-License-Identifier: MIT
// Computes the bounds of a step by dof, from the joints' ranges, speeds and step ranges.
// vector_limits.c adds limits on vectors of dofs; solve.c applies the joint cap.
#include <string.h>

#include "solve.h"

// Rounding of a bound, rad or m.
#define ROUNDED 1e-9

// Bounds the step of a hinge or slider axis at the node's present posture.
static inline void bound_axis(const Node* node, int d, double step, double* lower, double* upper) {
    const Joint* joint = &node->joint;
    *lower = joint->lower[d] - joint->q[d];
    *upper = joint->upper[d] - joint->q[d];
    if (!(step > 0.0)) {
        return;
    }
    // a joint outside its range returns into it no faster than its speed
    const double most = node->max_speed * step;
    *lower = poise_min(poise_max(*lower, -most), most);
    *upper = poise_min(poise_max(*upper, -most), most);
    if (node->has_step_range) {
        // the step range is clamped to the bounds from range and speed
        const double least = poise_min(poise_max(node->step_lower, *lower), *upper);
        *upper = poise_min(poise_max(node->step_upper, *lower), *upper);
        *lower = least;
    }
}

// Bounds the columns of a ball or other vector joint: only cones have such bounds.
static void bound_vector(const Joint* joint, int columns, double* lower, double* upper) {
    double least[POISE_MAX_AXES], most[POISE_MAX_AXES];
    const int ranged = poise__joint_room(joint, least, most);
    for (int d = 0; d < columns; d++) {
        lower[d] = d < ranged ? least[d] : -HUGE_VAL;
        upper[d] = d < ranged ? most[d] : HUGE_VAL;
    }
}

// Bounds all columns of a node, divided by the column's scale.
static void bound_column(const Node* node, const Column* column, double step, double* lower,
                         double* upper) {
    if (poise__joint_is_vector(column->type)) {
        bound_vector(&node->joint, column->dof, lower, upper);
    } else {
        for (int d = 0; d < column->dof; d++) {
            bound_axis(node, d, step, &lower[d], &upper[d]);
        }
    }
    for (int d = 0; column->scale != 1.0 && d < column->dof; d++) {
        lower[d] /= column->scale;
        upper[d] /= column->scale;
    }
}

// True if the bound of a held dof is an end of its joint's range, not a speed or step range. The
// speed of a vector joint makes both bounds equal (vector_limits.c).
static bool is_range_end(const PoiseTree* tree, const Column* column, int d) {
    const Metric* metric = &tree->solver->metric;
    const Joint* joint = &tree->nodes[column->node].joint;
    const int dof = column->first_dof + d;
    const double lower = metric->lower[dof], upper = metric->upper[dof];
    if (poise__joint_is_vector(column->type)) {
        return lower != upper || lower == 0.0;
    }
    const double omega = tree->solver->answer.omega[dof];
    return omega - lower < upper - omega
               ? column->scale * lower <= joint->lower[d] - joint->q[d] + ROUNDED
               : column->scale * upper >= joint->upper[d] - joint->q[d] - ROUNDED;
}

bool poise__velocities_stop(PoiseTree* tree, const unsigned char* held) {
    const Layout* layout = &tree->solver->layout;
    unsigned char* stopped = tree->solver->answer.stopped;
    const size_t count = (size_t)layout->dof_count;
    bool lets_go = false;
    memset(stopped, 0, count);
    // mostly no dof is held: do not look at the columns then
    const bool any = count > 0 && memchr(held, 1, count) != NULL;
    for (int i = 0; any && i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        for (int d = 0; d < column->dof; d++) {
            const int dof = column->first_dof + d;
            stopped[dof] = held[dof] && is_range_end(tree, column, d);
            lets_go = lets_go || stopped[dof] != held[dof];
        }
    }
    return lets_go;
}

void poise__bounds_fill(PoiseTree* tree, double step) {
    Layout* layout = &tree->solver->layout;
    Metric* metric = &tree->solver->metric;
    Answer* answer = &tree->solver->answer;
    const bool was_bounded = metric->bounded;
    metric->bounded = false;
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Node* node = &tree->nodes[column->node];
        double* lower = &metric->lower[column->first_dof];
        double* upper = &metric->upper[column->first_dof];
        if (poise__node_is_bounded(node)) {
            metric->bounded = true;
            bound_column(node, column, step, lower, upper);
            continue;
        }
        for (int d = 0; d < column->dof; d++) {
            lower[d] = -HUGE_VAL;
            upper[d] = HUGE_VAL;
        }
    }
    poise__ties_bound(tree, step);
    // solvers reset `fixed` only while there are bounds: reset it when the last one disappears
    for (int d = 0; was_bounded && !metric->bounded && d < layout->dof_count; d++) {
        answer->fixed[d] = 0;
    }
}
