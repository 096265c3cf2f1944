// SPDX-License-Identifier: MIT
// Small dense linear algebra: Cholesky factors, elimination with full pivoting, orthonormal bases,
// and updates of triangular factors. Matrices are row-major, in the caller's memory. ik and the
// engine use this header; it is not installed.
//
// Throughout: numbers are finite and of any unit. The functions allocate no memory and do not check
// their arguments.
#ifndef POISE_DENSE_H
#define POISE_DENSE_H

#include "poise/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The columns of a row that may differ from 0: `first` to `end` - 1.
typedef struct PoiseRowSpan {
    int first;
    int end;
} PoiseRowSpan;

/// A symmetric positive semidefinite matrix `a`, and the settings of its Cholesky factor. Its rows
/// lie `stride` numbers apart.
typedef struct PoiseCholesky {
    int rows;
    int stride;
    /// By row: the columns outside which a is 0. Rows with a common column have the same span.
    /// NULL: all columns.
    const PoiseRowSpan* spans;
    /// A pivot below least[i] is raised smoothly to at least 3/4 least[i]. NULL: no pivot is
    /// raised.
    const double* least;
    double zero; ///< pivots up to this fraction of the mean diagonal count as 0
} PoiseCholesky;

/// Factors a = U^T U. U replaces the upper triangle, with 1 / U_ii on the diagonal, or 0 for a
/// pivot of 0. The lower triangle is not read, but may be overwritten. The first k rows and columns
/// of U are the factor of the first k rows and columns of a.
POISE_API void poise_cholesky_factor(const PoiseCholesky* shape, double* a);
/// b <- a^-1 b, with the factor of a. Unknowns whose pivot is 0 become 0.
POISE_API void poise_cholesky_solve(const PoiseCholesky* shape, const double* factor, double* b);

/// The equations a x = b for a square matrix a and several right-hand sides, row-major.
typedef struct PoiseEquations {
    int n;
    int columns;
    double* a;  ///< n x n; overwritten by the elimination
    double* b;  ///< n x columns, each a right-hand side; replaced by x
    int* order; ///< scratch, n numbers
} PoiseEquations;

/// Solves the equations by elimination with full pivoting. If a pivot is at most `relative` times
/// the largest number of a, its unknown becomes 0. Returns the rank.
POISE_API int poise_dense_eliminate(const PoiseEquations* equations, double relative);

/// Axes of a basis are processed in groups of this number; unused places of a group hold 0.
enum { POISE_BASIS_LANES = 4 };

/// An orthonormal basis of rows of `columns` numbers. The axes' numbers in a column are adjacent:
/// axis k in column i is axes[i * stride + k].
typedef struct PoiseBasis {
    int columns;
    int stride; ///< a multiple of POISE_BASIS_LANES, at least the largest number of axes
    int count;
    double* axes;  ///< the axes, columns x stride
    double* parts; ///< scratch, `stride` numbers
} PoiseBasis;

/// Returns the least stride for a number of axes.
static inline int poise_basis_stride(int axes) {
    return (axes + POISE_BASIS_LANES - 1) / POISE_BASIS_LANES * POISE_BASIS_LANES;
}

/// Removes from `row` its components along the axes, and adds them to `parts` (`count` numbers, by
/// axis; NULL: not wanted).
POISE_API void poise_basis_project(const PoiseBasis* basis, double* row, double* parts);
/// Fills `parts` (stride numbers) with the products of `row` and each axis.
POISE_API void poise_basis_parts(const PoiseBasis* basis, const double* row, double* parts);
/// Adds an axis along the part of `row` that is perpendicular to the basis; overwrites `row`.
/// Returns the length of this part. If that is at most `zero` times the length of `row`, the row is
/// dependent: no axis is added, and 0 is returned. `parts` (`count` + 1 numbers; NULL: not wanted)
/// gets the row's components along all axes.
POISE_API double poise_basis_add(PoiseBasis* basis, double* row, double zero, double* parts);

/// Adds the unit row with 1 in `column`, as poise_basis_add. `row` is scratch with a number for
/// each column, `parts` has `stride` numbers.
POISE_API double poise_basis_add_unit(PoiseBasis* basis, int column, double zero, double* row,
                                      double* parts);

/// Rows to add to a basis. Component i of row r is numbers[i * stride + r]; the places from `count`
/// to the next multiple of POISE_BASIS_LANES must be finite.
typedef struct PoiseAddedRows {
    int count;
    int stride; ///< a multiple of POISE_BASIS_LANES
    double* numbers;
    /// A row is dependent if its part perpendicular to the basis is at most this fraction of the
    /// longest row: short rows may contain rounding errors of terms as long as that row.
    double zero;
    bool longest_first; ///< adds the row with the longest remainder next, not in order
} PoiseAddedRows;

/// Adds several rows to the basis at once, and overwrites them. `parts` (rows x basis stride) holds
/// their products with the present axes; NULL if the basis is empty. `scratch` has three times
/// rows->stride numbers and one for each column. It then begins with the squared lengths of the
/// rows.
POISE_API void poise_basis_add_rows(PoiseBasis* basis, const PoiseAddedRows* rows,
                                    const double* parts, double* scratch);
/// Subtracts from the upper triangle of `a` (rows x rows) the products of each two rows of `parts`,
/// which poise_basis_parts filled.
POISE_API void poise_basis_subtract_products(const PoiseBasis* basis, const double* parts, int rows,
                                             double* a);

/// Updates the triangle R so that R^T R grows by x x^T, by Givens rotations, which avoid squares.
/// `r`: count x count, upper triangle. `x`: `count` numbers, overwritten.
POISE_API void poise_triangle_add_row(double* r, double* x, int count);

#ifdef __cplusplus
}
#endif

#endif
