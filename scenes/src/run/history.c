// SPDX-License-Identifier: MIT
// Stores the figures that a plot draws, at equal distances in time. A long run stores fewer rows
// per second.
#include <stdlib.h>
#include <string.h>

#include "run.h"

// Largest number of rows. When they are full, every second row is dropped.
#define MAX_HISTORY_ROWS 4000

bool poise__history_create(History* history, const PoiseSimulation* simulation) {
    if (!poise__columns_make(simulation, POISE_FIGURE_PLOT, &history->columns)) {
        return false;
    }
    history->stride = 1;
    history->rows = calloc((size_t)MAX_HISTORY_ROWS * (size_t)history->columns.count + 1,
                           sizeof *history->rows);
    return history->rows != NULL;
}

void poise__history_free(History* history) {
    poise__columns_free(&history->columns);
    free(history->rows);
    history->rows = NULL;
}

static void thin_out(History* history) {
    const size_t width = (size_t)history->columns.count;
    for (int i = 1; 2 * i < history->count; i++) {
        memcpy(&history->rows[(size_t)i * width], &history->rows[2 * (size_t)i * width],
               width * sizeof *history->rows);
    }
    history->count = (history->count + 1) / 2;
    history->stride *= 2;
}

void poise__history_add(History* history, const PoiseSimulation* simulation) {
    const PoiseFigureSource now = {simulation, NULL};
    const long step = poise_simulation_step_count(simulation);
    if (!history->rows || step % history->stride != 0) {
        return;
    }
    if (history->count == MAX_HISTORY_ROWS) {
        thin_out(history);
        if (step % history->stride != 0) {
            return;
        }
    }
    double* row = &history->rows[(size_t)history->count * (size_t)history->columns.count];
    for (int i = 0; i < history->columns.count; i++) {
        row[i] = poise_column_value(&history->columns.items[i], &now);
    }
    history->count++;
}
