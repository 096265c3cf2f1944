// SPDX-License-Identifier: MIT
// Fills the damping of a step. The solvers minimise |J omega - v|^2 plus the sum of lambda_i
// (omega_i - centre_i)^2. All joints of a group of goals have one lambda, which is the gain k times
// the group's |v|. The gain grows when a step reverses the step before. Weighted references
// (reference.c) move centre_i and add to lambda_i.
#include "solve.h"

// A group's gain k is multiplied by GAIN_GROWTH if the cosine between its present and its last step
// is below TURNED_BACK, else by GAIN_FADE.
#define TURNED_BACK (-0.2)
#define GAIN_GROWTH 4.0
#define GAIN_FIRST  0.05
#define GAIN_FADE   0.95
#define GAIN_ZERO   1e-3
#define STEP_ZERO   1e-12
// rad; a group whose error a smaller rotation of its joints could remove counts as at its goals
#define OFF_GOAL 1e-6
// Least lambda as a fraction of trace(J J^T) / rows. It applies where the rows may be only rounding
// errors: after weighted references, and in the null space of earlier levels.
#define LAMBDA_LEAST 1e-12

void poise__damping_even(const Layout* layout, Metric* metric, double lambda) {
    for (int d = 0; d < layout->dof_count; d++) {
        metric->damping[d] = lambda;
    }
    for (int r = 0; r < layout->row_count; r++) {
        metric->row_damping[r] = lambda;
    }
    metric->centred = false;
    metric->weighted = false;
}

/// A run of adjacent columns of one group.
typedef struct Run {
    int group;
    int first; ///< first dof of the columns
    int end;
    int next; ///< index of the first column after the run
} Run;

static inline Run run_of(const Layout* layout, int column) {
    if (layout->group_count == 1) {
        return (Run){0, 0, layout->dof_count, layout->column_count};
    }
    const Column* first = &layout->columns[column];
    const Column* last = first;
    while (++column < layout->column_count && layout->columns[column].group == first->group) {
        last = &layout->columns[column];
    }
    return (Run){first->group, first->first_dof, last->first_dof + last->dof, column};
}

// Fills the centre of a dof. The damping is lambda (omega - start)^2. In the last level a weighted
// reference adds pull (omega - desired)^2. `start` of a later level is the step of the levels
// before. In the first level it is `part` of the desired step, or 0 if the reference is weighted.
static inline void fill_centre(Metric* metric, const Level* level, int dof, double lambda,
                               double part) {
    const double* start = level->before ? level->before : metric->desired;
    metric->centre[dof] = level->before ? start[dof] : part * start[dof];
    if (!metric->weighted) {
        return;
    }
    const double pull = metric->pull[dof], own = level->before ? start[dof] : 0.0;
    const double desired = level->bounded ? metric->desired[dof] : 0.0;
    metric->share[dof] = 1.0;
    if (pull > 0.0 && level->last) {
        const double whole = lambda + pull;
        metric->damping[dof] = whole;
        metric->share[dof] = lambda / whole;
        metric->centre[dof] = lambda / whole * own + pull / whole * desired;
    } else if (pull > 0.0) {
        metric->centre[dof] = own;
    }
}

void poise__damping_rows(const Layout* layout, Metric* metric, const LevelRows* rows) {
    for (int g = 0, row = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        const int end = row + (poise__rows_have(rows, goal) ? goal->rows : 0);
        for (; row < end; row++) {
            metric->row_damping[row] = rows->groups[goal->group].lambda;
        }
    }
}

void poise__damping_spread(const Layout* layout, Metric* metric, const Level* level) {
    const GroupRows* groups = level->rows->groups;
    const bool centred = metric->centred || level->before;
    poise__damping_rows(layout, metric, level->rows);
    Run run;
    for (int i = 0; i < layout->column_count; i = run.next) {
        run = run_of(layout, i);
        const double lambda = groups[run.group].lambda;
        for (int dof = run.first; dof < run.end; dof++) {
            metric->damping[dof] = lambda;
            if (centred) {
                fill_centre(metric, level, dof, lambda, groups[run.group].reference_part);
            }
        }
    }
}

