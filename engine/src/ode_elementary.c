// SPDX-License-Identifier: MIT
// Replaces the C library's sin, cos and others in a program that contains this file. ODE calls
// them: its physics then has the same bits with any C library.
#include "poise/elementary.h"

// Declares a function under another name. The compiler would merge calls to sin and cos into sincos
// again if it knew their names.
#define IN_PLACE_OF(name) __asm__(name) __attribute__((visibility("default"), used))

double poise__libm_sin(double angle) IN_PLACE_OF("sin");
double poise__libm_cos(double angle) IN_PLACE_OF("cos");
void poise__libm_sincos(double angle, double* sine, double* cosine) IN_PLACE_OF("sincos");
double poise__libm_asin(double x) IN_PLACE_OF("asin");
double poise__libm_acos(double x) IN_PLACE_OF("acos");
double poise__libm_atan2(double y, double x) IN_PLACE_OF("atan2");

double poise__libm_sin(double angle) {
    return poise_sin(angle);
}

double poise__libm_cos(double angle) {
    return poise_cos(angle);
}

void poise__libm_sincos(double angle, double* sine, double* cosine) {
    const PoiseSinCos turn = poise_sincos(angle);
    *sine = turn.sine;
    *cosine = turn.cosine;
}

double poise__libm_asin(double x) {
    return poise_asin(x);
}

double poise__libm_acos(double x) {
    return poise_acos(x);
}

double poise__libm_atan2(double y, double x) {
    return poise_atan2(y, x);
}
