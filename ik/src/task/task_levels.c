// SPDX-License-Identifier: MIT
// The step of all tasks, one level after another. Each level is a quadratic program inside the
// bounds. The rows of earlier levels keep the change that these gave them; intervals that hold stay
// constraints.
#include <string.h>

#include "task.h"

// part of the mean square of a level's rows that counts as error, so that damping shortens a step
// of levels without error
#define LAMBDA_PART 1e-10
// damping of a level whose rows are all 0
#define LAMBDA_LEAST 1e-18
// a column with at most this room begins on its bound, rad or m
#define NO_ROOM 1e-9
// a smaller pivot of the second derivatives, as a part of their mean, counts as 0
#define PIVOT_LEAST 1e-12
// part of the accelerations of all joints on which the braking of a pair counts
#define BRAKE_PART 0.5

void poise__tasks_room(PoiseTasks* tasks) {
    for (int m = 0; m < tasks->motion_count; m += tasks->motions[m].dof) {
        const Motion* motion = &tasks->motions[m];
        double lower[POISE_MAX_AXES], upper[POISE_MAX_AXES];
        const int count = poise__joint_room(&tasks->tree->nodes[motion->slot].joint, lower, upper);
        for (int d = 0; d < motion->dof && motion->leads; d++) {
            tasks->room_lower[motion->column + d] = d < count ? lower[d] : -HUGE_VAL;
            tasks->room_upper[motion->column + d] = d < count ? upper[d] : HUGE_VAL;
        }
    }
}

// Returns the largest speed from which a joint stops within `room`, if it loses at most
// `acceleration` dt in each period. The path of n + 1 periods is dt ((n + 1) v - n (n + 1) a dt /
// 2).
static double stopping_speed(double room, double acceleration, double dt) {
    const double unit = acceleration * dt * dt;
    const double n = floor(0.5 * (sqrt(1.0 + 8.0 * poise_max(room, 0.0) / unit) - 1.0));
    return isfinite(n) ? poise_max(room, 0.0) / ((n + 1.0) * dt) + 0.5 * acceleration * dt * n
                       : HUGE_VAL;
}

// Bounds the step of a period by the speed and the acceleration of the node, so that the joint can
// stop where the tasks, without accelerations, would bring it.
static void bound_period(PoiseTasks* tasks, int column, double speed, double acceleration,
                         double dt) {
    double lower = poise_max(tasks->lower[column], -speed * dt);
    double upper = poise_min(tasks->upper[column], speed * dt);
    if (acceleration < HUGE_VAL) {
        const double was = tasks->speed[column];
        const double ahead = poise_min(tasks->room_upper[column], tasks->remaining[column]);
        const double behind = poise_min(-tasks->room_lower[column], -tasks->remaining[column]);
        const double fast = stopping_speed(ahead, acceleration, dt);
        const double back = stopping_speed(behind, acceleration, dt);
        lower = poise_max(lower, dt * poise_max(was - acceleration * dt, -back));
        upper = poise_min(upper, dt * poise_min(was + acceleration * dt, fast));
        // The joint is too fast for its bounds, for example after a change of its range: it slows
        // down as fast as the acceleration allows.
        if (lower > upper) {
            const double nearest = was > 0.0 ? was - acceleration * dt : was + acceleration * dt;
            lower = upper =
                poise_min(poise_max(dt * nearest, tasks->lower[column]), tasks->upper[column]);
        }
    }
    tasks->lower[column] = lower;
    tasks->upper[column] = upper;
}

static double acceleration_of(const PoiseTasks* tasks, const PoiseTasksDef* def, int slot) {
    int i = 0;
    while (tasks->tree->order[i] != slot) {
        i++;
    }
    return def->acceleration ? def->acceleration[i] : HUGE_VAL;
}

void poise__tasks_bounds(PoiseTasks* tasks, const PoiseTasksDef* def) {
    const PoiseTree* tree = tasks->tree;
    poise__tasks_room(tasks);
    for (int c = 0; c < tasks->column_count; c++) {
        const double most = def || tasks->apart ? POISE_FOLLOW_STEP : HUGE_VAL;
        tasks->lower[c] = poise_max(poise_min(tasks->room_lower[c], 0.0), -most);
        tasks->upper[c] = poise_min(poise_max(tasks->room_upper[c], 0.0), most);
    }
    for (int m = 0; def && m < tasks->motion_count; m++) {
        const Motion* motion = &tasks->motions[m];
        const Node* node = &tree->nodes[motion->slot];
        if (motion->leads) {
            const double acceleration = acceleration_of(tasks, def, motion->slot);
            const bool leaves = node->max_speed < HUGE_VAL || acceleration < HUGE_VAL;
            if (leaves) {
                bound_period(tasks, motion->column, node->max_speed, acceleration, def->dt);
            }
        }
    }
}