// Fills goal_norm of each group: |v - J omega|, with omega of the earlier levels.
static void fill_norms(const Layout* layout, const Level* level) {
    GroupRows* groups = level->rows->groups;
    for (int i = 0; i < layout->group_count; i++) {
        groups[i].goal_norm = 0.0;
    }
    for (int g = 0, row = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        const int end = row + (poise__rows_have(level->rows, goal) ? goal->rows : 0);
        double square = groups[goal->group].goal_norm;
        for (; row < end; row++) {
            square += level->lacking[row] * level->lacking[row];
        }
        groups[goal->group].goal_norm = square;
    }
    for (int i = 0; i < layout->group_count; i++) {
        groups[i].goal_norm = sqrt(groups[i].goal_norm);
    }
}

// Returns the root mean square of the lengths of a group's rows; 0 without rows.
static double mean_length(const GroupRows* group) {
    return group->rows > 0 ? sqrt(group->square / group->rows) : 0.0;
}

void poise__damping_fill(const Layout* layout, Metric* metric, const Level* level, double eps,
                         const PoiseSolveDef* def) {
    const double mean_square = level->rows->mean_square;
    const bool floored = level->before || (level->last && metric->weighted);
    fill_norms(layout, level);
    for (int i = 0; i < layout->group_count; i++) {
        GroupRows* group = &level->rows->groups[i];
        const double least = eps * mean_square, length = mean_length(group);
        const double pull = least + def->damping_floor * group->goal_norm * length;
        group->lambda = least + group->gain * group->goal_norm * length;
        // If `pull` grew with the gain, the posture where references and goals balance would move.
        group->reference_part = pull < group->lambda ? pull / group->lambda : 1.0;
        if (def->lambda >= 0.0) {
            group->lambda = def->lambda;
            group->reference_part = 1.0;
        }
        if (floored) {
            group->lambda = poise_max(group->lambda, LAMBDA_LEAST * mean_square);
        }
    }
    poise__damping_spread(layout, metric, level);
}

static bool is_step(double square) {
    return square >= STEP_ZERO * STEP_ZERO;
}

const double* poise__comparable(const Layout* layout, const Task* task, const double* omega,
                                double* scratch) {
    if (!layout->coned) {
        return omega;
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const PoiseVec3* axes = &task->axes[column->first_dof];
        const double* in = &omega[column->first_dof];
        double* out = &scratch[column->first_dof];
        for (int d = 0; d < column->dof; d++) {
            out[d] = in[d];
        }
        if (column->cone) {
            poise__cone_turn(axes, in, 1.0, out);
        }
    }
    return scratch;
}

static void add_dots(const double* step, const double* previous, const Run* run, double dots[3]) {
    double ab = dots[0], aa = dots[1], bb = dots[2];
    for (int d = run->first; d < run->end; d++) {
        const double a = step[d], b = previous[d];
        ab += a * b;
        aa += a * a;
        bb += b * b;
    }
    dots[0] = ab;
    dots[1] = aa;
    dots[2] = bb;
}

bool poise__damping_adapt(const Layout* layout, const LevelRows* rows, const double* step) {
    bool any = false;
    for (int i = 0; i < layout->group_count; i++) {
        double* dots = rows->groups[i].dots;
        dots[0] = dots[1] = dots[2] = 0.0;
    }
    Run run;
    for (int i = 0; i < layout->column_count; i = run.next) {
        run = run_of(layout, i);
        add_dots(step, rows->previous, &run, rows->groups[run.group].dots);
    }
    for (int i = 0; i < layout->group_count; i++) {
        GroupRows* group = &rows->groups[i];
        const bool back = is_step(group->dots[1]) && is_step(group->dots[2]) &&
                          group->dots[0] / sqrt(group->dots[1] * group->dots[2]) < TURNED_BACK;
        // A group that rests without meeting its goals keeps its gain: a smaller gain could start
        // its motion again.
        const bool rests =
            !is_step(group->dots[1]) && group->goal_norm > OFF_GOAL * mean_length(group);
        if (back) {
            const double grown = poise_max(GAIN_GROWTH * group->gain, GAIN_FIRST);
            group->kept_gain = group->gain = poise_min(grown, POISE_GAIN_MOST);
        } else if (!rests) {
            const double faded = GAIN_FADE * group->gain;
            group->kept_gain = faded < GAIN_ZERO ? 0.0 : faded;
        }
        any = any || back;
    }
    return any;
}
