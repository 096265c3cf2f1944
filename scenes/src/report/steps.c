// SPDX-License-Identifier: MIT
// Makes many steps in one call, and records the columns of each.
#include "poise/report.h"

static void keep_row(const PoiseSimulation* simulation, const PoiseRunDef* def, long row) {
    const PoiseFigureSource source = {simulation, NULL};
    double* numbers = def->rows + (size_t)row * (size_t)def->column_count;
    for (int i = 0; i < def->column_count; i++) {
        numbers[i] = poise_column_value(&def->columns[i], &source);
    }
}

PoiseStatus poise_simulation_run(PoiseSimulation* simulation, const PoiseRunDef* def, long* made) {
    if (made) {
        *made = 0;
    }
    if (!simulation || !def || def->steps < 0 || def->total < 0 || def->column_count < 0 ||
        (def->column_count > 0 && (!def->columns || !def->rows))) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const long first = poise_simulation_step_count(simulation);
    const long total = def->total > 0 ? def->total : first + def->steps;
    for (long i = 0; i < def->steps; i++) {
        const PoiseStatus status = poise_simulation_step(simulation);
        if (status < 0) {
            return status;
        }
        if (def->statistics) {
            poise_statistics_add(def->statistics, simulation, total);
        }
        if (def->column_count > 0) {
            keep_row(simulation, def, i);
        }
        if (made) {
            *made = i + 1;
        }
    }
    return POISE_OK;
}
