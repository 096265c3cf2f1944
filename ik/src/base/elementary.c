// SPDX-License-Identifier: MIT
// Elementary functions (poise/elementary.h) by sums, products, quotients and square roots. IEEE 754
// fixes the rounding of these, so every compiler gives the same bits. Numbers that need more digits
// than a double has are sums of two doubles (Dekker 1971). The polynomials are minimax fits by
// Remez's exchange, refitted after the rounding of each coefficient.
#include "poise/elementary.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// The sum hi + lo of two doubles; lo is at most half an ulp of hi unless a comment says otherwise.
typedef struct Two {
    double hi;
    double lo;
} Two;

static const Two pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
static const Two half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
// adding and then subtracting this rounds a double below 2^51 to an integer
static const double to_integer = 0x1.8p52;

/// Returns the exact sum a + b, for |a| >= |b|.
static inline Two fast_sum(double a, double b) {
    const double hi = a + b;
    return (Two){hi, b - (hi - a)};
}

/// Returns the exact difference a - b.
static inline Two difference(double a, double b) {
    const double hi = a - b, back = hi - a;
    return (Two){hi, (a - (hi - back)) - (b + back)};
}

/// Returns the exact product a * b of numbers between 2^-480 and 2^900.
static inline Two product(double a, double b) {
    const double split = 0x1.0p27 + 1.0;
    const double a1 = a * split - (a * split - a), a2 = a - a1;
    const double b1 = b * split - (b * split - b), b2 = b - b1;
    const double hi = a * b;
    return (Two){hi, ((a1 * b1 - hi) + a1 * b2 + a2 * b1) + a2 * b2};
}

/// Returns the square root of hi + lo as a Two.
static inline Two root(Two square) {
    const double hi = sqrt(square.hi);
    const Two back = product(hi, hi);
    const double left = ((square.hi - back.hi) - back.lo) + square.lo;
    return hi > 0.0 ? fast_sum(hi, left / (2.0 * hi)) : (Two){0.0, 0.0};
}

// ---------------------------------------------------------------- sine and cosine

/// An angle minus the nearest multiple of pi / 2, and the number of that multiple modulo 4.
typedef struct Reduced {
    Two rest;
    unsigned quadrant;
} Reduced;

enum { LIMBS = 38, WINDOW = 8, DIGITS = WINDOW + 4 };

// the binary digits of 2 / pi, 32 in each entry
static const uint32_t two_by_pi[LIMBS] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};

/// Returns 64 binary digits from digit `place` on of a number whose least digits are in limbs[0].
static uint64_t digits_at(const uint32_t* limbs, int place) {
    const int at = place / 32, shift = place % 32;
    const uint64_t low = limbs[at] | (uint64_t)limbs[at + 1] << 32;
    return shift ? low >> shift | (uint64_t)limbs[at + 2] << (64 - shift) : low;
}

