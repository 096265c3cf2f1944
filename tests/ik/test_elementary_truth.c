// SPDX-License-Identifier: MIT
// Compares the elementary functions with MPFR's, for 20,000 arguments each, or POISE_ARGUMENTS. The
// first arguments are all pairs of special values, for which MPFR follows C17's Annex F.
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "poise/elementary.h"
#include "random.h"

// clang-format off
static const double specials[] = {0.0, 0x1p-1074, 0x1.8p-1060, DBL_MIN, 0x1p-500, 1e-9, 0.5,
                                  1.0 - 0.5 * DBL_EPSILON, 1.0, 1.0 + DBL_EPSILON, 2.0, 1e9,
                                  0x1p500, DBL_MAX, HUGE_VAL, (double)NAN};
// clang-format on

// Each special value has both signs.
enum { SPECIALS = 2 * sizeof specials / sizeof *specials };
enum { ARGUMENTS = 20000, DIGITS_OF_ARGUMENT = 1200, DIGITS = 128 };

typedef struct Truth {
    mpfr_t x;
    mpfr_t y;
    mpfr_t value;
} Truth;

typedef struct Function {
    const char* name;
    double (*one)(double);
    int (*true_one)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    double (*two)(double, double);
    int (*true_two)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
    double (*draw)(Random*);
} Function;

static double special(long i) {
    return copysign(specials[i / 2], i % 2 ? -1.0 : 1.0);
}

static double any_size(Random* random, int powers) {
    const double part = random_between(random, -1.0, 1.0);
    return ldexp(part, random_index(random, 2 * powers) - powers);
}

/// Draws an angle of a few turns, of any size, or within 2 ulp of a multiple of a quarter turn.
static double draw_angle(Random* random) {
    const int way = random_index(random, 4);
    if (way < 2) {
        return way == 0 ? random_between(random, -10.0, 10.0) : any_size(random, 1000);
    }
    const double turns = random_index(random, way == 2 ? 64 : 1 << 30);
    double angle = turns * 1.5707963267948966;
    uint64_t bits;
    memcpy(&bits, &angle, sizeof bits);
    bits += (uint64_t)random_index(random, 3);
    memcpy(&angle, &bits, sizeof bits);
    return angle;
}

/// Draws a number from -1 to 1: evenly, near the ends, or near 0.
static double draw_cosine(Random* random) {
    const int way = random_index(random, 3);
    const double even = random_between(random, -1.0, 1.0);
    const double small = ldexp(even, -random_index(random, 90));
    return way == 0 ? even : way == 1 ? small : copysign(1.0 - fabs(small), small);
}

static double draw_power(Random* random) {
    return random_index(random, 2) ? random_between(random, -750.0, 712.0) : any_size(random, 10);
}

static double draw_positive(Random* random) {
    const double near = ldexp(1.0, -random_index(random, 50));
    const double off = random_between(random, -0.5, 1.0);
    return random_index(random, 2) ? fabs(any_size(random, 1020)) : 1.0 + off * near;
}

static double draw_place(Random* random) {
    const int way = random_index(random, 3);
    return way == 0 ? any_size(random, 1020) : any_size(random, way == 1 ? 30 : 2);
}

static const Function functions[] = {
    {"sin", poise_sin, mpfr_sin, NULL, NULL, draw_angle},
    {"cos", poise_cos, mpfr_cos, NULL, NULL, draw_angle},
    {"asin", poise_asin, mpfr_asin, NULL, NULL, draw_cosine},
    {"acos", poise_acos, mpfr_acos, NULL, NULL, draw_cosine},
    {"atan2", NULL, NULL, poise_atan2, mpfr_atan2, draw_place},
    {"hypot", NULL, NULL, poise_hypot, mpfr_hypot, draw_place},
    {"exp", poise_exp, mpfr_exp, NULL, NULL, draw_power},
    {"log", poise_log, mpfr_log, NULL, NULL, draw_positive},
};

/// Returns how far a value is from the truth, in units of the last place of a double. Infinite if
/// NaN, an infinity or a sign is wrong.
static double ulps_off(double value, Truth* truth) {
    const double nearest = mpfr_get_d(truth->value, MPFR_RNDN);
    if (isnan(nearest) || isnan(value)) {
        return isnan(nearest) && isnan(value) ? 0.0 : HUGE_VAL;
    }
    if (isinf(nearest) || isinf(value) || signbit(nearest) != signbit(value)) {
        return value == nearest && signbit(nearest) == signbit(value) ? 0.0 : HUGE_VAL;
    }
    int power;
    (void)frexp(nearest, &power);
    const double ulp = ldexp(1.0, power - 53 > -1074 ? power - 53 : -1074);
    mpfr_sub_d(truth->value, truth->value, value, MPFR_RNDN);
    return fabs(mpfr_get_d(truth->value, MPFR_RNDN)) / ulp;
}

static double largest_error(const Function* function, long count) {
    Random random = random_from(3);
    Truth truth;
    mpfr_inits2(DIGITS_OF_ARGUMENT, truth.x, truth.y, (mpfr_ptr)NULL);
    mpfr_init2(truth.value, DIGITS);
    double most = 0.0;
    for (long i = 0; i < count && most <= 1.0; i++) {
        const bool is_pair = i < SPECIALS * SPECIALS;
        const double x = is_pair ? special(i % SPECIALS) : function->draw(&random);
        const double y = is_pair ? special(i / SPECIALS) : function->draw(&random);
        mpfr_set_d(truth.x, x, MPFR_RNDN);
        mpfr_set_d(truth.y, y, MPFR_RNDN);
        double value;
        if (function->one) {
            value = function->one(x);
            function->true_one(truth.value, truth.x, MPFR_RNDN);
        } else {
            value = function->two(x, y);
            function->true_two(truth.value, truth.x, truth.y, MPFR_RNDN);
        }
        most = fmax(most, ulps_off(value, &truth));
        cr_expect(most <= 1.0, "%s(%a, %a) = %a: %g ulp off", function->name, x, y, value, most);
    }
    mpfr_clears(truth.x, truth.y, truth.value, (mpfr_ptr)NULL);
    return most;
}

Test(elementary_truth, every_function_is_within_an_ulp) {
    const char* asked = getenv("POISE_ARGUMENTS");
    const long count = asked ? atol(asked) : ARGUMENTS;
    cr_assert(count > 0, "POISE_ARGUMENTS: '%s' is no count", asked);
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        const double most = largest_error(&functions[f], count);
        cr_log_info("%s: %.3f ulp at most, %ld arguments", functions[f].name, most, count);
    }
    mpfr_free_cache();
}
