// SPDX-License-Identifier: MIT
// Points of different priority: each level does what it can in the null space of all that come
// before it. The null space is what is left across an orthonormal basis of their rows, so nothing
// is inverted that may be singular; where a level's own rows become singular in there, its damping,
// which goes with its whole rows and not with what is left of them, keeps its step short.
#include <string.h>

#include "internal.h"

// a row of which the others leave less than this part says nothing new
#define ROW_RELATIVE_ZERO 1e-13

enum { MOST_ROUNDS = 8, PASSES = 2 };

static double dot(const double* a, const double* b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void add_scaled(double* a, double factor, const double* b, int count) {
    for (int i = 0; i < count; i++) {
        a[i] += factor * b[i];
    }
}

static void carve_levels(Levels* levels, Carver* carver, const Layout* layout) {
    const size_t rows = (size_t)layout->row_count;
    const size_t dofs = (size_t)layout->dof_count;
    levels->basis = poise__carve(carver, rows * dofs, sizeof *levels->basis);
    levels->rows = poise__carve(carver, rows * dofs, sizeof *levels->rows);
    levels->normal = poise__carve(carver, rows * rows, sizeof *levels->normal);
    levels->previous = poise__carve(carver, (size_t)layout->goal_count * dofs, sizeof(double));
    levels->before = poise__carve(carver, dofs, sizeof *levels->before);
    levels->rest = poise__carve(carver, rows, sizeof *levels->rest);
}

PoiseStatus poise__levels_make(PoiseTree* tree) {
    Levels* levels = &tree->layout.levels;
    if (levels->valid) {
        return POISE_OK;
    }
    Carver counter = {NULL, 0};
    Levels trial = *levels;
    carve_levels(&trial, &counter, &tree->layout);
    if (counter.used > levels->size) {
        void* memory = poise_host_allocate(&tree->host, counter.used);
        if (!memory) {
            return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY,
                               "no memory for the null space of %d rows", tree->layout.row_count);
        }
        poise_host_release(&tree->host, levels->memory, levels->size);
        levels->memory = memory;
        levels->size = counter.used;
    }
    Carver carver = {levels->memory, 0};
    carve_levels(levels, &carver, &tree->layout);
    for (int i = 0; i < tree->layout.goal_count * tree->layout.dof_count; i++) {
        levels->previous[i] = 0.0;
    }
    memset(levels->gain, 0, sizeof levels->gain);
    levels->valid = true;
    return POISE_OK;
}

// the goal's rows of J over the free dofs, row-major, as they are scaled
static void fill_rows(const Layout* layout, int goal_index, double* rows) {
    const Goal* goal = &layout->goals[goal_index];
    const int n = layout->dof_count;
    for (int i = 0; i < goal->rows * n; i++) {
        rows[i] = 0.0;
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        for (int b = 0; b < column->block_count; b++) {
            const Block* block = &layout->blocks[column->first_block + b];
            const double* j = &layout->jacobian[block->offset];
            for (int d = 0; block->goal == goal_index && d < column->dof; d++, j += goal->rows) {
                const int dof = column->first_dof + d;
                for (int k = 0; k < goal->rows; k++) {
                    rows[k * n + dof] = layout->fixed[dof] ? 0.0 : j[k];
                }
            }
        }
    }
}

// takes off what lies in the basis; twice, which is enough for all digits
static void project(const Layout* layout, double* row) {
    const int n = layout->dof_count;
    for (int pass = 0; pass < PASSES; pass++) {
        for (int q = 0; q < layout->levels.basis_count; q++) {
            const double* axis = &layout->levels.basis[q * n];
            add_scaled(row, -dot(axis, row, n), axis, n);
        }
    }
}

// the rows of all goals of priority `from` up to, not with, `to` go into the basis
static void extend_basis(Layout* layout, int from, int to) {
    Levels* levels = &layout->levels;
    const int n = layout->dof_count;
    for (int g = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        if (goal->priority < from || goal->priority >= to) {
            continue;
        }
        double* rows = levels->rows;
        fill_rows(layout, g, rows);
        for (int k = 0; k < goal->rows; k++, rows += n) {
            const double before = dot(rows, rows, n);
            project(layout, rows);
            const double left = dot(rows, rows, n);
            if (!(left > ROW_RELATIVE_ZERO * ROW_RELATIVE_ZERO * before)) {
                continue;
            }
            double* axis = &levels->basis[levels->basis_count++ * n];
            for (int d = 0; d < n; d++) {
                axis[d] = rows[d] / sqrt(left);
            }
        }
    }
}

// the level's rows of J and what is left of its target, one after the other; returns how many.
// `mean_square` is T of the level.
static int fill_level(Layout* layout, int priority, const double* target, const double* omega,
                      double* mean_square) {
    Levels* levels = &layout->levels;
    const int n = layout->dof_count;
    int count = 0;
    poise__jacobian_times(layout, omega, layout->work);
    for (int g = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        if (goal->priority != priority) {
            continue;
        }
        fill_rows(layout, g, &levels->rows[count * n]);
        for (int k = 0; k < goal->rows; k++) {
            const int row = goal->first_row + k;
            levels->rest[count++] = target[row] - layout->work[row];
        }
    }
    *mean_square = count > 0 ? dot(levels->rows, levels->rows, count * n) / count : 0.0;
    return count;
}

