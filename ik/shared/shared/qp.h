// SPDX-License-Identifier: MIT
// One quadratic program: bounded, constrained, damped least squares,
//
//     f(x) = 1/2 |J x - v|^2 + 1/2 sum over i of damping_i (x_i - centre_i)^2  -> least
//     lower <= x <= upper,   constraint_lower <= A x <= constraint_upper  (equal: an equation)
//
// on plain arrays in the caller's memory; the same numbers give the same bits everywhere. For
// layers built on this one.
//
// At the least x there are multipliers z (by column) and mu (by row of A) with
//     J^T (v - J x) - D (x - c) = z + A^T mu,
// z_i >= 0 at upper_i, <= 0 at lower_i, else 0; mu alike (Karush, Kuhn, Tucker). With the columns
// at their bounds and the rows of A at theirs known, only equations are left. For few rows and many
// columns they are solved by their small side, W = share: (J W J^T + lambda I) y = v - J c over the
// free columns, x = c + W J^T y; the rows of A that hold are made an orthonormal basis first, and J
// is what that leaves of it. So all there is to find is which bounds hold:
//  1. By guesses, from those held at the call (warm start): all columns that are wrong change
//     sides, held or free, while there are fewer of them from guess to guess (block principal
//     pivoting). Where none is wrong x is the least. Not with rows of A.
//  2. By an active set: from an x inside, to the least with what is held, as far as all bounds
//     allow; what stops the way is held. At the least there, what is pulled off its bound is let
//     go. f falls with every step of length above 0, so no set returns after one; after steps of
//     length 0 the first of those to be let go is taken instead of the one that is pulled most
//     (Bland), so that they end too. Every x on the way is inside and none costs more than the one
//     before: where the rounds run out, what is left is a step that may be taken.
// Where x does not fit the rows of A at the call, the nearest that does is found first, the same
// way: least squares of A x - s, with s inside its bounds.
#ifndef POISE_QP_H
#define POISE_QP_H

#include "shared/dense.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A dense block of a matrix: column after column from values[offset] on, `rows` numbers each.
typedef struct PoiseBlock {
    int first_row;
    int rows;
    int first_column;
    int columns;
    int offset;
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

/// The problem: J and what stands beside it.
typedef struct PoiseQp {
    PoiseMatrix j;
    const double* target; ///< v, by row
    /// lambda, by row, >= 0: share_i damping_i of all columns that the row has.
    const double* row_damping;
    const double* damping; ///< by column, >= 0
    const double* share;   ///< lambda / damping_i, by column; NULL: 1
    const double* centre;  ///< by column; NULL: 0
    const double* lower;   ///< by column, may be -infinity; NULL with `upper`: no bounds
    const double* upper;
    int constraint_count;
    const double* constraints;      ///< A: constraint_count x columns, row-major
    const double* constraint_lower; ///< may be -infinity
    const double* constraint_upper;
    const PoiseRowSpan* spans; ///< of J W J^T, by row (PoiseCholesky); NULL: none
    /// By conjugate gradients instead of J W J^T, for many rows. Not with constraints.
    bool matrix_free;
} PoiseQp;

/// The most of what is to be solved in a workspace.
typedef struct PoiseQpSize {
    int rows;
    int columns;
    int constraints;
    bool matrix_free; ///< always, so that no rows x rows are needed
    /// All constraints are equations that x fits at the call.
    bool equations_only;
} PoiseQpSize;

/// Scratch of a solve.
typedef struct PoiseQpWork {
    double* normal;    ///< rows x rows: the factor of the last step
    double* residual;  ///< rows: v - J x of the last step
    double* y;         ///< rows
    double* gradient;  ///< columns
    double* direction; ///< columns
    double* start;     ///< columns
    // with constraints
    double* dense;    ///< rows x columns
    double* counted;  ///< columns: 1 free, 0 held
    double* metric;   ///< columns: sqrt(share)
    PoiseBasis basis; ///< of the constraints that hold, over the free columns
    double* triangle; ///< constraints x constraints, by axis: L of M = L Q; NULL: equations only
    double* parts;    ///< constraints
    int* order;       ///< constraints: of which the axes of the basis are, in order
    void* inside;     ///< room to find an x inside; NULL: equations only
} PoiseQpWork;

/// Lays the workspace out in `memory` (aligned for a double) of as many bytes as it returns; with
/// `memory` NULL it only counts.
POISE_API size_t poise_qp_work_place(PoiseQpWork* work, const PoiseQpSize* size, void* memory);

/// How a solve ended.
typedef enum PoiseQpEnd {
    POISE_QP_LEAST = 0,       ///< x is the least
    POISE_QP_BUDGET_USED = 1, ///< x is inside, but the rounds or iterations ran out
    /// No x fits the constraints: x is as near to it as there is.
    POISE_QP_INFEASIBLE = 2
} PoiseQpEnd;

/// Where a solve begins, and what it leaves.
typedef struct PoiseQpState {
    double* x; ///< by column: where to begin, and the answer
    /// By column, in and out: 1 is held on the bound where x stands.
    unsigned char* held;
    /// By constraint, in and out: -1 holds at its lower bound, 1 at its upper, 0 does not. NULL
    /// without constraints.
    signed char* active;
    bool guess; ///< by guesses first
    int faces;  ///< out: steps with bounds known; iterations where they are matrix-free
    /// Out: guesses, or, where they led nowhere, times that all was held which a step met.
    int cycles;
} PoiseQpState;

/// x, held and active become those of the least f.
POISE_API PoiseQpEnd poise_qp_solve(const PoiseQp* qp, PoiseQpWork* work, PoiseQpState* state);

/// x of the columns that are not held becomes that of the least f, whatever bounds and constraints
/// say; leaves the factor. `held` and `x` have a number for each column. Returns the iterations of
/// conjugate gradients, which go on from x.
POISE_API int poise_qp_face(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held,
                            double* x);
/// With the factor that poise_qp_face left: out = J^# target over the columns that are not held, 0
/// for the others, drawn to 0. `target` has a number for each row, `out` one for each column.
POISE_API void poise_qp_face_again(const PoiseQp* qp, PoiseQpWork* work, const unsigned char* held,
                                   const double* target, double* out);
/// 2 f(x), x of a number for each column; leaves v - J x in `residual`.
POISE_API double poise_qp_cost(const PoiseQp* qp, PoiseQpWork* work, const double* x);

#ifdef __cplusplus
}
#endif

#endif
