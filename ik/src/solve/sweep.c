// SPDX-License-Identifier: MIT
// The paper's block Gauss-Seidel (eqs. 17 and 23), on the residual r = v - J omega. Each dof in
// turn, root first, moves to remove its part of r. A sweep takes one pass over J. The iterates
// equal those of stages.c, which uses gamma.
#include "solve.h"

// a dof with alpha below this fraction of the largest alpha cannot move its points
#define ALPHA_RELATIVE_ZERO 1e-12
// a residual below this fraction of |v| counts as 0
#define RESIDUAL_RELATIVE_ZERO 1e-14

// Eq. 18: fills work.gradient with alpha by dof and returns the largest alpha.
static double fill_alpha(const Layout* layout, const Task* task, const Answer* answer) {
    double largest = 0.0;
    poise__matrix_squares(&task->matrix, answer->work.gradient);
    for (int d = 0; d < layout->dof_count; d++) {
        largest = poise_max(largest, answer->work.gradient[d]);
    }
    return largest;
}

/// The data that all sweeps of a solve read and write.
typedef struct Sweep {
    const PoiseMatrix* j;
    double* residual;
    double* omega;
    const double* inverse; ///< by dof: 1 / (alpha + lambda), 0 for a dof that does not move
    const double* damping;
    const double* centre; ///< by dof; NULL if all are 0
    const double* lower;  ///< by dof; NULL without bounds
    const double* upper;
    bool balls; ///< J is one block of balls, without centre and bounds
} Sweep;

// True if a dof must not move: it moves no point and no weighted reference pulls it, or velocities
// are computed and it is stopped.
static bool stays(const Metric* metric, const Answer* answer, int dof, double smallest_alpha,
                  bool bounded) {
    const bool pulled = bounded && metric->weighted && metric->pull[dof] > 0.0;
    return (answer->work.gradient[dof] <= smallest_alpha && !pulled) ||
           (!bounded && answer->stopped[dof]);
}

// Eq. 23 for one dof, damped toward the centre and clamped to the bounds. `sum` is J_i^T r. Returns
// the change of omega.
static inline double take_step(const Sweep* sweep, int dof, double sum) {
    const double omega = sweep->omega[dof];
    const double off = sweep->centre ? omega - sweep->centre[dof] : omega;
    double change = (sum - sweep->damping[dof] * off) * sweep->inverse[dof];
    if (sweep->lower) {
        const double to = omega + change;
        const double next = poise_min(poise_max(to, sweep->lower[dof]), sweep->upper[dof]);
        change = next == to ? change : next - omega;
    }
    sweep->omega[dof] = omega + change;
    return change;
}

// Sweeps dofs that all move the same single goal. The constants `rows` and `plain` (true: no
// centre, no bounds) let the compiler keep r in registers. An update without `plain` takes 4 % more
// instructions in springhead_planar and 7 % more in springhead_large_y.
static inline void sweep_chain(const Sweep* sweep, const PoiseBlock* block, const int rows,
                               const bool plain) {
    const double* restrict j = &sweep->j->values[block->offset];
    const double* restrict damping = &sweep->damping[block->first_column];
    const double* restrict inverse = &sweep->inverse[block->first_column];
    double* restrict omega = &sweep->omega[block->first_column];
    double* residual = &sweep->residual[block->first_row];
    double r[6];
    for (int k = 0; k < rows; k++) {
        r[k] = residual[k];
    }
    const int count = block->columns;
    for (int d = 0; d < count; d++, j += rows) {
        double sum = j[0] * r[0];
        for (int k = 1; k < rows; k++) {
            sum += j[k] * r[k];
        }
        double change = (sum - damping[d] * omega[d]) * inverse[d];
        if (plain) {
            omega[d] += change;
        } else {
            change = take_step(sweep, block->first_column + d, sum);
        }
        for (int k = 0; k < rows; k++) {
            r[k] -= change * j[k];
        }
    }
    for (int k = 0; k < rows; k++) {
        residual[k] = r[k];
    }
}

