// SPDX-License-Identifier: MIT
// Saves, restores, clamps and moves the posture of the tasks' tree.
#include <string.h>

#include "task.h"

void poise__tasks_keep(const PoiseTasks* tasks, double* out) {
    for (int i = 0; i < tasks->tree->node_count; i++) {
        const Joint* joint = &tasks->tree->nodes[tasks->tree->order[i]].joint;
        memcpy(out + i * POISE_MAX_NQ, joint->q, sizeof joint->q);
    }
}

void poise__tasks_restore(PoiseTasks* tasks, const double* from) {
    bool moved = false;
    for (int i = 0; i < tasks->tree->node_count; i++) {
        Joint* joint = &tasks->tree->nodes[tasks->tree->order[i]].joint;
        const double* q = from + i * POISE_MAX_NQ;
        moved = moved || memcmp(joint->q, q, sizeof joint->q) != 0;
        memcpy(joint->q, q, sizeof joint->q);
    }
    if (moved) {
        poise__make_stale(tasks->tree);
    }
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
    for (int m = 0; m < tasks->motion_count; m += tasks->motions[m].dof) {
        const Motion* motion = &tasks->motions[m];
        Joint* joint = &tree->nodes[motion->slot].joint;
        if (!motion->leads) {
            continue;
        }
        if (motion->direct) {
            poise__joint_move(joint, &tasks->x[motion->column]);
            continue;
        }
        double omega[POISE_MAX_DOF] = {0.0};
        for (int d = 0; d < motion->dof; d++) {
            const Motion* own = &motion[d];
            double* to = own->linear ? omega : omega + poise__joint_moves(poise__joint_type(joint));
            to[0] += tasks->x[own->column] * own->axis.x;
            to[1] += tasks->x[own->column] * own->axis.y;
            to[2] += tasks->x[own->column] * own->axis.z;
        }
        poise__joint_move(joint, omega);
    }
    poise__ties_follow(tree);
    poise__make_stale(tree);
}
