// SPDX-License-Identifier: MIT
// Finds postures that meet goals, without physics. The goals become tasks (task/task.h), which move
// only the nodes that are registered with the points. The state of the search is kept in the tree,
// so that a search can stop after any iteration and continue in a later call.
#include <limits.h>
#include <string.h>

#include "poise/reach.h"
#include "task.h"

#define DEFAULT_TOLERANCE 1e-6

enum { COOKIE_REACH = 0x50520001, DEFAULT_ITERATIONS = 300, MOST_STARTS = 1000000 };

/// Memory of poise_reach in a tree.
struct ReachMemory {
    PoiseTasks* tasks;
    PoiseReachDef def;
    bool begun;        ///< the last call to begin a search succeeded
    uint64_t revision; ///< revision of the tree when the search began
};

PoiseReachDef poise_default_reach_def(void) {
    return (PoiseReachDef){.cookie = COOKIE_REACH,
                           .iterations = DEFAULT_ITERATIONS,
                           .starts = 1,
                           .other_postures = true,
                           .position_tolerance = DEFAULT_TOLERANCE,
                           .angle_tolerance = DEFAULT_TOLERANCE};
}

const char* poise_reach_def_problem(const PoiseReachDef* def) {
    if (!def || def->cookie != COOKIE_REACH) {
        return "the def was not made by poise_default_reach_def()";
    }
    if (def->iterations < 1) {
        return "iterations must be at least 1";
    }
    if (def->starts < 1 || def->starts > MOST_STARTS) {
        return "starts must be 1 to 1000000";
    }
    if (!(def->position_tolerance > 0.0) || !(def->angle_tolerance > 0.0)) {
        return "position_tolerance and angle_tolerance must be above 0";
    }
    return NULL;
}

const char* poise_reach_reason_name(PoiseReachReason reason) {
    static const char* const names[] = {"met",  "at limits", "unreachable",  "singular", "budget",
                                        "leap", "searching", "out of reach", "held"};
    const bool known = reason >= POISE_REACH_MET && reason <= POISE_REACH_HELD;
    return known ? names[reason] : "unknown";
}

int poise_node_at_limit(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    const Tie* tie = node ? poise__tie(tree, poise__node_slot(tree, node)) : NULL;
    if (!tie) {
        return node ? poise__joint_side(&node->joint) : 0;
    }
    // The leader's joint has the limits of the whole group, so its limit is that of each member.
    const int side = poise__joint_side(&tree->nodes[tie->leader].joint);
    return tie->ratio < 0.0 ? -side : side;
}

// True if the node, or a node coupled to it, moves a goal's point or frame.
static bool serves_goals(const PoiseTree* tree, int slot) {
    const Layout* layout = &tree->solver->layout;
    bool serves = false;
    for (int i = 0; i < tree->node_count; i++) {
        const int other = tree->order[i];
        const bool alike = poise__leader(tree, other) == poise__leader(tree, slot);
        for (int g = 0; alike && !serves && g < layout->goal_count; g++) {
            serves = poise__point_sign(tree, other, &tree->points[layout->goals[g].point]) != 0;
        }
    }
    return serves;
}

// True if the node must not move: it is rigid or serves no goal. If parts are kept apart, nodes
// that serve no goal move too, to make room.
static bool is_still(const PoiseTree* tree, int slot) {
    const Layout* layout = &tree->solver->layout;
    const Tie* tie = poise__tie(tree, slot);
    const bool depends = !poise__apart_of_tree(tree) || serves_goals(tree, slot);
    return poise__chain_is_rigid(tree, slot) ||
           (depends && layout->column_of_node[tie ? tie->leader : slot] == NO_SLOT);
}

static void finish(PoiseTree* tree) {
    poise_tasks_destroy(tree->solver->reach->tasks);
    poise_host_release(&tree->host, tree->solver->reach, sizeof *tree->solver->reach);
}

// Allocates the memory of the tree's searches. False without memory.
static bool reserve(PoiseTree* tree) {
    Solver* solver = tree->solver;
    if (!solver->reach) {
        struct ReachMemory* memory = poise_host_allocate(&tree->host, sizeof *memory);
        PoiseTasks* tasks = memory ? poise_tasks_create(tree) : NULL;
        if (!tasks) {
            poise_host_release(&tree->host, memory, sizeof *memory);
            return false;
        }
        tasks->is_still = is_still;
        tasks->registered = true;
        *memory = (struct ReachMemory){.tasks = tasks};
        solver->reach = memory;
        solver->finish_reach = finish;
    }
    return true;
}

// Makes a task of each goal except closures, which every set of tasks includes. Keeps the tasks of
// the last poise_reach if they are the same. False without memory.
static bool gather_tasks(PoiseTree* tree, const PoiseReachDef* def) {
    PoiseTasks* tasks = tree->solver->reach->tasks;
    const Layout* layout = &tree->solver->layout;
    PoiseTaskDef task = poise_default_task_def(POISE_TASK_POINT);
    bool made = true;
    if (!tasks->laid_out || tasks->revision != tree->revision) {
        tasks->laid_out = false;
        tasks->count = 0;
        for (int g = 0; made && g < layout->goal_count; g++) {
            const Point* point = &tree->points[layout->goals[g].point];
            task.point = poise__point_id(tree, layout->goals[g].point);
            task.weight = point->weight;
            task.priority = point->priority;
            made = point->priority < 0 || poise_tasks_add(tasks, &task) >= 0;
        }
    }
    made = made && poise__tasks_lay_out(tasks) == POISE_OK;
    for (int i = 0; made && i < tasks->count + tasks->closure_count; i++) {
        tasks->items[i].def.tolerance = def->position_tolerance;
        tasks->items[i].def.angle_tolerance = def->angle_tolerance;
    }
    return made;
}

