// SPDX-License-Identifier: MIT
// Creates, checks and changes tasks, and lays out their columns, rows and levels.
#include <string.h>

#include "task.h"

#define DEFAULT_TOLERANCE 1e-6
#define DEFAULT_DT        0.01
#define DEFAULT_ANGLE     0.7853981633974483
#define RIGHT_ANGLE       1.5707963267948966
enum { DEFAULT_ITERATIONS = 200, DEFAULT_STARTS = 16 };

PoiseTaskDef poise_default_task_def(PoiseTaskKind kind) {
    const bool measure = kind == POISE_TASK_MANIPULABILITY;
    PoiseTaskDef def = {.cookie = COOKIE_TASK,
                        .kind = kind,
                        .normal = {0.0, 0.0, 1.0},
                        .angle = DEFAULT_ANGLE,
                        .lower = measure ? HUGE_VAL : 0.0,
                        .upper = measure ? HUGE_VAL : 0.0,
                        .weights = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0},
                        .weight = 1.0,
                        .gain = 1.0,
                        .tolerance = DEFAULT_TOLERANCE,
                        .angle_tolerance = DEFAULT_TOLERANCE};
    return def;
}

PoiseTasksDef poise_default_tasks_def(void) {
    return (PoiseTasksDef){.cookie = COOKIE_TASKS,
                           .dt = DEFAULT_DT,
                           .iterations = DEFAULT_ITERATIONS,
                           .starts = DEFAULT_STARTS};
}

PoiseTasks* poise_tasks_create(PoiseTree* tree) {
    PoiseTasks* tasks = tree ? poise_host_allocate(&tree->host, sizeof *tasks) : NULL;
    if (tasks) {
        memset(tasks, 0, sizeof *tasks);
        tasks->tree = tree;
        tasks->host = tree->host;
        tasks->is_still = poise__chain_is_rigid;
    }
    return tasks;
}

static void finish_arrays(const PoiseHost* host, Item* item) {
    poise_host_release(host, item->posture, (size_t)item->posture_count * sizeof(double));
    poise_host_release(host, item->node_weights, (size_t)item->node_count * sizeof(double));
    item->posture = NULL;
    item->node_weights = NULL;
}

void poise_tasks_destroy(PoiseTasks* tasks) {
    if (!tasks) {
        return;
    }
    const PoiseHost host = tasks->host;
    for (int i = 0; i < tasks->count; i++) {
        finish_arrays(&host, &tasks->items[i]);
    }
    const Array items = {&tasks->items, sizeof *tasks->items};
    poise__arrays_finish(&host, &items, 1, &tasks->capacity);
    poise__tasks_body_destroy(tasks);
    poise_host_release(&host, tasks->memory, tasks->size);
    poise_host_release(&host, tasks, sizeof *tasks);
}

int poise_tasks_count(const PoiseTasks* tasks) {
    return tasks ? tasks->count : 0;
}

// ---------------------------------------------------------------------------------------- checking

static bool has_nodes(PoiseTaskKind kind) {
    return kind == POISE_TASK_POSTURE || kind == POISE_TASK_DAMPING;
}

static bool is_region(PoiseTaskKind kind) {
    return kind == POISE_TASK_HALF_SPACE || kind == POISE_TASK_CONE;
}

static int posture_size(const PoiseTree* tree) {
    int size = 0;
    for (int i = 0; i < tree->node_count; i++) {
        size += poise__joint_type(&tree->nodes[tree->order[i]].joint)->nq;
    }
    return size;
}

static const char* nodes_problem(const PoiseTree* tree, const PoiseTaskDef* def) {
    for (int i = 0; def->node_weights && i < tree->node_count; i++) {
        if (!(def->node_weights[i] >= 0.0) || isinf(def->node_weights[i])) {
            return "node_weights must be finite and at least 0";
        }
    }
    const double* q = def->posture;
    for (int i = 0; q && i < tree->node_count; i++) {
        const PoiseJointType* type = poise__joint_type(&tree->nodes[tree->order[i]].joint);
        const char* wrong = poise__coordinates_problem(type, q, type->nq);
        if (wrong) {
            return wrong;
        }
        q += type->nq;
    }
    return NULL;
}

