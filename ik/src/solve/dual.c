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

// the same for three rows each. What it leaves above the diagonal where a is b is never read
static inline void add_product_3(double* normal, int m, const double* ja, const double* jb) {
    for (int r = 0; r < 3; r++, normal += m) {
        normal[0] += jb[r] * ja[0];
        normal[1] += jb[r] * ja[1];
        normal[2] += jb[r] * ja[2];
    }
}

// normal(rows of b, rows of a) += J_b J_a^T of one dof; a <= b, lower triangle of `m` rows
static void add_product(double* normal, int m, const Goal* a, const double* ja, const Goal* b,
                        const double* jb) {
    if (a->rows == 3 && b->rows == 3) {
        add_product_3(&normal[b->first_row * m + a->first_row], m, ja, jb);
        return;
    }
    for (int r = 0; r < b->rows; r++) {
        double* row = &normal[(b->first_row + r) * m + a->first_row];
        const int end = a == b ? r + 1 : a->rows;
        for (int c = 0; c < end; c++) {
            row[c] += jb[r] * ja[c];
        }
    }
}

// the commonest case, one goal of m rows: J is m numbers for each dof, one after the other. Called
// with a constant m, so that the loops unroll.
static inline void fill_normal_single(const Layout* layout, double* normal, const int m) {
    for (int i = 0; i < m * m; i++) {
        normal[i] = 0.0;
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

// with W, which few trees have: its products do not slow the others down
static void fill_normal_weighted(const Layout* layout, double* normal) {
    const int m = layout->row_count;
    for (int i = 0; i < m * m; i++) {
        normal[i] = 0.0;
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Block* blocks = &layout->blocks[column->first_block];
        for (int d = 0; d < column->dof; d++) {
            const int dof = column->first_dof + d;
            for (int b = 0; !layout->fixed[dof] && b < column->block_count; b++) {
                const Goal* gb = &layout->goals[blocks[b].goal];
                const double* jb = &layout->jacobian[blocks[b].offset + d * gb->rows];
                double shared[POISE_MAX_ROWS];
                for (int k = 0; k < gb->rows; k++) {
                    shared[k] = layout->share[dof] * jb[k];
                }
                for (int a = 0; a <= b; a++) {
                    const Goal* ga = &layout->goals[blocks[a].goal];
                    add_product(normal, m, ga, &layout->jacobian[blocks[a].offset + d * ga->rows],
                                gb, shared);
                }
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
        const Block* blocks = &layout->blocks[column->first_block];
        for (int d = 0; d < column->dof; d++) {
            if (layout->fixed[column->first_dof + d]) {
                continue;
            }
            for (int b = 0; b < column->block_count; b++) {
                const Goal* gb = &layout->goals[blocks[b].goal];
                const double* jb = &layout->jacobian[blocks[b].offset + d * gb->rows];
                for (int a = 0; a <= b; a++) {
                    const Goal* ga = &layout->goals[blocks[a].goal];
                    add_product(normal, m, ga, &layout->jacobian[blocks[a].offset + d * ga->rows],
                                gb, jb);
                }
            }
        }
    }
}

// L L^T in the lower triangle, with 1 / L_ii on the diagonal; 0 there for a row the others imply
static inline void factorise(double* a, const int m) {
    double trace = 0.0;
    for (int i = 0; i < m; i++) {
        trace += a[i * m + i];
    }
    const double smallest = PIVOT_RELATIVE_ZERO * trace / m;
    for (int i = 0; i < m; i++) {
        double* row = &a[i * m];
        for (int j = 0; j < i; j++) {
            const double* other = &a[j * m];
            double sum = row[j];
            for (int k = 0; k < j; k++) {
                sum -= row[k] * other[k];
            }
            row[j] = sum * other[j];
        }
        double pivot = row[i];
        for (int k = 0; k < i; k++) {
            pivot -= row[k] * row[k];
        }
        row[i] = pivot > smallest ? 1.0 / sqrt(pivot) : 0.0;
    }
}

// a[i][j] = (a[i][j] - sum over k < j of a[i][k] a[j][k]) * a[j][j] for four rows from `row` on, so
// that four sums run beside each other
static inline void finish_column(double* row, const double* other, int m, int j) {
    double* r1 = row + m;
    double* r2 = r1 + m;
    double* r3 = r2 + m;
    double s0 = row[j], s1 = r1[j], s2 = r2[j], s3 = r3[j];
    for (int k = 0; k < j; k++) {
        s0 -= row[k] * other[k];
        s1 -= r1[k] * other[k];
        s2 -= r2[k] * other[k];
        s3 -= r3[k] * other[k];
    }
    row[j] = s0 * other[j];
    r1[j] = s1 * other[j];
    r2[j] = s2 * other[j];
    r3[j] = s3 * other[j];
}

// factorise column by column: the same sums in the same order, to the last bit
static void factorise_large(double* a, int m) {
    double trace = 0.0;
    for (int i = 0; i < m; i++) {
        trace += a[i * m + i];
    }
    const double smallest = PIVOT_RELATIVE_ZERO * trace / m;
    for (int j = 0; j < m; j++) {
        double* other = &a[j * m];
        double pivot = other[j];
        for (int k = 0; k < j; k++) {
            pivot -= other[k] * other[k];
        }
        other[j] = pivot > smallest ? 1.0 / sqrt(pivot) : 0.0;
        int i = j + 1;
        for (; i + 3 < m; i += 4) {
            finish_column(&a[i * m], other, m, j);
        }
        for (; i < m; i++) {
            double* row = &a[i * m];
            double sum = row[j];
            for (int k = 0; k < j; k++) {
                sum -= row[k] * other[k];
            }
            row[j] = sum * other[j];
        }
    }
}

static inline void solve_factored(const double* a, const int m, double* y) {
    for (int i = 0; i < m; i++) {
        double sum = y[i];
        for (int k = 0; k < i; k++) {
            sum -= a[i * m + k] * y[k];
        }
        y[i] = sum * a[i * m + i];
    }
    for (int i = m - 1; i >= 0; i--) {
        double sum = y[i];
        for (int k = i + 1; k < m; k++) {
            sum -= a[k * m + i] * y[k];
        }
        y[i] = sum * a[i * m + i];
    }
}

// the same with m known: which m that is, is decided once
static void fill_and_factorise(Layout* layout) {
    double* normal = layout->normal;
    const int m = layout->row_count;
    const bool single = layout->goal_count == 1;
    if (single && m == 3) {
        fill_normal_single(layout, normal, 3);
    } else if (single && m == 6) {
        fill_normal_single(layout, normal, 6);
    } else if (layout->weighted) {
        fill_normal_weighted(layout, normal);
    } else {
        fill_normal_general(layout, normal);
    }
    for (int r = 0; r < m; r++) {
        normal[r * m + r] += layout->row_damping[r];
    }
    if (m == 3) {
        factorise(normal, 3);
    } else if (m == 6) {
        factorise(normal, 6);
    } else {
        factorise_large(normal, m);
    }
}

static void solve_rows(const Layout* layout, double* y) {
    if (layout->row_count == 3) {
        solve_factored(layout->normal, 3, y);
    } else if (layout->row_count == 6) {
        solve_factored(layout->normal, 6, y);
    } else {
        solve_factored(layout->normal, layout->row_count, y);
    }
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
                for (int k = 0; k < goal->rows; k++) {
                    sum += j[k] * y[goal->first_row + k];
                }
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
                for (int k = 0; k < goal->rows; k++) {
                    y[goal->first_row + k] -= j[k] * omega;
                }
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

void poise__factor_solve(double* a, int m, double* b) {
    factorise_large(a, m);
    solve_factored(a, m, b);
}
