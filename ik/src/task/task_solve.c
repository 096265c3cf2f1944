// SPDX-License-Identifier: MIT
// Steps and solves of a set of tasks. A solve descends from several starts, each step accepted if
// the first level whose cost changes has a lower cost.
#include <string.h>

#include "body.h"
#include "task.h"

// change of a cost that counts, relative to the cost, and below which two costs are equal
#define CHANGE       1e-12
#define LEAST_CHANGE 1e-24
// the damping: factor of the cost, its growth after a refused step, its fall after an accepted one
#define DAMPING_FIRST 1.0
#define DAMPING_LEAST 1e-6
#define DAMPING_MOST  1e10
#define GROWTH        8.0
#define FALL          0.25
// a start ends with a step below this, rad or m
#define REST 1e-9
// a gradient up to this fraction of the largest that the errors allow is 0
#define GRADIENT_ZERO 1e-6
// a gradient above this fraction of it is that of a task which others outweigh
#define OUTWEIGHED 1e-3
// part of the tolerance by which a step may leave an interval, and growth of the margin else
#define MARGIN_PART   0.5
#define MARGIN_GROWTH 1.05
enum { SEEDS = 64, BODY_ITERATIONS = 200, RESTORES = 4, HALVINGS = 5 };
// factor of these iterations where rows join limbs
enum { JOINED = 4 };

// ---------------------------------------------------------------------------------------- postures

static void keep_posture(const PoiseTasks* tasks, double* out) {
    for (int i = 0; i < tasks->tree->node_count; i++) {
        const Joint* joint = &tasks->tree->nodes[tasks->tree->order[i]].joint;
        memcpy(out + i * POISE_MAX_NQ, joint->q, sizeof joint->q);
    }
}

static void restore_posture(PoiseTasks* tasks, const double* from) {
    for (int i = 0; i < tasks->tree->node_count; i++) {
        Joint* joint = &tasks->tree->nodes[tasks->tree->order[i]].joint;
        memcpy(joint->q, from + i * POISE_MAX_NQ, sizeof joint->q);
    }
    poise__make_stale(tasks->tree);
}

static void clip_posture(PoiseTasks* tasks) {
    for (int m = 0; m < tasks->motion_count; m++) {
        poise__joint_clip(&tasks->tree->nodes[tasks->motions[m].slot].joint);
    }
    poise__ties_follow(tasks->tree);
    poise__make_stale(tasks->tree);
}

