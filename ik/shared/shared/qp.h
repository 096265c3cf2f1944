// SPDX-License-Identifier: MIT
// Quadratic programs: damped least squares with bounds and constraints,
//
//     f(x) = 1/2 |J x - v|^2 + 1/2 sum over i of damping_i (x_i - centre_i)^2  -> minimum
//     lower <= x <= upper,   constraint_lower <= A x <= constraint_upper  (equal: an equation)
//
// on plain arrays in the caller's memory. Equal numbers give equal bits everywhere. ik and the
// engine use this header; it is not installed.
//
// At the minimum there are multipliers z (by column) and mu (by row of A) with
//     J^T (v - J x) - D (x - centre) = z + A^T mu,   D = diag(damping).
// Here z_i >= 0 at upper_i, z_i <= 0 at lower_i, and z_i = 0 in between; the same holds for mu
// (Karush, Kuhn, Tucker). If the active bounds and constraints are known, only linear equations
// remain. They have one unknown y per row of J, because rows are few and columns many: (J W J^T +
// lambda I) y = v - J centre over the free columns, with W = share and x = centre + W J^T y. Active
// constraints and held columns (those on a bound) become an orthonormal basis Q. Then (J Q^T) (J
// Q^T)^T is subtracted from J J^T, axis by axis, and the step is projected off the basis.
//
// The active set is found in two ways:
// 1. Guesses, if A has no rows, starting from the columns held at the call. All columns that are
//    wrongly held or free change at once, as long as their number falls (block principal pivoting).
// 2. An active-set method, from an x inside the bounds. Each step goes toward the minimum over
//    the free columns, as far as all bounds allow; the bound that blocks the step becomes active.
//    At that minimum, columns whose multiplier has the wrong sign are released. f falls with
//    every step of length above 0, so no active set occurs twice. After steps of length 0 only
//    the first candidate is released (Bland's rule), so these end too. Every x is inside the
//    bounds and costs at most as much as the last x. There is one exception: over a ground,
//    columns that are held at the call first move to their bounds.
//
// If x violates A at the call, the nearest x that satisfies A is found first, as the least squares
// of A x - s with s inside its bounds.
#ifndef POISE_QP_H
#define POISE_QP_H

#include "shared/dense.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A dense block of a matrix. The numbers of its column c begin at values[offset + c * stride].
typedef struct PoiseBlock {
    int first_row;
    int rows;
    int first_column;
    int columns;
    int offset;
    int stride;
} PoiseBlock;

/// A sparse matrix of dense blocks, sorted by column, then by row. Blocks that share a column have
/// all their columns in common.
typedef struct PoiseMatrix {
    int rows;
    int columns;
    int block_count;
    const PoiseBlock* blocks;
    const double* values;
} PoiseMatrix;

/// Computes out = J x, `rows` numbers.
POISE_API void poise_matrix_times(const PoiseMatrix* j, const double* x, double* out);
/// Computes out = J^T y, `columns` numbers.
POISE_API void poise_matrix_transpose_times(const PoiseMatrix* j, const double* y, double* out);

/// Equations that x satisfies at the call: its products with the axes of a basis, which the solve
/// keeps. They are made once for several solves. At the call x must satisfy the constraints too. If
/// there are constraints, held columns must be on their bounds.
typedef struct PoiseQpGround {
    PoiseBasis basis; ///< axes with a number per column, which a solve does not change
    double* normal;   ///< rows x rows: the upper triangle of J J^T - (J Q^T) (J Q^T)^T
    double square;    ///< trace(J J^T)
    /// By axis: the exact product with x. Steps return to it, so that rounding errors do not add
    /// up. NULL: they do not return, which suffices without constraints.
    double* kept;
} PoiseQpGround;

/// A quadratic program; see the head of this file.
typedef struct PoiseQp {
    PoiseMatrix j;
    const double* target; ///< by row: v
    /// By row: lambda >= 0. It equals share_i damping_i for every column i of the row.
    const double* row_damping;
    const double* damping; ///< by column, >= 0
    const double* share;   ///< lambda / damping_i, by column; NULL: 1
    const double* centre;  ///< by column; NULL: 0
    const double* lower;   ///< by column; -infinity allowed; NULL (and `upper` NULL): no bounds
    const double* upper;
    int constraint_count;
    const double* constraints;      ///< A: constraint_count x columns, row-major
    const double* constraint_lower; ///< by constraint; -infinity allowed
    const double* constraint_upper;
    PoiseQpGround* ground;     ///< equations in addition to the constraints; NULL: none
    const PoiseRowSpan* spans; ///< by row: columns of J W J^T that may differ from 0; NULL: all
    /// true: conjugate gradients replace the matrix J W J^T, for many rows. Not with constraints.
    bool matrix_free;
} PoiseQp;