/// Reduces an angle of 2^-1 to 2^1024. It reads only the digits of 2 / pi that affect the result
/// (Payne and Hanek 1983).
static Reduced reduce_exactly(double angle) {
    uint64_t bits;
    memcpy(&bits, &angle, sizeof bits);
    const int exponent = (int)(bits >> 52) - 1075;
    const uint64_t mantissa = (bits & 0xfffffffffffffu) | 1ull << 52;
    const int first = exponent > 2 ? (exponent - 2) / 32 : 0;

    uint32_t limbs[DIGITS] = {0};
    for (int half = 0; half < 2; half++) {
        const uint64_t factor = half ? mantissa >> 32 : mantissa & 0xffffffffu;
        uint64_t carry = 0;
        for (int i = 0; i < WINDOW; i++) {
            carry += factor * two_by_pi[first + WINDOW - 1 - i] + limbs[half + i];
            limbs[half + i] = (uint32_t)carry;
            carry >>= 32;
        }
        limbs[half + WINDOW] = (uint32_t)carry;
    }

    const int point = 32 * (first + WINDOW) - exponent;
    uint64_t fraction[3];
    for (int i = 0; i < 3; i++) {
        fraction[i] = digits_at(limbs, point - 64 * (i + 1));
    }
    Reduced reduced = {.quadrant = (unsigned)digits_at(limbs, point)};
    const bool is_past_half = fraction[0] >> 63;
    if (is_past_half) {
        reduced.quadrant++;
        for (int i = 0; i < 3; i++) {
            fraction[i] = ~fraction[i];
        }
    }
    const double a = (double)(fraction[0] >> 11) * 0x1p-53;
    const double b = (double)((fraction[0] & 0x7ff) << 42 | fraction[1] >> 22) * 0x1p-106;
    const double c = (double)((fraction[1] & 0x3fffff) << 31 | fraction[2] >> 33) * 0x1p-159;
    Two turns = fast_sum(a, b);
    turns = fast_sum(turns.hi, turns.lo + c);
    const Two hi = product(turns.hi, half_pi.hi);
    reduced.rest = fast_sum(hi.hi, hi.lo + (turns.hi * half_pi.lo + turns.lo * half_pi.hi));
    if (is_past_half) {
        reduced.rest = (Two){-reduced.rest.hi, -reduced.rest.lo};
    }
    return reduced;
}

/// Subtracts a multiple of pi / 2. pi / 2 is split into three parts, the first two of 33 bits (Cody
/// and Waite 1980).
static Reduced reduce_far(double angle) {
    const double size = fabs(angle);
    if (!(size < HUGE_VAL)) {
        return (Reduced){{angle - angle, 0.0}, 0};
    }
    Reduced reduced = {{0.0, 0.0}, 0};
    if (size < 0x1p20) {
        const double turns = (size * 0x1.45f306dc9c883p-1 + to_integer) - to_integer;
        const Two rest = difference(size - turns * 0x1.921fb544p+0, turns * 0x1.0b4611a6p-34);
        reduced.rest = fast_sum(rest.hi, rest.lo - turns * 0x1.3198a2e037073p-69);
        reduced.quadrant = (unsigned)turns;
    }
    // near a multiple of pi / 2 cancellation leaves too few digits
    if (size >= 0x1p20 || fabs(reduced.rest.hi) < 0x1p-40) {
        reduced = reduce_exactly(size);
    }
    if (angle < 0.0) {
        reduced.rest = (Two){-reduced.rest.hi, -reduced.rest.lo};
        reduced.quadrant = 0u - reduced.quadrant;
    }
    return reduced;
}

static inline Reduced reduce(double angle) {
    return fabs(angle) <= 0x1.921fb54442d18p-1 ? (Reduced){{angle, 0.0}, 0} : reduce_far(angle);
}

/// Returns the sine of an angle of at most pi / 4.
static inline double near_sine(Two angle) {
    const double y = angle.hi, z = y * y;
    const double tail =
        0x1.111111110f73p-7 + z * (-0x1.a01a019be9217p-13 +
                                   z * (0x1.71de35552b52cp-19 +
                                        z * (-0x1.ae5e4b83e46f4p-26 + z * 0x1.5d8b559495e1dp-33)));
    const double cubic = z * y * (-0x1.5555555555548p-3 + z * tail);
    return y - ((0.5 * z * angle.lo - angle.lo) - cubic);
}

/// Returns the cosine of an angle of at most pi / 4.
static inline double near_cosine(Two angle) {
    const double z = angle.hi * angle.hi;
    const double tail = 0x1.555555555554bp-5 +
                        z * (-0x1.6c16c16c15013p-10 +
                             z * (0x1.a01a019c8ed07p-16 +
                                  z * (-0x1.27e4f7f1410dap-22 +
                                       z * (0x1.1ee9db8e2ed98p-29 + z * -0x1.8fa65e91031cap-37))));
    const double half = 0.5 * z, rest = 1.0 - half;
    return rest + (((1.0 - rest) - half) + (z * z * tail - angle.hi * angle.lo));
}

