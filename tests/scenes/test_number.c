// SPDX-License-Identifier: MIT
// Tests numbers in files: strict decimals. Other forms that strtod accepts are refused.
#include <criterion/criterion.h>

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
        cr_expect(poise_number_read(rows[i].text, &value) == POISE_NUMBER_FINE, "%s", rows[i].text);
        EXPECT_NEAR(value, rows[i].value, 0.0);
    }
}

Test(number, texts_that_are_no_decimal_are_distinguished) {
    static const struct {
        const char* text;
        PoiseNumberKind kind;
    } rows[] = {{"", POISE_NUMBER_NONE},           {" ", POISE_NUMBER_NONE},
                {"x", POISE_NUMBER_NONE},          {"0x10", POISE_NUMBER_NONE},
                {"1e", POISE_NUMBER_NONE},         {"1e+", POISE_NUMBER_NONE},
                {"--1", POISE_NUMBER_NONE},        {"1 2", POISE_NUMBER_NONE},
                {"1,5", POISE_NUMBER_NONE},        {"1_000", POISE_NUMBER_NONE},
                {".", POISE_NUMBER_NONE},          {"0b1", POISE_NUMBER_NONE},
                {"nan", POISE_NUMBER_NAN},         {".NaN", POISE_NUMBER_NAN},
                {"-nan", POISE_NUMBER_NAN},        {"inf", POISE_NUMBER_INFINITE},
                {"-.inf", POISE_NUMBER_INFINITE},  {"Infinity", POISE_NUMBER_INFINITE},
                {"1e999", POISE_NUMBER_TOO_LARGE}, {"-1e999", POISE_NUMBER_TOO_LARGE},
                {"infx", POISE_NUMBER_NONE},       {"1.0f", POISE_NUMBER_NONE},
                {"12m", POISE_NUMBER_NONE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double value = 0.0;
        PoiseNumberKind kind = poise_number_read(rows[i].text, &value);
        cr_expect(kind == rows[i].kind, "'%s' is %d, expected %d", rows[i].text, (int)kind,
                  (int)rows[i].kind);
    }
}

Test(number, lists_of_numbers_return_their_count) {
    double values[3] = {0.0};
    PoiseNumberKind kind = POISE_NUMBER_NONE;
    cr_expect(poise_numbers_read(" 1 2,3 ", values, 3, &kind) == 3 && kind == POISE_NUMBER_FINE);
    EXPECT_NEAR(values[2], 3.0, 0.0);
    cr_expect(poise_numbers_read("1 2 3 4", values, 3, &kind) == 4);
    cr_expect(poise_numbers_read("", values, 3, &kind) == 0);
    poise_numbers_read("1 nan", values, 3, &kind);
    cr_expect(kind == POISE_NUMBER_NAN);
    poise_numbers_read("1 x", values, 3, &kind);
    cr_expect(kind == POISE_NUMBER_NONE);
}
