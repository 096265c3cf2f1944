// SPDX-License-Identifier: MIT
// Sums up a run's figures step by step, and forecasts its points at the end.
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "press_forecast.h"

// Time from the start of a run that root mean squares and maxima omit, s.
#define LEFT_OUT 1.0

// The points' statistics that the caller gets, and memory to forecast the points and their axis
// goals.
typedef struct Statistics {
    int count;
    PoisePointId* asked;      ///< two for each point: the point, then its axis goal
    PoiseForecast* forecasts; ///< forecasts of `asked`, in the same order
    PoiseWall* walls;         ///< a wall for each point
    PoisePointStatistics points[];
} Statistics;

static Statistics* whole(PoisePointStatistics* points) {
    return (Statistics*)(void*)((char*)points - offsetof(Statistics, points));
}

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

static void finish_memory(Statistics* all) {
    free(all->asked);
    free(all->forecasts);
    free(all->walls);
    free(all);
}

PoisePointStatistics* poise_statistics_create(const PoiseSimulation* simulation) {
    if (!simulation) {
        return NULL;
    }
    const int count = poise_simulation_point_count(simulation);
    const size_t room = (size_t)count + 1;
    Statistics* all = calloc(1, sizeof *all + room * sizeof *all->points);
    if (!all) {
        return NULL;
    }
    all->count = count;
    all->asked = calloc(2 * room, sizeof *all->asked);
    all->forecasts = calloc(2 * room, sizeof *all->forecasts);
    all->walls = calloc(room, sizeof *all->walls);
    if (!all->asked || !all->forecasts || !all->walls) {
        finish_memory(all);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        PoisePointStatistics* point = &all->points[i];
        point->error = (double)NAN;
        point->angle_error = (double)NAN;
        point->max_error = (double)NAN;
        point->max_angle_error = (double)NAN;
        point->predicted_miss = (double)NAN;
        point->predicted_angle_miss = (double)NAN;
        point->forecast = (PoiseForecast){.end = POISE_FORECAST_NO_COPY,
                                          .why = "it was not foreseen",
                                          .row_miss = (double)NAN,
                                          .row_angle_miss = (double)NAN,
                                          .compliance = {(double)NAN}};
        point->friction_miss = (double)NAN;
    }
    return all->points;
}

void poise_statistics_add(PoisePointStatistics* points, const PoiseSimulation* simulation,
                          long steps) {
    // Half a step keeps rounding of the time from changing the number of omitted steps.
    double h = poise_simulation_step_length(simulation);
    bool counted = poise_simulation_time(simulation) > LEFT_OUT + 0.5 * h;
    bool tail = poise_simulation_step_count(simulation) > steps - (steps + 9) / 10;
    for (int i = 0; points && i < poise_simulation_point_count(simulation); i++) {
        PoisePointView view = poise_simulation_point(simulation, i);
        PoisePointStatistics* point = &points[i];
        point->error = (double)NAN;
        point->angle_error = (double)NAN;
        if (view.has_position) {
            add_error(point, view.reading.miss, counted, tail);
        }
        if (view.has_orientation) {
            add_angle(point, view.reading.angle_miss, counted);
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

// True if the point's goal has three active rows from row `first` on: all of its position, or of
// its rotation.
static bool has_three_rows(const PoiseSimulation* simulation, const char* name, int first) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    int point = poise_scene_find_point(scene, name);
    return point >= 0 && (scene->points[point].def.rows >> first & 7) == 7;
}

// Stores the forecast of a point. `angle_miss` comes from the forecast of its axis goal, if any.
static void put_forecast(PoisePointStatistics* point, const PoiseSimulation* simulation,
                         const PoisePointView* view, const PoiseForecast* forecast,
                         double angle_miss) {
    const bool rests = poise_forecast_rests(forecast);
    point->forecast = *forecast;
    if (!rests) {
        point->forecast.row_miss = point->forecast.row_angle_miss = (double)NAN;
    }
    // The predicted miss is defined over all three rows only.
    if (rests && view->has_position && has_three_rows(simulation, view->name, 0)) {
        point->predicted_miss = forecast->miss;
    }
    if (rests && view->has_orientation && has_three_rows(simulation, view->name, 3)) {
        point->predicted_angle_miss = angle_miss;
    }
}

// Forecasts all points and axis goals together.
static PoiseStatus forecast_all(Statistics* all, const PoiseSimulation* simulation) {
    PoiseRig* rig = poise_simulation_rig(simulation);
    const PoiseTree* tree = poise_rig_tree(rig);
    int count = 0;
    for (int i = 0; i < all->count; i++) {
        const PoisePointView view = poise_simulation_point(simulation, i);
        if (poise_point_is_valid(tree, view.point)) {
            all->asked[count++] = view.point;
        }
        if (poise_point_is_valid(tree, view.aim)) {
            all->asked[count++] = view.aim;
        }
    }
    const PoiseForecastDef def = {.points = all->asked,
                                  .count = count,
                                  .step = poise_simulation_step_length(simulation),
                                  .budget = FORECAST_BUDGET};
    const PoiseStatus status = count > 0 ? poise_rig_forecast(rig, &def, all->forecasts) : POISE_OK;
    if (count == 0 || status < 0) {
        return status;
    }
    const PoiseForecast* next = all->forecasts;
    for (int i = 0; i < all->count; i++) {
        const PoisePointView view = poise_simulation_point(simulation, i);
        const PoiseForecast* own = poise_point_is_valid(tree, view.point) ? next++ : NULL;
        const PoiseForecast* aim = poise_point_is_valid(tree, view.aim) ? next++ : own;
        if (own) {
            put_forecast(&all->points[i], simulation, &view, own, aim->angle_miss);
        }
    }
    return POISE_OK;
}

PoiseStatus poise_statistics_finish(PoisePointStatistics* points, const PoiseSimulation* simulation,
                                    bool ended) {
    if (!points) {
        return POISE_OK;
    }
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointStatistics* point = &points[i];
        point->rms_error = sqrt(mean(point->square_sum, point->counted));
        point->rms_angle_error = sqrt(mean(point->angle_square_sum, point->angle_counted));
        point->settled_error = mean(point->tail_sum, point->tail_counted);
        finish_force(point);
    }
    if (ended && simulation) {
        Statistics* all = whole(points);
        const FrictionRoom room = {all->asked, all->forecasts, all->walls};
        PoiseStatus status = forecast_all(all, simulation);
        if (status >= 0) {
            status = poise__statistics_add_friction(points, simulation, &room);
        }
        // After other errors the figures stay unknown (NaN).
        return status == POISE_ERROR_OUT_OF_MEMORY ? status : POISE_OK;
    }
    return POISE_OK;
}

void poise_statistics_destroy(PoisePointStatistics* points) {
    if (points) {
        finish_memory(whole(points));
    }
}
