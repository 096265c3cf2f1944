// SPDX-License-Identifier: MIT
// Computes how far dry friction at a wall can hold a point from its forecast rest: the largest |C
// t|, where C is the compliance and t any friction force, tangential to the wall, with |t| <=
// friction |force|.
#include <math.h>

#include "poise/forecast.h"

static PoiseVec3 apply(const double c[9], PoiseVec3 v) {
    return poise_vec3(c[0] * v.x + c[1] * v.y + c[2] * v.z, c[3] * v.x + c[4] * v.y + c[5] * v.z,
                      c[6] * v.x + c[7] * v.y + c[8] * v.z);
}

double poise_forecast_friction_band(const PoiseForecast* forecast, PoiseVec3 force,
                                    double friction) {
    const double size = poise_length(force), most = friction * size;
    if (!forecast || !(size > 0.0) || isinf(size) || !(friction > 0.0) || isinf(friction)) {
        return 0.0;
    }
    if (isnan(forecast->compliance[0]) || !poise_forecast_rests(forecast) ||
        forecast->limited > 0) {
        return HUGE_VAL;
    }
    // if t = cos(s) t1 + sin(s) t2, a = C t1, b = C t2: |C t|^2 = middle + half cos(2 s) + (a . b)
    // sin(2 s)
    const PoiseVec3 n = poise_scale(1.0 / size, force);
    const PoiseVec3 any = fabs(n.x) < 0.6 ? poise_vec3(1.0, 0.0, 0.0) : poise_vec3(0.0, 1.0, 0.0);
    const PoiseVec3 across = poise_cross(n, any);
    const PoiseVec3 t = poise_scale(most / poise_length(across), across);
    const PoiseVec3 a = apply(forecast->compliance, t);
    const PoiseVec3 b = apply(forecast->compliance, poise_cross(n, t));
    const double half = 0.5 * (poise_dot(a, a) - poise_dot(b, b));
    const double middle = 0.5 * (poise_dot(a, a) + poise_dot(b, b));
    return sqrt(middle + sqrt(half * half + poise_dot(a, b) * poise_dot(a, b)));
}
