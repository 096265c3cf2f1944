// SPDX-License-Identifier: MIT
// The exact damped least-squares step by its small side: (J W J^T + lambda I) y = v - J c, omega =
// c
// + W J^T y, with one Cholesky factorisation of as many rows as the points have. J is kept as
// sqrt(weight) J / sqrt(bias), so the biases' part of W is in it already; the rest, `share`, and
// the centre c come from references (damping.c). Dofs that are fixed (box.c) keep their omega, and
// the others do what they leave over.
#include "internal.h"

// a pivot below this part of the mean diagonal is a row that the others imply
#define PIVOT_RELATIVE_ZERO 1e-15

// normal(rows of b, rows of a) += J_b W J_a^T of `dofs` dofs one after the other, whose `share` of
// W may be NULL for 1; `ja` and `jb` are blocks of `ra` and `rb` rows. Called with constants where
// it matters, so that the loops unroll. What it leaves above the diagonal where a is b is never
// read.
static inline void add_product(double* normal, int m, const double* ja, int ra, const double* jb,
                               int rb, const double* share, int dofs) {
    for (int r = 0; r < rb; r++, normal += m) {
        for (int d = 0; d < dofs; d++) {
            const double row = share ? share[d] * jb[d * rb + r] : jb[d * rb + r];
            for (int c = 0; c < ra; c++) {
                normal[c] += row * ja[d * ra + c];
            }
        }
    }
}

// the rows that points mostly have: a place, a pose
static inline void add_product_sized(double* normal, int m, const double* ja, int ra,
                                     const double* jb, int rb, const double* share, int dofs) {
    if (ra == 3 && rb == 3) {
        add_product(normal, m, ja, 3, jb, 3, share, dofs);
    } else if (ra == 6 && rb == 6) {
        add_product(normal, m, ja, 6, jb, 6, share, dofs);
    } else if (ra == 3 && rb == 6) {
        add_product(normal, m, ja, 3, jb, 6, share, dofs);
    } else if (ra == 6 && rb == 3) {
        add_product(normal, m, ja, 6, jb, 3, share, dofs);
    } else {
        add_product(normal, m, ja, ra, jb, rb, share, dofs);
    }
}

// of all pairs of a column's blocks, over `dofs` of its dofs from `first` on
static inline void add_pairs(const Layout* layout, double* normal, const Column* column, int first,
                             int dofs) {
    const int m = layout->row_count;
    const Block* blocks = &layout->blocks[column->first_block];
    const double* share = layout->weighted ? &layout->share[column->first_dof + first] : NULL;
    for (int b = 0; b < column->block_count; b++) {
        const Goal* gb = &layout->goals[blocks[b].goal];
        const int rb = gb->rows;
        const double* jb = &layout->jacobian[blocks[b].offset + first * rb];
        for (int a = 0; a <= b; a++) {
            const Goal* ga = &layout->goals[blocks[a].goal];
            const int ra = ga->rows;
            const double* ja = &layout->jacobian[blocks[a].offset + first * ra];
            add_product_sized(&normal[gb->first_row * m + ga->first_row], m, ja, ra, jb, rb, share,
                              dofs);
        }
    }
}

// the commonest case, one goal of m rows: J is m numbers for each dof, one after the other. Called
// with a constant m, so that the loops unroll.
static inline void fill_normal_single(const Layout* layout, double* normal, const int m) {
    for (int r = 0; r < m; r++) {
        for (int c = 0; c <= r; c++) {
            normal[r * m + c] = 0.0;
        }
    }
    const double* j = layout->jacobian;
    for (int d = 0; d < layout->dof_count; d++, j += m) {
        if (layout->fixed[d]) {
            continue;
        }
        const double share = layout->weighted ? layout->share[d] : 1.0;
        for (int r = 0; r < m; r++) {
            const double row = share * j[r];
            for (int c = 0; c <= r; c++) {
                normal[r * m + c] += row * j[c];
            }
        }
    }
}

static void fill_normal_general(const Layout* layout, double* normal) {
    const int m = layout->row_count;
    for (int i = 0; i < m * m; i++) {
        normal[i] = 0.0;
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const unsigned char* fixed = &layout->fixed[column->first_dof];
        // a ball's three dofs at once: each number of the matrix is written once for them
        if (column->dof == 3 && !(fixed[0] | fixed[1] | fixed[2])) {
            add_pairs(layout, normal, column, 0, 3);
            continue;
        }
        for (int d = 0; d < column->dof; d++) {
            if (!fixed[d]) {
                add_pairs(layout, normal, column, d, 1);
            }
        }
    }
}

static PoiseCholesky shape_of(const Layout* layout) {
    return (PoiseCholesky){layout->row_count, layout->row_count, layout->spans, NULL,
                           PIVOT_RELATIVE_ZERO};
}

static void fill_and_factorise(Layout* layout) {
    double* normal = layout->normal;
    const int m = layout->row_count;
    const bool single = layout->goal_count == 1;
    if (single && m == 3) {
        fill_normal_single(layout, normal, 3);
    } else if (single && m == 6) {
        fill_normal_single(layout, normal, 6);
    } else {
        fill_normal_general(layout, normal);
    }
    for (int r = 0; r < m; r++) {
        normal[r * m + r] += layout->row_damping[r];
    }
    const PoiseCholesky shape = shape_of(layout);
    poise_cholesky_factor(&shape, normal);
}