PoiseSinCos poise_sincos(double angle) {
    const Reduced reduced = reduce(angle);
    const double sine = near_sine(reduced.rest), cosine = near_cosine(reduced.rest);
    switch (reduced.quadrant & 3) {
    case 0:
        return (PoiseSinCos){sine, cosine};
    case 1:
        return (PoiseSinCos){cosine, -sine};
    case 2:
        return (PoiseSinCos){-sine, -cosine};
    default:
        return (PoiseSinCos){-cosine, sine};
    }
}

/// Returns the sine of the reduced angle plus `quarters` times pi / 2.
static inline double sine_after(Reduced reduced, unsigned quarters) {
    const unsigned quadrant = reduced.quadrant + quarters;
    const double value = quadrant & 1 ? near_cosine(reduced.rest) : near_sine(reduced.rest);
    return quadrant & 2 ? -value : value;
}

double poise_sin(double angle) {
    return sine_after(reduce(angle), 0);
}

double poise_cos(double angle) {
    return sine_after(reduce(angle), 1);
}

// ---------------------------------------------------------------- angles

enum { STEPS = 32, FIRST_STEP = 4 };

// the angles whose tangents are 0, 1 / 32, ... 1
// clang-format off
static const Two arctangents[STEPS + 1] = {
    {0.0, 0.0}, {0x1.ffd55bba97625p-6, -0x1.5ec431444912cp-60},
    {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60}, {0x1.7ee182602f10fp-4, -0x1.cfb654c0c3d98p-58},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59}, {0x1.3d6eee8c6626cp-3, 0x1.61a3b0ce9281bp-57},
    {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58}, {0x1.b90d7529260a2p-3, 0x1.17b10d2e0e5abp-61},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57}, {0x1.18bf5a30bf178p-2, 0x1.30ca4748b1bf9p-57},
    {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57}, {0x1.530ad9951cd4ap-2, -0x1.2566480884082p-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56}, {0x1.8b24d394a1b25p-2, 0x1.b6d0ba3748fa8p-56},
    {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56}, {0x1.c0db4c94ec9f0p-2, -0x1.cc1ce70934c34p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56}, {0x1.f40dd0b541418p-2, -0x1.a3992dc382a23p-57},
    {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56}, {0x1.1255d9bfbd2a9p-1, -0x1.2bdaee1c0ee35p-58},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58}, {0x1.2958e59308e31p-1, -0x1.09e73b0c6c087p-56},
    {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55}, {0x1.3f13fb89e96f4p-1, 0x1.ecf8b492644f0p-56},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56}, {0x1.538f57b89061fp-1, -0x1.1bb74abda520cp-55},
    {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57}, {0x1.66d663923e087p-1, -0x1.6ea6febe8bbbap-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56}, {0x1.78f6bbd5d315ep-1, 0x1.406a089803740p-55},
    {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56}, {0x1.89ff5ff57f1f8p-1, -0x1.55b9a5e177a1bp-55},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};
// clang-format on

/// Returns atan(near / far) for 0 <= near <= far. Its lo may be as large as 1 / 64.
static Two angle_of(Two near, Two far) {
    const double tangent = near.hi / far.hi;
    const Two back = product(tangent, far.hi);
    const double left = ((near.hi - back.hi) - back.lo) + (near.lo - tangent * far.lo);
    const double low = left / far.hi;

    const int step = (int)(STEPS * tangent + 0.5);
    const bool is_small = step < FIRST_STEP;
    const double from = step * (1.0 / STEPS);
    const double t = is_small ? tangent : ((tangent - from) + low) / (1.0 + tangent * from);
    const double z = t * t;
    const double tail = 0x1.99999999993e8p-3 +
                        z * (-0x1.24924923b2e6dp-3 +
                             z * (0x1.c71c6fdb75feep-4 +
                                  z * (-0x1.745bfceece5ecp-4 +
                                       z * (0x1.3abba1dab080bp-4 + z * -0x1.02e029c4d09d3p-4))));
    const double cubic = z * t * (-0x1.5555555555555p-2 + z * tail);
    if (is_small) {
        return (Two){tangent, low + cubic};
    }
    return (Two){arctangents[step].hi, arctangents[step].lo + cubic + t};
}