// Measures the points that no node serves. True if they are at their goals.
static bool measure_idle(const PoiseTree* tree, const PoiseReachDef* def,
                         PoiseReachReport* report) {
    report->idle_points = tree->solver->layout.idle_count;
    report->frozen_points =
        poise__idle_measure(tree, &report->largest_error, &report->largest_angle_error);
    return report->frozen_points == 0 && report->largest_error <= def->position_tolerance &&
           report->largest_angle_error <= def->angle_tolerance;
}

// Returns E of all goals (PoiseReachReport.error) from the tree's frames.
static double measure(PoiseTree* tree) {
    const Task* task = &tree->solver->task;
    poise__goal_fill(tree);
    double sum = 0.0;
    for (int r = 0; r < tree->solver->layout.row_count; r++) {
        sum += task->v[r] * task->v[r];
    }
    return isfinite(sum) ? 0.5 * sum : HUGE_VAL;
}

static void fill_report(PoiseTree* tree, const PoiseTasksReport* found, PoiseReachReport* report) {
    const Layout* layout = &tree->solver->layout;
    const Task* task = &tree->solver->task;
    const struct ReachMemory* memory = tree->solver->reach;
    const TaskSearch* search = &memory->tasks->search;
    report->error = measure(tree);
    report->reason = found->reason;
    report->starts = search->start + 1;
    report->other_postures = search->other_postures;
    report->best_start = search->best_start;
    report->out_of_reach = search->out_of_reach;
    if (found->held) {
        report->held_a = found->held_by.a;
        report->held_b = found->held_by.b;
        report->held_gap = found->held_gap;
    }
    const bool idle_met = measure_idle(tree, &memory->def, report);
    for (int g = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        double distance, angle;
        poise__goal_left(tree, goal, &distance, &angle);
        report->largest_error = fmax(report->largest_error, distance);
        report->largest_angle_error = fmax(report->largest_angle_error, angle);
        report->frozen_points += goal->frozen;
    }
    poise__jacobian_fill(tree);
    report->frozen_nodes = task->frozen_nodes;
    for (int i = 0; i < layout->column_count; i++) {
        report->limited_nodes +=
            poise__joint_side(&tree->nodes[layout->columns[i].node].joint) != 0;
    }
    report->status = report->reason == POISE_REACH_MET ? POISE_OK : POISE_NOT_CONVERGED;
    if (report->frozen_points > 0 || report->frozen_nodes > 0 || !idle_met) {
        report->status = POISE_DEGRADED;
    }
}

// Begins a search for the public function `call`, which messages name.
static PoiseStatus begin_search(PoiseTree* tree, const PoiseReachDef* def, const char* call) {
    const PoiseReachDef defaults = poise_default_reach_def();
    def = def ? def : &defaults;
    const char* wrong = poise_reach_def_problem(def);
    if (wrong) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "%s: %s", call, wrong);
    }
    if (tree->solver && tree->solver->reach) {
        tree->solver->reach->begun = false;
    }
    const PoiseStatus status = poise__layout_refresh(tree);
    if (status != POISE_OK) {
        return status;
    }
    const bool others = def->other_postures || def->starts > 1;
    if (!reserve(tree) || !gather_tasks(tree, def) ||
        (others && poise__tasks_body_make(tree->solver->reach->tasks) != POISE_OK)) {
        return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY,
                           "%s: no memory for the postures of %d nodes", call, tree->node_count);
    }
    struct ReachMemory* memory = tree->solver->reach;
    memory->def = *def;
    memory->revision = tree->revision;
    poise__tasks_begin(memory->tasks, (TaskSearch){.most = def->iterations,
                                                   .starts = def->starts,
                                                   .others = others,
                                                   .seed = def->seed});
    memory->begun = true;
    return POISE_OK;
}

static PoiseStatus continue_search(PoiseTree* tree, int iterations, PoiseReachReport* report) {
    PoiseReachReport local;
    PoiseReachReport* out = report ? report : &local;
    PoiseTasksReport found;
    memset(out, 0, sizeof *out);
    out->held_a = out->held_b = -1;
    const bool ends = poise__tasks_continue(tree->solver->reach->tasks, iterations, &found);
    out->iterations = found.iterations;
    if (!ends) {
        out->status = POISE_NOT_CONVERGED;
        out->reason = POISE_REACH_SEARCHING;
        return out->status;
    }
    fill_report(tree, &found, out);
    tree->state.has_omega = false;
    return out->status;
}

PoiseStatus poise_reach(PoiseTree* tree, const PoiseReachDef* def, PoiseReachReport* report) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const PoiseStatus status = begin_search(tree, def, "poise_reach");
    return status != POISE_OK ? status : continue_search(tree, INT_MAX, report);
}

PoiseStatus poise_reach_begin(PoiseTree* tree, const PoiseReachDef* def) {
    return tree ? begin_search(tree, def, "poise_reach_begin") : POISE_ERROR_INVALID_ARGUMENT;
}

PoiseStatus poise_reach_continue(PoiseTree* tree, int iterations, PoiseReachReport* report) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (iterations < 1) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_reach_continue: iterations is %d, it must be at least 1",
                           iterations);
    }
    const struct ReachMemory* memory = tree->solver ? tree->solver->reach : NULL;
    if (!memory || !memory->begun || memory->revision != tree->revision ||
        memory->tasks->apart != poise__apart_of_tree(tree)) {
        return poise__fail(tree, POISE_ERROR_STALE,
                           "poise_reach_continue: no search was begun for the points and nodes as "
                           "they are; call poise_reach_begin");
    }
    return continue_search(tree, iterations, report);
}