/// The largest problem that a workspace must hold.
typedef struct PoiseQpSize {
    int rows;
    int columns;
    int constraints;  ///< number of constraints, or of axes of the ground
    bool matrix_free; ///< true: no solve needs a matrix of rows x rows
    bool grounded;    ///< true: PoiseQp.ground has all equations
} PoiseQpSize;

/// Working memory of a solve.
typedef struct PoiseQpWork {
    double* normal;    ///< rows x rows: the last factor of J W J^T + lambda I
    double* residual;  ///< rows: v - J x of the last step
    double* y;         ///< by row: y of the equations in the head
    double* gradient;  ///< by column: scratch for gradients
    double* direction; ///< by column: the step
    double* start;     ///< by column: scratch
    // only with constraints or a ground, in the variable z = x / metric
    double* metric;   ///< by column: sqrt(share)
    PoiseBasis basis; ///< axes of the ground, active constraints and held columns
    double* whole;    ///< rows x rows: J W J^T minus the products of the axes
    double* inward;   ///< by column: centre - x, projected off the basis
    double* triangle; ///< the triangle L in M = L Q (basis.c), `stride` numbers for each axis
    double* parts;    ///< by axis: scratch
    /// By axis: index of its constraint, or ~column if it is a held column; indices from
    /// constraint_count on are axes of the ground.
    int* order;
    int first;      ///< number of axes of the ground, which are the first axes of `basis`
    void* feasible; ///< memory of the search in feasible.c; NULL: no constraints but a ground
} PoiseQpWork;

/// Lays the workspace out in `memory` (aligned for a double). Returns its size in bytes. If
/// `memory` is NULL, it only returns the size.
POISE_API size_t poise_qp_work_place(PoiseQpWork* work, const PoiseQpSize* size, void* memory);

/// How a solve ended.
typedef enum PoiseQpEnd {
    POISE_QP_LEAST = 0,       ///< f is minimal at x
    POISE_QP_BUDGET_USED = 1, ///< x is inside its bounds, but the iterations ran out
    /// The constraints contradict each other: x violates them least.
    POISE_QP_INFEASIBLE = 2
} PoiseQpEnd;

/// The start and the result of a solve.
typedef struct PoiseQpState {
    double* x; ///< by column: the start, then the answer
    /// In and out, by column: 1 if x is held on a bound. Over a ground, a column held at the call
    /// moves to its nearer bound.
    unsigned char* held;
    /// In and out, by constraint: -1 active at its lower bound, 1 at its upper bound, 0 inactive.
    /// NULL without constraints.
    signed char* active;
    bool guess; ///< tries guesses first
    /// Out: number of steps for a known active set; if matrix-free, number of their iterations.
    int faces;
    /// Out: number of guesses or, if these failed, of steps of the active-set method that no bound
    /// stopped.
    int cycles;
} PoiseQpState;

/// Minimises f: fills x, held and active of the state.
POISE_API PoiseQpEnd poise_qp_solve(const PoiseQp* qp, PoiseQpWork* work, PoiseQpState* state);

/// Minimises f over the columns that are not held, without bounds and constraints. Keeps the factor
/// in `work`. `held` and `x` are by column. Returns the number of iterations of conjugate
/// gradients, which start from x, or 1 after a factorisation.
POISE_API int poise_qp_face(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held,
                            double* x);
/// Minimises f, without bounds, for another target and centre, with the factor or basis of the last
/// solve in `work`, which had the same J, damping, ground and held columns. Held columns become 0.
/// Without a ground the centre is 0; over a ground, x keeps its products with the axes. Excludes
/// constraints and `matrix_free`.
POISE_API void poise_qp_again(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state);
/// 2 f(x), x of a number for each column; leaves v - J x in `residual`.
POISE_API double poise_qp_cost(const PoiseQp* qp, PoiseQpWork* work, const double* x);

#ifdef __cplusplus
}
#endif

#endif
