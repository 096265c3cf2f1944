// SPDX-License-Identifier: MIT
// The two tasks of the full-body demo (scenes/full_body.md), solved by the demo's method and by
// Poise. An arm of five hinges in a plane, with links of 1 m, has two goals: first for its tip,
// second for the end of its third link. The demo uses the SR-inverse with k = 0.1 for both tasks
// and for the null space. Each iteration moves 1/8 m along each error that is above 1/16 m. Returns
// 0 if the first goal is met and the second is as near as possible.
#include <string.h>

#include "poise/ik.h"
#include "table.h"

enum { JOINTS = 5, MIDDLE = 3, ITERATIONS = 400 };

static const double start[JOINTS] = {0.2, 0.4, -0.3, 0.5, 0.1};

/// A task's Jacobian, 2 x 5, and the position of its point, m.
typedef struct Task {
    double j[2][JOINTS];
    double at[2];
} Task;

// Computes the task of the end of link `last`, without Poise.
static Task task_of(const double q[JOINTS], int last) {
    Task task = {0};
    double turned = 0.0;
    for (int i = 0; i < last; i++) {
        turned += q[i];
        task.at[0] += cos(turned);
        task.at[1] += sin(turned);
        for (int k = 0; k <= i; k++) {
            task.j[0][k] -= sin(turned);
            task.j[1][k] += cos(turned);
        }
    }
    return task;
}

static double distance(const double goal[2], const Task* task) {
    return hypot(goal[0] - task->at[0], goal[1] - task->at[1]);
}

// Computes the SR-inverse step omega = J^T (J J^T + k)^-1 v with k = 0.1.
static void sr_inverse(double j[2][JOINTS], const double v[2], double omega[JOINTS]) {
    double a = 0.1, b = 0.0, c = 0.1;
    for (int i = 0; i < JOINTS; i++) {
        a += j[0][i] * j[0][i];
        b += j[0][i] * j[1][i];
        c += j[1][i] * j[1][i];
    }
    const double det = a * c - b * b;
    const double y[2] = {(c * v[0] - b * v[1]) / det, (a * v[1] - b * v[0]) / det};
    for (int i = 0; i < JOINTS; i++) {
        omega[i] = j[0][i] * y[0] + j[1][i] * y[1];
    }
}

// Computes the demo's step: 1/8 m along the error, or 0 if the error is below 1/16 m.
static void demo_step(const double goal[2], const Task* task, double v[2]) {
    const double length = distance(goal, task);
    const double part = length < 1.0 / 16.0 ? 0.0 : 1.0 / (8.0 * length);
    v[0] = part * (goal[0] - task->at[0]);
    v[1] = part * (goal[1] - task->at[1]);
}

// Computes left = x - J1^# J1 x: the part of x that does not disturb the first task.
static void leave_first(double j[2][JOINTS], const double x[JOINTS], double left[JOINTS]) {
    double v[2] = {0.0, 0.0}, taken[JOINTS];
    for (int i = 0; i < JOINTS; i++) {
        v[0] += j[0][i] * x[i];
        v[1] += j[1][i] * x[i];
    }
    sr_inverse(j, v, taken);
    for (int i = 0; i < JOINTS; i++) {
        left[i] = x[i] - taken[i];
    }
}

static void demo_iterate(double q[JOINTS], const double goals[2][2]) {
    Task first = task_of(q, JOINTS), second = task_of(q, MIDDLE);
    double v[2], w[2], omega[JOINTS], rest[JOINTS], left[JOINTS], free_rows[2][JOINTS];
    demo_step(goals[0], &first, v);
    demo_step(goals[1], &second, w);
    sr_inverse(first.j, v, omega);
    for (int r = 0; r < 2; r++) {
        // computes row r of J2 N1, which is N1 times row r of J2, because N1 is symmetric
        leave_first(first.j, second.j[r], free_rows[r]);
        for (int i = 0; i < JOINTS; i++) {
            w[r] -= second.j[r][i] * omega[i];
        }
    }
    sr_inverse(free_rows, w, rest);
    leave_first(first.j, rest, left);
    for (int i = 0; i < JOINTS; i++) {
        q[i] += omega[i] + left[i];
    }
}

/// Distances of both points from their goals, m.
typedef struct Miss {
    double first;
    double second;
} Miss;

static Miss miss_of(const double q[JOINTS], const double goals[2][2]) {
    const Task first = task_of(q, JOINTS), second = task_of(q, MIDDLE);
    return (Miss){distance(goals[0], &first), distance(goals[1], &second)};
}

static Miss demo(const double goals[2][2]) {
    double q[JOINTS];
    memcpy(q, start, sizeof q);
    for (int i = 0; i < ITERATIONS; i++) {
        demo_iterate(q, goals);
    }
    return miss_of(q, goals);
}

static PoisePointId add_point(PoiseTree* tree, PoiseNodeId link, const double goal[2],
                              int priority) {
    PoisePointDef def = poise_default_position_def();
    def.link = link;
    def.in_link.p = poise_vec3(1, 0, 0);
    def.priority = priority;
    const PoisePointId point = poise_point_create(tree, &def);
    poise_register_chain(tree, point, poise_null_node());
    poise_point_set_position(tree, point, poise_vec3(goal[0], goal[1], 0));
    return point;
}

static Miss ours(const double goals[2][2]) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseNodeDef hinge = poise_default_hinge_def();
    PoiseNodeId links[JOINTS];
    for (int i = 0; i < JOINTS; i++) {
        hinge.joint_in_parent.p = poise_vec3(i > 0 ? 1 : 0, 0, 0);
        hinge.angle = start[i];
        links[i] = poise_node_create(tree, &hinge);
        hinge.parent = links[i];
    }
    const PoisePointId tip = add_point(tree, links[JOINTS - 1], goals[0], 0);
    const PoisePointId middle = add_point(tree, links[MIDDLE - 1], goals[1], 1);
    poise_reach(tree, NULL, NULL);
    const Miss miss = {poise_point_planned_error(tree, tip),
                       poise_point_planned_error(tree, middle)};
    poise_tree_destroy(tree);
    return miss;
}

int main(void) {
    // Goals of the tip and of the end of the third link. The two links between these points are 2 m
    // long, which bounds how near the second can come.
    static const double cases[][2][2] = {{{2, 2}, {-2, -1}}, {{2, 2}, {1, 2}}, {{3, 1}, {1, 2}}};
    Table table = {0};
    puts("Two tasks, the first one first: m off after the demo's 400 iterations, and by "
         "poise_reach\n"
         "                                         demo       Poise   best there is");
    for (int i = 0; i < 3; i++) {
        const double(*goals)[2] = cases[i];
        const double apart = hypot(goals[0][0] - goals[1][0], goals[0][1] - goals[1][1]);
        const double best = fmax(0.0, apart - 2.0);
        const Miss theirs = demo(goals), here = ours(goals);
        printf("  tip to (%g, %g), middle to (%2g, %2g)\n", goals[0][0], goals[0][1], goals[1][0],
               goals[1][1]);
        printf("    tip                            %10.6f  %10.6f  %10.6f\n", theirs.first,
               here.first, 0.0);
        printf("    middle                         %10.6f  %10.6f  %10.6f\n", theirs.second,
               here.second, best);
        table_claim(&table, "Poise meets the first", here.first < 1e-6);
        table_claim(&table, "and comes as near to the second as there is",
                    fabs(here.second - best) < 1e-4);
        table_claim(&table, "the demo leaves the first more than 1 mm off", theirs.first > 1e-3);
    }
    return table_end(&table);
}
