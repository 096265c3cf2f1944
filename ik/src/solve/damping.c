// SPDX-License-Identifier: MIT
// Fills the damping of a step: the cost has the sum of lambda_i (omega_i - centre_i)^2 in addition
// to |J omega - v|^2. Each group of goals has its own lambda, proportional to its |v|. It grows
// when a step reverses the step before. References (reference.c) move the centre and add to
// lambda_i.
#include "solve.h"

// k grows by GAIN_GROWTH if the cosine of a step and the step before is below TURNED_BACK, and
// fades by GAIN_FADE otherwise
#define TURNED_BACK (-0.2)
#define GAIN_GROWTH 4.0
#define GAIN_FIRST  0.05
#define GAIN_FADE   0.95
#define GAIN_ZERO   1e-3
#define STEP_ZERO   1e-12
// rad; goals count as met if joints that turn by this angle could remove the error
#define OFF_GOAL 1e-6
// least lambda with reference rows, as a part of T
#define LEAST_WEIGHTED 1e-12

void poise__damping_even(const Layout* layout, Metric* metric, double lambda) {
    for (int d = 0; d < layout->dof_count; d++) {
        metric->damping[d] = lambda;
    }
    for (int r = 0; r < layout->row_count; r++) {
        metric->row_damping[r] = lambda;
    }
    metric->drawn = false;
    metric->weighted = false;
}

/// Adjacent columns of one group.
typedef struct Run {
    int group;
    int first; ///< first dof
    int end;
    int next; ///< next column
} Run;

static Run run_of(const Layout* layout, int column) {
    const Column* first = &layout->columns[column];
    const Column* last = first;
    while (++column < layout->column_count && layout->columns[column].group == first->group) {
        last = &layout->columns[column];
    }
    return (Run){first->group, first->first_dof, last->first_dof + last->dof, column};
}

void poise__damping_spread(const Layout* layout, Metric* metric) {
    for (int g = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        for (int k = 0; k < goal->rows; k++) {
            metric->row_damping[goal->first_row + k] = layout->groups[goal->group].lambda;
        }
    }
    Run run;
    for (int i = 0; i < layout->column_count; i = run.next) {
        run = run_of(layout, i);
        const double lambda = layout->groups[run.group].lambda;
        for (int dof = run.first; dof < run.end; dof++) {
            metric->damping[dof] = lambda;
            if (metric->drawn) {
                // lambda (omega - desired)^2, or lambda omega^2 + pull (omega - desired)^2
                const double pull = metric->pull[dof];
                const double whole = lambda + pull;
                metric->damping[dof] = whole;
                metric->share[dof] = pull > 0.0 ? lambda / whole : 1.0;
                metric->centre[dof] = (pull > 0.0 ? pull / whole : 1.0) * metric->desired[dof];
            }
        }
    }
}

void poise__damping_fill(Layout* layout, const Task* task, Metric* metric, double eps,
                         double lambda) {
    const double mean_square = task->mean_square;
    for (int i = 0; i < layout->group_count; i++) {
        Group* group = &layout->groups[i];
        group->lambda =
            eps * mean_square + group->gain * group->goal_norm * sqrt(group->square / group->rows);
        group->lambda = lambda >= 0.0 ? lambda : group->lambda;
        if (metric->weighted) {
            group->lambda = poise_max(group->lambda, LEAST_WEIGHTED * mean_square);
        }
    }
    poise__damping_spread(layout, metric);
}

static bool is_step(double square) {
    return square >= STEP_ZERO * STEP_ZERO;
}

static bool is_back(double ab, double aa, double bb) {
    return is_step(aa) && is_step(bb) && ab / sqrt(aa * bb) < TURNED_BACK;
}

bool poise__turned_back(const double* omega, const double* previous, int count) {
    double ab = 0.0, aa = 0.0, bb = 0.0;
    for (int i = 0; i < count; i++) {
        ab += omega[i] * previous[i];
        aa += omega[i] * omega[i];
        bb += previous[i] * previous[i];
    }
    return is_back(ab, aa, bb);
}

double poise__gain_grown(double gain) {
    return poise_min(poise_max(GAIN_GROWTH * gain, GAIN_FIRST), POISE_GAIN_MOST);
}

double poise__gain_faded(double gain) {
    gain *= GAIN_FADE;
    return gain < GAIN_ZERO ? 0.0 : gain;
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

static void add_dots(const Answer* answer, const double* omega, int first, int end,
                     double dots[3]) {
    double ab = dots[0], aa = dots[1], bb = dots[2];
    for (int d = first; d < end; d++) {
        const double a = omega[d], b = answer->previous_omega[d];
        ab += a * b;
        aa += a * a;
        bb += b * b;
    }
    dots[0] = ab;
    dots[1] = aa;
    dots[2] = bb;
}

// True if the goals are farther than a turn of OFF_GOAL moves the points.
static bool is_off(const Group* group) {
    return group->goal_norm > OFF_GOAL * sqrt(group->square / group->rows);
}

bool poise__damping_adapt(Layout* layout, const Task* task, const Answer* answer) {
    bool any = false;
    const double* omega = poise__comparable(layout, task, answer->omega, answer->work.gradient);
    for (int i = 0; i < layout->group_count; i++) {
        double* dots = layout->groups[i].dots;
        dots[0] = dots[1] = dots[2] = 0.0;
    }
    Run run;
    for (int i = 0; i < layout->column_count; i = run.next) {
        run = run_of(layout, i);
        add_dots(answer, omega, run.first, run.end, layout->groups[run.group].dots);
    }
    for (int i = 0; i < layout->group_count; i++) {
        Group* group = &layout->groups[i];
        const bool back = is_back(group->dots[0], group->dots[1], group->dots[2]);
        // A resting group off its goals keeps its damping: less damping may start it again.
        const bool rests = !is_step(group->dots[1]) && is_off(group);
        group->kept_gain = back    ? poise__gain_grown(group->gain)
                           : rests ? group->kept_gain
                                   : poise__gain_faded(group->gain);
        group->gain = back ? group->kept_gain : group->gain;
        any = any || back;
    }
    return any;
}
