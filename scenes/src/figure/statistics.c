// SPDX-License-Identifier: MIT
// What a run is measured by, added up step by step.
#include "poise/report.h"

#include <math.h>
#include <stdlib.h>

// rms and maximum leave out the beginning, s
#define LEFT_OUT 1.0

static double larger(double a, double b) {
    return isnan(a) || b > a ? b : a;
}

static void add_error(PoisePointStatistics* point, double error, bool counted, bool tail) {
    point->error = error;
    if (counted) {
        point->square_sum += error * error;
        point->max_error = larger(point->max_error, error);
        point->counted++;
    }
    if (tail) {
        point->tail_sum += error;
        point->tail_counted++;
    }
}

static void add_angle(PoisePointStatistics* point, double angle, bool counted) {
    point->angle_error = angle;
    if (counted) {
        point->angle_square_sum += angle * angle;
        point->max_angle_error = larger(point->max_angle_error, angle);
        point->angle_counted++;
    }
}

PoisePointStatistics* poise_statistics_create(const PoiseSimulation* simulation) {
    int count = poise_simulation_point_count(simulation);
    PoisePointStatistics* points = calloc((size_t)count + 1, sizeof *points);
    for (int i = 0; points && i < count; i++) {
        points[i].error = (double)NAN;
        points[i].angle_error = (double)NAN;
        points[i].max_error = (double)NAN;
        points[i].max_angle_error = (double)NAN;
        points[i].predicted_miss = (double)NAN;
        points[i].predicted_angle_miss = (double)NAN;
        points[i].forecast.row_miss = (double)NAN;
        points[i].forecast.row_angle_miss = (double)NAN;
    }
    return points;
}

void poise_statistics_add(PoisePointStatistics* points, const PoiseSimulation* simulation,
                          long steps) {
    // half a step: the time is a product that may round either way
    double h = poise_simulation_step_length(simulation);
    bool counted = poise_simulation_time(simulation) > LEFT_OUT + 0.5 * h;
    bool tail = poise_simulation_step_count(simulation) > steps - (steps + 9) / 10;
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView view = poise_simulation_point(simulation, i);
        PoisePointStatistics* point = &points[i];
        point->error = (double)NAN;
        point->angle_error = (double)NAN;
        if (view.has_position) {
            add_error(point, view.error, counted, tail);
        }
        if (view.has_orientation) {
            add_angle(point, view.angle_error, counted);
        }
        if (view.presses && tail) {
            point->force = view.force;
            point->force_sum = poise_add(point->force_sum, view.force_measured);
            point->force_counted++;
        }
    }
}

static double mean(double sum, long count) {
    return count > 0 ? sum / (double)count : (double)NAN;
}

static void finish_force(PoisePointStatistics* point) {
    point->force_error = (double)NAN;
    if (point->force_counted > 0) {
        const double asked = poise_length(point->force);
        point->force_measured = poise_scale(1.0 / (double)point->force_counted, point->force_sum);
        point->force_error = fabs(poise_dot(point->force_measured, point->force) / asked - asked);
    }
}

// whether all three rows from `first` on count
static bool counts_wholly(const PoiseSimulation* simulation, const char* name, int first) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    int point = poise_scene_find_point(scene, name);
    return point >= 0 && (scene->points[point].rows >> first & 7) == 7;
}

// what the springs foresee; nothing where they find no rest, or on a base that nothing holds
static void foresee(PoisePointStatistics* point, const PoiseSimulation* simulation, int index) {
    PoiseRig* rig = poise_simulation_rig(simulation);
    const PoisePointView view = poise_simulation_point(simulation, index);
    PoiseForecast forecast;
    if (poise_rig_forecast(rig, view.point, &forecast) != POISE_OK || forecast.floats) {
        return;
    }
    double angle_miss = forecast.angle_miss;
    if (view.aim.index1 != 0 &&
        poise_rig_predicted_miss(rig, view.aim, NULL, &angle_miss) != POISE_OK) {
        return;
    }
    // the forecast knows of no rows that do not count
    point->predicted_miss =
        view.has_position && counts_wholly(simulation, view.name, 0) ? forecast.miss : (double)NAN;
    point->predicted_angle_miss =
        view.has_orientation && counts_wholly(simulation, view.name, 3) ? angle_miss : (double)NAN;
    point->gives = view.has_position && !forecast.loose;
    point->forecast = forecast;
}

void poise_statistics_finish(PoisePointStatistics* points, const PoiseSimulation* simulation,
                             bool ended) {
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointStatistics* point = &points[i];
        point->rms_error = sqrt(mean(point->square_sum, point->counted));
        point->rms_angle_error = sqrt(mean(point->angle_square_sum, point->angle_counted));
        point->settled_error = mean(point->tail_sum, point->tail_counted);
        finish_force(point);
        if (ended) {
            foresee(point, simulation, i);
        }
    }
}

void poise_statistics_destroy(PoisePointStatistics* points) {
    free(points);
}