static const char* numbers_problem(const PoiseTaskDef* def) {
    const bool ends = def->kind == POISE_TASK_DISTANCE || def->kind == POISE_TASK_MANIPULABILITY;
    if (!(def->weight > 0.0) || isinf(def->weight)) {
        return "weight must be above 0 and finite";
    }
    for (int k = 0; k < TASK_MOST_ROWS; k++) {
        if (!(def->weights[k] >= 0.0) || isinf(def->weights[k])) {
            return "weights must be finite and at least 0";
        }
    }
    if (def->priority < 0 || def->priority >= POISE_PRIORITIES) {
        return "priority must be 0 to 15";
    }
    if (!(def->gain > 0.0 && def->gain <= 1.0)) {
        return "gain must be above 0 and at most 1";
    }
    if (!(def->tolerance > 0.0) || !(def->angle_tolerance > 0.0)) {
        return "tolerance and angle_tolerance must be above 0";
    }
    if (ends && !(def->lower >= 0.0 && def->lower <= def->upper)) {
        return "lower must be at least 0 and at most upper";
    }
    if (def->kind == POISE_TASK_DISTANCE && isinf(def->lower)) {
        return "lower must be finite";
    }
    if (is_region(def->kind) && !isfinite(def->upper)) {
        return "upper must be finite";
    }
    if (is_region(def->kind) && !poise__is_direction(def->normal)) {
        return "normal must be finite and not 0";
    }
    if (!(def->angle > 0.0 && def->angle <= RIGHT_ANGLE)) {
        return "angle must be above 0 and at most pi / 2";
    }
    return poise_is_finite3(def->apex) ? NULL : "apex must be finite";
}

// True if a task of this kind can use the point.
static bool is_usable(const Point* point, PoiseTaskKind kind) {
    return kind == POISE_TASK_POINT ||
           (point->frame == NO_SLOT && poise__point_has_position(point) &&
            (kind != POISE_TASK_MANIPULABILITY || point->kind != POISE_POINT_COM));
}

static PoiseStatus check(PoiseTree* tree, const PoiseTaskDef* def, const char* call) {
    if (!def || def->cookie != COOKIE_TASK || def->kind < POISE_TASK_POINT ||
        def->kind > POISE_TASK_CONE) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "%s: the def was not made by poise_default_task_def()", call);
    }
    const char* wrong = numbers_problem(def);
    wrong = !wrong && has_nodes(def->kind) ? nodes_problem(tree, def) : wrong;
    if (wrong) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "%s: %s", call, wrong);
    }
    const int points = has_nodes(def->kind) ? 0 : 1 + (def->kind == POISE_TASK_DISTANCE);
    for (int k = 0; k < points; k++) {
        const Point* point = poise__point_or_fail(tree, k == 0 ? def->point : def->other, call);
        if (!point) {
            return POISE_ERROR_INVALID_HANDLE;
        }
        if (!is_usable(point, def->kind)) {
            return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                               "%s: the point has a frame, or no position that the task can use",
                               call);
        }
    }
    return POISE_OK;
}

// ------------------------------------------------------------------------ adding and setting

static bool copy_numbers(const PoiseHost* host, const double* from, int count, double** to) {
    *to = NULL;
    if (!from || count == 0) {
        return true;
    }
    *to = poise_host_allocate(host, (size_t)count * sizeof **to);
    if (*to) {
        memcpy(*to, from, (size_t)count * sizeof **to);
    }
    return *to != NULL;
}

