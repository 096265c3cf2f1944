// SPDX-License-Identifier: MIT
// What the bounds of single columns cannot say: the speed of a vector, and the curvature of a cone.
// Vectors that are too fast are bounded at their speed and the others solved again; what is left is
// cut at the end of a solve.
#include "solve.h"

// squares of speeds are alike within this
#define FASTER (1.0 + 1e-9)
// up to this swing, rad, the twist of a ball goes by less than so many times as far as the ball
#define WIDE_SWING    2.6
#define FASTEST_TWIST 4.0

// of a vector the whole, so that its direction stays
static void hold_speed(const PoiseJointType* type, double most, double* omega) {
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

// Whether a step cannot bring a ball to the end of its cone, by the room that it began with. The
// swing grows by no more than the turn, the twist by no more than it over the cosine of half the
// swing, which is above a quarter here.
static bool stays_inside(const Layout* layout, const Node* node, const Column* column) {
    const double* omega = node->omega;
    const double* lower = &layout->lower[column->first_dof];
    const double* upper = &layout->upper[column->first_dof];
    const double turn = sqrt(omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]);
    const double room = column->scale * poise_min(upper[0], poise_min(upper[2], -lower[2]));
    const double swing = node->joint.upper[0] - column->scale * upper[0];
    return node->max_speed == HUGE_VAL && FASTEST_TWIST * turn < room && swing + turn < WIDE_SWING;
}

void poise__limits_hold(PoiseTree* tree, double step) {
    Layout* layout = &tree->solver->layout;
    for (int i = 0; layout->bounded && i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Node* node = &tree->nodes[column->node];
        double* omega = tree->nodes[column->node].omega;
        if (step > 0.0 && node->max_speed < HUGE_VAL) {
            hold_speed(column->type, node->max_speed * step, omega);
        }
        if (poise__joint_has_cone(&node->joint) && !stays_inside(layout, node, column)) {
            const int held = poise__cone_hold_step(&node->joint, omega);
            layout->fixed[column->first_dof] |= (unsigned char)(held & 1);
            layout->fixed[column->first_dof + 2] |= (unsigned char)(held >> 1);
        }
    }
}
