// SPDX-License-Identifier: MIT
// Random numbers for tests. Equal seeds give equal numbers on all machines, if no call has two
// draws in its arguments, whose order depends on the compiler.
#ifndef POISE_TEST_RANDOM_H
#define POISE_TEST_RANDOM_H

#include <stdint.h>

#include "poise/math.h"

typedef struct Random {
    uint64_t state;
} Random;

static inline Random random_from(uint64_t seed) {
    Random random = {seed};
    return random;
}

// Returns the next 64 bits of splitmix64.
static inline uint64_t random_bits(Random* random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// Returns a number in [0, 1).
static inline double random_unit(Random* random) {
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

static inline double random_between(Random* random, double lower, double upper) {
    return lower + (upper - lower) * random_unit(random);
}

/// Returns an index in 0 .. count - 1.
static inline int random_index(Random* random, int count) {
    return (int)(random_bits(random) % (uint64_t)count);
}

/// Fills values in [-1, 1).
static inline void random_fill(Random* random, double* values, int count) {
    for (int i = 0; i < count; i++) {
        values[i] = random_between(random, -1.0, 1.0);
    }
}

/// Fills values between their bounds.
static inline void random_inside(Random* random, const double* lower, const double* upper,
                                 int count, double* values) {
    for (int i = 0; i < count; i++) {
        values[i] = random_between(random, lower[i], upper[i]);
    }
}

/// Returns a vector with components in [-size, size).
static inline PoiseVec3 random_vec3(Random* random, double size) {
    double x = random_between(random, -size, size);
    double y = random_between(random, -size, size);
    double z = random_between(random, -size, size);
    return poise_vec3(x, y, z);
}

/// Returns a direction of length 1 from the uniform distribution.
static inline PoiseVec3 random_direction(Random* random) {
    for (;;) {
        PoiseVec3 v = random_vec3(random, 1.0);
        double length = poise_length(v);
        if (length > 0.1 && length < 1.0) {
            return poise_scale(1.0 / length, v);
        }
    }
}

/// Returns a rotation by at most `angle`, rad.
static inline PoiseQuat random_turn(Random* random, double angle) {
    PoiseVec3 axis = random_direction(random);
    return poise_quat_from_axis_angle(axis, random_between(random, -angle, angle));
}

/// Returns a pose with position components below `size` and a rotation by at most `angle`, rad.
static inline PoisePose random_pose(Random* random, double size, double angle) {
    PoiseVec3 p = random_vec3(random, size);
    return poise_pose(p, random_turn(random, angle));
}

#endif
