// SPDX-License-Identifier: MIT
// One quadratic program: bounded, constrained, damped least squares,
//
//     f(x) = 1/2 |J x - v|^2 + 1/2 sum over i of damping_i (x_i - centre_i)^2  -> least
//     lower <= x <= upper,   constraint_lower <= A x <= constraint_upper  (equal: an equation)
//
// on plain arrays in the caller's memory. The same numbers give the same bits everywhere. ik and
// the engine use it; it is not installed.
//
// At the least x there are multipliers z (by column) and mu (by row of A) with
//     J^T (v - J x) - D (x - c) = z + A^T mu
// and z_i >= 0 at upper_i, <= 0 at lower_i, else 0, and mu likewise (Karush, Kuhn, Tucker). With
// known active bounds and constraints only equations are left. Few rows and many columns are solved
// by the small side: (J W J^T + lambda I) y = v - J c over the free columns, with W = share and x =
// c + W J^T y. The active rows of A and the held columns become an orthonormal basis Q: J J^T loses
// (J Q^T) (J Q^T)^T, axis by axis, and the step is projected off the basis. So the task is to find
// the active set:
// 1. By guesses, from the columns held at the call (warm start), without rows of A. All wrong
//    columns change sides, held or free, while their number falls (block principal pivoting).
// 2. By an active set, from an x inside. Each step goes toward the least f of the free columns, as
//    far as all bounds allow. The bound that blocks the step becomes active. At that least, columns
//    whose multiplier has the wrong sign are released. f falls with every step of length above 0,
//    so no set returns. After steps of length 0 the first candidate is released (Bland), so these
//    end too. Every x is inside and costs at most as much as the x before, except where columns
//    that are held at the call go to their bounds, over a ground.
// If x does not fit the rows of A at the call, the nearest x that does is found first, by the least
// squares of A x - s with s inside its bounds.
#ifndef POISE_QP_H
#define POISE_QP_H

#include "shared/dense.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A dense block of a matrix: the numbers of its first column begin at values[offset], those of
/// each further column `stride` later.
typedef struct PoiseBlock {
    int first_row;
    int rows;
    int first_column;
    int columns;
    int offset;
    int stride;
} PoiseBlock;

/// A matrix of blocks, in the order of their columns. Blocks that share a column have the same
/// columns, and lie one after the other in the order of their rows.
typedef struct PoiseMatrix {
    int rows;
    int columns;
    int block_count;
    const PoiseBlock* blocks;
    const double* values;
} PoiseMatrix;

/// out = J x, `rows` numbers.
POISE_API void poise_matrix_times(const PoiseMatrix* j, const double* x, double* out);
/// out = J^T y, `columns` numbers.
POISE_API void poise_matrix_transpose_times(const PoiseMatrix* j, const double* y, double* out);

/// Equations that x meets at the call, made once for several solves: x keeps its products with the
/// axes. Over a ground, x fits the constraints at the call too, and if there are any, the columns
/// that are held then are on their bounds.
typedef struct PoiseQpGround {
    PoiseBasis basis; ///< over all columns. A solve does not change the numbers.
    double* normal;   ///< rows x rows: the upper triangle of J J^T - (J Q^T) (J Q^T)^T
    double square;    ///< trace(J J^T)
    /// By axis: its product with x, to which steps go back from rounding. NULL: they do not, which
    /// is enough without constraints.
    double* kept;
} PoiseQpGround;

/// The problem.
typedef struct PoiseQp {
    PoiseMatrix j;
    const double* target; ///< v, by row
    /// lambda, by row, >= 0: share_i damping_i of all columns that the row has.
    const double* row_damping;
    const double* damping; ///< by column, >= 0
    const double* share;   ///< lambda / damping_i, by column; NULL: 1
    const double* centre;  ///< by column; NULL: 0
    const double* lower;   ///< by column, may be -infinity; NULL, with `upper` NULL: no bounds
    const double* upper;
    int constraint_count;
    const double* constraints;      ///< A: constraint_count x columns, row-major
    const double* constraint_lower; ///< may be -infinity
    const double* constraint_upper;
    PoiseQpGround* ground;     ///< equations besides the constraints. NULL: none
    const PoiseRowSpan* spans; ///< columns of J W J^T by row (PoiseCholesky); NULL: all
    /// Uses conjugate gradients instead of J W J^T, for many rows. Excludes constraints.
    bool matrix_free;
} PoiseQp;

/// The largest problem for a workspace.
typedef struct PoiseQpSize {
    int rows;
    int columns;
    int constraints;  ///< number of constraints, or of axes of the ground
    bool matrix_free; ///< no solve needs an array of rows x rows
    bool grounded;    ///< equations come only as PoiseQp.ground
} PoiseQpSize;

/// Scratch of a solve.
typedef struct PoiseQpWork {
    double* normal;    ///< rows x rows: the factor of the last step
    double* residual;  ///< rows: v - J x of the last step
    double* y;         ///< rows
    double* gradient;  ///< columns, scratch: gradients
    double* direction; ///< columns: the step
    double* start;     ///< columns, scratch
    // constraints or a ground; z is x / metric
    double* metric;   ///< columns: sqrt(share)
    PoiseBasis basis; ///< the ground, active constraints and held columns
    double* whole;    ///< rows x rows: J W J^T without the axes' parts
    double* inward;   ///< columns: centre - x, projected off the basis
    double* triangle; ///< L of M = L Q, a stride for each axis
    double* parts;    ///< stride of the basis
    /// By axis: its constraint, or ~column; from constraint_count on, an axis of the ground.
    int* order;
    int first;    ///< number of axes of the ground, which are the first axes of `basis`
    void* inside; ///< memory to find an x inside; NULL: only a ground is possible
} PoiseQpWork;

/// Lays the workspace out in `memory` (aligned for a double). Returns its size in bytes. If
/// `memory` is NULL, it only returns the size.
POISE_API size_t poise_qp_work_place(PoiseQpWork* work, const PoiseQpSize* size, void* memory);

/// How a solve ended.
typedef enum PoiseQpEnd {
    POISE_QP_LEAST = 0,       ///< x has the least f
    POISE_QP_BUDGET_USED = 1, ///< x is inside, but the rounds or iterations ran out
    /// No x fits the constraints: x violates them least.
    POISE_QP_INFEASIBLE = 2
} PoiseQpEnd;

/// Start and result of a solve.
typedef struct PoiseQpState {
    double* x; ///< by column: the start, then the answer
    /// In and out, a number for each column: 1 if it is held on the bound at x. Over a ground, a
    /// column that is 1 at the call moves to its nearer bound.
    unsigned char* held;
    /// By constraint, in and out: -1 active at its lower bound, 1 at its upper, 0 inactive. NULL
    /// without constraints.
    signed char* active;
    bool guess; ///< tries guesses first
    int faces;  ///< out: steps for a known active set; if matrix-free, their iterations
    /// Out: guesses; if these failed, steps of the active set that no bound stopped.
    int cycles;
} PoiseQpState;

/// x, held and active become those of the least f.
POISE_API PoiseQpEnd poise_qp_solve(const PoiseQp* qp, PoiseQpWork* work, PoiseQpState* state);

/// Minimises f over the numbers of x whose `held` is 0, without bounds and constraints. Keeps the
/// factor in `work`. `held` and `x` have a number for each column. Returns the iterations of
/// conjugate gradients, which start from x, or 1 with a factor.
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
