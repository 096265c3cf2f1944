// SPDX-License-Identifier: MIT
// Numbers as files write them: strict decimals, nothing that strtod takes beyond.
#include <criterion/criterion.h>
#include <math.h>

#include "near.h"
#include "number.h"

Test(number, decimals_are_read) {
    static const struct {
        const char* text;
        double value;
    } rows[] = {{"0", 0.0},   {"-1", -1.0},    {"+2.5", 2.5},    {".5", 0.5},
                {"5.", 5.0},  {"1e3", 1000.0}, {"1E-3", 1e-3},   {"-.5e+1", -5.0},
                {" 7 ", 7.0}, {"007", 7.0},    {"1e308", 1e308}, {"1e-400", 0.0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double value = -99.0;
        cr_expect(poise__number_parse(rows[i].text, &value) == NUMBER_FINE, "%s", rows[i].text);
        EXPECT_NEAR(value, rows[i].value, 0.0);
    }
}

Test(number, what_is_no_decimal_is_told_apart) {
    static const struct {
        const char* text;
        NumberKind kind;
    } rows[] = {
        {"", NUMBER_NONE},           {" ", NUMBER_NONE},           {"x", NUMBER_NONE},
        {"0x10", NUMBER_NONE},       {"1e", NUMBER_NONE},          {"1e+", NUMBER_NONE},
        {"--1", NUMBER_NONE},        {"1 2", NUMBER_NONE},         {"1,5", NUMBER_NONE},
        {"1_000", NUMBER_NONE},      {".", NUMBER_NONE},           {"0b1", NUMBER_NONE},
        {"nan", NUMBER_NAN},         {".NaN", NUMBER_NAN},         {"-nan", NUMBER_NAN},
        {"inf", NUMBER_INFINITE},    {"-.inf", NUMBER_INFINITE},   {"Infinity", NUMBER_INFINITE},
        {"1e999", NUMBER_TOO_LARGE}, {"-1e999", NUMBER_TOO_LARGE}, {"infx", NUMBER_NONE},
        {"1.0f", NUMBER_NONE},       {"12m", NUMBER_NONE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double value = 0.0;
        NumberKind kind = poise__number_parse(rows[i].text, &value);
        cr_expect(kind == rows[i].kind, "'%s' is %d, expected %d", rows[i].text, (int)kind,
                  (int)rows[i].kind);
    }
}

Test(number, lists_count_what_they_hold) {
    double values[3] = {0.0};
    NumberKind kind = NUMBER_NONE;
    cr_expect(poise__number_list(" 1 2,3 ", values, 3, &kind) == 3 && kind == NUMBER_FINE);
    EXPECT_NEAR(values[2], 3.0, 0.0);
    cr_expect(poise__number_list("1 2 3 4", values, 3, &kind) == 4);
    cr_expect(poise__number_list("", values, 3, &kind) == 0);
    poise__number_list("1 nan", values, 3, &kind);
    cr_expect(kind == NUMBER_NAN);
    poise__number_list("1 x", values, 3, &kind);
    cr_expect(kind == NUMBER_NONE);
}
