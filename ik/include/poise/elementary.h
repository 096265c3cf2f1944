// SPDX-License-Identifier: MIT
// Elementary functions of Poise. They return the same bits with every compiler, C library and
// processor with IEEE 754 doubles, each within 1 ulp of the true value.
//
// Throughout: angles are in rad; the unit of a length is the caller's choice. Every number is
// accepted. The result is NaN where a function has no value.
#ifndef POISE_ELEMENTARY_H
#define POISE_ELEMENTARY_H

#include "poise/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The sine and the cosine of one angle.
typedef struct PoiseSinCos {
    double sine;
    double cosine;
} PoiseSinCos;

/// The sine of an angle in radians, of any size. NaN for an infinite angle.
POISE_API double poise_sin(double angle);
/// The cosine of an angle in radians, of any size. NaN for an infinite angle.
POISE_API double poise_cos(double angle);
/// Both functions at once, with the bits of poise_sin and poise_cos.
POISE_API PoiseSinCos poise_sincos(double angle);
/// The angle in [-pi/2, pi/2] rad whose sine is x. NaN outside [-1, 1].
POISE_API double poise_asin(double x);
/// The angle in [0, pi] rad whose cosine is x. NaN outside [-1, 1].
POISE_API double poise_acos(double x);
/// The angle in [-pi, pi] rad from the x axis to the point (x, y). Zeros and infinities as in C17's
/// Annex F.
POISE_API double poise_atan2(double y, double x);
/// The length of (x, y), without overflow of an intermediate result. Infinite if x or y is
/// infinite.
POISE_API double poise_hypot(double x, double y);
/// e to the power x. Infinite above 709.79, 0 below -745.14.
POISE_API double poise_exp(double x);
/// The natural logarithm of x. Minus infinity for 0, NaN below 0.
POISE_API double poise_log(double x);

#ifdef __cplusplus
}
#endif

#endif