// step = A^T (A A^T + lambda I)^-1 rest with A what the basis leaves of the level's rows
static void solve_level(Layout* layout, int count, double lambda, double* step) {
    Levels* levels = &layout->levels;
    const int n = layout->dof_count;
    for (int r = 0; r < count; r++) {
        project(layout, &levels->rows[r * n]);
        for (int c = 0; c <= r; c++) {
            levels->normal[r * count + c] = dot(&levels->rows[r * n], &levels->rows[c * n], n);
        }
        levels->normal[r * count + r] += lambda;
    }
    poise__factor_solve(levels->normal, count, levels->rest);
    for (int d = 0; d < n; d++) {
        step[d] = 0.0;
    }
    for (int r = 0; r < count; r++) {
        add_scaled(step, levels->rest[r], &levels->rows[r * n], n);
    }
}

// omega += step as far as the ranges let it, 0..1; fixes the dofs that stopped it
static bool step_to_bounds(Layout* layout, const double* step, double* omega) {
    double way = 1.0;
    for (int d = 0; d < layout->dof_count; d++) {
        const double bound = step[d] < 0.0 ? layout->lower[d] : layout->upper[d];
        if (step[d] != 0.0 && fabs(bound - omega[d]) < way * fabs(step[d])) {
            way = (bound - omega[d]) / step[d];
        }
    }
    for (int d = 0; d < layout->dof_count; d++) {
        const double bound = step[d] < 0.0 ? layout->lower[d] : layout->upper[d];
        const bool stops = step[d] != 0.0 && way < 1.0 && (bound - omega[d]) / step[d] <= way;
        omega[d] = stops ? bound
                         : fmin(fmax(omega[d] + way * step[d], layout->lower[d]), layout->upper[d]);
        layout->fixed[d] |= stops;
    }
    return way < 1.0;
}

// one level's part, from the omega of those before it
static void run_level(Layout* layout, int priority, const double* target,
                      const LevelDamping* damping, double gain, double* omega) {
    double mean_square;
    bool stopped = false;
    int rounds = 0;
    do {
        const int count = fill_level(layout, priority, target, omega, &mean_square);
        const double norm = sqrt(dot(layout->levels.rest, layout->levels.rest, count));
        const double rule = damping->eps * mean_square + gain * norm * sqrt(mean_square);
        const double lambda = damping->lambda >= 0.0 ? damping->lambda : rule;
        if (rounds == 0 && priority == layout->levels.first) {
            layout->levels.lambda = lambda;
        }
        solve_level(layout, count, lambda, layout->direction);
        if (!damping->bounded) {
            add_scaled(omega, 1.0, layout->direction, layout->dof_count);
            return;
        }
        stopped = step_to_bounds(layout, layout->direction, omega);
        if (stopped) {
            // fewer dofs: another null space
            layout->levels.basis_count = 0;
            extend_basis(layout, 0, priority);
        }
    } while (stopped && ++rounds < MOST_ROUNDS);
}

static void free_all(Layout* layout) {
    for (int d = 0; d < layout->dof_count; d++) {
        layout->fixed[d] = 0;
    }
}

// the level, and once more with more damping where it turned back on its step before
static void run_damped(Layout* layout, int priority, int level, const double* target,
                       const LevelDamping* damping, double* omega) {
    const int n = layout->dof_count;
    Levels* levels = &layout->levels;
    double* previous = &levels->previous[level * n];
    double gain = damping->adaptive ? fmax(levels->gain[level], damping->floor) : damping->floor;
    memcpy(levels->before, omega, (size_t)n * sizeof *omega);
    for (int tries = 0; tries < 2; tries++) {
        levels->used_gain = level == 0 ? gain : levels->used_gain;
        run_level(layout, priority, target, damping, gain, omega);
        for (int d = 0; d < n; d++) {
            layout->gradient[d] = omega[d] - levels->before[d];
        }
        if (tries > 0 || !damping->adaptive || !poise__turned_back(layout->gradient, previous, n)) {
            gain = tries > 0 ? gain : poise__gain_faded(gain);
            break;
        }
        gain = poise__gain_grown(gain);
        free_all(layout);
        levels->basis_count = 0;
        extend_basis(layout, 0, priority);
        memcpy(omega, levels->before, (size_t)n * sizeof *omega);
    }
    levels->gain[level] = gain;
    memcpy(previous, layout->gradient, (size_t)n * sizeof *previous);
}