void poise__tasks_brake(PoiseTasks* tasks, const PoiseTasksDef* def) {
    const TaskLevel* level = tasks->apart ? &tasks->levels[tasks->apart_level] : NULL;
    for (int k = 0; level && def->acceleration && k < level->rows; k++) {
        const int row = level->first_row + k;
        double acceleration = 0.0;
        for (int m = 0; m < tasks->motion_count; m++) {
            const Motion* motion = &tasks->motions[m];
            const double part = fabs(tasks->jacobian[motion->column * tasks->row_count + row]);
            if (motion->leads && part > 0.0) {
                acceleration += part * acceleration_of(tasks, def, motion->slot);
            }
        }
        const double speed =
            stopping_speed(-tasks->gap_end[row], BRAKE_PART * acceleration, def->dt);
        if (acceleration > 0.0 && tasks->gap_end[row] < 0.0) {
            tasks->gap_end[row] = poise_max(tasks->gap_end[row], -speed * def->dt);
        }
    }
}

/// The results that earlier levels have fixed: constraints, and columns of postures.
typedef struct Fixed {
    int constraints;
    bool gains;
} Fixed;

static Item* item_of_row(const PoiseTasks* tasks, int row) {
    for (int i = 0; i < tasks->count + tasks->closure_count; i++) {
        Item* item = &tasks->items[i];
        if (row >= item->first_row && row < item->first_row + item->rows) {
            return item;
        }
    }
    return NULL;
}

// Adds a constraint lower <= row x <= upper.
static void constrain(PoiseTasks* tasks, Fixed* fixed, int row, double lower, double upper) {
    double* out = &tasks->constraints[fixed->constraints * tasks->column_count];
    for (int c = 0; c < tasks->column_count; c++) {
        out[c] = tasks->jacobian[c * tasks->row_count + row];
    }
    tasks->constraint_lower[fixed->constraints] = lower;
    tasks->constraint_upper[fixed->constraints++] = upper;
}

// Writes the ends of an interval relative to the present value, times sqrt(weight). A row without
// an item is that of a near pair.
static void ends_of(const PoiseTasks* tasks, int row, double* lower, double* upper) {
    const Item* item = item_of_row(tasks, row);
    if (!item) {
        *lower = tasks->gap_end[row];
        *upper = HUGE_VAL;
        return;
    }
    const double scale = sqrt(item->def.weight);
    *lower = scale * (item->def.lower - item->reading.value);
    *upper = scale * (item->def.upper - item->reading.value);
}

// Copies row `row` as row `to` of the problem.
static void take_row(PoiseTasks* tasks, int row, int to, double target) {
    const int stride = poise_basis_stride(tasks->row_count + 1);
    tasks->target[to] = target;
    for (int c = 0; c < tasks->column_count; c++) {
        tasks->level_jacobian[c * stride + to] = tasks->jacobian[c * tasks->row_count + row];
    }
}

// Fills the rows of an interval's problem, and adds the intervals that hold as constraints. Returns
// the number of rows, at least 1.
static int fill_rows(PoiseTasks* tasks, const TaskLevel* level, Fixed* fixed) {
    int rows = 0;
    for (int r = level->first_row; r < level->first_row + level->rows; r++) {
        const Item* item = item_of_row(tasks, r);
        const double gain = fixed->gains && item ? item->def.gain : 1.0;
        double lower, upper;
        ends_of(tasks, r, &lower, &upper);
        const double at = poise__tasks_row_times(tasks, r, tasks->x);
        // a place on the surface may be outside by rounding
        const bool held = lower <= TASK_GAP_ROUNDING && upper >= -TASK_GAP_ROUNDING;
        if (held && lower + tasks->margin[r] <= upper - tasks->margin[r]) {
            // shrink the interval by the margin, so that the step leads back inside
            lower += tasks->margin[r];
            upper -= tasks->margin[r];
        }
        tasks->inside[r] =
            held && at >= lower - TASK_GAP_ROUNDING && at <= upper + TASK_GAP_ROUNDING;
        if (tasks->inside[r]) {
            constrain(tasks, fixed, r, poise_min(lower, at), poise_max(upper, at));
        } else {
            const bool below = (lower > 0.0 && !held) || at < lower;
            const double end = below ? lower : upper;
            take_row(tasks, r, rows++, held ? end : gain * end);
        }
    }
    if (rows == 0) {
        take_row(tasks, 0, 0, 0.0);
        for (int c = 0; c < tasks->column_count; c++) {
            tasks->level_jacobian[c * poise_basis_stride(tasks->row_count + 1)] = 0.0;
        }
    }
    return rows > 0 ? rows : 1;
}

