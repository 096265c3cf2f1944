// SPDX-License-Identifier: MIT
// One level of priority: the best step inside the ranges that leaves all levels before it as they
// are, |J omega - v|^2 + lambda |omega - where it began|^2 over the level's rows. Active set:
// joints are held on their bounds one after the other while a step of the rest would leave the
// ranges, and let go when that lowers the cost. Every omega on the way is inside and leaves the
// levels before alone, so it may end anywhere.
#include "internal.h"

// a dof that moves by less than this part of the farthest, or of |v| / |J|, does not stop the step:
// where nothing is left to move all of it is rounding
#define STILL 1e-12
// a pull below this part of |J| |v| does not take a joint off its bound
#define PULL_RELATIVE_ZERO 1e-10
// a pivot below this part of the mean diagonal is a row that the others imply
#define PIVOT_RELATIVE_ZERO 1e-15
// lambda is at least this part of T: what the levels before leave of the rows may be rounding
#define LAMBDA_LEAST 1e-12

// a dof of whose square the basis holds all but this part has nothing of its own
#define DEPENDENT 1e-8

enum { ROUNDS_A_DOF = 4, SPARE_ROUNDS = 10, RELEASES_TOGETHER = 2 };

static double dot(const double* a, const double* b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// the level's rows and what is left of their target; sums each group's squares of both
static int fill_level(Layout* layout, const Level* level, const double* omega) {
    Levels* levels = &layout->levels;
    const int count = poise__level_rows(layout, level->priority, levels->row_of);
    poise__jacobian_times(layout, omega, layout->work);
    for (int r = 0; r < count; r++) {
        levels->rest[r] = level->target[levels->row_of[r]] - layout->work[levels->row_of[r]];
    }
    return count;
}

// lambda of each group by the level's rows in it: eps T + k |v| sqrt(T)
static void damp(Layout* layout, const Level* level, const LevelDamping* damping,
                 const double* omega) {
    Levels* levels = &layout->levels;
    const int n = layout->dof_count;
    const int count = fill_level(layout, level, omega);
    const double trace = dot(levels->rows, levels->rows, count * n);
    for (int i = 0; i < layout->group_count; i++) {
        double square = 0.0, rest2 = 0.0;
        int rows = 0;
        for (int g = 0, r = 0; g < layout->goal_count; g++) {
            const Goal* goal = &layout->goals[g];
            for (int k = 0; goal->priority == level->priority && k < goal->rows; k++, r++) {
                if (goal->group == i) {
                    square += dot(&levels->rows[r * n], &levels->rows[r * n], n);
                    rest2 += levels->rest[r] * levels->rest[r];
                    rows++;
                }
            }
        }
        const double mean_square = rows > 0 ? square / rows : 0.0;
        const double rule = damping->eps * trace / count + level->gain * sqrt(rest2 * mean_square);
        // a velocity is damped as the step was: what the levels before leave of the rows may be so
        // little that hardly any damping would let it run
        double* used = &levels->damped[level->index * layout->goal_count + i];
        layout->groups[i].lambda = !damping->bounded
                                       ? *used
                                       : poise_max(damping->lambda >= 0.0 ? damping->lambda : rule,
                                                   LAMBDA_LEAST * trace / count);
        *used = layout->groups[i].lambda;
    }
}

// what the damping draws to, and the metric in which lambda is the same for all dofs
static void aim_damping(Layout* layout, const Level* level, bool bounded, const double* omega) {
    const bool weighted = level->last && layout->weighted;
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const double lambda = layout->groups[column->group].lambda;
        for (int dof = column->first_dof; dof < column->first_dof + column->dof; dof++) {
            const double pull = weighted ? layout->pull[dof] : 0.0;
            const double wish = bounded && pull > 0.0 ? layout->wish[dof] : 0.0;
            const double whole = lambda + pull;
            layout->levels.metric[dof] = pull > 0.0 ? sqrt(lambda / whole) : 1.0;
            layout->levels.centre[dof] =
                pull > 0.0 ? (lambda * omega[dof] + pull * wish) / whole : omega[dof];
        }
    }
}