// Copies the present posture to the item's reference.
static bool keep_posture(const PoiseTree* tree, Item* item) {
    item->posture =
        item->posture_count == 0
            ? NULL
            : poise_host_allocate(&tree->host, (size_t)item->posture_count * sizeof(double));
    double* q = item->posture;
    for (int i = 0; q && i < tree->node_count; i++) {
        const Joint* joint = &tree->nodes[tree->order[i]].joint;
        memcpy(q, joint->q, (size_t)poise__joint_type(joint)->nq * sizeof *q);
        q += poise__joint_type(joint)->nq;
    }
    return q || item->posture_count == 0;
}

static PoiseStatus make_item(const PoiseTasks* tasks, const PoiseTaskDef* def, Item* item,
                             const char* call) {
    PoiseTree* tree = tasks->tree;
    const PoiseStatus status = check(tree, def, call);
    if (status != POISE_OK) {
        return status;
    }
    memset(item, 0, sizeof *item);
    item->def = *def;
    item->def.posture = NULL;
    item->def.node_weights = NULL;
    if (is_region(def->kind)) {
        const double length = poise_length(def->normal);
        item->def.normal = poise_scale(1.0 / length, def->normal);
        item->def.upper = def->kind == POISE_TASK_CONE ? def->upper : def->upper / length;
        item->def.lower = -HUGE_VAL;
    }
    bool made = true;
    if (has_nodes(def->kind)) {
        item->node_count = def->node_weights ? tree->node_count : 0;
        item->posture_count = def->kind == POISE_TASK_POSTURE ? posture_size(tree) : 0;
        made = copy_numbers(&tasks->host, def->node_weights, item->node_count, &item->node_weights);
        made = made && (def->posture ? copy_numbers(&tasks->host, def->posture, item->posture_count,
                                                    &item->posture)
                                     : keep_posture(tree, item));
    }
    if (!made) {
        finish_arrays(&tasks->host, item);
        return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY, "%s: no memory", call);
    }
    return POISE_OK;
}

static bool reserve(PoiseTasks* tasks, int count) {
    const Array items = {&tasks->items, sizeof *tasks->items};
    return poise__arrays_grow(&tasks->host, &items, 1, &tasks->capacity, count);
}

int poise_tasks_add(PoiseTasks* tasks, const PoiseTaskDef* def) {
    Item item;
    if (!tasks) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const PoiseStatus status = make_item(tasks, def, &item, "poise_tasks_add");
    if (status != POISE_OK) {
        return status;
    }
    if (!reserve(tasks, tasks->count + 1)) {
        finish_arrays(&tasks->host, &item);
        return poise__fail(tasks->tree, POISE_ERROR_OUT_OF_MEMORY, "poise_tasks_add: no memory");
    }
    tasks->items[tasks->count++] = item;
    tasks->laid_out = false;
    return tasks->count - 1;
}

// True if replacing the def `from` by `to` keeps the layout of rows and levels.
static bool has_same_layout(const PoiseTaskDef* from, const PoiseTaskDef* to) {
    bool same = from->priority == to->priority && from->point.index1 == to->point.index1 &&
                from->point.generation == to->point.generation &&
                from->other.index1 == to->other.index1 &&
                from->other.generation == to->other.generation &&
                poise__task_is_interval(from) == poise__task_is_interval(to);
    for (int k = 0; k < TASK_MOST_ROWS; k++) {
        same = same && (from->weights[k] > 0.0) == (to->weights[k] > 0.0);
    }
    return same;
}

