// SPDX-License-Identifier: MIT
// The angle of a rotation from sine and cosine of half the angle, as quaternions have them, without
// atan2: tan(angle / 4) = sine / (1 + cosine), whose arc tangent is a short polynomial. ik and the
// engine use it; it is not installed.
#ifndef POISE_HALF_TURN_H
#define POISE_HALF_TURN_H

#include "poise/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// tan(pi / 8): up to here the polynomial goes.
#define POISE_TANGENT_MOST 0.41421356237309503

/// atan(t) / t of z = t^2, to the last digits for t up to POISE_TANGENT_MOST: Chebyshev's nodes of
/// that range; off by less than 1e-17.
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

/// 2 atan2(sine, cosine), rad, -2 pi..2 pi; 0 where both are 0. Right to a few roundings for
/// numbers whose squares are finite.
static inline double poise_turn_of_half(double sine, double cosine) {
    const double pi = 3.14159265358979323846;
    const double a = fabs(sine), c = fabs(cosine);
    const double sum = sqrt(a * a + c * c) + c;
    // beyond pi / 2 by tan(x - pi / 4), so that the division stays one
    const bool near = a <= POISE_TANGENT_MOST * sum;
    const double below = near ? sum : a + sum;
    const double t = below > 0.0 ? (near ? a : a - sum) / below : 0.0;
    const double quarter = t * poise_arc_part(t * t);
    double angle = near ? 4.0 * quarter : pi + 4.0 * quarter;
    angle = cosine < 0.0 ? 2.0 * pi - angle : angle;
    return sine < 0.0 ? -angle : angle;
}

#ifdef __cplusplus
}
#endif

#endif
