// SPDX-License-Identifier: MIT
// bench-bodies: measures the solve of compiled bodies (tests/support/bodies.h) from the middle of
// the ranges. The frames of the tree and the ranges check every answer; the exit code is 1 if one
// is wrong or missing. Each time is the least processor time of several runs, to exclude the load
// of the machine.
//     bench-bodies [--targets N] [--runs N] [--only NAME] [--path scalar|avx2]
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies.h"
#include "times.h"
#include "works.h"

#define MOST_ERROR 1e-9

typedef struct Options {
    int targets;
    int runs;
    PoiseBodyPath path;
    const char* only;
} Options;

/// A row of the table: a body, and the largest displacement of the free base of its targets.
typedef struct BodyRow {
    const char* name;
    BodyKind kind;
    double shift;
    bool hand; ///< the second tip has its target in the frame of the first (body_join)
    bool mass; ///< the body has a centre of mass
} BodyRow;

static const BodyRow table[] = {
    {"humanoid", BODY_HUMANOID, 0.0, false, false},
    {"humanoid, free base near", BODY_HUMANOID_FREE, 0.0, false, false},
    {"humanoid, free base anywhere", BODY_HUMANOID_FREE, 3.0, false, false},
    {"two arms on a torso", BODY_TWO_ARMS, 0.0, false, false},
    {"hand, five fingertips", BODY_HAND, 0.0, false, false},
    {"hand on an arm", BODY_ARM_AND_HAND, 0.0, false, false},
    {"quadruped, free base", BODY_QUADRUPED, 0.5, false, false},
    {"balls and sliders", BODY_BALLS, 0.0, false, false},
    {"two arms, one in the other", BODY_TWO_ARMS, 0.0, true, false},
    {"two arms, centre of mass", BODY_TWO_ARMS, 0.0, false, true},
    {"humanoid, free, both", BODY_HUMANOID_FREE, 0.3, true, true},
};

// Solves the targets of a row. Returns the number of those that are met and inside the ranges.
static int measure(const Options* options, const BodyRow* row) {
    BodyModel body = body_model(row->kind);
    if (row->hand || row->mass) {
        body_join(&body, row->hand, row->mass);
    }
    PoiseBody* compiled = body_of(&body);
    PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
    PoiseBodySolveDef def = poise_default_body_solve_def();
    double* times = calloc((size_t)options->targets, sizeof *times);
    double worst = 0.0;
    double iterations = 0.0;
    int met = 0;
    def.path = options->path;
    if (!times) {
        exit(2);
    }
    for (int run = 0; run < options->runs; run++) {
        Random random = random_from(20261126);
        met = 0;
        iterations = 0.0;
        for (int t = 0; t < options->targets; t++) {
            double posture[POISE_BODY_MOST_POSTURE];
            PoiseBodyReport report;
            body_draw(&body, compiled, &random, row->shift, targets);
            WORKS(poise_body_middle(compiled, posture));
            const double begun = time_us(CLOCK_PROCESS_CPUTIME_ID);
            const PoiseStatus status = poise_body_solve(compiled, &def, targets, posture, &report);
            const double time = time_us(CLOCK_PROCESS_CPUTIME_ID) - begun;
            times[t] = run == 0 || time < times[t] ? time : times[t];
            const double miss = body_miss(&body, compiled, posture, targets);
            if (status == POISE_OK) {
                worst = fmax(worst, miss);
                met += miss <= MOST_ERROR && body_is_inside(&body, compiled, posture);
            }
            iterations += (double)report.iterations / options->targets;
        }
    }
    qsort(times, (size_t)options->targets, sizeof *times, by_size);
    double mean = 0.0;
    for (int t = 0; t < options->targets; t++) {
        mean += times[t] / options->targets;
    }
    printf("%-30s %3d dof %7.2f %% %8.2f %8.2f %8.2f %9.2f %8.1f %9.1e\n", row->name,
           poise_body_dof(compiled), 100.0 * met / options->targets, mean,
           times[options->targets / 2], times[(int)(0.99 * (options->targets - 1))],
           times[options->targets - 1], iterations, worst);
    free(times);
    poise_body_destroy(compiled);
    body_model_finish(&body);
    return met;
}

int main(int count, char** words) {
    Options options = {2000, 3, POISE_BODY_EXACT, NULL};
    bool whole = true;
    for (int i = 1; i < count; i++) {
        const char* value = i + 1 < count ? words[i + 1] : "";
        if (strcmp(words[i], "--path") == 0 && *value) {
            options.path = strcmp(words[++i], "avx2") == 0 ? POISE_BODY_FUSED : POISE_BODY_PLAIN;
        } else if (strcmp(words[i], "--targets") == 0 && atoi(value) > 0) {
            options.targets = atoi(words[++i]);
        } else if (strcmp(words[i], "--runs") == 0 && atoi(value) > 0) {
            options.runs = atoi(words[++i]);
        } else if (strcmp(words[i], "--only") == 0 && *value) {
            options.only = words[++i];
        } else {
            fprintf(stderr,
                    "bench-bodies [--targets N] [--runs N] [--only NAME] [--path scalar|avx2]\n");
            return 2;
        }
    }
    printf("%-38s %8s   %8s %8s %8s %9s %8s %9s\n", "us, from the middle of the ranges", "met",
           "mean", "median", "p99", "largest", "steps", "error");
    for (size_t r = 0; r < sizeof table / sizeof table[0]; r++) {
        if (!options.only || strstr(table[r].name, options.only)) {
            whole &= measure(&options, &table[r]) == options.targets;
        }
    }
    return whole ? 0 : 1;
}