PoiseStatus poise_tasks_set(PoiseTasks* tasks, int index, const PoiseTaskDef* def) {
    Item item;
    if (!tasks) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (index < 0 || index >= tasks->count || (def && def->kind != tasks->items[index].def.kind)) {
        return poise__fail(tasks->tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_tasks_set: there is no task %d, or it is of another kind", index);
    }
    const PoiseStatus status = make_item(tasks, def, &item, "poise_tasks_set");
    if (status != POISE_OK) {
        return status;
    }
    Item* own = &tasks->items[index];
    tasks->laid_out = tasks->laid_out && has_same_layout(&own->def, &item.def);
    item.mask = own->mask;
    item.movers = own->movers;
    item.mover_count = own->mover_count;
    item.rows = own->rows;
    item.first_row = own->first_row;
    finish_arrays(&tasks->host, own);
    *own = item;
    return POISE_OK;
}

// -------------------------------------------------------------------------------------- the layout

bool poise__task_is_interval(const PoiseTaskDef* def) {
    return is_region(def->kind) || (def->kind == POISE_TASK_DISTANCE && def->lower < def->upper);
}

// Returns the point's rows that the task uses, as bits of PoiseRows.
static unsigned mask_of(const PoiseTree* tree, const PoiseTaskDef* def) {
    const Point* point = poise__point(tree, def->point);
    unsigned mask = 0;
    for (int k = 0; k < TASK_MOST_ROWS; k++) {
        const bool has =
            k < 3 ? poise__point_has_position(point) : poise__point_has_orientation(point);
        mask |= has && def->weights[k] > 0.0 ? point->rows & 1u << k : 0u;
    }
    return mask;
}

static void count_rows(const PoiseTree* tree, Item* item) {
    item->mask = item->def.kind == POISE_TASK_POINT ? mask_of(tree, &item->def) : 0;
    item->rows = has_nodes(item->def.kind) ? 0 : 1;
    if (item->def.kind == POISE_TASK_POINT) {
        item->rows = 0;
        for (int k = 0; k < TASK_MOST_ROWS; k++) {
            item->rows += (int)(item->mask >> k & 1u);
        }
    }
}

// Appends an item for each closed loop of the tree.
static PoiseStatus gather_closures(PoiseTasks* tasks) {
    PoiseTree* tree = tasks->tree;
    tasks->closure_count = 0;
    for (int i = 0; i < tree->point_count; i++) {
        const Point* point = &tree->points[tree->point_order[i]];
        if (point->priority != POISE_PRIORITY_CLOSURE || !point->enabled ||
            (tasks->registered && poise__point_is_idle(tree, point))) {
            continue;
        }
        if (!reserve(tasks, tasks->count + tasks->closure_count + 1)) {
            return POISE_ERROR_OUT_OF_MEMORY;
        }
        Item* item = &tasks->items[tasks->count + tasks->closure_count++];
        memset(item, 0, sizeof *item);
        item->def = poise_default_task_def(POISE_TASK_POINT);
        item->def.point = poise__point_id(tree, tree->point_order[i]);
        item->def.priority = POISE_PRIORITY_CLOSURE;
    }
    return POISE_OK;
}

// Counts the motions if `motions` is NULL, else writes them.
static void lay_motions(PoiseTasks* tasks, Motion* motions) {
    const PoiseTree* tree = tasks->tree;
    tasks->motion_count = 0;
    tasks->column_count = 0;
    for (int i = 0; i < tree->node_count; i++) {
        const int slot = tree->order[i];
        const Node* node = &tree->nodes[slot];
        const Tie* tie = poise__tie(tree, slot);
        if (!node->enabled || tasks->is_still(tree, slot)) {
            continue;
        }
        const bool follows = tie && tie->leader != slot;
        const int dof = poise__joint_dof(&node->joint);
        for (int d = 0; d < dof; d++) {
            if (motions) {
                motions[tasks->motion_count] =
                    (Motion){.slot = slot,
                             .column = follows ? NO_SLOT : tasks->column_count,
                             .dof = dof,
                             .direct = poise__joint_is_direct(&node->joint),
                             .leads = !follows,
                             .linear = poise__joint_type(&node->joint)->linear & 1,
                             .tied = tie != NULL,
                             .ratio = tie ? tie->ratio : 1.0};
            }
            tasks->motion_count++;
            tasks->column_count += !follows;
        }
    }
    for (int m = 0; motions && m < tasks->motion_count; m++) {
        for (int k = 0; motions[m].column == NO_SLOT && k < tasks->motion_count; k++) {
            if (motions[k].slot == poise__leader(tree, motions[m].slot)) {
                motions[m].column = motions[k].column;
            }
        }
    }
}

static bool is_registered(const PoiseTree* tree, const Point* point, int slot) {
    for (int n = 0; n < point->node_count; n++) {
        if (poise__point_nodes(tree, point)[n] == slot) {
            return true;
        }
    }
    return false;
}

// Fills the movers of points, and the biases by column.
static void lay_movers(PoiseTasks* tasks) {
    const PoiseTree* tree = tasks->tree;
    for (int m = 0; m < tasks->motion_count; m++) {
        const Motion* motion = &tasks->motions[m];
        const double scale = tree->nodes[poise__leader(tree, motion->slot)].scale;
        tasks->bias[motion->column] = tasks->registered ? 1.0 / (scale * scale) : 1.0;
    }
    for (int i = 0; i < tasks->count + tasks->closure_count; i++) {
        Item* item = &tasks->items[i];
        const Point* point = poise__point(tree, item->def.point);
        item->mover_count = 0;
        for (int m = 0; item->mask != 0 && m < tasks->motion_count; m++) {
            const int slot = tasks->motions[m].slot;
            const int sign = poise__point_sign(tree, slot, point);
            if (sign != 0 && (!tasks->registered || is_registered(tree, point, slot))) {
                item->movers[item->mover_count++] = (Mover){m, sign};
            }
        }
    }
}

// True if the column can be other than 0 in the item's rows.
static bool has_column(const PoiseTasks* tasks, const Item* item, int column) {
    bool has = item->mask == 0;
    for (int m = 0; !has && m < item->mover_count; m++) {
        has = tasks->motions[item->movers[m].motion].column == column;
    }
    return has;
}

static bool is_of_level(const TaskLevel* level, const Item* item) {
    return item->rows > 0 && item->def.priority == level->priority &&
           poise__task_is_interval(&item->def) == level->interval;
}

// True if both columns can be other than 0 in the same items of the level.
static bool have_same_items(const PoiseTasks* tasks, const TaskLevel* level, int a, int b) {
    bool same = true;
    for (int i = 0; same && i < tasks->count + tasks->closure_count; i++) {
        const Item* item = &tasks->items[i];
        same =
            !is_of_level(level, item) || has_column(tasks, item, a) == has_column(tasks, item, b);
    }
    return same;
}

// Adds a block for an item in the columns c to end - 1, or adds its rows to the last block.
static void add_block(PoiseTasks* tasks, TaskLevel* level, const Item* item, int c, int end) {
    PoiseBlock* next = &tasks->blocks[level->first_block + level->block_count];
    const int row = item->first_row - level->first_row;
    if (level->block_count > 0 && next[-1].first_column == c &&
        next[-1].first_row + next[-1].rows == row) {
        next[-1].rows += item->rows;
    } else {
        const int offset = c * tasks->row_count + item->first_row;
        *next = (PoiseBlock){row, item->rows, c, end - c, offset, tasks->row_count};
        level->block_count++;
    }
}

// Makes the blocks of a level; adjacent columns with the same items share blocks.
static void lay_blocks(PoiseTasks* tasks, TaskLevel* level) {
    for (int c = 0, end = 0; c < tasks->column_count; c = end) {
        for (end = c + 1; end < tasks->column_count && have_same_items(tasks, level, c, end);) {
            end++;
        }
        for (int i = 0; i < tasks->count + tasks->closure_count; i++) {
            const Item* item = &tasks->items[i];
            if (is_of_level(level, item) && has_column(tasks, item, c)) {
                add_block(tasks, level, item, c, end);
            }
        }
    }
}

// Fills the spans of a level's rows. Rows with a common column have the same span, which includes
// the rows between them.
static void lay_spans(const PoiseTasks* tasks, const TaskLevel* level) {
    PoiseRowSpan* spans = &tasks->spans[level->first_row];
    for (int r = 0; r < level->rows; r++) {
        spans[r] = (PoiseRowSpan){r, r + 1};
    }
    for (int b = 0, end = 0; b < level->block_count; b = end) {
        const PoiseBlock* block = &tasks->blocks[level->first_block + b];
        PoiseRowSpan whole = {level->rows, 0};
        for (end = b;
             end < level->block_count && block[end - b].first_column == block->first_column;
             end++) {
            const int first = block[end - b].first_row;
            const PoiseRowSpan last = spans[first + block[end - b].rows - 1];
            whole.first = spans[first].first < whole.first ? spans[first].first : whole.first;
            whole.end = last.end > whole.end ? last.end : whole.end;
        }
        for (int r = whole.first; r < whole.end; r++) {
            spans[r] = whole;
        }
    }
}

// Appends the level of near pairs (collision avoidance).
static void lay_apart(PoiseTasks* tasks, TaskLevel* levels) {
    if (levels) {
        levels[tasks->level_count] = (TaskLevel){
            .priority = POISE_PRIORITY_CLOSURE, .interval = true, .first_row = tasks->row_count};
    }
    tasks->apart_level = tasks->level_count++;
    tasks->row_count += tasks->near_most;
}

// Counts the levels and their rows if `levels` is NULL, else writes them.
static void lay_levels(PoiseTasks* tasks, TaskLevel* levels) {
    const int count = tasks->count + tasks->closure_count;
    tasks->level_count = 0;
    tasks->row_count = 0;
    tasks->apart_level = NO_SLOT;
    for (int priority = POISE_PRIORITY_CLOSURE; priority < POISE_PRIORITIES; priority++) {
        for (int others = 0; others < 2; others++) {
            const int first_row = tasks->row_count;
            bool some = false;
            for (int i = 0; i < count; i++) {
                Item* item = &tasks->items[i];
                if (item->def.priority != priority ||
                    poise__task_is_interval(&item->def) == (others == 1)) {
                    continue;
                }
                some = true;
                item->first_row = tasks->row_count;
                tasks->row_count += item->rows;
            }
            if (some && levels) {
                levels[tasks->level_count] = (TaskLevel){.priority = priority,
                                                         .interval = others == 0,
                                                         .first_row = first_row,
                                                         .rows = tasks->row_count - first_row};
            }
            tasks->level_count += some;
        }
        // collision avoidance comes directly after closures
        if (priority == POISE_PRIORITY_CLOSURE && tasks->apart) {
            lay_apart(tasks, levels);
        }
    }
}

static void carve(PoiseTasks* tasks, Carver* carver) {
    const size_t n = (size_t)tasks->column_count;
    // a level with second derivatives has as many rows as columns
    const size_t curved = n <= TASK_MOST_CURVED ? n : 0;
    const size_t own_rows = (size_t)tasks->row_count + 1;
    const size_t rows = own_rows > curved ? own_rows : curved;
    const size_t nodes = (size_t)tasks->tree->node_count;
    const size_t stride = (size_t)poise_basis_stride((int)n);
    const size_t row_stride = (size_t)poise_basis_stride((int)rows);
    const PoiseQpSize size = {(int)rows, (int)n, (int)rows, false, false};
    double** const by_column[] = {&tasks->lower,      &tasks->upper,    &tasks->room_lower,
                                  &tasks->room_upper, &tasks->speed,    &tasks->remaining,
                                  &tasks->x,          &tasks->centre,   &tasks->damping,
                                  &tasks->share,      &tasks->gradient, &tasks->bias};
    double** const by_row[] = {&tasks->error,  &tasks->target,           &tasks->row_damping,
                               &tasks->margin, &tasks->constraint_lower, &tasks->constraint_upper,
                               &tasks->gap_end};
    double** const matrices[] = {&tasks->jacobian, &tasks->constraints};
    double** const postures[] = {&tasks->kept, &tasks->given, &tasks->best, &tasks->tried};
    const size_t bytes = poise_qp_work_place(&tasks->work, &size, NULL);
    void* work = poise__carve(carver, bytes / sizeof(double) + 1, sizeof(double));
    poise_qp_work_place(&tasks->work, &size, work);
    for (size_t i = 0; i < sizeof by_column / sizeof *by_column; i++) {
        *by_column[i] = poise__carve(carver, n, sizeof(double));
    }
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++) {
        *by_row[i] = poise__carve(carver, rows, sizeof(double));
    }
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        *matrices[i] = poise__carve(carver, rows * n, sizeof(double));
    }
    for (size_t i = 0; i < sizeof postures / sizeof *postures; i++) {
        *postures[i] = poise__carve(carver, nodes * POISE_MAX_NQ, sizeof(double));
    }
    tasks->level_jacobian = poise__carve(carver, row_stride * n, sizeof(double));
    tasks->hessian = poise__carve(carver, curved * curved, sizeof(double));
    tasks->ground.basis.stride = (int)stride;
    tasks->ground.basis.axes = poise__carve(carver, n * stride, sizeof(double));
    tasks->ground.basis.parts = poise__carve(carver, stride, sizeof(double));
    tasks->ground.kept = poise__carve(carver, stride, sizeof(double));
    tasks->ground.normal = poise__carve(carver, rows * rows, sizeof(double));
    tasks->parts = poise__carve(carver, rows * stride, sizeof(double));
    tasks->basis_scratch = poise__carve(carver, 3 * row_stride + n, sizeof(double));
    tasks->scratch = poise__carve(carver, 2 * n * TASK_MOST_ROWS, sizeof(double));
    tasks->motions = poise__carve(carver, (size_t)tasks->motion_count, sizeof *tasks->motions);
    tasks->levels = poise__carve(carver, (size_t)tasks->level_count, sizeof *tasks->levels);
    tasks->blocks = poise__carve(carver, n * (size_t)(tasks->count + tasks->closure_count),
                                 sizeof *tasks->blocks);
    tasks->spans = poise__carve(carver, rows, sizeof *tasks->spans);
    tasks->held = poise__carve(carver, n, sizeof *tasks->held);
    tasks->limit = poise__carve(carver, n, sizeof *tasks->limit);
    tasks->active = poise__carve(carver, rows, sizeof *tasks->active);
    tasks->inside = poise__carve(carver, rows, sizeof *tasks->inside);
    tasks->pairs = poise__carve(carver, rows, sizeof *tasks->pairs);
    tasks->binds = poise__carve(carver, rows, sizeof *tasks->binds);
    for (int i = 0; i < tasks->count + tasks->closure_count; i++) {
        Item* item = &tasks->items[i];
        item->movers = poise__carve(carver, (size_t)tasks->motion_count, sizeof *item->movers);
    }
}

