// SPDX-License-Identifier: MIT
// Comparisons of floats, which print both values, the difference and the tolerance.
#ifndef POISE_TEST_NEAR_H
#define POISE_TEST_NEAR_H

#include <criterion/criterion.h>
#include <math.h>

#include "poise/math.h"

#define EXPECT_NEAR(actual, expected, tolerance)                                                   \
    do {                                                                                           \
        double near_a_ = (actual);                                                                 \
        double near_e_ = (expected);                                                               \
        double near_t_ = (tolerance);                                                              \
        cr_expect(fabs(near_a_ - near_e_) <= near_t_,                                              \
                  "%s = %.17g, expected %.17g: off by %.3g, tolerance %.3g", #actual, near_a_,     \
                  near_e_, near_a_ - near_e_, near_t_);                                            \
    } while (0)

#define EXPECT_NEAR3(actual, expected, tolerance)                                                  \
    do {                                                                                           \
        PoiseVec3 near_a3_ = (actual);                                                             \
        PoiseVec3 near_e3_ = (expected);                                                           \
        double near_t3_ = (tolerance);                                                             \
        cr_expect(poise_length(poise_sub(near_a3_, near_e3_)) <= near_t3_,                         \
                  "%s = (%.17g, %.17g, %.17g), expected (%.17g, %.17g, %.17g): off by %.3g, "      \
                  "tolerance %.3g",                                                                \
                  #actual, near_a3_.x, near_a3_.y, near_a3_.z, near_e3_.x, near_e3_.y, near_e3_.z, \
                  poise_length(poise_sub(near_a3_, near_e3_)), near_t3_);                          \
    } while (0)

/// Fills the rates of change from one pose to another in a time, world axes: linear, then angular.
static inline void pose_rates(PoisePose from, PoisePose to, double time, double rates[6]) {
    const PoiseVec3 v = poise_scale(1.0 / time, poise_sub(to.p, from.p));
    const PoiseQuat turn = poise_quat_mul(to.q, poise_quat_conjugate(from.q));
    const PoiseVec3 w = poise_scale(1.0 / time, poise_quat_log(turn));
    rates[0] = v.x, rates[1] = v.y, rates[2] = v.z;
    rates[3] = w.x, rates[4] = w.y, rates[5] = w.z;
}

/// Compares rotations: q and -q are equal.
#define EXPECT_NEAR_QUAT(actual, expected, tolerance)                                              \
    do {                                                                                           \
        PoiseQuat near_aq_ = (actual);                                                             \
        PoiseQuat near_eq_ = (expected);                                                           \
        double near_off_ = poise_length(                                                           \
            poise_quat_log(poise_quat_mul(poise_quat_conjugate(near_eq_), near_aq_)));             \
        cr_expect(near_off_ <= (tolerance),                                                        \
                  "%s = (%.17g, %.17g, %.17g, %.17g), expected (%.17g, %.17g, %.17g, %.17g): "     \
                  "off by %.3g rad, tolerance %.3g",                                               \
                  #actual, near_aq_.w, near_aq_.x, near_aq_.y, near_aq_.z, near_eq_.w, near_eq_.x, \
                  near_eq_.y, near_eq_.z, near_off_, (double)(tolerance));                         \
    } while (0)

#endif
