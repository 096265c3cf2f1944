// SPDX-License-Identifier: MIT
// Tests the elementary functions at the values that C17's Annex F names, and against recorded bits.
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "poise/elementary.h"
#include "random.h"

#define PI   3.141592653589793
#define TINY 0x1p-1074

typedef struct Special {
    double (*function)(double);
    double x;
    double value;
} Special;

typedef struct Special2 {
    double (*function)(double, double);
    double x;
    double y;
    double value;
} Special2;

// clang-format off
static const Special specials[] = {
    {poise_sin, 0.0, 0.0}, {poise_sin, -0.0, -0.0}, {poise_sin, HUGE_VAL, (double)NAN}, {poise_sin, (double)NAN, (double)NAN},
    {poise_sin, TINY, TINY}, {poise_sin, -TINY, -TINY},
    {poise_cos, 0.0, 1.0}, {poise_cos, -0.0, 1.0}, {poise_cos, -HUGE_VAL, (double)NAN}, {poise_cos, (double)NAN, (double)NAN},
    {poise_asin, 0.0, 0.0}, {poise_asin, -0.0, -0.0}, {poise_asin, 1.0, PI / 2.0},
    {poise_asin, -1.0, -PI / 2.0}, {poise_asin, 1.0 + DBL_EPSILON, (double)NAN}, {poise_asin, (double)NAN, (double)NAN},
    {poise_asin, -TINY, -TINY},
    {poise_acos, 1.0, 0.0}, {poise_acos, -1.0, PI}, {poise_acos, 0.0, PI / 2.0},
    {poise_acos, TINY, PI / 2.0}, {poise_acos, -2.0, (double)NAN}, {poise_acos, (double)NAN, (double)NAN},
    {poise_exp, 0.0, 1.0}, {poise_exp, -0.0, 1.0}, {poise_exp, -HUGE_VAL, 0.0},
    {poise_exp, HUGE_VAL, HUGE_VAL}, {poise_exp, (double)NAN, (double)NAN}, {poise_exp, 709.79, HUGE_VAL},
    {poise_log, 1.0, 0.0}, {poise_log, 0.0, -HUGE_VAL}, {poise_log, -0.0, -HUGE_VAL},
    {poise_log, HUGE_VAL, HUGE_VAL}, {poise_log, -1.0, (double)NAN}, {poise_log, (double)NAN, (double)NAN},
    {poise_log, 2.0, 0x1.62e42fefa39efp-1}, {poise_log, 0x1p-1074, -0x1.74385446d71c3p+9},
    {poise_exp, -745.2, 0.0}, {poise_exp, -745.13, TINY}, {poise_exp, DBL_MAX, HUGE_VAL},
};

static const Special2 specials2[] = {
    {poise_atan2, 0.0, -0.0, PI}, {poise_atan2, -0.0, -0.0, -PI}, {poise_atan2, 0.0, 0.0, 0.0},
    {poise_atan2, -0.0, 0.0, -0.0}, {poise_atan2, 0.0, -1.0, PI}, {poise_atan2, -0.0, -1.0, -PI},
    {poise_atan2, 0.0, 1.0, 0.0}, {poise_atan2, -0.0, 1.0, -0.0}, {poise_atan2, -1.0, 0.0, -PI / 2.0},
    {poise_atan2, 1.0, -0.0, PI / 2.0}, {poise_atan2, 1.0, -HUGE_VAL, PI},
    {poise_atan2, -1.0, -HUGE_VAL, -PI}, {poise_atan2, 1.0, HUGE_VAL, 0.0},
    {poise_atan2, -1.0, HUGE_VAL, -0.0}, {poise_atan2, HUGE_VAL, 1.0, PI / 2.0},
    {poise_atan2, -HUGE_VAL, -1.0, -PI / 2.0}, {poise_atan2, HUGE_VAL, -HUGE_VAL, 3.0 * PI / 4.0},
    {poise_atan2, -HUGE_VAL, -HUGE_VAL, -3.0 * PI / 4.0}, {poise_atan2, HUGE_VAL, HUGE_VAL, PI / 4.0},
    {poise_atan2, -HUGE_VAL, HUGE_VAL, -PI / 4.0}, {poise_atan2, (double)NAN, 1.0, (double)NAN},
    {poise_atan2, 1.0, (double)NAN, (double)NAN}, {poise_atan2, TINY, TINY, PI / 4.0},
    {poise_atan2, DBL_MAX, DBL_MAX, PI / 4.0}, {poise_atan2, DBL_MAX, -TINY, PI / 2.0},
    {poise_hypot, HUGE_VAL, (double)NAN, HUGE_VAL}, {poise_hypot, (double)NAN, -HUGE_VAL, HUGE_VAL},
    {poise_hypot, (double)NAN, 1.0, (double)NAN}, {poise_hypot, 0.0, (double)NAN, (double)NAN}, {poise_hypot, 0.0, -0.0, 0.0},
    {poise_hypot, -3.0, 4.0, 5.0}, {poise_hypot, -1.0, 0.0, 1.0}, {poise_hypot, DBL_MAX, 1.0, DBL_MAX},
    {poise_hypot, DBL_MAX, DBL_MAX, HUGE_VAL}, {poise_hypot, TINY, 0.0, TINY},
    {poise_hypot, 3.0 * TINY, 4.0 * TINY, 5.0 * TINY},
};
// clang-format on

static bool is_same(double a, double b) {
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

Test(elementary, special_values_are_those_of_annex_f) {
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        const Special* row = &specials[i];
        const double got = row->function(row->x);
        cr_expect(is_same(got, row->value), "row %zu: f(%g) = %a, expected %a", i, row->x, got,
                  row->value);
        const PoiseSinCos both = poise_sincos(row->x);
        cr_expect(is_same(both.sine, poise_sin(row->x)) && is_same(both.cosine, poise_cos(row->x)),
                  "sincos(%g)", row->x);
    }
    for (size_t i = 0; i < sizeof specials2 / sizeof *specials2; i++) {
        const Special2* row = &specials2[i];
        const double got = row->function(row->x, row->y);
        cr_expect(is_same(got, row->value), "row %zu: f(%g, %g) = %a, expected %a", i, row->x,
                  row->y, got, row->value);
    }
}

static uint64_t add_bits(uint64_t hash, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (hash ^ bits) * 0x100000001b3u;
}

Test(elementary, bits_are_the_recorded_ones) {
    Random random = random_from(1);
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < 200000; i++) {
        const double x = random_between(&random, -1.0, 1.0), y = random_between(&random, -1.0, 1.0);
        const double angle = x * (i % 2 ? 4.0 : 0x1p30);
        const PoiseSinCos both = poise_sincos(angle);
        cr_assert(both.sine == poise_sin(angle) && both.cosine == poise_cos(angle), "at %a", angle);
        const double values[] = {
            both.sine,         both.cosine,       poise_asin(x),      poise_acos(y),
            poise_atan2(y, x), poise_hypot(x, y), poise_exp(9.0 * x), poise_log(4.0 * (1.0 + x))};
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            hash = add_bits(hash, values[v]);
        }
    }
    cr_expect(hash == 0x67de58c9919ce936u, "0x%016llx", (unsigned long long)hash);
}
