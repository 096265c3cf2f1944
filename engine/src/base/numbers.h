// SPDX-License-Identifier: MIT
// Vectors, quaternions and matrices in arrays of doubles.
#ifndef POISE_NUMBERS_H
#define POISE_NUMBERS_H

#include "poise/math.h"

static inline PoiseVec3 poise__vec3_at(const double* v) {
    return poise_vec3(v[0], v[1], v[2]);
}

/// Returns the quaternion in an array of four numbers w, x, y, z.
static inline PoiseQuat poise__quat_at(const double* q) {
    return poise_quat(q[0], q[1], q[2], q[3]);
}

static inline bool poise__quat_is_zero(PoiseQuat q) {
    return fabs(q.w) + fabs(q.x) + fabs(q.y) + fabs(q.z) == 0.0;
}

static inline void poise__put3(double* out, PoiseVec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

/// Returns the product of a symmetric matrix `i`, stored as xx, yy, zz, xy, xz, yz, and a vector.
static inline PoiseVec3 poise__symmetric_times(const double* i, PoiseVec3 v) {
    return poise_vec3(i[0] * v.x + i[3] * v.y + i[4] * v.z, i[3] * v.x + i[1] * v.y + i[5] * v.z,
                      i[4] * v.x + i[5] * v.y + i[2] * v.z);
}

static inline double poise__numbers_dot(const double* a, const double* b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// Returns the largest absolute value of `count` numbers; 0 if count is 0.
static inline double poise__numbers_largest(const double* a, int count) {
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        most = poise_max(most, fabs(a[i]));
    }
    return most;
}

/// Fills the product of two n x n matrices, row-major; `out` is neither of them. Computes eight
/// columns at a time, so that their sums stay in registers.
static inline void poise__numbers_multiply(const double* a, const double* b, double* restrict out,
                                           int n) {
    enum { WIDE = 8 };
    int k = 0;
    for (; k + WIDE <= n; k += WIDE) {
        for (int i = 0; i < n; i++) {
            double sum[WIDE] = {0.0};
            for (int m = 0; m < n; m++) {
                for (int c = 0; c < WIDE; c++) {
                    sum[c] += a[i * n + m] * b[m * n + k + c];
                }
            }
            for (int c = 0; c < WIDE; c++) {
                out[i * n + k + c] = sum[c];
            }
        }
    }
    for (; k < n; k++) {
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int m = 0; m < n; m++) {
                sum += a[i * n + m] * b[m * n + k];
            }
            out[i * n + k] = sum;
        }
    }
}

/// Returns the shortest rotation from z to a unit vector.
static inline PoiseQuat poise__turn_from_z(PoiseVec3 axis) {
    const PoiseVec3 z = {0.0, 0.0, 1.0};
    PoiseVec3 across = poise_cross(z, axis);
    const double sine = poise_length(across);
    across = sine > 0.0 ? poise_scale(1.0 / sine, across) : poise_vec3(1.0, 0.0, 0.0);
    return poise_quat_from_axis_angle(across, poise_atan2(sine, poise_dot(z, axis)));
}

/// True if a point is asked for a force or torque.
static inline bool poise__is_asked(PoiseVec3 force, PoiseVec3 torque) {
    return poise_dot(force, force) + poise_dot(torque, torque) > 0.0;
}

#endif
