// SPDX-License-Identifier: MIT
// Pulls joints to a reference posture theta_ref. A reference without a weight is the centre of the
// damping: the step then contains N (theta_ref - theta) with N = 1 - J^# J, which moves no point. A
// reference with a weight adds rows to the least squares. damping.c passes both forms to the
// solvers. Nodes that serve no point just follow their reference.
#include <string.h>

#include "solve.h"

// Returns theta_ref - theta for one dof of a column, scaled as omega. `whole` is the difference of
// the node, in the numbers of poise_node_omega.
static double along_dof(const Task* task, const Column* column, const double* whole, int d) {
    if (column->direct) {
        return whole[d] / column->scale;
    }
    const int dof = column->first_dof + d;
    const bool first = column->cone || task->linear[dof];
    const double* v = &whole[first ? 0 : poise__joint_moves(column->type)];
    return poise_dot(task->axes[dof], poise_vec3(v[0], v[1], v[2])) / column->scale;
}

// True if the reference of some node acts in this step.
static bool draws(const PoiseTree* tree, double rate) {
    const Layout* layout = &tree->solver->layout;
    bool some = tree->state.has_references && rate > 0.0;
    for (int i = 0; tree->state.has_references && !some && i < layout->column_count; i++) {
        some = tree->nodes[layout->columns[i].node].reference_weight > 0.0;
    }
    return some;
}

void poise__reference_fill(PoiseTree* tree, double rate) {
    Layout* layout = &tree->solver->layout;
    const Task* task = &tree->solver->task;
    Metric* metric = &tree->solver->metric;
    metric->centred = false;
    metric->weighted = false;
    const bool some = draws(tree, rate);
    for (int i = 0; some && i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Node* node = &tree->nodes[column->node];
        const double weight = node->has_reference ? node->reference_weight : 0.0;
        const bool led = node->has_reference && !column->frozen && (weight > 0.0 || rate > 0.0);
        double whole[POISE_MAX_DOF];
        if (led) {
            poise__joint_difference(&node->joint, node->reference, whole);
        }
        metric->centred = metric->centred || led;
        metric->weighted = metric->weighted || (led && weight > 0.0);
        const double part = weight > 0.0 ? 1.0 : rate;
        const double pull = led ? weight * column->scale * column->scale : 0.0;
        for (int d = 0; d < column->dof; d++) {
            const int dof = column->first_dof + d;
            metric->desired[dof] = led ? part * along_dof(task, column, whole, d) : 0.0;
            metric->pull[dof] = pull;
        }
    }
}

static void shorten(double* v, int count, double most) {
    double square = 0.0;
    for (int i = 0; i < count; i++) {
        square += v[i] * v[i];
    }
    const double length = sqrt(square);
    for (int i = 0; length > most && i < count; i++) {
        v[i] *= most / length;
    }
}

// Fills omega with the step to the reference, limited to the node's speed and the joint cap.
static void track(const Node* node, const PoiseSolveDef* def, double* omega) {
    const PoiseJointType* type = poise__joint_type(&node->joint);
    const int moves = poise__joint_moves(type);
    const double most = def->step > 0.0 ? node->max_speed * def->step : HUGE_VAL;
    poise__joint_difference(&node->joint, node->reference, omega);
    shorten(&omega[moves], type->nv - moves, poise_min(most, def->joint_cap));
    if (!poise__joint_is_vector(type) || moves == type->nv) {
        shorten(omega, moves, most);
    }
}

void poise__reference_track(PoiseTree* tree, const PoiseSolveDef* def) {
    for (int i = 0; tree->state.has_references && i < tree->node_count; i++) {
        const int slot = tree->order[i];
        Node* node = &tree->nodes[slot];
        if (tree->solver->layout.column_of_node[slot] != NO_SLOT ||
            poise__leader(tree, slot) != slot) {
            continue;
        }
        memset(node->omega, 0, sizeof node->omega);
        const bool led = def->posture_rate > 0.0 || node->reference_weight > 0.0;
        node->has_omega = led && node->has_reference && node->enabled;
        if (node->has_omega) {
            track(node, def, node->omega);
        }
    }
}