// Returns POISE_OK if the points and nodes of all tasks still exist.
static PoiseStatus check_items(const PoiseTasks* tasks) {
    PoiseTree* tree = tasks->tree;
    for (int i = 0; i < tasks->count; i++) {
        const Item* item = &tasks->items[i];
        const bool other = item->def.kind == POISE_TASK_DISTANCE;
        const bool points = !has_nodes(item->def.kind);
        const bool nodes = (!item->node_weights || item->node_count == tree->node_count) &&
                           (!item->posture || item->posture_count == posture_size(tree));
        if ((points && !poise__point(tree, item->def.point)) ||
            (other && !poise__point(tree, item->def.other)) || !nodes) {
            return poise__fail(tree, POISE_ERROR_INVALID_HANDLE,
                               "task %d: its point is gone, or the tree has other nodes", i);
        }
    }
    return POISE_OK;
}

PoiseStatus poise__tasks_lay_out(PoiseTasks* tasks) {
    PoiseTree* tree = tasks->tree;
    PoiseApart* apart = poise__apart_of_tree(tree);
    const int near_most = apart ? apart->source.most_rows : 0;
    if (tasks->laid_out && tasks->revision == tree->revision && tasks->apart == apart &&
        tasks->near_most == near_most) {
        return POISE_OK;
    }
    PoiseStatus status = check_items(tasks);
    status = status == POISE_OK ? gather_closures(tasks) : status;
    if (status != POISE_OK) {
        return status;
    }
    tasks->has_centre = false;
    for (int i = 0; i < tasks->count + tasks->closure_count; i++) {
        Item* item = &tasks->items[i];
        count_rows(tree, item);
        const Point* const points[2] = {poise__point(tree, item->def.point),
                                        poise__point(tree, item->def.other)};
        for (int k = 0; k < 2; k++) {
            tasks->has_centre =
                tasks->has_centre || (points[k] && points[k]->kind == POISE_POINT_COM);
        }
    }
    tasks->apart = apart;
    tasks->near_most = near_most;
    tasks->shortfall = 0.0;
    lay_motions(tasks, NULL);
    lay_levels(tasks, NULL);
    Carver counter = {NULL, 0};
    carve(tasks, &counter);
    tasks->laid_out = false;
    if (counter.used > tasks->size) {
        void* memory = poise_host_allocate(&tasks->host, counter.used);
        if (!memory) {
            return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY,
                               "no memory for the rows of the tasks");
        }
        poise_host_release(&tasks->host, tasks->memory, tasks->size);
        tasks->memory = memory;
        tasks->size = counter.used;
    }
    memset(tasks->memory, 0, tasks->size);
    Carver carver = {tasks->memory, 0};
    carve(tasks, &carver);
    lay_motions(tasks, tasks->motions);
    lay_levels(tasks, tasks->levels);
    lay_movers(tasks);
    for (int l = 0, used = 0; l < tasks->level_count; l++) {
        if (!tasks->levels[l].interval) {
            tasks->levels[l].first_block = used;
            lay_blocks(tasks, &tasks->levels[l]);
            lay_spans(tasks, &tasks->levels[l]);
            used += tasks->levels[l].block_count;
        }
    }
    tasks->revision = tree->revision;
    tasks->laid_out = true;
    return POISE_OK;
}

