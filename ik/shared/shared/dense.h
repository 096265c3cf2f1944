// SPDX-License-Identifier: MIT
// Small dense algebra: Cholesky, elimination with full pivoting, orthonormal bases, triangles.
// Matrices are row-major, in the caller's memory. ik and the engine use it; it is not installed.
//
// Throughout: finite numbers of any unit. The functions allocate and check nothing.
#ifndef POISE_DENSE_H
#define POISE_DENSE_H

#include "poise/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Columns `first` to `end` - 1 of a row; elsewhere the row is 0.
typedef struct PoiseRowSpan {
    int first;
    int end;
} PoiseRowSpan;

/// A symmetric matrix a >= 0 of `rows` rows that lie `stride` numbers apart, and how its Cholesky
/// factor is made.
typedef struct PoiseCholesky {
    int rows;
    int stride;
    /// By row: the columns that are read; a is 0 elsewhere. Rows that share a column have the same
    /// span. NULL: all columns.
    const PoiseRowSpan* spans;
    /// A pivot below least[i] is raised smoothly, to at least 3/4 least[i]. NULL: pivots stay.
    const double* least;
    /// Pivots up to this fraction of the mean diagonal are 0: the rows before imply that row.
    double zero;
} PoiseCholesky;

/// a = U^T U: U replaces the upper triangle, with 1 / U_ii on the diagonal, 0 where the pivot is 0.
/// The lower triangle is not read, and numbers there may change. The first k rows and columns are
/// the factor of those of a.
POISE_API void poise_cholesky_factor(const PoiseCholesky* shape, double* a);
/// b <- a^-1 b, with the factor of a. The unknowns of rows whose pivot is 0 become 0.
POISE_API void poise_cholesky_solve(const PoiseCholesky* shape, const double* factor, double* b);

/// a x = b for a square a and several right sides, row-major.
typedef struct PoiseEquations {
    int n;
    int columns;
    double* a;  ///< n x n; the elimination uses it up
    double* b;  ///< n x columns, a right side in each column; becomes x
    int* order; ///< n, scratch
} PoiseEquations;

/// Solves the equations by elimination with full pivoting. A pivot of at most `relative` times a's
/// largest number counts as 0, and its unknown becomes 0. Returns the rank.
POISE_API int poise_dense_eliminate(const PoiseEquations* equations, double relative);

/// The axes of a basis come in groups of this size. Numbers beyond the last axis are 0.
enum { POISE_BASIS_LANES = 4 };

/// An orthonormal basis of rows of `columns` numbers. The axes' numbers in a column are adjacent:
/// axis k in column i is axes[i * stride + k].
typedef struct PoiseBasis {
    int columns;
    int stride; ///< a multiple of POISE_BASIS_LANES, at least the largest count
    int count;
    double* axes;  ///< columns x stride
    double* parts; ///< scratch, stride
} PoiseBasis;

/// Returns the least stride for a number of axes.
static inline int poise_basis_stride(int axes) {
    return (axes + POISE_BASIS_LANES - 1) / POISE_BASIS_LANES * POISE_BASIS_LANES;
}

/// Subtracts from `row` its components along the axes. Adds these, axis by axis, to `parts`
/// (`count` numbers; NULL: not wanted).
POISE_API void poise_basis_project(const PoiseBasis* basis, double* row, double* parts);
/// Fills `parts` (stride numbers) with the products of the row and the axes.
POISE_API void poise_basis_parts(const PoiseBasis* basis, const double* row, double* parts);
/// Adds an axis along the component of `row` outside the basis, and overwrites `row`. Returns the
/// length of that component. If it is at most `zero` times the row's length, the row is dependent:
/// adds nothing and returns 0. `parts` (`count` + 1 numbers, NULL: not wanted) gets the row's
/// components along all axes.
POISE_API double poise_basis_add(PoiseBasis* basis, double* row, double zero, double* parts);

/// Adds the row that is 1 in `column` and 0 elsewhere, as poise_basis_add. `row` is scratch, a
/// number for each column. `parts` has a stride of numbers.
POISE_API double poise_basis_add_unit(PoiseBasis* basis, int column, double zero, double* row,
                                      double* parts);

/// Rows for a basis. Row r in column i is numbers[i * stride + r]; the numbers from `count` to the
/// next multiple of POISE_BASIS_LANES are finite.
typedef struct PoiseAddedRows {
    int count;
    int stride; ///< a multiple of POISE_BASIS_LANES
    double* numbers;
    /// A row is dependent if at most this fraction of the longest row's length is left of it. A
    /// short row may have the rounding of terms as long as the others.
    double zero;
    bool longest_first; ///< always adds the row with the longest remainder next; false: in order
} PoiseAddedRows;

/// Adds several rows to the basis at once, and overwrites them. `parts`, rows x basis stride, has
/// the products of the rows with the present axes; NULL: the basis is empty. `scratch` has three
/// times rows->stride numbers, and one for each column; it begins with the squared lengths of the
/// rows on return.
POISE_API void poise_basis_add_rows(PoiseBasis* basis, const PoiseAddedRows* rows,
                                    const double* parts, double* scratch);
/// Subtracts from the upper triangle of `a`, rows x rows, the products of the rows of `parts`,
/// which poise_basis_parts filled.
POISE_API void poise_basis_subtract_products(const PoiseBasis* basis, const double* parts, int rows,
                                             double* a);

/// Updates R, so that R^T R grows by x x^T, with Givens rotations, which square no number. r: count
/// x count, upper triangle. x: `count` numbers, overwritten.
POISE_API void poise_triangle_add_row(double* r, double* x, int count);

#ifdef __cplusplus
}
#endif

#endif
