// SPDX-License-Identifier: MIT
// Memory for arrays, random numbers and checks of numbers.
#ifndef POISE_BASE_PRIVATE_H
#define POISE_BASE_PRIVATE_H

#include "poise/math.h"

#if defined(POISE_ASSERTS)
#include <assert.h>
#define POISE_ASSERT(condition) assert(condition)
#else
#define POISE_ASSERT(condition) ((void)0)
#endif

// host.c
/// A growing array: the address of its pointer, and the size of an element.
typedef struct Array {
    void* pointer;
    size_t element;
} Array;
/// Enlarges arrays that share `capacity` and one block of memory to at least `needed` elements.
/// Keeps the old elements and zeroes the new ones. Arrays with larger alignment must come first.
/// False without memory; nothing changes then.
bool poise__arrays_grow(const PoiseHost* host, const Array* arrays, int count, int* capacity,
                        int needed);
void poise__arrays_finish(const PoiseHost* host, const Array* arrays, int count, int* capacity);

/// Divides one piece of memory into arrays. If `base` is NULL, only `used` grows: a first run
/// measures the size.
typedef struct Carver {
    char* base;
    size_t used;
} Carver;
void* poise__carve(Carver* carver, size_t count, size_t size);
/// Skips `size` bytes at the start of the memory.
void poise__carve_over(Carver* carver, size_t size);

/// The increment of the counter of splitmix64, a generator of random numbers.
#define POISE_MIX_STEP UINT64_C(0x9e3779b97f4a7c15)

/// Returns the splitmix64 hash of a number.
static inline uint64_t poise__mix_bits(uint64_t z) {
    z += POISE_MIX_STEP;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/// Returns the next random number in [0, 1) of splitmix64.
static inline double poise__draw(uint64_t* state) {
    const uint64_t z = poise__mix_bits(*state);
    *state += POISE_MIX_STEP;
    return (double)(z >> 11) * 0x1p-53;
}

// check.c: checks of numbers from outside. A rotation may have any length above 0.
bool poise__is_rotation(PoiseQuat q);
bool poise__is_frame(PoisePose pose);
bool poise__is_direction(PoiseVec3 v);
bool poise__is_range(double lower, double upper);
static inline PoiseVec3 poise__normalize(PoiseVec3 v) {
    return poise_scale(1.0 / poise_length(v), v);
}
/// Returns the coordinate axis in which the component of v is smallest in absolute value; the first
/// if components are equal.
static inline PoiseVec3 poise__least_aligned_axis(PoiseVec3 v) {
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    if (x <= y && x <= z) {
        return poise_vec3(1.0, 0.0, 0.0);
    }
    return y <= z ? poise_vec3(0.0, 1.0, 0.0) : poise_vec3(0.0, 0.0, 1.0);
}

#endif
