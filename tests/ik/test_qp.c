// SPDX-License-Identifier: MIT
// Tests the quadratic program (shared/qp.h) against brute force over the active sets of its bounds
// and constraints. Larger problems are checked by the conditions of Karush, Kuhn and Tucker.
#include <criterion/criterion.h>
#include <string.h>

#include "dense.h"
#include "near.h"
#include "poise/math.h"
#include "random.h"
#include "sample.h"
#include "shared/qp.h"
#include "works.h"

enum { MOST_COLUMNS = 24, MOST_ROWS = 12, MOST_CONSTRAINTS = 12, MOST = 40 };

/// A dense problem and its memory: J row-major for the oracle, and the columns that the solver
/// reads.
typedef struct Problem {
    PoiseQp qp;
    PoiseQpWork work;
    PoiseQpState state;
    PoiseBlock block;
    double values[MOST_COLUMNS * MOST_ROWS];
    double target[MOST_ROWS], row_damping[MOST_ROWS];
    double damping[MOST_COLUMNS], share[MOST_COLUMNS], centre[MOST_COLUMNS];
    double lower[MOST_COLUMNS], upper[MOST_COLUMNS];
    double constraints[MOST_CONSTRAINTS * MOST_COLUMNS];
    double constraint_lower[MOST_CONSTRAINTS], constraint_upper[MOST_CONSTRAINTS];
    double x[MOST_COLUMNS];
    unsigned char held[MOST_COLUMNS];
    signed char active[MOST_CONSTRAINTS];
    double memory[40000];
} Problem;

static void lay(Problem* p, int rows, int columns, int constraints) {
    memset(p, 0, sizeof *p);
    const PoiseQpSize size = {rows, columns, constraints, false, false};
    cr_assert_leq(poise_qp_work_place(&p->work, &size, NULL), sizeof p->memory);
    GETS(poise_qp_work_place(&p->work, &size, p->memory));
    p->block = (PoiseBlock){0, rows, 0, columns, 0, rows};
    p->qp = (PoiseQp){.j = {rows, columns, 1, &p->block, p->values},
                      .target = p->target,
                      .row_damping = p->row_damping,
                      .damping = p->damping,
                      .share = p->share,
                      .centre = p->centre,
                      .lower = p->lower,
                      .upper = p->upper,
                      .constraint_count = constraints,
                      .constraints = p->constraints,
                      .constraint_lower = p->constraint_lower,
                      .constraint_upper = p->constraint_upper};
    p->state = (PoiseQpState){.x = p->x, .held = p->held, .active = p->active, .guess = true};
}

// Draws J of any rank, bounds around 0, and constraints that some x inside the bounds meets.
static void pose(Problem* p, Random* random, double lambda) {
    const int rows = p->qp.j.rows, columns = p->qp.j.columns;
    double inside[MOST_COLUMNS];
    for (int i = 0; i < columns; i++) {
        for (int r = 0; r < rows; r++) {
            p->values[i * rows + r] = random_between(random, -1.0, 1.0);
        }
        p->share[i] = random_index(random, 2) ? 1.0 : random_between(random, 0.1, 1.0);
        p->damping[i] = lambda / p->share[i];
        p->centre[i] = random_index(random, 2) ? 0.0 : random_between(random, -1.0, 1.0);
        const int sort = random_index(random, 4);
        p->lower[i] = sort == 0 ? -HUGE_VAL : -random_between(random, 0.0, 0.5);
        p->upper[i] = sort == 1 ? HUGE_VAL : random_between(random, 0.0, 0.5);
        p->upper[i] = sort == 2 ? p->lower[i] : p->upper[i];
        inside[i] =
            random_between(random, poise_max(p->lower[i], -1.0), poise_min(p->upper[i], 1.0));
    }
    for (int r = 0; r < rows; r++) {
        p->target[r] = random_between(random, -1.0, 1.0);
        p->row_damping[r] = lambda;
    }
    // Every third row of J is twice the row before.
    for (int i = 0; i < columns; i++) {
        for (int r = 2; r < rows; r += 3) {
            p->values[i * rows + r] = 2.0 * p->values[i * rows + r - 1];
        }
    }
    for (int k = 0; k < p->qp.constraint_count; k++) {
        double at = 0.0;
        for (int i = 0; i < columns; i++) {
            p->constraints[k * columns + i] = random_between(random, -1.0, 1.0);
            // Every fourth constraint is implied by the one before.
            if (k % 4 == 3) {
                p->constraints[k * columns + i] = -1.5 * p->constraints[(k - 1) * columns + i];
            }
            at += p->constraints[k * columns + i] * inside[i];
        }
        const int sort = random_index(random, 4);
        p->constraint_lower[k] = sort == 0 ? -HUGE_VAL : at - random_between(random, 0.0, 0.2);
        p->constraint_upper[k] = sort == 1 ? HUGE_VAL : at + random_between(random, 0.0, 0.2);
        if (sort == 2) {
            p->constraint_lower[k] = p->constraint_upper[k] = at;
        }
    }
}

