// SPDX-License-Identifier: MIT
// Makes many steps in one call, and records the columns of each.
#include "poise/report.h"

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
        const PoiseFigureSource source = {simulation, NULL};
        for (int c = 0; c < def->column_count; c++) {
            def->rows[(size_t)i * (size_t)def->column_count + (size_t)c] =
                poise_column_value(&def->columns[c], &source);
        }
        if (made) {
            *made = i + 1;
        }
    }
    return POISE_OK;
}
