// SPDX-License-Identifier: MIT
// robot-forecasts FILE...: prints the CPU time of forecasts, as rows of a table. Each robot or
// scene gets 20 goals, of its points in turn: positions that the robot can reach, set at once. A
// forecast is made a step after its goal was set, and continued until it is complete. Contacts are
// off.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures_of_robot.h"
#include "poise/forecast.h"
#include "times.h"

enum { GOALS = 20, MOST_CALLS = 1000 };

typedef struct Times {
    double ms[GOALS];
    int count;
    int calls;   ///< largest number of calls that a forecast needed
    int settles; ///< number of forecasts that end with SETTLES
} Times;

static void forecast_once(const PoiseScene* scene, int index, PoiseVec3 place, Times* times) {
    PoiseSimulation* simulation = poise_simulation_create(scene, NULL);
    if (simulation && poise_simulation_hold_goal(simulation, index, place) >= 0 &&
        poise_simulation_step(simulation) >= 0) {
        const PoisePointId point = poise_simulation_point(simulation, index).point;
        const PoiseForecastDef def = {.points = &point, .count = 1};
        PoiseForecast forecast;
        PoiseStatus status = POISE_NOT_CONVERGED;
        int calls = 0;
        const double start = 1e-3 * time_us(CLOCK_PROCESS_CPUTIME_ID);
        for (; status == POISE_NOT_CONVERGED && calls < MOST_CALLS; calls++) {
            status = poise_rig_forecast(poise_simulation_rig(simulation), &def, &forecast);
        }
        times->ms[times->count++] = 1e-3 * time_us(CLOCK_PROCESS_CPUTIME_ID) - start;
        times->calls = calls > times->calls ? calls : times->calls;
        times->settles += status >= 0 && forecast.end == POISE_FORECAST_SETTLES;
    }
    poise_simulation_destroy(simulation);
}

static void print_row(const char* path, PoiseScene* scene) {
    Times times = {.count = 0};
    uint64_t seed = 1;
    scene->world.def.contacts = false;
    PoiseSimulation* start = poise_simulation_create(scene, NULL);
    for (int i = 0; start && times.count < GOALS && i < GOALS * scene->point_count; i++) {
        PoiseVec3 place;
        if (figures_place(start, i % scene->point_count, &seed, &place)) {
            forecast_once(scene, i % scene->point_count, place, &times);
        }
    }
    poise_simulation_destroy(start);
    qsort(times.ms, (size_t)times.count, sizeof *times.ms, by_size);
    const char* slash = strrchr(path, '/');
    printf("| %s | %d |", slash ? slash + 1 : path, scene->joint_count);
    if (times.count > 0) {
        // the nearest rank of 95 %
        const int rank = (95 * times.count + 99) / 100 - 1;
        printf(" %.2f | %.2f | %.2f | %d | %d of %d |\n", times.ms[times.count / 2], times.ms[rank],
               times.ms[times.count - 1], times.calls, times.settles, times.count);
    } else {
        printf(" no goals |\n");
    }
    fflush(stdout);
}

int main(int argc, char** argv) {
    bool fine = argc > 1;
    printf("| robot | joints | ms, median | 95 %% | most | calls | settles |\n"
           "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 1; i < argc; i++) {
        PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
        PoiseScene* scene = poise_scene_load(argv[i], diagnostics);
        fine = fine && scene;
        if (scene) {
            print_row(argv[i], scene);
        }
        poise_scene_destroy(scene);
        poise_diagnostics_destroy(diagnostics);
    }
    return fine ? 0 : 1;
}
