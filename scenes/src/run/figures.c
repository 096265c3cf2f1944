// SPDX-License-Identifier: MIT
// What a run is measured by, added up step by step; and the history that the plot shows.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

// rms and maximum leave out the beginning, s
#define LEFT_OUT 1.0
// rows of the history before every second one is dropped
#define MOST_ROWS 4000

static double larger(double a, double b) {
    return isnan(a) || b > a ? b : a;
}

static void add_error(PointFigures* figures, double error, bool counted, bool tail) {
    figures->error = error;
    if (counted) {
        figures->square_sum += error * error;
        figures->max_error = larger(figures->max_error, error);
        figures->counted++;
    }
    if (tail) {
        figures->tail_sum += error;
        figures->tail_counted++;
    }
}

static void add_angle(PointFigures* figures, double angle, bool counted) {
    figures->angle_error = angle;
    if (counted) {
        figures->angle_square_sum += angle * angle;
        figures->max_angle_error = larger(figures->max_angle_error, angle);
        figures->angle_counted++;
    }
}

void poise__figures_add(Run* run) {
    const PoiseSimulation* simulation = run->simulation;
    // half a step: the time is a product that may round either way
    double h = poise_simulation_step_length(simulation);
    bool counted = poise_simulation_time(simulation) > LEFT_OUT + 0.5 * h;
    bool tail = run->step_count > run->step_total - (run->step_total + 9) / 10;
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        PointFigures* figures = &run->points[i];
        figures->error = (double)NAN;
        figures->angle_error = (double)NAN;
        if (point.has_position) {
            add_error(figures, point.error, counted, tail);
        }
        if (point.has_orientation) {
            add_angle(figures, point.angle_error, counted);
        }
        if (point.presses && tail) {
            figures->force = point.force;
            figures->force_sum = poise_add(figures->force_sum, point.force_measured);
            figures->force_counted++;
        }
    }
}

static double mean(double sum, long count) {
    return count > 0 ? sum / (double)count : (double)NAN;
}

static void finish_force(PointFigures* figures) {
    figures->force_error = (double)NAN;
    if (figures->force_counted > 0) {
        const double asked = poise_length(figures->force);
        figures->force_measured =
            poise_scale(1.0 / (double)figures->force_counted, figures->force_sum);
        figures->force_error =
            fabs(poise_dot(figures->force_measured, figures->force) / asked - asked);
    }
}

// whether all three rows from `first` on count
static bool counts_wholly(const Run* run, int index, int first) {
    const char* name = poise_simulation_point(run->simulation, index).name;
    int point = poise_scene_find_point(run->scene, name);
    return point >= 0 && (run->scene->points[point].rows >> first & 7) == 7;
}

// what the springs foresee; nothing where they find no rest, or on a base that nothing holds
static void foresee(const Run* run, int index, PointFigures* figures) {
    PoiseRig* rig = poise_simulation_rig(run->simulation);
    PoisePointView view = poise_simulation_point(run->simulation, index);
    const PoisePointView* point = &view;
    PoiseForecast forecast;
    if (poise_rig_forecast(rig, point->point, &forecast) != POISE_OK || forecast.floats) {
        return;
    }
    double angle_miss = forecast.angle_miss;
    if (point->aim.index1 != 0 &&
        poise_rig_predicted_miss(rig, point->aim, NULL, &angle_miss) != POISE_OK) {
        return;
    }
    // the forecast knows of no rows that do not count
    figures->predicted_miss =
        point->has_position && counts_wholly(run, index, 0) ? forecast.miss : (double)NAN;
    figures->predicted_angle_miss =
        point->has_orientation && counts_wholly(run, index, 3) ? angle_miss : (double)NAN;
    figures->gives = point->has_position && !forecast.loose;
    memcpy(figures->compliance, forecast.compliance, sizeof figures->compliance);
}

void poise__figures_finish(Run* run) {
    for (int i = 0; i < poise_simulation_point_count(run->simulation); i++) {
        PointFigures* figures = &run->points[i];
        figures->rms_error = sqrt(mean(figures->square_sum, figures->counted));
        figures->rms_angle_error = sqrt(mean(figures->angle_square_sum, figures->angle_counted));
        figures->settled_error = mean(figures->tail_sum, figures->tail_counted);
        finish_force(figures);
        if (run->status == RUN_BLOWN_UP || run->status == RUN_SHORT_OF_MEMORY) {
            continue;
        }
        foresee(run, i, figures);
    }
}

// --------------------------------------------------------------------------------------- history

bool poise__history_create(History* history, int width) {
    history->width = width;
    history->stride = 1;
    history->capacity = MOST_ROWS;
    history->rows = calloc((size_t)MOST_ROWS * (size_t)width, sizeof *history->rows);
    return history->rows != NULL;
}

void poise__history_free(History* history) {
    free(history->rows);
    history->rows = NULL;
}

static void thin_out(History* history) {
    size_t row = (size_t)history->width;
    for (int i = 1; 2 * i < history->count; i++) {
        memcpy(&history->rows[(size_t)i * row], &history->rows[2 * (size_t)i * row],
               row * sizeof *history->rows);
    }
    history->count = (history->count + 1) / 2;
    history->stride *= 2;
}

void poise__history_add(History* history, long step, const double* row) {
    if (!history->rows || step % history->stride != 0) {
        return;
    }
    if (history->count == history->capacity) {
        thin_out(history);
        if (step % history->stride != 0) {
            return;
        }
    }
    memcpy(&history->rows[(size_t)history->count * (size_t)history->width], row,
           (size_t)history->width * sizeof *row);
    history->count++;
}
