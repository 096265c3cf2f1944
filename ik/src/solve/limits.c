// SPDX-License-Identifier: MIT
// What the bounds of single columns cannot say: the speed of a vector, and the curvature of a cone.
// Vectors that are too fast are bounded at their speed and the others solved again; what is left is
// cut at the end of a solve.
#include "solve.h"

// squares of speeds are alike within this
#define FASTER (1.0 + 1e-9)

// of a vector the whole, so that its direction stays
static void hold_speed(const Node* node, double most, double* omega) {
    const PoiseJointType* type = poise__joint_type(&node->joint);
    for (int d = 0; !poise__joint_is_vector(type) && d < type->nv; d++) {
        omega[d] = poise_min(poise_max(omega[d], -most), most);
    }
    if (!poise__joint_is_vector(type)) {
        return;
    }
    double* v = poise__joint_turn_of(type, omega);
    v = v ? v : omega;
    double length = poise_length(poise_vec3(v[0], v[1], v[2]));
    for (int i = 0; length > most && i < 3; i++) {
        v[i] *= most / length;
    }
}

// the speed of a node that moves and turns is that of its turn
static bool has_speed(const Layout* layout, const Column* column, int d) {
    return !layout->linear[column->first_dof + d] ||
           poise__joint_moves(column->type) == column->type->nv;
}

// what a dof is to be shortened by for the whole turn, or move, of its node to keep the speed, 0..1
static double speed_part(const Layout* layout, const Column* column, double most) {
    double square = 0.0;
    for (int d = 0; d < column->dof; d++) {
        const double omega = column->scale * layout->omega[column->first_dof + d];
        square += has_speed(layout, column, d) ? omega * omega : 0.0;
    }
    return square > most * most * FASTER ? most / sqrt(square) : 1.0;
}

bool poise__speeds_hold(PoiseTree* tree, double step) {
    Layout* layout = &tree->solver->layout;
    bool any = false;
    for (int i = 0; layout->bounded && step > 0.0 && i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Node* node = &tree->nodes[column->node];
        if (!poise__joint_is_vector(column->type) || !(node->max_speed < HUGE_VAL)) {
            continue; // an axis of its own has bounds of its own
        }
        const double part = speed_part(layout, column, node->max_speed * step);
        for (int d = 0; part < 1.0 && d < column->dof; d++) {
            const int dof = column->first_dof + d;
            if (has_speed(layout, column, d)) {
                layout->lower[dof] = part * layout->omega[dof];
                layout->upper[dof] = layout->lower[dof];
            }
        }
        any = any || part < 1.0;
    }
    return any;
}

void poise__limits_hold(PoiseTree* tree, double step) {
    Layout* layout = &tree->solver->layout;
    for (int i = 0; layout->bounded && i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Node* node = &tree->nodes[column->node];
        double* omega = tree->nodes[column->node].omega;
        if (step > 0.0 && node->max_speed < HUGE_VAL) {
            hold_speed(node, node->max_speed * step, omega);
        }
        if (poise__joint_has_cone(&node->joint)) {
            const int held = poise__cone_hold_step(&node->joint, omega);
            layout->fixed[column->first_dof] |= (unsigned char)(held & 1);
            layout->fixed[column->first_dof + 2] |= (unsigned char)(held >> 1);
        }
    }
}