/// Returns atan(near / far) for numbers outside the range of angle_of.
static Two wide_angle_of(double near, double far) {
    if (far > DBL_MAX) {
        return near < far ? (Two){0.0, 0.0} : arctangents[STEPS];
    }
    if (near < 0x1p-60 * far || far <= 0.0) {
        return (Two){near > 0.0 ? near / far : 0.0, 0.0};
    }
    const double scale = far > 1.0 ? 0x1p-400 : 0x1p400;
    return angle_of((Two){near * scale, 0.0}, (Two){far * scale, 0.0});
}

/// Returns the angle of a point with y >= 0, given its angle to the nearer axis. `is_steep`: the
/// nearer axis is y; `is_left`: x < 0.
static double unfold(Two angle, bool is_steep, bool is_left) {
    const double sign = is_steep != is_left ? -1.0 : 1.0;
    const Two axis = is_steep ? half_pi : is_left ? pi : (Two){0.0, 0.0};
    const Two sum = fast_sum(axis.hi, sign * angle.hi);
    return sum.hi + (sum.lo + (axis.lo + sign * angle.lo));
}

double poise_atan2(double y, double x) {
    if (isnan(x) || isnan(y)) {
        return x + y;
    }
    const double up = fabs(y), along = fabs(x);
    const bool is_steep = up > along;
    const double far = is_steep ? up : along, near = is_steep ? along : up;
    const bool is_plain = near >= 0x1p-60 * far && far < 0x1p800 && far > 0x1p-400;
    const Two angle =
        is_plain ? angle_of((Two){near, 0.0}, (Two){far, 0.0}) : wide_angle_of(near, far);
    return copysign(unfold(angle, is_steep, signbit(x)), y);
}

/// Returns sqrt(1 - x^2), the other leg of a right triangle with hypotenuse 1.
static Two other_leg(double x) {
    const Two square = product(x, x);
    const Two rest = fast_sum(1.0, -square.hi);
    return root(fast_sum(rest.hi, rest.lo - square.lo));
}

double poise_asin(double x) {
    const double size = fabs(x);
    if (!(size > 0x1p-27 && size <= 1.0)) {
        return size <= 1.0 ? x : (double)NAN;
    }
    const Two leg = other_leg(x);
    const bool is_steep = size > leg.hi;
    const Two known = {size, 0.0};
    const Two angle = is_steep ? angle_of(leg, known) : angle_of(known, leg);
    return copysign(unfold(angle, is_steep, false), x);
}

double poise_acos(double x) {
    const double size = fabs(x);
    if (!(size <= 1.0)) {
        return (double)NAN;
    }
    const Two leg = other_leg(x), known = {size > 0x1p-60 ? size : 0.0, 0.0};
    const bool is_steep = leg.hi > size;
    const Two angle = is_steep ? angle_of(known, leg) : angle_of(leg, known);
    return unfold(angle, is_steep, x < 0.0);
}

// ---------------------------------------------------------------- lengths and powers

/// Returns h^2 - a^2 - b^2 for a >= b. It uses differences that are exact (Borges 2019).
static double square_excess(double h, double a, double b) {
    if (h <= 2.0 * b) {
        const double over = h - b;
        return a * (2.0 * over - a) + (over - 2.0 * (a - b)) * over;
    }
    const double over = h - a;
    return 2.0 * over * (a - 2.0 * b) + ((4.0 * over - b) * b + over * over);
}