// Fills the targets of the level's problem. Returns its matrix: rows of J as they are, or those of
// an interval in the block `dense`.
static PoiseMatrix matrix_of(PoiseTasks* tasks, const TaskLevel* level, Fixed* fixed,
                             PoiseBlock* dense) {
    const int n = tasks->column_count;
    if (level->interval || level->rows == 0) {
        const int rows = fill_rows(tasks, level, fixed);
        *dense = (PoiseBlock){0, rows, 0, n, 0, poise_basis_stride(tasks->row_count + 1)};
        return (PoiseMatrix){rows, n, 1, dense, tasks->level_jacobian};
    }
    for (int r = 0; r < level->rows; r++) {
        tasks->target[r] = tasks->error[level->first_row + r];
    }
    for (int i = 0; fixed->gains && i < tasks->count; i++) {
        const Item* item = &tasks->items[i];
        const int first = item->first_row - level->first_row;
        for (int r = first; r >= 0 && r < first + item->rows && r < level->rows; r++) {
            tasks->target[r] *= item->def.gain;
        }
    }
    return (PoiseMatrix){level->rows, n, level->block_count, &tasks->blocks[level->first_block],
                         tasks->jacobian};
}

// Keeps later levels from changing the rows of an interval that is not reached: a row on one side
// stays where it is or comes nearer.
static void fix_interval(PoiseTasks* tasks, const TaskLevel* level, Fixed* fixed) {
    for (int r = level->first_row; r < level->first_row + level->rows; r++) {
        const double at = poise__tasks_row_times(tasks, r, tasks->x);
        double lower, upper;
        ends_of(tasks, r, &lower, &upper);
        lower += tasks->margin[r];
        upper -= tasks->margin[r];
        if (!tasks->inside[r]) {
            constrain(tasks, fixed, r, poise_min(lower, at), poise_max(upper, at));
        }
    }
}

// Adds the rows, and what the step changes along their axes, to the ground of later levels. A row
// that is rounding alone adds no axis, nor one that the others imply: it would take freedom from
// later levels.
static void fix_rows(PoiseTasks* tasks, const TaskLevel* level, const PoiseMatrix* j) {
    const PoiseAddedRows rows = poise__level_rows(
        level->priority, level->rows, poise_basis_stride(level->rows), tasks->level_jacobian);
    poise__matrix_by_column(j, rows.numbers, rows.stride);
    poise_basis_add_rows(&tasks->ground.basis, &rows, tasks->parts, tasks->basis_scratch);
    poise_basis_parts(&tasks->ground.basis, tasks->x, tasks->ground.kept);
}

// Fixes the change of the level's rows for the levels after it, and the columns of its postures.
static void fix_level(PoiseTasks* tasks, const TaskLevel* level, const PoiseMatrix* j,
                      Fixed* fixed) {
    if (level->interval) {
        fix_interval(tasks, level, fixed);
    } else if (level->rows > 0) {
        fix_rows(tasks, level, j);
    }
    for (int i = 0; i < tasks->count; i++) {
        const Item* item = &tasks->items[i];
        const bool own = item->def.kind == POISE_TASK_POSTURE ||
                         (item->def.kind == POISE_TASK_DAMPING && fixed->gains);
        for (int c = 0; own && item->def.priority == level->priority && !level->interval &&
                        c < tasks->column_count;
             c++) {
            if (poise__task_column_weight(tasks, item, c) > 0.0) {
                tasks->lower[c] = tasks->upper[c] = tasks->x[c];
            }
        }
    }
}