// True if all columns of a block are those of balls: e x r for the world's three axes e.
static bool is_of_balls(const PoiseMatrix* j, const PoiseBlock* block) {
    bool are = block->rows == 3 && block->columns % 3 == 0;
    const double* a = &j->values[block->offset];
    for (int i = 0; are && i < block->columns; i += 3, a += 9) {
        are = a[0] == 0.0 && a[4] == 0.0 && a[8] == 0.0 && a[1] == -a[3] && a[5] == -a[7] &&
              a[6] == -a[2];
    }
    return are;
}

/// A dof of a ball during a sweep.
typedef struct Turn {
    double damping;
    double inverse;
    double* omega;
} Turn;

static inline double turn_by(const Turn turn, double sum) {
    const double change = (sum - turn.damping * *turn.omega) * turn.inverse;
    *turn.omega += change;
    return change;
}

// Sweeps a block of balls without centre and bounds. Skips the zero in each column e x r.
static void sweep_balls(const Sweep* sweep, const PoiseBlock* block) {
    const double* restrict j = &sweep->j->values[block->offset];
    const double* restrict damping = &sweep->damping[block->first_column];
    const double* restrict inverse = &sweep->inverse[block->first_column];
    double* restrict omega = &sweep->omega[block->first_column];
    double* residual = &sweep->residual[block->first_row];
    double rx = residual[0], ry = residual[1], rz = residual[2];
    for (int d = 0; d < block->columns; d += 3, j += 9) {
        const double x = j[7], y = j[2], z = j[3];
        const double about_x = turn_by((Turn){damping[d], inverse[d], &omega[d]}, y * rz - z * ry);
        ry += about_x * z;
        rz -= about_x * y;
        const double about_y =
            turn_by((Turn){damping[d + 1], inverse[d + 1], &omega[d + 1]}, z * rx - x * rz);
        rx -= about_y * z;
        rz += about_y * x;
        const double about_z =
            turn_by((Turn){damping[d + 2], inverse[d + 2], &omega[d + 2]}, x * ry - y * rx);
        rx += about_z * y;
        ry -= about_z * x;
    }
    residual[0] = rx;
    residual[1] = ry;
    residual[2] = rz;
}

// Sweeps dofs that move several goals.
static void sweep_blocks(const Sweep* sweep, const PoiseBlock* blocks, int count) {
    for (int d = 0; d < blocks[0].columns; d++) {
        double sum = 0.0;
        for (int b = 0; b < count; b++) {
            const double* j = &sweep->j->values[blocks[b].offset + d * blocks[b].stride];
            sum = poise__rows_dot(sum, j, &sweep->residual[blocks[b].first_row], blocks[b].rows);
        }
        const double change = take_step(sweep, blocks[0].first_column + d, sum);
        for (int b = 0; b < count; b++) {
            const double* j = &sweep->j->values[blocks[b].offset + d * blocks[b].stride];
            poise__rows_add(&sweep->residual[blocks[b].first_row], -change, j, blocks[b].rows);
        }
    }
}

// Sweeps every dof once, root first.
static inline void sweep_once(const Sweep* sweep) {
    const PoiseMatrix* j = sweep->j;
    int count;
    for (int b = 0; b < j->block_count; b += count) {
        const PoiseBlock* block = &j->blocks[b];
        count = 1;
        while (b + count < j->block_count && block[count].first_column == block->first_column) {
            count++;
        }
        const bool plain = !sweep->lower && !sweep->centre;
        if (sweep->balls) {
            sweep_balls(sweep, block);
        } else if (count == 1 && block->rows == 3 && plain) {
            sweep_chain(sweep, block, 3, true);
        } else if (count == 1 && block->rows == 6 && plain) {
            sweep_chain(sweep, block, 6, true);
        } else if (count == 1 && block->rows == 3) {
            sweep_chain(sweep, block, 3, false);
        } else if (count == 1 && block->rows == 6) {
            sweep_chain(sweep, block, 6, false);
        } else {
            sweep_blocks(sweep, block, count);
        }
    }
}

