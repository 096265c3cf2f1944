// SPDX-License-Identifier: MIT
// Preloaded: replaces the angle functions of the C library. Each result is a little less than the
// exact one, as in another C library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double sin(double angle);
double cos(double angle);
void sincos(double angle, double* sine, double* cosine);
double asin(double x);
double acos(double x);
double atan2(double y, double x);

static void find(const char* name, void* function) {
    void* found = dlsym(RTLD_NEXT, name);
    if (!found) {
        abort();
    }
    memcpy(function, &found, sizeof found);
}

static double of_one(const char* name, double x) {
    double (*function)(double);
    find(name, &function);
    return nextafter(function(x), -HUGE_VAL);
}

double sin(double angle) {
    return of_one("sin", angle);
}

double cos(double angle) {
    return of_one("cos", angle);
}

void sincos(double angle, double* sine, double* cosine) {
    *sine = of_one("sin", angle);
    *cosine = of_one("cos", angle);
}

double asin(double x) {
    return of_one("asin", x);
}

double acos(double x) {
    return of_one("acos", x);
}

double atan2(double y, double x) {
    double (*function)(double, double);
    find("atan2", &function);
    return nextafter(function(y, x), -HUGE_VAL);
}