// Fills centre and damping of the columns: lambda, postures and damping of the level. True if all
// columns have lambda alone.
static bool fill_damping(PoiseTasks* tasks, const TaskLevel* level, int rows, double lambda,
                         bool gains) {
    const int n = tasks->column_count;
    bool even = true;
    for (int c = 0; c < n; c++) {
        tasks->damping[c] = lambda * tasks->bias[c];
        tasks->centre[c] = 0.0;
    }
    for (int i = 0; i < tasks->count; i++) {
        const Item* item = &tasks->items[i];
        const bool posture = item->def.kind == POISE_TASK_POSTURE;
        if (item->def.priority != level->priority || level->interval ||
            !(posture || (item->def.kind == POISE_TASK_DAMPING && gains))) {
            continue;
        }
        if (posture) {
            poise__task_difference(tasks, item, tasks->gradient);
        }
        for (int c = 0; c < n; c++) {
            const double weight = item->def.weight * poise__task_column_weight(tasks, item, c);
            const double gain = gains ? item->def.gain : 1.0;
            tasks->damping[c] += weight;
            tasks->centre[c] += posture ? weight * gain * tasks->gradient[c] : 0.0;
        }
    }
    double least = HUGE_VAL;
    for (int c = 0; c < n; c++) {
        tasks->centre[c] /= tasks->damping[c];
        least = poise_min(least, tasks->damping[c]);
    }
    for (int c = 0; c < n; c++) {
        tasks->share[c] = least / tasks->damping[c];
        even = even && tasks->share[c] == 1.0 && tasks->centre[c] == 0.0;
    }
    for (int r = 0; r < rows; r++) {
        tasks->row_damping[r] = least;
    }
    return even;
}

// Returns lambda of a level: its postures count too, so that damping shortens their steps.
static double lambda_of(const PoiseTasks* tasks, const TaskLevel* level, const PoiseMatrix* j,
                        double damping) {
    double square = 0.0, error = 0.0;
    for (int i = 0; i < tasks->count && !level->interval; i++) {
        const Item* item = &tasks->items[i];
        if (item->def.priority == level->priority && item->def.kind == POISE_TASK_POSTURE) {
            error += item->cost;
            square += item->def.weight * j->rows;
        }
    }
    for (int r = 0; r < j->rows; r++) {
        error += 0.5 * tasks->target[r] * tasks->target[r];
    }
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        for (int c = 0; c < block->columns; c++) {
            const double* column = &j->values[block->offset + c * block->stride];
            for (int r = 0; r < block->rows; r++) {
                square += column[r] * column[r];
            }
        }
    }
    return damping * (error + LAMBDA_PART * square / j->rows) + LAMBDA_LEAST;
}

// Fills the ground's part of the level's problem.
static void fill_ground(PoiseTasks* tasks, const PoiseMatrix* j) {
    PoiseQpGround* ground = &tasks->ground;
    memset(tasks->held, 0, (size_t)tasks->column_count * sizeof *tasks->held);
    poise__matrix_parts(j, tasks->held, &ground->basis, tasks->parts);
    poise__matrix_normal(j, NULL, tasks->held, ground->normal);
    ground->square = 0.0;
    for (int r = 0; r < j->rows; r++) {
        ground->square += ground->normal[r * (j->rows + 1)];
    }
    poise_basis_subtract_products(&ground->basis, tasks->parts, j->rows, ground->normal);
}

// Replaces the rows of a level by those of its quadratic model with second derivatives: U^T U =
// J^T J + S + lambda, U^T t = J^T v. Columns on a bound are left out of S. The problem adds its own
// lambda, without which the rows depend on each other once columns are held. False if the matrix is
// not positive definite; the rows are then as before.
static bool add_curvature(PoiseTasks* tasks, const TaskLevel* level, double lambda,
                          PoiseBlock* dense, PoiseMatrix* j) {
    const int n = tasks->column_count;
    const PoiseCholesky shape = {.rows = n, .stride = n, .zero = PIVOT_LEAST};
    double* h = tasks->hessian;
    memset(h, 0, (size_t)n * (size_t)n * sizeof *h);
    for (int i = 0; i < tasks->count; i++) {
        const Item* item = &tasks->items[i];
        if (item->def.kind == POISE_TASK_POINT && item->def.priority == level->priority) {
            poise__task_curvature(tasks, item, h);
        }
    }
    for (int a = 0; a < n; a++) {
        const bool stays = tasks->x[a] == tasks->lower[a] || tasks->x[a] == tasks->upper[a];
        for (int b = 0; stays && b < n; b++) {
            h[a <= b ? a * n + b : b * n + a] = 0.0;
        }
    }
    for (int a = 0; a < n; a++) {
        const double* row = &tasks->jacobian[a * tasks->row_count + level->first_row];
        for (int b = a; b < n; b++) {
            const double* column = &tasks->jacobian[b * tasks->row_count + level->first_row];
            for (int r = 0; r < level->rows; r++) {
                h[a * n + b] += row[r] * column[r];
            }
        }
        h[a * (n + 1)] += lambda * tasks->bias[a];
    }
    poise_cholesky_factor(&shape, h);
    for (int a = 0; a < n; a++) {
        if (!(h[a * (n + 1)] > 0.0)) {
            return false;
        }
    }
    double* pull = tasks->gradient;
    poise_matrix_transpose_times(j, tasks->target, pull);
    for (int a = 0; a < n; a++) {
        for (int k = 0; k < a; k++) {
            pull[a] -= h[k * n + a] * tasks->target[k];
            // the block is read by column
            h[a * n + k] = h[k * n + a];
            h[k * n + a] = 0.0;
        }
        tasks->target[a] = pull[a] * h[a * (n + 1)];
        h[a * (n + 1)] = 1.0 / h[a * (n + 1)];
    }
    *dense = (PoiseBlock){0, n, 0, n, 0, n};
    *j = (PoiseMatrix){n, n, 1, dense, h};
    return true;
}

