// SPDX-License-Identifier: MIT
// Computes the angle of a rotation from sine and cosine of half the angle, the numbers in a
// quaternion, without atan2. It uses tan(angle / 4) = sine / (1 + cosine) and a short polynomial
// for the arc tangent. ik and the engine use this header; it is not installed.
#ifndef POISE_HALF_TURN_H
#define POISE_HALF_TURN_H

#include "poise/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// tan(pi / 8), the largest argument of the polynomial.
#define POISE_TANGENT_MOST 0.41421356237309503

/// Returns atan(t) / t from z = t^2, for |t| <= POISE_TANGENT_MOST. The polynomial interpolates at
/// the Chebyshev nodes of this range, with an error below 1e-17 before rounding.
static inline double poise_arc_part(double z) {
    double sum = -0.019162068915902573;
    sum = 0.03921955253253129 + z * sum;
    sum = -0.05085030492810941 + z * sum;
    sum = 0.058580687568615106 + z * sum;
    sum = -0.06664502215671447 + z * sum;
    sum = 0.07692182535116648 + z * sum;
    sum = -0.09090904549884611 + z * sum;
    sum = 0.11111111014561013 + z * sum;
    sum = -0.14285714284657894 + z * sum;
    sum = 0.1999999999999548 + z * sum;
    sum = -0.3333333333333333 + z * sum;
    return 1.0 + z * sum;
}

/// Returns 2 atan2(sine, cosine), rad, -2 pi..2 pi; 0 if both are 0. The error is a few roundings
/// if the squares of the numbers are finite.
static inline double poise_turn_of_half(double sine, double cosine) {
    const double a = fabs(sine), c = fabs(cosine);
    const double sum = sqrt(a * a + c * c) + c;
    // angles beyond pi / 2 use tan(angle / 4 - pi / 4), so that one division suffices
    const bool near = a <= POISE_TANGENT_MOST * sum;
    const double below = near ? sum : a + sum;
    const double t = below > 0.0 ? (near ? a : a - sum) / below : 0.0;
    const double quarter = t * poise_arc_part(t * t);
    double angle = near ? 4.0 * quarter : POISE_PI + 4.0 * quarter;
    angle = cosine < 0.0 ? 2.0 * POISE_PI - angle : angle;
    return sine < 0.0 ? -angle : angle;
}

#ifdef __cplusplus
}
#endif

#endif