static double number(const Problem* p, int row, int column) {
    return p->values[column * p->qp.j.rows + row];
}

static double cost_of(const Problem* p, const double* x) {
    double cost = 0.0;
    for (int r = 0; r < p->qp.j.rows; r++) {
        double rest = p->target[r];
        for (int i = 0; i < p->qp.j.columns; i++) {
            rest -= number(p, r, i) * x[i];
        }
        cost += rest * rest;
    }
    for (int i = 0; i < p->qp.j.columns; i++) {
        cost += p->damping[i] * (x[i] - p->centre[i]) * (x[i] - p->centre[i]);
    }
    return cost;
}

// Returns the largest violation of a bound or constraint by x.
static double outside(const Problem* p, const double* x) {
    const int n = p->qp.j.columns;
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fmax(p->lower[i] - x[i], x[i] - p->upper[i]));
    }
    for (int k = 0; k < p->qp.constraint_count; k++) {
        double at = 0.0;
        for (int i = 0; i < n; i++) {
            at += p->constraints[k * n + i] * x[i];
        }
        worst = fmax(worst, fmax(p->constraint_lower[k] - at, at - p->constraint_upper[k]));
    }
    return worst;
}

// Solves the equations of Karush, Kuhn and Tucker in long double. Each column is free (0), at its
// lower (1) or upper (2) bound; each constraint is inactive, at its lower or upper bound. Returns
// false if the equations are singular.
static bool solve_held(const Problem* p, const int* columns, const int* constraints, double* x) {
    const int n = p->qp.j.columns, c = p->qp.constraint_count;
    long double a[DENSE_MOST * DENSE_MOST], b[DENSE_MOST];
    const int size = n + c;
    memset(a, 0, sizeof a);
    for (int i = 0; i < n; i++) {
        const bool held = columns[i] != 0;
        b[i] = (long double)p->damping[i] * (long double)p->centre[i];
        for (int r = 0; r < p->qp.j.rows; r++) {
            b[i] += (long double)number(p, r, i) * (long double)p->target[r];
            for (int k = 0; !held && k < n; k++) {
                a[i * size + k] += (long double)number(p, r, i) * (long double)number(p, r, k);
            }
        }
        a[i * size + i] += held ? 1.0L : (long double)p->damping[i];
        b[i] = !held ? b[i] : columns[i] == 1 ? (long double)p->lower[i] : (long double)p->upper[i];
        for (int k = 0; !held && k < c; k++) {
            a[i * size + n + k] = constraints[k] ? (long double)p->constraints[k * n + i] : 0.0L;
        }
    }
    for (int k = 0; k < c; k++) {
        for (int i = 0; constraints[k] && i < n; i++) {
            a[(n + k) * size + i] = (long double)p->constraints[k * n + i];
        }
        b[n + k] = constraints[k] == 1   ? (long double)p->constraint_lower[k]
                   : constraints[k] == 2 ? (long double)p->constraint_upper[k]
                                         : 0.0L;
        a[(n + k) * size + n + k] = constraints[k] ? 0.0L : 1.0L;
    }
    if (!dense_solve(a, b, size)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        x[i] = (double)b[i];
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

// Returns the minimum over all active sets; HUGE_VAL if none is feasible.
static double brute_force(const Problem* p, double* best) {
    const int n = p->qp.j.columns, c = p->qp.constraint_count;
    int ways = 1, digits[DENSE_MOST];
    double least = HUGE_VAL, x[MOST_COLUMNS];
    for (int i = 0; i < n + c; i++) {
        ways *= 3;
    }
    for (int way = 0; way < ways; way++) {
        bool possible = true;
        for (int i = 0, rest = way; i < n + c; i++, rest /= 3) {
            digits[i] = rest % 3;
            const double at = digits[i] == 0   ? 0.0
                              : i < n          ? (digits[i] == 1 ? p->lower[i] : p->upper[i])
                              : digits[i] == 1 ? p->constraint_lower[i - n]
                                               : p->constraint_upper[i - n];
            possible = possible && isfinite(at);
        }
        if (possible && solve_held(p, digits, &digits[n], x) && outside(p, x) <= 1e-9) {
            const double cost = cost_of(p, x);
            if (cost < least) {
                least = cost;
                memcpy(best, x, (size_t)n * sizeof *x);
            }
        }
    }
    return least;
}

static void expect_least(Problem* p, int seed) {
    double best[MOST_COLUMNS];
    const double least = brute_force(p, best);
    cr_assert(least < HUGE_VAL, "seed %d", seed);
    const PoiseQpEnd end = poise_qp_solve(&p->qp, &p->work, &p->state);
    cr_expect_eq(end, POISE_QP_LEAST, "seed %d: %d", seed, end);
    cr_expect_leq(outside(p, p->x), 1e-9, "seed %d: %g outside", seed, outside(p, p->x));
    cr_expect_leq(cost_of(p, p->x), least + 1e-9 * (1.0 + least), "seed %d: %.12g, %.12g", seed,
                  cost_of(p, p->x), least);
    for (int i = 0; i < p->qp.j.columns; i++) {
        EXPECT_NEAR(p->x[i], best[i], 1e-6);
    }
}

static Problem problem;

Test(qp, bounds_alone_have_the_least_of_brute_force) {
    for (int seed = 0; seed < 400; seed++) {
        Random random = random_from((uint64_t)seed);
        const int columns = 1 + random_index(&random, 6);
        lay(&problem, 1 + random_index(&random, 7), columns, 0);
        pose(&problem, &random, exp(random_between(&random, log(1e-4), 0.0)));
        problem.state.guess = seed % 2 == 0;
        expect_least(&problem, seed);
    }
}

Test(qp, constraints_have_the_least_of_brute_force) {
    for (int seed = 0; seed < 400; seed++) {
        Random random = random_from(1000 + (uint64_t)seed);
        const int columns = 2 + random_index(&random, 3);
        const int constraints = 1 + random_index(&random, 7 - columns);
        lay(&problem, 1 + random_index(&random, 5), columns, constraints);
        pose(&problem, &random, exp(random_between(&random, log(1e-4), 0.0)));
        // a start anywhere, inside the bounds or not
        for (int i = 0; i < columns; i++) {
            problem.x[i] = random_between(&random, -2.0, 2.0);
        }
        expect_least(&problem, seed);
    }
}

enum { STRIDE = MOST_CONSTRAINTS };

/// The equations of a problem, which hold at all its answers, with their memory.
typedef struct Grounded {
    PoiseQpGround ground;
    PoiseQpWork work;
    double axes[MOST_COLUMNS * STRIDE], images[MOST_ROWS * STRIDE], parts[STRIDE];
    double normal[MOST_ROWS * MOST_ROWS], kept[STRIDE], memory[20000];
} Grounded;

// Lays the ground of the first `equations` constraints. The workspace has room for inequalities
// besides it unless `alone`.
static void lay_ground(const Problem* p, int equations, bool alone, Grounded* g) {
    const int n = p->qp.j.columns, m = p->qp.j.rows;
    double row[MOST_COLUMNS];
    memset(g, 0, sizeof *g);
    const PoiseQpSize size = {m, n, STRIDE, false, alone};
    cr_assert_leq(poise_qp_work_place(&g->work, &size, NULL), sizeof g->memory);
    GETS(poise_qp_work_place(&g->work, &size, g->memory));
    PoiseBasis* basis = &g->ground.basis;
    *basis = (PoiseBasis){n, STRIDE, 0, g->axes, g->parts};
    for (int k = 0; k < equations; k++) {
        memcpy(row, &p->constraints[k * n], sizeof row);
        cr_expect_eq(poise_basis_add(basis, row, 1e-13, NULL) > 0.0, k % 4 != 3 && k < n);
    }
    for (int r = 0; r < m; r++) {
        for (int i = 0; i < n; i++) {
            row[i] = number(p, r, i);
        }
        poise_basis_parts(basis, row, &g->images[r * STRIDE]);
        for (int c = r; c < m; c++) {
            for (int i = 0; i < n; i++) {
                g->normal[r * m + c] += number(p, r, i) * number(p, c, i);
            }
        }
        g->ground.square += g->normal[r * m + r];
    }
    poise_basis_subtract_products(basis, g->images, m, g->normal);
    g->ground.normal = g->normal;
    poise_basis_parts(basis, p->x, g->kept);
    g->ground.kept = equations < p->qp.constraint_count ? g->kept : NULL;
}

// Begins inside the bounds, or with columns on them (`cornered`). The first `equations` constraints
// hold at the start, which the other constraints have on their lower end or inside.
static void begin(Problem* p, Random* random, int equations, bool cornered) {
    const int n = p->qp.j.columns;
    for (int i = 0; i < n; i++) {
        // 0 lies inside all bounds but those of a single number
        const bool bound = p->lower[i] == p->upper[i] ||
                           (cornered && isfinite(p->lower[i]) && random_index(random, 2));
        p->x[i] = bound ? p->lower[i] : 0.0;
    }
    for (int k = 0; k < p->qp.constraint_count; k++) {
        p->constraint_lower[k] = p->constraint_upper[k] = 0.0;
        for (int i = 0; i < n; i++) {
            p->constraint_upper[k] += p->constraints[k * n + i] * p->x[i];
        }
        p->constraint_lower[k] = p->constraint_upper[k];
        p->constraint_upper[k] += k < equations ? 0.0 : 0.1;
        p->constraint_lower[k] -= k < equations ? 0.0 : 0.05 * random_index(random, 2);
    }
}

// Equations that are given as always met have the answers of the same equations as rows, with
// bounds and without, and with inequalities besides them.
Test(qp, equations_as_a_ground_give_the_answer_of_rows) {
    static Grounded g;
    for (int seed = 0; seed < 2000; seed++) {
        Random random = random_from(3000 + (uint64_t)seed);
        const int columns = 4 + seed % 13;
        const int constraints = 1 + random_index(&random, columns < 5 ? 4 : 5);
        const int equations = constraints - (seed % 2 ? random_index(&random, constraints) : 0);
        const bool inequal = equations < constraints;
        lay(&problem, 1 + random_index(&random, MOST_ROWS), columns, constraints);
        pose(&problem, &random, exp(random_between(&random, log(1e-3), 0.0)));
        problem.qp.share = seed % 3 ? NULL : problem.share;
        for (int i = 0; i < columns; i++) {
            problem.damping[i] = problem.row_damping[0] / (seed % 3 ? 1.0 : problem.share[i]);
        }
        const bool cornered = seed % 5 == 0;
        begin(&problem, &random, equations, cornered);
        if (seed % 4 == 0) {
            problem.qp.lower = problem.qp.upper = NULL;
        }
        lay_ground(&problem, equations, equations == constraints && seed % 2, &g);
        for (int target = 0; target < 2; target++) {
            double x[MOST_COLUMNS];
            unsigned char held[MOST_COLUMNS] = {0};
            memcpy(x, problem.x, sizeof x);
            signed char active[MOST_CONSTRAINTS] = {0};
            // columns that are fixed at the call, most of them off their bounds
            for (int i = 0; problem.qp.lower && !inequal && columns > 7 && i < columns; i++) {
                held[i] = random_index(&random, 4) == 0;
            }
            for (int i = 0; problem.qp.lower && cornered && i < columns; i++) {
                held[i] = x[i] == problem.lower[i];
            }
            PoiseQp qp = problem.qp;
            qp.constraint_count -= equations;
            qp.constraints += equations * columns;
            qp.constraint_lower += equations;
            qp.constraint_upper += equations;
            qp.ground = &g.ground;
            PoiseQpState state = {.x = x, .held = held, .active = active};
            cr_expect_eq(poise_qp_solve(&qp, &g.work, &state), POISE_QP_LEAST, "seed %d", seed);
            const PoiseQpEnd end = poise_qp_solve(&problem.qp, &problem.work, &problem.state);
            cr_expect_eq(end, POISE_QP_LEAST, "seed %d", seed);
            for (int i = 0; i < columns; i++) {
                EXPECT_NEAR(x[i], problem.x[i], 1e-8);
            }
            random_fill(&random, problem.target, problem.qp.j.rows);
        }
    }
}

/// Negative gradient at an answer, and the active constraints with their multipliers.
typedef struct Holding {
    double slope[MOST_COLUMNS];
    int constraints[MOST_CONSTRAINTS];
    int count;
    long double mu[MOST_CONSTRAINTS];
} Holding;

// Returns the negative gradient in column i minus the sum of the constraints' multipliers times
// their rows.
static double left_of(const Problem* p, const Holding* h, int i) {
    const int n = p->qp.j.columns;
    long double left = (long double)h->slope[i];
    for (int k = 0; k < h->count; k++) {
        left -= h->mu[k] * (long double)p->constraints[h->constraints[k] * n + i];
    }
    return (double)left;
}

// Solves for the multipliers on the free columns, with a small ridge for implied constraints.
// Repeated solves for the remainder correct the ridge's effect on constraints that are nearly
// implied.
static void find_multipliers(const Problem* p, Holding* h) {
    enum { REFINED = 4 };
    const int n = p->qp.j.columns, count = h->count;
    memset(h->mu, 0, sizeof h->mu);
    for (int pass = 0; pass < REFINED; pass++) {
        long double normal[DENSE_MOST * DENSE_MOST], more[DENSE_MOST];
        for (int k = 0; k < count; k++) {
            more[k] = 0.0L;
            for (int l = 0; l < count; l++) {
                normal[k * count + l] = k == l ? 1e-12L : 0.0L;
            }
            for (int i = 0; i < n; i++) {
                if (p->held[i]) {
                    continue;
                }
                const long double own = (long double)p->constraints[h->constraints[k] * n + i];
                more[k] += own * (long double)left_of(p, h, i);
                for (int l = 0; l < count; l++) {
                    normal[k * count + l] +=
                        own * (long double)p->constraints[h->constraints[l] * n + i];
                }
            }
        }
        cr_assert(count == 0 || dense_solve(normal, more, count));
        for (int k = 0; k < count; k++) {
            h->mu[k] += more[k];
        }
    }
}

// Expects the conditions of a minimum: the gradient f' is a combination of the active bounds and
// constraints, with multipliers of the right sign. Then f(y) >= f(x) + f'(x) (y - x) >= f(x) for
// all feasible y.
static void expect_conditions(const Problem* p, int seed) {
    const int n = p->qp.j.columns, c = p->qp.constraint_count, m = p->qp.j.rows;
    Holding h;
    h.count = 0;
    for (int i = 0; i < n; i++) {
        h.slope[i] = -p->damping[i] * (p->x[i] - p->centre[i]);
        for (int r = 0; r < m; r++) {
            double rest = p->target[r];
            for (int k = 0; k < n; k++) {
                rest -= number(p, r, k) * p->x[k];
            }
            h.slope[i] += number(p, r, i) * rest;
        }
    }
    for (int k = 0; k < c; k++) {
        if (p->active[k]) {
            h.constraints[h.count++] = k;
        }
    }
    find_multipliers(p, &h);
    for (int i = 0; i < n; i++) {
        const double left = left_of(p, &h, i);
        const bool fine = !p->held[i]                  ? fabs(left) < 1e-7
                          : p->lower[i] == p->upper[i] ? true
                          : p->x[i] == p->lower[i]     ? left < 1e-7
                                                       : left > -1e-7;
        cr_expect(fine, "seed %d: column %d, held %d, pull %g", seed, i, p->held[i], left);
    }
}

// Larger problems, some with more constraints than columns.
Test(qp, larger_problems_meet_the_conditions) {
    for (int seed = 0; seed < 2000; seed++) {
        Random random = random_from(5000 + (uint64_t)seed);
        const int constraints = random_index(&random, MOST_CONSTRAINTS);
        const int columns = 4 + random_index(&random, 20);
        lay(&problem, 1 + random_index(&random, MOST_ROWS), columns, constraints);
        pose(&problem, &random, exp(random_between(&random, log(1e-3), 0.0)));
        const PoiseQpEnd end = poise_qp_solve(&problem.qp, &problem.work, &problem.state);
        cr_expect_eq(end, POISE_QP_LEAST, "seed %d: %d", seed, end);
        cr_expect_leq(outside(&problem, problem.x), 1e-8, "seed %d: %g", seed,
                      outside(&problem, problem.x));
        expect_conditions(&problem, seed);
    }
}

// x0 + x1 <= -1 with both >= 0 is infeasible; the nearest point is 0, 0.
Test(qp, infeasible_constraints_are_reported) {
    lay(&problem, 1, 2, 1);
    for (int i = 0; i < 2; i++) {
        problem.values[i] = 1.0;
        problem.damping[i] = 1.0;
        problem.share[i] = 1.0;
        problem.upper[i] = 5.0;
        problem.constraints[i] = 1.0;
        problem.x[i] = 3.0;
    }
    problem.row_damping[0] = 1.0;
    problem.constraint_lower[0] = -HUGE_VAL;
    problem.constraint_upper[0] = -1.0;
    cr_expect_eq(poise_qp_solve(&problem.qp, &problem.work, &problem.state), POISE_QP_INFEASIBLE);
    EXPECT_NEAR(problem.x[0], 0.0, 1e-9);
    EXPECT_NEAR(problem.x[1], 0.0, 1e-9);
}

// Many constraints meet at the start, some of them implied.
Test(qp, a_start_where_many_constraints_meet_is_left) {
    enum { COLUMNS = 4, CORNER = 7 };
    for (int seed = 0; seed < sample_of(16, 40); seed++) {
        Random random = random_from(12000 + (uint64_t)seed);
        lay(&problem, 3, COLUMNS, CORNER);
        pose(&problem, &random, 1e-2);
        for (int i = 0; i < COLUMNS; i++) {
            problem.lower[i] = 0.0;
            problem.upper[i] = HUGE_VAL;
        }
        for (int k = 0; k < CORNER; k++) {
            problem.constraint_lower[k] = -HUGE_VAL;
            problem.constraint_upper[k] = 0.0;
        }
        expect_least(&problem, seed);
    }
}
