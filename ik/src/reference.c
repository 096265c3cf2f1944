// SPDX-License-Identifier: MIT
// The reference posture: what the points leave open goes to it, N (theta_ref - theta) with N = 1 -
// J^# J, and nodes that serve no point follow it. After the solver, before its step is published.
#include <string.h>

#include "internal.h"

// theta_ref - theta in the numbers of omega
static void difference(const Node* node, double out[POISE_MAX_DOF]) {
    const double* reference = node->reference;
    memset(out, 0, POISE_MAX_DOF * sizeof *out);
    if (poise__kind_has_angle(node->kind)) {
        out[0] = reference[0] - node->angle;
        out[1] = node->kind == POISE_NODE_UNIVERSAL ? reference[1] - node->angle2 : 0.0;
        return;
    }
    if (node->kind != POISE_NODE_BALL) {
        PoiseVec3 place = poise_vec3(reference[0], reference[1], reference[2]);
        place = poise_quat_rotate(node->joint_world.q, poise_sub(place, node->translation));
        out[0] = place.x;
        out[1] = place.y;
        out[2] = place.z;
    }
    double* turn = poise__turn_of(node->kind, out);
    if (turn) {
        const double* q = &reference[node->kind == POISE_NODE_FREE ? 3 : 0];
        PoiseQuat wanted = poise_quat_normalize(poise_quat(q[0], q[1], q[2], q[3]));
        PoiseVec3 r = poise_quat_log(poise_quat_mul(wanted, poise_quat_conjugate(node->rotation)));
        r = poise_quat_rotate(node->joint_world.q, r);
        turn[0] = r.x;
        turn[1] = r.y;
        turn[2] = r.z;
    }
}

// the same in one dof of its column, scaled as omega is there
static double along_dof(const Layout* layout, const Column* column, const Node* node,
                        const double* whole, int d) {
    if (column->direct) {
        return whole[d] / column->scale;
    }
    const int dof = column->first_dof + d;
    const bool turns = !layout->linear[dof] && node->kind == POISE_NODE_FREE;
    const double* v = &whole[turns ? 3 : 0];
    return poise_dot(layout->axes[dof], poise_vec3(v[0], v[1], v[2])) / column->scale;
}

void poise__reference_add(PoiseTree* tree, double rate) {
    Layout* layout = &tree->layout;
    if (layout->dof_count == 0) {
        return;
    }
    double* wish = layout->alpha; // scratch: of Gauss-Seidel alone
    memset(wish, 0, (size_t)layout->dof_count * sizeof *wish);
    memset(layout->residual, 0, (size_t)layout->row_count * sizeof *layout->residual);
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Node* node = &tree->nodes[column->node];
        double whole[POISE_MAX_DOF];
        difference(node, whole);
        for (int d = 0; node->has_reference && !column->frozen && d < column->dof; d++) {
            const int dof = column->first_dof + d;
            wish[dof] = layout->fixed[dof] ? 0.0 : rate * along_dof(layout, column, node, whole, d);
            for (int b = 0; b < column->block_count; b++) {
                const Block* block = &layout->blocks[column->first_block + b];
                const Goal* goal = &layout->goals[block->goal];
                const double* j = &layout->jacobian[block->offset + d * goal->rows];
                for (int k = 0; k < goal->rows; k++) {
                    layout->residual[goal->first_row + k] += j[k] * wish[dof];
                }
            }
        }
    }
    // N z = z - J^# (J z), on the dofs that are not held
    double* taken = layout->previous_omega;
    poise__dual_again(layout, layout->residual, taken);
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        for (int dof = column->first_dof; dof < column->first_dof + column->dof; dof++) {
            const double before = layout->omega[dof];
            double after = before + (wish[dof] - taken[dof]);
            after = fmin(fmax(after, layout->lower[dof]), layout->upper[dof]);
            taken[dof] = before; // what the damping compares the next step with
            layout->omega[dof] = layout->fixed[dof] ? before : after;
        }
    }
}

static void track(const Node* node, const PoiseSolveDef* def, double* omega) {
    difference(node, omega);
    double most = def->step > 0.0 ? node->max_speed * def->step : HUGE_VAL;
    double* turn = poise__turn_of(node->kind, omega);
    if (turn) {
        most = fmin(most, def->joint_cap);
    }
    double* v = turn ? turn : omega;
    double length = poise_length(poise_vec3(v[0], v[1], v[2]));
    for (int i = 0; length > most && i < 3; i++) {
        v[i] *= most / length;
    }
}

void poise__reference_track(PoiseTree* tree, const PoiseSolveDef* def) {
    const bool before = tree->tracks;
    tree->tracks = def->posture_rate > 0.0;
    for (int i = 0; (before || tree->tracks) && i < tree->node_count; i++) {
        const int slot = tree->order[i];
        const Node* node = &tree->nodes[slot];
        if (tree->layout.column_of_node[slot] != NO_SLOT) {
            continue;
        }
        double* omega = tree->results[slot].omega;
        memset(omega, 0, POISE_MAX_DOF * sizeof *omega);
        if (tree->tracks && node->has_reference && node->enabled) {
            track(node, def, omega);
        }
    }
}

PoiseStatus poise_node_set_reference(PoiseTree* tree, PoiseNodeId id, const double* posture,
                                     int count) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_reference");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (!posture && count == 0) {
        node->has_reference = false;
        return POISE_OK;
    }
    const char* wrong = poise__posture_problem(node->kind, posture, count);
    if (wrong) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_reference: node %u, a %s: %s", (unsigned)id.index1,
                           poise__kind_name(node->kind), wrong);
    }
    memcpy(node->reference, posture, (size_t)count * sizeof *posture);
    node->has_reference = true;
    return POISE_OK;
}
