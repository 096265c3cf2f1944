// SPDX-License-Identifier: MIT
// What the steps of a run add up to, for each control point.
#ifndef POISE_STATISTICS_H
#define POISE_STATISTICS_H

#include "poise/simulation.h"

/// How well a point reached its goals. NaN where there is nothing to say.
typedef struct PoisePointStatistics {
    /// Now; after the first second; the mean of the last tenth. m.
    double error;
    double rms_error;
    double max_error;
    double settled_error;
    /// rad
    double angle_error;
    double rms_angle_error;
    double max_angle_error;
    /// As the springs foresee it, m and rad.
    double predicted_miss;
    double predicted_angle_miss;
    /// What that comes from, of a run that came to its end; its misses are NaN where no rest was
    /// found. The compliance is defined where it gives.
    PoiseForecast forecast;
    bool gives;
    /// Mean of the last tenth, N; NaN where none is asked. The error is along the force.
    PoiseVec3 force;
    PoiseVec3 force_measured;
    double force_error;
    // what these are made of
    double square_sum;
    double angle_square_sum;
    double tail_sum;
    long counted;
    long angle_counted;
    long tail_counted;
    PoiseVec3 force_sum;
    long force_counted;
} PoisePointStatistics;

/// One for each point, and nothing added up; NULL when memory is short. Release with free.
PoisePointStatistics* poise__statistics_create(const PoiseSimulation* simulation);
/// After each step of a run that is to have so many.
void poise__statistics_add(PoisePointStatistics* points, const PoiseSimulation* simulation,
                           long steps);
/// Once at the end; a run that came to its end is also asked what its springs foresee.
void poise__statistics_finish(PoisePointStatistics* points, const PoiseSimulation* simulation,
                              bool ended);

#endif
