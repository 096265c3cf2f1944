// SPDX-License-Identifier: MIT
// Postures of the tasks' tree: kept, restored, clamped to the ranges, and moved by a step.
#include <string.h>

#include "task.h"

void poise__tasks_keep(const PoiseTasks* tasks, double* out) {
    for (int i = 0; i < tasks->tree->node_count; i++) {
        const Joint* joint = &tasks->tree->nodes[tasks->tree->order[i]].joint;
        memcpy(out + i * POISE_MAX_NQ, joint->q, sizeof joint->q);
    }
}

void poise__tasks_restore(PoiseTasks* tasks, const double* from) {
    for (int i = 0; i < tasks->tree->node_count; i++) {
        Joint* joint = &tasks->tree->nodes[tasks->tree->order[i]].joint;
        memcpy(joint->q, from + i * POISE_MAX_NQ, sizeof joint->q);
    }
    poise__make_stale(tasks->tree);
}

void poise__tasks_clip(PoiseTasks* tasks) {
    for (int m = 0; m < tasks->motion_count; m++) {
        poise__joint_clip(&tasks->tree->nodes[tasks->motions[m].slot].joint);
    }
    poise__ties_follow(tasks->tree);
    poise__make_stale(tasks->tree);
}

void poise__tasks_advance(PoiseTasks* tasks) {
    PoiseTree* tree = tasks->tree;
    for (int m = 0; m < tasks->motion_count;) {
        const Motion* motion = &tasks->motions[m];
        Node* node = &tree->nodes[motion->slot];
        const PoiseJointType* type = poise__joint_type(&node->joint);
        const int dof = poise__joint_dof(&node->joint);
        double omega[POISE_MAX_DOF] = {0.0};
        for (int d = 0; d < dof; d++) {
            const Motion* own = &motion[d];
            if (poise__joint_is_direct(&node->joint)) {
                omega[d] = tasks->x[own->column];
                continue;
            }
            double* to = own->linear ? omega : omega + poise__joint_moves(type);
            to[0] += tasks->x[own->column] * own->axis.x;
            to[1] += tasks->x[own->column] * own->axis.y;
            to[2] += tasks->x[own->column] * own->axis.z;
        }
        if (poise__leader(tree, motion->slot) == motion->slot) {
            poise__joint_move(&node->joint, omega);
        }
        m += dof;
    }
    poise__ties_follow(tree);
    poise__make_stale(tree);
}