double poise_hypot(double x, double y) {
    const double p = fabs(x), q = fabs(y);
    const double a = p > q ? p : q, b = p > q ? q : p;
    if (!(b > 0x1p-54 * a && a <= DBL_MAX)) {
        return isinf(x) || isinf(y) ? HUGE_VAL : a + b;
    }
    const double scale = a > 0x1p400 ? 0x1p-600 : a < 0x1p-300 ? 0x1p600 : 1.0;
    const double far = a * scale, near = b * scale;
    const double h = sqrt(far * far + near * near);
    return (h - square_excess(h, far, near) / (2.0 * h)) / scale;
}

/// Returns 2^power if that is a normal number.
static double power_of_two(int power) {
    const uint64_t bits = (uint64_t)(power + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double poise_exp(double x) {
    if (!(x > -746.0 && x < 710.0)) {
        return isnan(x) ? x : x > 0.0 ? HUGE_VAL : 0.0;
    }
    const double powers = (x * 0x1.71547652b82fep+0 + to_integer) - to_integer;
    const double hi = x - powers * 0x1.62e42fefa38p-1, lo = powers * 0x1.ef35793c7673p-45;
    const double r = hi - lo, low = (hi - r) - lo;
    const double tail = 0x1.5555555555557p-3 +
                        r * (0x1.5555555555556p-5 +
                             r * (0x1.11111111100bep-7 +
                                  r * (0x1.6c16c16c162c3p-10 +
                                       r * (0x1.a01a01abf85abp-13 +
                                            r * (0x1.a01a01a6e1e2ap-16 +
                                                 r * (0x1.71de01fdbf9cap-19 +
                                                      r * (0x1.27e4db46cddd1p-22 +
                                                           r * (0x1.af4e554377204p-26 +
                                                                r * 0x1.1f7340dbc337ep-29))))))));
    const Two sum = fast_sum(1.0, r);
    const double power = sum.hi + (sum.lo + (low + (low * r + r * r * (0.5 + r * tail))));
    // two factors, because 2^powers may overflow or be subnormal
    const int half = (int)powers / 2;
    return power * power_of_two(half) * power_of_two((int)powers - half);
}

// x = 2^powers m with m about 1, f = m - 1, s = f / (2 + f): log m = 2 atanh(s), written as
// f - f^2 / 2 + s (f^2 / 2 + R), so that only small parts are rounded. R is the series of 2 atanh
// beyond its first term, over s: terms 2 / (2 i + 1) in z = s^2 < 0.03.
double poise_log(double x) {
    if (!(x > 0.0) || isinf(x)) {
        return x > 0.0 || isnan(x) ? x : x < 0.0 ? (double)NAN : -HUGE_VAL;
    }
    const double lift = x < 0x1p-1022 ? 0x1p+54 : 1.0; // makes x a normal number
    const double normal = x * lift;
    uint64_t bits;
    memcpy(&bits, &normal, sizeof bits);
    int powers = (int)(bits >> 52) - 1023 - (lift > 1.0 ? 54 : 0);
    bits = (bits & 0xfffffffffffffu) | (uint64_t)1023 << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 0x1.6a09e667f3bcdp+0) {
        m *= 0.5;
        powers++;
    }
    const double f = m - 1.0, s = f / (2.0 + f), z = s * s;
    const double series =
        z * (0x1.5555555555555p-1 +
             z * (0x1.999999999999ap-2 +
                  z * (0x1.2492492492492p-2 +
                       z * (0x1.c71c71c71c71cp-3 +
                            z * (0x1.745d1745d1746p-3 +
                                 z * (0x1.3b13b13b13b14p-3 +
                                      z * (0x1.1111111111111p-3 +
                                           z * (0x1.e1e1e1e1e1e1ep-4 +
                                                z * (0x1.af286bca1af28p-4 +
                                                     z * (0x1.8618618618618p-4 +
                                                          z * (0x1.642c8590b2164p-4)))))))))));
    const double half = 0.5 * f * f;
    const double lo = s * (half + series) + powers * 0x1.ef35793c7673p-45;
    return powers * 0x1.62e42fefa38p-1 - ((half - lo) - f);
}
