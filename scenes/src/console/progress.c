// SPDX-License-Identifier: MIT
// Draws a progress bar.
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "console.h"

// Least time between two drawings of the bar, s.
#define PROGRESS_EVERY 0.1
#define PROGRESS_WIDTH 40

double poise__now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

Progress poise__progress_start(bool quiet) {
    return (Progress){!quiet && isatty(STDERR_FILENO), poise__now(), 0.0};
}

void poise__progress_show(Progress* progress, double part, bool last, const char* format, ...) {
    const double time = poise__now();
    if (!progress->shown || (!last && time - progress->last < PROGRESS_EVERY)) {
        return;
    }
    progress->last = time;
    char bar[PROGRESS_WIDTH + 1];
    for (int i = 0; i < PROGRESS_WIDTH; i++) {
        bar[i] = (double)i < part * PROGRESS_WIDTH ? '=' : ' ';
    }
    bar[PROGRESS_WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %3.0f %%  ", bar, 100.0 * part);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs(last ? "\r\033[K" : "\033[K", stderr);
}