// the way from omega to the least cost over the loose dofs, as omega is scaled: P g + A^T (A A^T +
// lambda I)^-1 (rest - A g), with g the way to the centre and A the rows, both as the basis leaves
// them
static void find_step(Layout* layout, const Level* level, const double* omega, double* step) {
    Levels* levels = &layout->levels;
    const int n = layout->dof_count;
    const int count = fill_level(layout, level, omega);
    for (int d = 0; d < n; d++) {
        step[d] = levels->loose[d] * (levels->centre[d] - omega[d]) / levels->metric[d];
    }
    poise_basis_project(&levels->basis, step, NULL);
    for (int r = 0; r < count; r++) {
        double* row = &levels->rows[r * n];
        poise_basis_project(&levels->basis, row, NULL);
        for (int d = 0; d < n; d++) {
            row[d] *= levels->loose[d];
        }
        levels->rest[r] -= dot(row, step, n);
        for (int c = 0; c <= r; c++) {
            levels->normal[r * count + c] = dot(row, &levels->rows[c * n], n);
        }
    }
    for (int g = 0, r = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        for (int k = 0; goal->priority == level->priority && k < goal->rows; k++, r++) {
            levels->normal[r * count + r] += layout->groups[goal->group].lambda;
        }
    }
    const PoiseCholesky shape = {count, count, NULL, NULL, PIVOT_RELATIVE_ZERO};
    poise_cholesky_factor(&shape, levels->normal);
    poise_cholesky_solve(&shape, levels->normal, levels->rest);
    for (int r = 0; r < count; r++) {
        for (int d = 0; d < n; d++) {
            step[d] += levels->rest[r] * levels->rows[r * n + d];
        }
    }
    for (int d = 0; d < n; d++) {
        step[d] *= levels->loose[d] * levels->metric[d];
    }
}

// omega += step as far as the ranges let it. Returns the dof that stopped it, or NO_SLOT
static int step_to_bounds(const Layout* layout, const double* step, double typical, double* omega) {
    double way = 1.0, largest = typical;
    int stops = NO_SLOT;
    for (int d = 0; d < layout->dof_count; d++) {
        largest = poise_max(largest, fabs(step[d]));
    }
    for (int d = 0; d < layout->dof_count; d++) {
        const double bound = step[d] < 0.0 ? layout->lower[d] : layout->upper[d];
        const double room = fabs(bound - omega[d]);
        const bool leaves = fabs(step[d]) > STILL * largest && room < way * fabs(step[d]);
        // of those that are met at once the fastest: its row is the farthest from the others'
        const bool faster = stops != NO_SLOT && way == 0.0 && room == 0.0 &&
                            fabs(step[d]) > fabs(step[stops]) && fabs(step[d]) > STILL * largest;
        if (leaves || faster) {
            way = room / fabs(step[d]);
            stops = d;
        }
    }
    for (int d = 0; d < layout->dof_count; d++) {
        omega[d] =
            poise_min(poise_max(omega[d] + way * step[d], layout->lower[d]), layout->upper[d]);
    }
    if (stops != NO_SLOT) {
        omega[stops] = step[stops] < 0.0 ? layout->lower[stops] : layout->upper[stops];
    }
    return stops;
}

// the slope of the cost along each dof, down; along the held ones as the loose ones follow them in
// the null space
static void find_pulls(Layout* layout, const Level* level, const double* omega, double* pull) {
    const Levels* levels = &layout->levels;
    poise__jacobian_times(layout, omega, layout->work);
    for (int g = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        for (int r = goal->first_row; r < goal->first_row + goal->rows; r++) {
            layout->work[r] =
                goal->priority == level->priority ? level->target[r] - layout->work[r] : 0.0;
        }
    }
    poise__jacobian_transpose_times(layout, layout->work, pull);
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const double lambda = layout->groups[column->group].lambda;
        for (int dof = column->first_dof; dof < column->first_dof + column->dof; dof++) {
            const double metric = levels->metric[dof];
            pull[dof] = metric * pull[dof] + lambda * (levels->centre[dof] - omega[dof]) / metric;
        }
    }
    poise_basis_project(&levels->basis, pull, NULL);
}

