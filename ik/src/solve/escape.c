// SPDX-License-Identifier: MIT
// Frees a straight arm whose target lies on its own line. There J^T v is exactly 0, so the arm
// would stay straight. A small kick of the joints breaks the symmetry. Last stage of a solve.
#include "solve.h"

#define STILL       1e-4 // rad; an arm whose joints move farther in a step is not stuck
#define NO_PULL     1e-2 // |J^T v| below this fraction of |v| sqrt(trace(J J^T))
#define KICK        1e-3 // rad per degree of freedom
#define NEAR_ENOUGH 1e-6 // errors below this fraction of the reach need no escape
#define GOAL_MOVED  1e-3 // fraction of the reach; a goal moved farther since the last kick is new
#define LOWERED     0.99 // a kick helped if the error fell below this fraction of the error before

enum { STEPS_BETWEEN_KICKS = 20, MOST_FRUITLESS_KICKS = 3 };

// Sums over the columns of the point's nodes: omega^2, (J^T v)^2 as pull2, and J^2 as alpha.
typedef struct Pull {
    double omega2;
    double pull2;
    double alpha;
} Pull;

static Pull pull_of(const PoiseTree* tree, int goal_index) {
    const Layout* layout = &tree->solver->layout;
    const Task* task = &tree->solver->task;
    const Answer* answer = &tree->solver->answer;
    const Goal* goal = &layout->goals[goal_index];
    const Point* point = &tree->points[goal->point];
    const double* v = &task->v[goal->first_row];
    Pull sum = {0.0, 0.0, 0.0};
    for (int n = 0; n < point->node_count; n++) {
        const Block* block;
        const Column* column = poise__goal_column(tree, goal, n, &block);
        if (!column) {
            continue;
        }
        const double* j = &task->jacobian[block->offset];
        for (int d = 0; d < column->dof; d++, j += block->stride) {
            // three rows, because only the position needs an escape
            double pull = j[0] * v[0] + j[1] * v[1] + j[2] * v[2];
            sum.pull2 += pull * pull;
            sum.alpha += j[0] * j[0] + j[1] * j[1] + j[2] * j[2];
            double omega = answer->omega[column->first_dof + d];
            sum.omega2 += omega * omega;
        }
        if (sum.omega2 >= STILL * STILL) {
            break; // the arm moves: no escape is needed
        }
    }
    return sum;
}

// True if one joint alone moves the point and its distance to the goal does not depend on it: the
// goal lies on the axis of a hinge, or at the centre of a ball.
static bool turns_in_vain(const PoiseTree* tree, const Goal* goal, const Point* point) {
    const int* nodes = poise__point_nodes(tree, point);
    const Node* alone = NULL;
    for (int n = 0; n < point->node_count; n++) {
        const int at = tree->solver->layout.column_of_node[nodes[n]];
        if (at != NO_SLOT && alone) {
            return false;
        }
        alone = at != NO_SLOT ? &tree->nodes[nodes[n]] : alone;
    }
    const PoiseJointType* type = alone ? poise__joint_type(&alone->joint) : NULL;
    if (!type || !poise__joint_only_turns(type)) {
        return false;
    }
    PoiseVec3 off =
        poise_sub(poise_add(goal->pose.p, goal->error), poise__joint_anchor(&alone->joint));
    if (type->motions[0] == POISE_REVOLUTE) {
        PoiseVec3 axes[POISE_MAX_DOF];
        unsigned char linear[POISE_MAX_DOF];
        poise__joint_column_axes(&alone->joint, axes, linear);
        off = poise_add_scaled(off, -poise_dot(off, axes[0]), axes[0]);
    }
    return poise_length(off) <= NEAR_ENOUGH * goal->reach;
}

static bool is_stuck(const PoiseTree* tree, int goal_index) {
    const Goal* goal = &tree->solver->layout.goals[goal_index];
    const Point* point = &tree->points[goal->point];
    if (!goal->has_position || !poise__has_whole_place(point) || goal->frozen ||
        point->node_count == 0) {
        return false;
    }
    double error = poise_length(goal->error);
    if (!(error > NEAR_ENOUGH * goal->reach) || turns_in_vain(tree, goal, point)) {
        return false;
    }
    // A stretched arm whose target is farther out is in its best posture. Only a target nearer to
    // the root needs an escape.
    PoiseVec3 root = poise__joint_anchor(&tree->nodes[poise__point_nodes(tree, point)[0]].joint);
    if (poise_dot(goal->error, poise_sub(root, goal->pose.p)) <= 0.0) {
        return false;
    }
    Pull pull = pull_of(tree, goal_index);
    const double* v = &tree->solver->task.v[goal->first_row];
    double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    return pull.omega2 < STILL * STILL && pull.pull2 < NO_PULL * NO_PULL * v2 * pull.alpha;
}

static void kick(PoiseTree* tree, const Point* point) {
    for (int n = 0; n < point->node_count; n++) {
        const int at = poise__point_column(tree, &tree->solver->layout, point, n);
        if (at == NO_SLOT || !tree->solver->layout.columns[at].rotates) {
            continue;
        }
        const int slot = tree->solver->layout.columns[at].node;
        const Node* node = &tree->nodes[slot];
        uint64_t bits = poise__mix_bits(tree->state.kick_counter++ * POISE_MIX_STEP);
        const PoiseJointType* type = tree->solver->layout.columns[at].type;
        if (poise__joint_is_vector(type) && poise__joint_moves(type) > 0) {
            // a floating base is neither straight nor bent; only its limbs get a kick
            continue;
        }
        for (int d = poise__joint_moves(type); d < type->nv; d++) {
            double* omega = &tree->nodes[slot].omega[d];
            *omega += (bits >> d) & 1 ? KICK : -KICK;
            if (!poise__joint_is_vector(type)) {
                const Joint* joint = &node->joint;
                *omega = poise_min(poise_max(*omega, joint->lower[d] - joint->q[d]),
                                   joint->upper[d] - joint->q[d]);
            }
        }
    }
}

// True if the point may be kicked again. `error`: its present distance to the goal, m.
static bool may_kick(Point* point, const Goal* goal, double error) {
    EscapeMemory* memory = &point->escape;
    if (poise_length(poise_sub(point->goal.p, memory->goal_at_kick)) > GOAL_MOVED * goal->reach) {
        memory->fruitless_kicks = 0;
        memory->error_at_kick = 0.0;
    }
    if (memory->steps_since_kick < STEPS_BETWEEN_KICKS && memory->error_at_kick > 0.0) {
        return false;
    }
    if (memory->error_at_kick > 0.0) {
        memory->fruitless_kicks =
            error < LOWERED * memory->error_at_kick ? 0 : memory->fruitless_kicks + 1;
        memory->error_at_kick = 0.0;
    }
    return memory->fruitless_kicks < MOST_FRUITLESS_KICKS;
}

int poise__escape(PoiseTree* tree) {
    int kicked = 0;
    for (int g = 0; g < tree->solver->layout.goal_count; g++) {
        const Goal* goal = &tree->solver->layout.goals[g];
        Point* point = &tree->points[goal->point];
        if (point->escape.steps_since_kick < STEPS_BETWEEN_KICKS) {
            point->escape.steps_since_kick++;
        }
        if (!is_stuck(tree, g)) {
            continue;
        }
        double error = poise_length(goal->error);
        if (!may_kick(point, goal, error)) {
            continue;
        }
        kick(tree, point);
        point->escape.steps_since_kick = 0;
        point->escape.error_at_kick = error;
        point->escape.goal_at_kick = point->goal.p;
        kicked++;
    }
    return kicked;
}