static double norm(const double* x, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// Sweeps until the residual is at most `enough`. Returns the number of sweeps.
static int sweep_until(const Sweep* sweep, int sweeps, double enough) {
    int done = 0;
    while (done < sweeps) {
        sweep_once(sweep);
        done++;
        if (!sweep->centre && norm(sweep->residual, sweep->j->rows) <= enough) {
            break;
        }
    }
    return done;
}

// Marks in `fixed` the dofs that ended on a bound.
static void note_fixed(const Layout* layout, const Metric* metric, Answer* answer,
                       const double* omega) {
    for (int d = 0; d < layout->dof_count; d++) {
        answer->fixed[d] = omega[d] <= metric->lower[d] || omega[d] >= metric->upper[d];
    }
}

// True if every dof is within its bounds.
static bool is_inside(const Layout* layout, const Metric* metric, const double* omega) {
    bool inside = true;
    for (int d = 0; inside && d < layout->dof_count; d++) {
        inside = omega[d] >= metric->lower[d] && omega[d] <= metric->upper[d];
    }
    return inside;
}

// Fills omega and the residual before the first sweep. Dofs start at 0, and with an unweighted
// reference at the desired step, which few sweeps would not reach. Weighted references converge by
// themselves.
static void begin(const Sweep* sweep, const Metric* metric, bool centred, const double* target) {
    const PoiseMatrix* j = sweep->j;
    for (int d = 0; d < j->columns; d++) {
        const double desired = centred && metric->pull[d] == 0.0 ? metric->desired[d] : 0.0;
        // sweeps skip a dof that moves no point, so it is clamped here
        const bool clips = centred && (sweep->lower || sweep->inverse[d] == 0.0);
        sweep->omega[d] =
            clips ? poise_min(poise_max(desired, metric->lower[d]), metric->upper[d]) : desired;
    }
    if (centred) {
        poise_matrix_times(j, sweep->omega, sweep->residual);
    }
    for (int r = 0; r < j->rows; r++) {
        sweep->residual[r] = centred ? target[r] - sweep->residual[r] : target[r];
    }
}

int poise__sweep_solve(const Layout* layout, const Task* task, const Metric* metric, Answer* answer,
                       Sweeps sweeps) {
    const bool bounded = !sweeps.velocity;
    const double* target = sweeps.velocity ? task->goal_velocity : task->v;
    const bool centred = bounded && metric->centred;
    const bool ranged = bounded && metric->bounded;
    const double smallest_alpha = ALPHA_RELATIVE_ZERO * fill_alpha(layout, task, answer);
    for (int d = 0; d < layout->dof_count; d++) {
        const bool idle = stays(metric, answer, d, smallest_alpha, bounded);
        answer->work.start[d] = idle ? 0.0 : 1.0 / (answer->work.gradient[d] + metric->damping[d]);
    }
    const PoiseMatrix* j = &task->matrix;
    Sweep sweep = {.j = j,
                   .residual = answer->work.residual,
                   .omega = sweeps.velocity ? answer->velocity : answer->omega,
                   .inverse = answer->work.start,
                   .damping = metric->damping,
                   .centre = centred ? metric->centre : NULL,
                   .balls =
                       !centred && !ranged && j->block_count == 1 && is_of_balls(j, j->blocks)};
    const double enough = RESIDUAL_RELATIVE_ZERO * norm(target, layout->row_count);
    begin(&sweep, metric, centred, target);
    int done = sweep_until(&sweep, sweeps.most, enough);
    // The first sweeps ignore the bounds. If their result violates some, the sweeps run again with
    // bounds. If they had bounds from the start, the null-space motion would drift with the load
    // near a torque limit.
    if (ranged && !is_inside(layout, metric, sweep.omega)) {
        sweep.lower = metric->lower;
        sweep.upper = metric->upper;
        begin(&sweep, metric, centred, target);
        done = sweep_until(&sweep, sweeps.most, enough);
    }
    if (bounded) {
        note_fixed(layout, metric, answer, sweep.omega);
    }
    return done;
}