int poise_tasks_columns(PoiseTasks* tasks) {
    return tasks && poise__tasks_lay_out(tasks) == POISE_OK ? tasks->column_count : 0;
}

// ---------------------------------------------------------------------------------------- postures

int poise_tasks_posture_size(const PoiseTasks* tasks) {
    return tasks ? posture_size(tasks->tree) : 0;
}

PoiseStatus poise_tasks_posture(const PoiseTasks* tasks, double* out) {
    if (!tasks || !out) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    for (int i = 0; i < tasks->tree->node_count; i++) {
        const Joint* joint = &tasks->tree->nodes[tasks->tree->order[i]].joint;
        const size_t count = (size_t)poise__joint_type(joint)->nq;
        memcpy(out, joint->q, count * sizeof *out);
        out += count;
    }
    return POISE_OK;
}

PoiseStatus poise_tasks_set_posture(PoiseTasks* tasks, const double* posture) {
    if (!tasks || !posture) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseTree* tree = tasks->tree;
    const PoiseTaskDef probe = {.posture = posture};
    const char* wrong = nodes_problem(tree, &probe);
    if (wrong) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "poise_tasks_set_posture: %s",
                           wrong);
    }
    for (int i = 0; i < tree->node_count; i++) {
        Joint* joint = &tree->nodes[tree->order[i]].joint;
        poise__coordinates_set(poise__joint_type(joint), joint->q, posture);
        posture += poise__joint_type(joint)->nq;
    }
    poise__make_stale(tree);
    return POISE_OK;
}
