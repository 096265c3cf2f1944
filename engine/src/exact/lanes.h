// SPDX-License-Identifier: MIT
// Vectors of two adjacent doubles. They fix the order of all operations, so that every compiler
// gets the same bits, and they are faster, since gcc does not vectorise the plain loops.
#ifndef POISE_EXACT_LANES_H
#define POISE_EXACT_LANES_H

typedef double Two
    __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

static inline Two* twos(double* row) {
    return (Two*)(void*)row;
}

static inline const Two* const_twos(const double* row) {
    return (const Two*)(const void*)row;
}

static inline void cross(const double* a, const double* b, double* to) {
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

/// Returns the dot product of a and b, as four partial sums in a fixed order.
static inline double dot_lanes(const double* a, const double* b, int count) {
    Two sum[2] = {{0.0, 0.0}, {0.0, 0.0}};
    int k = 0;
    for (; k + 4 <= count; k += 4) {
        sum[0] += *const_twos(a + k) * *const_twos(b + k);
        sum[1] += *const_twos(a + k + 2) * *const_twos(b + k + 2);
    }
    sum[0] += sum[1];
    double total = sum[0][0] + sum[0][1];
    for (; k < count; k++) {
        total += a[k] * b[k];
    }
    return total;
}

/// Adds part[0] * from + part[1] * other to `to`.
static inline void add_lanes(double* to, const double* from, const double* other, Two part,
                             int count) {
    const Two s = {part[0], part[0]};
    const Two t = {part[1], part[1]};
    int k = 0;
    for (; k + 2 <= count; k += 2) {
        *twos(to + k) += s * *const_twos(from + k) + t * *const_twos(other + k);
    }
    if (k < count) {
        to[k] += part[0] * from[k] + part[1] * other[k];
    }
}

#endif