int poise__levels_solve(Layout* layout, const double* target, const LevelDamping* damping,
                        double* omega) {
    Levels* levels = &layout->levels;
    levels->basis_count = 0;
    int level = 0, done = 0;
    bool narrowed = false;
    for (int d = 0; d < layout->dof_count; d++) {
        omega[d] = damping->bounded ? fmin(fmax(0.0, layout->lower[d]), layout->upper[d]) : 0.0;
        layout->fixed[d] = damping->bounded ? 0 : layout->fixed[d];
    }
    for (int priority = levels->first; priority <= levels->last; priority++) {
        if (!(levels->present & (1u << priority))) {
            continue;
        }
        // all are free again for the next level: what stood on a bound may come off it
        for (int d = 0; damping->bounded && d < layout->dof_count; d++) {
            narrowed = narrowed || layout->fixed[d];
            layout->fixed[d] = 0;
        }
        levels->basis_count = narrowed ? 0 : levels->basis_count;
        extend_basis(layout, narrowed ? 0 : done, priority);
        narrowed = false;
        done = priority;
        if (damping->bounded) {
            run_damped(layout, priority, level, target, damping, omega);
        } else {
            run_level(layout, priority, target, damping, damping->floor, omega);
        }
        level++;
    }
    for (int d = 0; damping->bounded && d < layout->dof_count; d++) {
        layout->fixed[d] = omega[d] <= layout->lower[d] || omega[d] >= layout->upper[d];
    }
    return level;
}

void poise__levels_finish(PoiseTree* tree) {
    Levels* levels = &tree->layout.levels;
    poise_host_release(&tree->host, levels->memory, levels->size);
    memset(levels, 0, sizeof *levels);
}

// one node's numbers, as poise_node_omega has them, to and from its scaled columns. These may be
// not the numbers themselves but parts along axes: then what lies beside the axes is kept for a
// ball, of which it moves no point, and left out where axes are switched off.
static const double* part_of(const Layout* layout, const Column* column, PoiseNodeKind kind,
                             const double* in, int d) {
    // poise__turn_of takes what it hands back for a change
    double* turn = poise__turn_of(kind, (double*)(uintptr_t)in);
    return layout->linear[column->first_dof + d] || !turn ? in : turn;
}

static void to_columns(const PoiseTree* tree, const Column* column, const double* in, double* x) {
    const Layout* layout = &tree->layout;
    const PoiseNodeKind kind = tree->nodes[column->node].kind;
    const PoiseVec3* axes = &layout->axes[column->first_dof];
    for (int d = 0; d < column->dof; d++) {
        double number = in[d];
        if (!column->direct) {
            const double* part = part_of(layout, column, kind, in, d);
            number = poise_dot(axes[d], poise_vec3(part[0], part[1], part[2]));
        }
        x[column->first_dof + d] = number / column->scale;
    }
}

static void take_change(const PoiseTree* tree, const Column* column, const double* was,
                        const double* change, double* out) {
    const Layout* layout = &tree->layout;
    const PoiseNodeKind kind = tree->nodes[column->node].kind;
    const PoiseVec3* axes = &layout->axes[column->first_dof];
    const bool switched = !column->direct && kind != POISE_NODE_BALL;
    for (int i = 0; switched && i < poise__kind_dof(kind); i++) {
        out[i] = 0.0;
    }
    for (int d = 0; d < column->dof; d++) {
        const int dof = column->first_dof + d;
        const double number = column->scale * (change[dof] + (switched ? was[dof] : 0.0));
        if (column->direct) {
            out[d] += number;
            continue;
        }
        const ptrdiff_t at = part_of(layout, column, kind, out, d) - out;
        out[at] += number * axes[d].x;
        out[at + 1] += number * axes[d].y;
        out[at + 2] += number * axes[d].z;
    }
}

PoiseStatus poise_null_space_project(PoiseTree* tree, const double* in, int count, double* out) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Layout* layout = &tree->layout;
    if (!layout->valid || !layout->filled) {
        return poise__fail(tree, POISE_ERROR_STALE,
                           "poise_null_space_project: no J yet; call poise_solve or "
                           "poise_stage_jacobians after the sets have changed");
    }
    int numbers = 0;
    for (int i = 0; i < layout->column_count; i++) {
        numbers += poise__kind_dof(tree->nodes[layout->columns[i].node].kind);
    }
    if (!in || !out || count != numbers) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_null_space_project: %d numbers given, the nodes that serve a "
                           "point have %d",
                           in && out ? count : 0, numbers);
    }
    PoiseStatus status = poise__levels_make(tree);
    if (status != POISE_OK) {
        return status;
    }
    const double* at = in;
    for (int i = 0; i < layout->column_count; i++) {
        to_columns(tree, &layout->columns[i], at, layout->direction);
        at += poise__kind_dof(tree->nodes[layout->columns[i].node].kind);
    }
    memcpy(layout->gradient, layout->direction, (size_t)layout->dof_count * sizeof(double));
    // the ranges and what they hold are of no concern here
    free_all(layout);
    layout->levels.basis_count = 0;
    extend_basis(layout, 0, POISE_PRIORITIES);
    project(layout, layout->direction);
    add_scaled(layout->direction, -1.0, layout->gradient, layout->dof_count);
    memmove(out, in, (size_t)count * sizeof *out);
    for (int i = 0; i < layout->column_count; i++) {
        take_change(tree, &layout->columns[i], layout->gradient, layout->direction, out);
        out += poise__kind_dof(tree->nodes[layout->columns[i].node].kind);
    }
    return POISE_OK;
}