// Adds the least-squares step of one level, and fixes what it gave for the levels after it, unless
// it is the last.
static void run_level(PoiseTasks* tasks, const TaskLevel* level, Fixed* fixed, double damping,
                      bool last) {
    const int n = tasks->column_count;
    PoiseBlock dense;
    const PoiseMatrix own = matrix_of(tasks, level, fixed, &dense);
    PoiseMatrix j = own;
    const bool grounded = tasks->ground.basis.count > 0;
    const double lambda = lambda_of(tasks, level, &j, damping);
    const bool curved = tasks->curved && !grounded && !level->interval && level->rows > 0 &&
                        n <= TASK_MOST_CURVED && add_curvature(tasks, level, lambda, &dense, &j);
    const bool even = fill_damping(tasks, level, j.rows, lambda, fixed->gains);
    if (grounded) {
        fill_ground(tasks, &j);
    }
    const PoiseQp qp = {.j = j,
                        .target = tasks->target,
                        .row_damping = tasks->row_damping,
                        .damping = tasks->damping,
                        .share = even ? NULL : tasks->share,
                        .centre = even ? NULL : tasks->centre,
                        .lower = tasks->lower,
                        .upper = tasks->upper,
                        .spans = level->interval || curved ? NULL : &tasks->spans[level->first_row],
                        .constraint_count = fixed->constraints,
                        .constraints = tasks->constraints,
                        .constraint_lower = tasks->constraint_lower,
                        .constraint_upper = tasks->constraint_upper,
                        .ground = grounded ? &tasks->ground : NULL};
    PoiseQpState state = {
        .x = tasks->x, .held = tasks->held, .active = tasks->active, .guess = true};
    for (int c = 0; c < n; c++) {
        tasks->held[c] = tasks->x[c] == tasks->lower[c] || tasks->x[c] == tasks->upper[c];
    }
    memset(tasks->active, 0, (size_t)tasks->row_count + 1);
    double* before = tasks->gradient;
    memcpy(before, tasks->x, (size_t)n * sizeof *before);
    const PoiseQpEnd end = poise_qp_solve(&qp, &tasks->work, &state);
    double sum = 0.0;
    for (int c = 0; c < n; c++) {
        sum += tasks->x[c];
    }
    if (end == POISE_QP_INFEASIBLE || !isfinite(sum)) {
        memcpy(tasks->x, before, (size_t)n * sizeof *before);
    }
    if (!last) {
        fix_level(tasks, level, &own, fixed);
    }
}

void poise__tasks_run(PoiseTasks* tasks, int levels, double damping, bool gains) {
    Fixed fixed = {0, gains};
    tasks->ground.basis.columns = tasks->column_count;
    tasks->ground.basis.count = 0;
    for (int c = 0; c < tasks->column_count; c++) {
        const double lower = tasks->lower[c], upper = tasks->upper[c];
        tasks->x[c] = lower >= -NO_ROOM  ? lower
                      : upper <= NO_ROOM ? upper
                                         : poise_min(poise_max(0.0, lower), upper);
    }
    for (int l = 0; l < levels && tasks->column_count > 0; l++) {
        run_level(tasks, &tasks->levels[l], &fixed, damping, l == levels - 1);
    }
    tasks->shift = 0.0;
    for (int c = 0; c < tasks->column_count; c++) {
        tasks->shift = poise_max(tasks->shift, fabs(tasks->x[c]));
    }
}