// Moves the posture by the step x.
static void advance(PoiseTasks* tasks) {
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

// ------------------------------------------------------------------------------------------ ends

static bool all_met(const PoiseTasks* tasks, int* unmet) {
    *unmet = -1;
    bool met = true;
    for (int i = tasks->count + tasks->closure_count - 1; i >= 0; i--) {
        if (!tasks->items[i].reading.met) {
            met = false;
            *unmet = i < tasks->count ? i : *unmet;
        }
    }
    return met && tasks->lack <= TASK_GAP_ROUNDING;
}

// Marks the columns at an end of their range beyond which the errors of unmet tasks would fall.
// Writes |gradient| of the others, and the largest that the errors allow; fills `gradient` by
// column.
static bool find_limits(PoiseTasks* tasks, double* free_gradient, double* most) {
    bool some = false;
    poise__tasks_room(tasks);
    *free_gradient = 0.0;
    *most = 0.0;
    for (int c = 0; c < tasks->column_count; c++) {
        double pull = 0.0, size = 0.0;
        for (int i = 0; i < tasks->count + tasks->closure_count; i++) {
            const Item* item = &tasks->items[i];
            for (int r = item->first_row; !item->reading.met && r < item->first_row + item->rows;
                 r++) {
                const double part = tasks->jacobian[c * tasks->row_count + r] * tasks->error[r];
                pull += part;
                size += fabs(part);
            }
        }
        const bool ends = (pull > 0.0 && tasks->room_upper[c] <= REST) ||
                          (pull < 0.0 && tasks->room_lower[c] >= -REST);
        tasks->gradient[c] = pull;
        tasks->limit[c] = ends && fabs(pull) > GRADIENT_ZERO * size;
        some = some || tasks->limit[c];
        *free_gradient = poise_max(*free_gradient, tasks->limit[c] ? 0.0 : fabs(pull));
        *most = poise_max(*most, size);
    }
    return some;
}

static void report_on(PoiseTasks* tasks, PoiseTasksReport* report, bool at_rest) {
    double gradient, most;
    const bool met = all_met(tasks, &report->unmet);
    const bool limited = find_limits(tasks, &gradient, &most);
    report->status = met ? POISE_OK : POISE_NOT_CONVERGED;
    report->reason = met          ? POISE_REACH_MET
                     : !at_rest   ? POISE_REACH_SEARCHING
                     : limited    ? POISE_REACH_AT_LIMITS
                     : most > 0.0 ? POISE_REACH_UNREACHABLE
                                  : POISE_REACH_SINGULAR;
    report->held = !met && tasks->apart && poise__tasks_holding(tasks, tasks->gradient, report);
    report->reason = report->held ? POISE_REACH_HELD : report->reason;
    report->outweighed = report->reason == POISE_REACH_UNREACHABLE && gradient > OUTWEIGHED * most;
    report->error = 0.0;
    report->angle_error = 0.0;
    for (int i = 0; i < tasks->count + tasks->closure_count; i++) {
        report->error = poise_max(report->error, tasks->items[i].reading.error);
        report->angle_error = poise_max(report->angle_error, tasks->items[i].reading.angle_error);
    }
}

int poise_tasks_held_by(const PoiseTasks* tasks, PoiseNodeId* nodes, int capacity) {
    int count = 0;
    int last = NO_SLOT;
    for (int m = 0; tasks && tasks->laid_out && m < tasks->motion_count; m++) {
        const Motion* motion = &tasks->motions[m];
        const bool own = poise__leader(tasks->tree, motion->slot) == motion->slot;
        if (own && tasks->limit[motion->column] && motion->slot != last) {
            last = motion->slot;
            if (nodes && count < capacity) {
                nodes[count] = poise__node_id(tasks->tree, motion->slot);
            }
            count++;
        }
    }
    return count;
}

// ------------------------------------------------------------------------------------------- step

static const char* def_problem(const PoiseTasks* tasks, const PoiseTasksDef* def) {
    if (def->cookie != COOKIE_TASKS) {
        return "the def was not made by poise_default_tasks_def()";
    }
    if (!(def->dt > 0.0) || isinf(def->dt)) {
        return "dt must be above 0 and finite";
    }
    if (def->iterations < 1 || def->starts < 1) {
        return "iterations and starts must be at least 1";
    }
    for (int i = 0; def->acceleration && i < tasks->tree->node_count; i++) {
        if (!(def->acceleration[i] > 0.0)) {
            return "acceleration must be above 0 (infinity: no bound)";
        }
    }
    return NULL;
}

static PoiseStatus begin(PoiseTasks* tasks, const PoiseTasksDef** def, PoiseTasksDef* own,
                         const char* call) {
    *own = poise_default_tasks_def();
    *def = *def ? *def : own;
    const char* wrong = def_problem(tasks, *def);
    if (wrong) {
        return poise__fail(tasks->tree, POISE_ERROR_INVALID_ARGUMENT, "%s: %s", call, wrong);
    }
    return poise__tasks_lay_out(tasks);
}

static PoiseStatus end(PoiseStatus status, const PoiseTasksReport* from, PoiseTasksReport* report) {
    if (report && status >= 0) {
        *report = *from;
        report->status = status;
    }
    return status;
}

// Adds to the margins the second-order error by which a step left intervals that held. True if
// there were any.
static bool widen_margins(PoiseTasks* tasks) {
    bool some = false;
    for (int i = 0; i < tasks->count; i++) {
        const Item* item = &tasks->items[i];
        const int r = item->first_row;
        if (poise__task_is_interval(&item->def) && (tasks->inside[r] || tasks->margin[r] > 0.0) &&
            item->reading.error > MARGIN_PART * item->def.tolerance) {
            tasks->margin[r] += MARGIN_GROWTH * fabs(tasks->error[r]);
            some = true;
        }
    }
    return (tasks->apart && poise__tasks_widen_pairs(tasks)) || some;
}

// True if a curved region is left further than before the step, and than its tolerance.
static bool regions_are_left(const PoiseTasks* tasks) {
    bool some = false;
    for (int i = 0; i < tasks->count; i++) {
        const Item* item = &tasks->items[i];
        some = some || (item->def.kind == POISE_TASK_CONE &&
                        item->reading.error > poise_max(item->begun, item->def.tolerance));
    }
    return some;
}

// Shortens the step while it leaves a gap further below the distance than before, or a cone
// further.
static void shorten_if_near(PoiseTasks* tasks, double before) {
    const double most = poise_max(before, TASK_GAP_ROUNDING);
    for (int i = 0;
         i <= HALVINGS && (tasks->lack > most || (i < HALVINGS && regions_are_left(tasks))); i++) {
        for (int c = 0; c < tasks->column_count; c++) {
            tasks->x[c] *= i < HALVINGS ? 0.5 : 0.0;
        }
        restore_posture(tasks, tasks->kept);
        poise__tasks_look(tasks);
        advance(tasks);
        poise__tasks_look(tasks);
    }
}

PoiseStatus poise_tasks_step(PoiseTasks* tasks, const PoiseTasksDef* def,
                             PoiseTasksReport* report) {
    PoiseTasksReport own = {.unmet = -1, .iterations = 1, .starts = 1};
    PoiseTasksDef defaults;
    PoiseStatus status =
        tasks ? begin(tasks, &def, &defaults, "poise_tasks_step") : POISE_ERROR_INVALID_ARGUMENT;
    if (status != POISE_OK) {
        return end(status, &own, report);
    }
    clip_posture(tasks);
    tasks->period = def->acceleration ? 0.0 : def->dt;
    poise__tasks_look(tasks);
    if (def->acceleration) {
        poise__tasks_bounds(tasks, NULL);
        poise__tasks_run(tasks, tasks->level_count, DAMPING_FIRST, false);
        memcpy(tasks->remaining, tasks->x, (size_t)tasks->column_count * sizeof *tasks->x);
    }
    poise__tasks_bounds(tasks, def);
    keep_posture(tasks, tasks->kept);
    const double lack = tasks->lack;
    for (int i = 0; i < tasks->count; i++) {
        tasks->items[i].begun = tasks->items[i].reading.error;
    }
    memset(tasks->margin, 0, ((size_t)tasks->row_count + 1) * sizeof *tasks->margin);
    for (int tries = 0; tries == 0 || (tries < RESTORES && widen_margins(tasks)); tries++) {
        if (tries > 0) {
            restore_posture(tasks, tasks->kept);
            poise__tasks_look(tasks);
        }
        poise__tasks_brake(tasks, def);
        poise__tasks_run(tasks, tasks->level_count, DAMPING_FIRST, true);
        poise__tasks_note_pairs(tasks);
        poise__tasks_cap(tasks);
        advance(tasks);
        poise__tasks_look(tasks);
    }
    shorten_if_near(tasks, lack);
    for (int c = 0; c < tasks->column_count; c++) {
        tasks->speed[c] = tasks->x[c] / def->dt;
    }
    report_on(tasks, &own, tasks->shift <= REST);
    return end(own.status, &own, report);
}

void poise_tasks_rest(PoiseTasks* tasks) {
    if (tasks && tasks->laid_out) {
        memset(tasks->speed, 0, (size_t)tasks->column_count * sizeof *tasks->speed);
    }
}

// ------------------------------------------------------------------------------------------ solve

// Compares the levels' costs with the kept ones: -1 better, 0 equal, 1 worse. A level whose items
// are all met costs 0, unless it has a preference.
static int compare(const PoiseTasks* tasks, const double* kept, double change) {
    for (int l = 0; l < tasks->level_count; l++) {
        const double now = tasks->levels[l].cost;
        const double most = change * fabs(kept[l]) + LEAST_CHANGE;
        if (!(now <= kept[l] + most)) {
            return 1;
        }
        if (now < kept[l] - most) {
            return -1;
        }
    }
    return 0;
}

static bool is_preference(const PoiseTaskDef* def) {
    return def->kind == POISE_TASK_POSTURE ||
           (def->kind == POISE_TASK_MANIPULABILITY && isinf(def->lower));
}

// Copies the costs of the levels. Those of met levels without a preference become 0.
static void note_costs(PoiseTasks* tasks, double* costs) {
    for (int l = 0; l < tasks->level_count; l++) {
        TaskLevel* level = &tasks->levels[l];
        bool met = true;
        for (int i = 0; i < tasks->count + tasks->closure_count; i++) {
            const Item* item = &tasks->items[i];
            const bool own = item->def.priority == level->priority &&
                             poise__task_is_interval(&item->def) == level->interval;
            met = met && (!own || (item->reading.met && !is_preference(&item->def)));
        }
        met = met && (l != tasks->apart_level || tasks->lack <= TASK_GAP_ROUNDING);
        level->cost = met && level->priority < tasks->last_priority ? 0.0 : level->cost;
        costs[l] = level->cost;
    }
}

static void look(PoiseTasks* tasks) {
    double costs[2 * POISE_LEVELS];
    poise__tasks_look(tasks);
    note_costs(tasks, costs);
}

static bool has_preference(const PoiseTasks* tasks) {
    bool some = false;
    for (int i = 0; i < tasks->count; i++) {
        some = some || is_preference(&tasks->items[i].def);
    }
    return some;
}

// Corrects the errors of second order that a step leaves in the levels before the last.
static void restore_levels(PoiseTasks* tasks, const double* kept) {
    for (int tries = 0; tries < RESTORES; tries++) {
        int worse = 0;
        while (worse < tasks->level_count - 1 &&
               tasks->levels[worse].cost <= kept[worse] * (1.0 + CHANGE) + LEAST_CHANGE) {
            worse++;
        }
        if (worse >= tasks->level_count - 1) {
            return;
        }
        poise__tasks_bounds(tasks, NULL);
        poise__tasks_run(tasks, worse + 1, DAMPING_FIRST, false);
        advance(tasks);
        look(tasks);
    }
}

// Descends from the present posture. Returns true if the descent ended at rest. `capped`: no step
// brings parts past each other.
static bool descend(PoiseTasks* tasks, const PoiseTasksDef* def, bool capped, int* iterations) {
    double kept[2 * POISE_LEVELS];
    double damping = DAMPING_FIRST;
    const bool further = has_preference(tasks);
    int unmet;
    look(tasks);
    for (int i = 0; i < def->iterations; i++, ++*iterations) {
        if (!further && all_met(tasks, &unmet)) {
            return true;
        }
        note_costs(tasks, kept);
        keep_posture(tasks, tasks->kept);
        poise__tasks_bounds(tasks, NULL);
        poise__tasks_run(tasks, tasks->level_count, damping, false);
        if (tasks->shift <= REST) {
            return true;
        }
        if (capped) {
            poise__tasks_cap(tasks);
        }
        advance(tasks);
        look(tasks);
        restore_levels(tasks, kept);
        const int order = compare(tasks, kept, CHANGE);
        if (order < 0) {
            damping = poise_max(damping * FALL, DAMPING_LEAST);
            continue;
        }
        restore_posture(tasks, tasks->kept);
        look(tasks);
        if (order == 0 || damping >= DAMPING_MOST) {
            return true;
        }
        damping *= GROWTH;
    }
    return false;
}

// ------------------------------------------------------------------------------------------ starts

// True if a body can serve the item. `joined`: also if its rows join limbs.
static bool is_tip(const PoiseTasks* tasks, const Item* item, int priority, bool joined) {
    if (item->def.kind != POISE_TASK_POINT || item->def.priority != priority || item->rows == 0) {
        return false;
    }
    const Point* point = poise__point(tasks->tree, item->def.point);
    const bool frame = point->kind == POISE_POINT_POSE || point->kind == POISE_POINT_POSITION ||
                       point->kind == POISE_POINT_ORIENTATION;
    return (frame && point->row_axes != POISE_ROW_AXES_POINT &&
            (joined || point->frame == NO_SLOT)) ||
           (joined && point->kind == POISE_POINT_COM && point->frame == NO_SLOT);
}

// Makes tips of the goals of the first priority.
static void gather_tips(PoiseTasks* tasks, PoiseBodyTip* tips, bool joined) {
    PoiseTree* tree = tasks->tree;
    int priority = POISE_PRIORITIES;
    for (int i = 0; i < tasks->count; i++) {
        const int own = tasks->items[i].def.priority;
        priority = tasks->items[i].rows > 0 && own < priority ? own : priority;
    }
    tasks->tip_count = 0;
    for (int i = 0; i < tasks->count && tasks->tip_count < POISE_BODY_MOST_TIPS; i++) {
        if (is_tip(tasks, &tasks->items[i], priority, joined)) {
            const Point* point = poise__point(tree, tasks->items[i].def.point);
            PoiseBodyTip* tip = &tips[tasks->tip_count];
            *tip = (PoiseBodyTip){.link = poise__node_id(tree, point->link),
                                  .in_link = point->in_link,
                                  .centre_of_mass = point->kind == POISE_POINT_COM};
            if (point->frame != NO_SLOT) {
                tip->frame = poise__node_id(tree, point->frame);
            }
            tasks->tips[tasks->tip_count++] = i;
        }
    }
}

// Compiles a body for the goals of the first priority, without those that join limbs if they cannot
// be compiled. Without a body there are random starts alone, so the tree's status stays.
static void make_body(PoiseTasks* tasks) {
    PoiseTree* tree = tasks->tree;
    PoiseBodyTip tips[POISE_BODY_MOST_TIPS];
    PoiseBodyDef def = poise_default_body_def();
    const PoiseStatus status = tree->status;
    const PoiseHost host = tree->host;
    char message[MESSAGE_CAPACITY];
    memcpy(message, tree->message, sizeof message);
    tree->host.log = NULL;
    def.tips = tips;
    def.seeds = SEEDS;
    def.host = tasks->host;
    for (int joined = 1; joined >= 0 && !tasks->body; joined--) {
        gather_tips(tasks, tips, joined == 1);
        def.tip_count = tasks->tip_count;
        tree->status = POISE_OK;
        tasks->body = tasks->tip_count > 0 ? poise_body_compile(tree, &def) : NULL;
    }
    poise__forward(tree);
    // a body whose limbs are joined searches without parts
    if (tasks->body && tasks->apart &&
        poise_body_keep_apart(tasks->body, tasks->apart) == POISE_ERROR_OUT_OF_MEMORY) {
        poise_body_destroy(tasks->body);
        tasks->body = NULL;
    }
    tree->status = status;
    tree->host = host;
    memcpy(tree->message, message, sizeof message);
}

static PoiseBodyGoal goal_of(const PoiseTaskDef* def, const Point* point) {
    bool place = false, turn = false;
    for (int k = 0; k < TASK_MOST_ROWS; k++) {
        *(k < 3 ? &place : &turn) |= poise__task_counts_row(def, point, k);
    }
    return !turn ? POISE_BODY_POSITION : !place ? POISE_BODY_ORIENTATION : POISE_BODY_POSE;
}

// Moves the posture to what the body finds from the present one.
static void search_body(PoiseTasks* tasks, uint64_t seed) {
    PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
    double posture[POISE_BODY_MOST_POSTURE];
    PoiseBodySolveDef def = poise_default_body_solve_def();
    def.seed = seed;
    def.iterations = BODY_ITERATIONS;
    if (poise__group_is_joined(tasks->body->groups[0])) {
        def.iterations *= JOINED;
    }
    for (int t = 0; t < tasks->tip_count; t++) {
        const Item* item = &tasks->items[tasks->tips[t]];
        const Point* point = poise__point(tasks->tree, item->def.point);
        targets[t] = poise_default_body_target(
            point->frame != NO_SLOT ? point->goal : poise__point_goal(tasks->tree, point));
        targets[t].goal = goal_of(&item->def, point);
        targets[t].axes = point->row_axes;
        for (int k = 0; k < TASK_MOST_ROWS; k++) {
            const bool counts = poise__task_counts_row(&item->def, point, k);
            targets[t].weights[k] = counts ? item->def.weight * item->def.weights[k] : 0.0;
        }
    }
    if (poise_body_read(tasks->body, tasks->tree, posture) == POISE_OK &&
        poise_body_solve(tasks->body, &def, targets, posture, NULL) >= 0 &&
        poise_body_write(tasks->body, tasks->tree, posture) == POISE_OK) {
        poise__ties_follow(tasks->tree);
        poise__make_stale(tasks->tree);
    }
}

// Moves the posture at random inside the ranges. Lengths without a range stay.
static void scatter(PoiseTasks* tasks, uint64_t* counter) {
    poise__tasks_room(tasks);
    for (int m = 0; m < tasks->motion_count; m++) {
        const int c = tasks->motions[m].column;
        const double unit = poise__draw(counter);
        const double lower = tasks->room_lower[c], upper = tasks->room_upper[c];
        const double most = tasks->motions[m].linear ? 0.0 : POISE_PI;
        const double from = isfinite(lower) ? lower : -most;
        tasks->x[c] = from + unit * ((isfinite(upper) ? upper : most) - from);
    }
    advance(tasks);
}

// Sets the posture of a start: 0 the given one, 1 the body's from there, then the body's or random
// ones.
static void begin_start(PoiseTasks* tasks, const PoiseTasksDef* def, int start) {
    uint64_t counter = def->seed ^ ((uint64_t)start << 32);
    restore_posture(tasks, tasks->given);
    if (start > (tasks->body ? 1 : 0)) {
        look(tasks);
        scatter(tasks, &counter);
    }
    if (start > 0 && tasks->body) {
        search_body(tasks, def->seed + (uint64_t)start);
    }
}

PoiseStatus poise_tasks_solve(PoiseTasks* tasks, const PoiseTasksDef* def,
                              PoiseTasksReport* report) {
    PoiseTasksReport own = {.unmet = -1};
    PoiseTasksDef defaults;
    double costs[2 * POISE_LEVELS];
    PoiseStatus status =
        tasks ? begin(tasks, &def, &defaults, "poise_tasks_solve") : POISE_ERROR_INVALID_ARGUMENT;
    if (status != POISE_OK) {
        return end(status, &own, report);
    }
    if (tasks->tip_count == NO_SLOT && def->starts > 1) {
        make_body(tasks);
    }
    clip_posture(tasks);
    tasks->period = 0.0;
    tasks->step_pairs = 0;
    keep_posture(tasks, tasks->given);
    bool met = false, rests = false;
    for (int s = 0; s < def->starts && !met; s++) {
        begin_start(tasks, def, s);
        const bool at_rest = descend(tasks, def, s == 0, &own.iterations);
        met = all_met(tasks, &own.unmet);
        own.starts++;
        if (s == 0 || met || compare(tasks, costs, GRADIENT_ZERO) < 0) {
            note_costs(tasks, costs);
            keep_posture(tasks, tasks->best);
            rests = at_rest;
        }
    }
    restore_posture(tasks, tasks->best);
    poise__tasks_look(tasks);
    poise_tasks_rest(tasks);
    report_on(tasks, &own, true);
    own.reason = own.reason != POISE_REACH_MET && !rests ? POISE_REACH_BUDGET : own.reason;
    return end(own.status, &own, report);
}