static void solve_rows(const Layout* layout, double* y) {
    const PoiseCholesky shape = shape_of(layout);
    poise_cholesky_solve(&shape, layout->normal, y);
}

// out = J^T y on the free dofs, one goal of m rows
static inline void apply_transpose_single(const Layout* layout, const double* y, double* out,
                                          const int m) {
    const double* j = layout->jacobian;
    for (int d = 0; d < layout->dof_count; d++, j += m) {
        double sum = 0.0;
        for (int r = 0; r < m; r++) {
            sum += j[r] * y[r];
        }
        out[d] = layout->fixed[d] ? out[d] : sum;
    }
}

// out = J^T y on the free dofs; the others are left as they are
static void apply_transpose_general(const Layout* layout, const double* y, double* out) {
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        for (int d = 0; d < column->dof; d++) {
            const int dof = column->first_dof + d;
            if (layout->fixed[dof]) {
                continue;
            }
            double sum = 0.0;
            for (int b = 0; b < column->block_count; b++) {
                const Block* block = &layout->blocks[column->first_block + b];
                const Goal* goal = &layout->goals[block->goal];
                const double* j = &layout->jacobian[block->offset + d * goal->rows];
                sum = poise__rows_dot(sum, j, &y[goal->first_row], goal->rows);
            }
            out[dof] = sum;
        }
    }
}

static void apply_transpose(const Layout* layout, const double* y, double* out) {
    const bool single = layout->goal_count == 1;
    if (single && layout->row_count == 3) {
        apply_transpose_single(layout, y, out, 3);
    } else if (single && layout->row_count == 6) {
        apply_transpose_single(layout, y, out, 6);
    } else {
        apply_transpose_general(layout, y, out);
    }
}

// y = target - J omega of the fixed dofs - J c of the others
static void rest_of_target(const Layout* layout, const double* target, double* y, bool any_fixed) {
    for (int r = 0; r < layout->row_count; r++) {
        y[r] = target[r];
    }
    for (int i = 0; (any_fixed || layout->drawn) && i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        for (int d = 0; d < column->dof; d++) {
            const int dof = column->first_dof + d;
            const double centre = layout->drawn ? layout->centre[dof] : 0.0;
            const double omega = layout->fixed[dof] ? layout->omega[dof] : centre;
            if (omega == 0.0) {
                continue;
            }
            for (int b = 0; b < column->block_count; b++) {
                const Block* block = &layout->blocks[column->first_block + b];
                const Goal* goal = &layout->goals[block->goal];
                const double* j = &layout->jacobian[block->offset + d * goal->rows];
                poise__rows_add(&y[goal->first_row], -omega, j, goal->rows);
            }
        }
    }
}

// x = c + W x on the free dofs
static void put_about_centre(const Layout* layout, const double* centre, double* x) {
    for (int d = 0; d < layout->dof_count; d++) {
        if (!layout->fixed[d]) {
            x[d] = (centre ? centre[d] : 0.0) + (layout->weighted ? layout->share[d] * x[d] : x[d]);
        }
    }
}

// with fewer dofs than rows nearly all of y is v / lambda, of which J^T y is to leave almost
// nothing: rounding shows. One correction by the gradient g of the cost, which is small there: (J^T
// J + Lambda)^-1 g = (W g - W J^T (J W J^T + lambda I)^-1 J W g) / lambda
static void correct(Layout* layout, const double* target) {
    (void)poise__cost(layout, target, poise__centre(layout), layout->omega);
    poise__jacobian_transpose_times(layout, layout->residual, layout->gradient);
    for (int d = 0; d < layout->dof_count; d++) {
        const double share = layout->weighted ? layout->share[d] : 1.0;
        const double off = layout->omega[d] - (layout->drawn ? layout->centre[d] : 0.0);
        layout->gradient[d] =
            layout->fixed[d] ? 0.0 : share * (layout->gradient[d] - layout->damping[d] * off);
    }
    poise__jacobian_times(layout, layout->gradient, layout->work);
    solve_rows(layout, layout->work);
    poise__jacobian_transpose_times(layout, layout->work, layout->direction);
    for (int d = 0; d < layout->dof_count; d++) {
        const double share = layout->weighted ? layout->share[d] : 1.0;
        const double lambda = share * layout->damping[d];
        if (!layout->fixed[d] && lambda > 0.0) {
            layout->omega[d] += (layout->gradient[d] - share * layout->direction[d]) / lambda;
        }
    }
}

void poise__dual_solve(Layout* layout, const double* target) {
    bool any_fixed = false;
    for (int d = 0; layout->bounded && d < layout->dof_count; d++) {
        any_fixed = any_fixed || layout->fixed[d];
    }
    rest_of_target(layout, target, layout->work, any_fixed);
    fill_and_factorise(layout);
    solve_rows(layout, layout->work);
    apply_transpose(layout, layout->work, layout->omega);
    if (layout->drawn) {
        put_about_centre(layout, layout->centre, layout->omega);
    }
    if (layout->row_count > layout->dof_count) {
        correct(layout, target);
    }
}

void poise__dual_again(Layout* layout, const double* target, double* out) {
    for (int d = 0; d < layout->dof_count; d++) {
        out[d] = 0.0;
    }
    for (int r = 0; r < layout->row_count; r++) {
        layout->work[r] = target[r];
    }
    solve_rows(layout, layout->work);
    apply_transpose(layout, layout->work, out);
    if (layout->weighted) {
        put_about_centre(layout, NULL, out);
    }
}