// lets go of the joints that would leave their bound inward; of the one that pulls most, or of all
static bool release(Layout* layout, const double* omega, const double* pull, double zero,
                    bool all) {
    double largest = zero;
    int most = NO_SLOT;
    bool any = false;
    for (int d = 0; d < layout->dof_count; d++) {
        const bool inward = (pull[d] > zero && omega[d] < layout->upper[d]) ||
                            (pull[d] < -zero && omega[d] > layout->lower[d]);
        if (layout->levels.loose[d] != 0.0 || !inward) {
            continue;
        }
        any = true;
        if (all) {
            layout->levels.loose[d] = 1.0;
        } else if (fabs(pull[d]) > largest) {
            largest = fabs(pull[d]);
            most = d;
        }
    }
    if (most != NO_SLOT) {
        layout->levels.loose[most] = 1.0;
    }
    return any;
}

static void rebuild(Layout* layout, const Level* level) {
    layout->levels.basis.count = 0;
    poise__basis_extend(layout, 0, level->priority);
}

// holds a dof where it is, unless the levels before leave it nothing of its own to give: then
// false
static bool hold(Layout* layout, int dof) {
    if (!poise_basis_leave_out(&layout->levels.basis, dof, DEPENDENT, layout->start)) {
        return false;
    }
    layout->levels.loose[dof] = 0.0;
    return true;
}

// the joints that stood on a bound at the end of this level a step ago and stand there now are held
// from the start
static void hold_as_before(Layout* layout, const Level* level, const double* omega) {
    const unsigned char* held = &layout->levels.held[level->index * layout->dof_count];
    for (int d = 0; d < layout->dof_count; d++) {
        if (held[d] && (omega[d] <= layout->lower[d] || omega[d] >= layout->upper[d])) {
            (void)hold(layout, d);
        }
    }
}

// the dof that stopped a step, and the others that stand on a bound and would have left it outward
static void hold_stopped(Layout* layout, const Level* level, int stops, const double* step,
                         const double* omega) {
    double* loose = layout->levels.loose;
    if (!hold(layout, stops)) {
        loose[stops] = 0.0;
        rebuild(layout, level);
    }
    for (int d = 0; d < layout->dof_count; d++) {
        const double bound = step[d] < 0.0 ? layout->lower[d] : layout->upper[d];
        if (loose[d] != 0.0 && step[d] != 0.0 && omega[d] == bound) {
            (void)hold(layout, d);
        }
    }
}

static void run_bounded(Layout* layout, const Level* level, double* omega) {
    const int n = layout->dof_count;
    double* loose = layout->levels.loose;
    const double v2 = dot(level->target, level->target, layout->row_count);
    const double zero = PULL_RELATIVE_ZERO * sqrt(v2 * layout->mean_square);
    const double typical = layout->mean_square > 0.0 ? sqrt(v2 / layout->mean_square) : 0.0;
    int releases = 0;
    const bool spent_before = layout->levels.spent;
    layout->levels.spent = true;
    hold_as_before(layout, level, omega);
    for (int round = 0; round < ROUNDS_A_DOF * n + SPARE_ROUNDS; round++) {
        find_step(layout, level, omega, layout->direction);
        const int stops = step_to_bounds(layout, layout->direction, typical, omega);
        if (stops != NO_SLOT) {
            hold_stopped(layout, level, stops, layout->direction, omega);
        } else {
            bool any_held = false;
            for (int d = 0; d < n; d++) {
                any_held = any_held || loose[d] == 0.0;
            }
            if (!any_held) {
                layout->levels.spent = spent_before;
                break;
            }
            find_pulls(layout, level, omega, layout->direction);
            if (!release(layout, omega, layout->direction, zero, releases < RELEASES_TOGETHER)) {
                layout->levels.spent = spent_before;
                break;
            }
            releases++;
            rebuild(layout, level);
        }
    }
    for (int d = 0; d < n; d++) {
        layout->levels.held[level->index * n + d] = loose[d] == 0.0;
    }
}

void poise__level_run(Layout* layout, const Level* level, const LevelDamping* damping,
                      double* omega) {
    Levels* levels = &layout->levels;
    const int n = layout->dof_count;
    for (int d = 0; d < n; d++) {
        levels->metric[d] = 1.0;
        levels->loose[d] = damping->bounded || !layout->fixed[d] ? 1.0 : 0.0;
    }
    damp(layout, level, damping, omega);
    aim_damping(layout, level, damping->bounded, omega);
    rebuild(layout, level);
    if (damping->bounded) {
        run_bounded(layout, level, omega);
        return;
    }
    find_step(layout, level, omega, layout->direction);
    for (int d = 0; d < n; d++) {
        omega[d] += layout->direction[d];
    }
}
