// SPDX-License-Identifier: MIT
// Selects the columns of the CSV and of the plot, and writes the CSV's header and rows.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static bool is_recorded(const PoiseSimulation* simulation, const PoiseColumn* column) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    for (int i = 0; i < scene->record_count; i++) {
        const PoiseSceneFigure* record = &scene->records[i];
        if (record->figure == column->figure && record->owner.index == column->owner) {
            return true;
        }
    }
    return false;
}

static bool is_kept(const PoiseSimulation* simulation, PoiseFigureUse use, int place,
                    PoiseColumn* column) {
    if (poise_column_at(simulation, use, place, column)) {
        return true;
    }
    return use == POISE_FIGURE_PLOT &&
           poise_column_at(simulation, POISE_FIGURE_RECORD, place, column) &&
           is_recorded(simulation, column);
}

bool poise__columns_make(const PoiseSimulation* simulation, PoiseFigureUse use, Columns* columns) {
    const int places = poise_column_places(simulation);
    PoiseColumn column;
    columns->count = 0;
    for (int i = 0; i < places; i++) {
        columns->count += is_kept(simulation, use, i, &column) ? 1 : 0;
    }
    columns->items = calloc((size_t)columns->count + 1, sizeof *columns->items);
    for (int i = 0, used = 0; columns->items && i < places; i++) {
        if (is_kept(simulation, use, i, &column)) {
            columns->items[used++] = column;
        }
    }
    return columns->items != NULL;
}

void poise__columns_free(Columns* columns) {
    free(columns->items);
    columns->items = NULL;
    columns->count = 0;
}

static void print_name(FILE* file, const char* owner, const char* field) {
    const bool quoted = strpbrk(owner, ",\"\n") != NULL;
    fputs(quoted ? "\"" : "", file);
    for (; *owner; owner++) {
        fputs(*owner == '"' ? "\"\"" : (char[]){*owner, '\0'}, file);
    }
    fputs(field, file);
    fputs(quoted ? "\"" : "", file);
}

void poise__csv_header(FILE* file, const Columns* columns, const PoiseSimulation* simulation) {
    for (int i = 0; i < columns->count; i++) {
        char field[50] = ".";
        const char* owner = poise_column_owner(simulation, &columns->items[i]);
        poise_column_field(&columns->items[i], field + 1);
        fputs(i > 0 ? "," : "", file);
        print_name(file, owner, field + (owner[0] ? 0 : 1));
    }
    fputc('\n', file);
}

void poise__csv_row(FILE* file, const Columns* columns, const PoiseSimulation* simulation) {
    const PoiseFigureSource now = {simulation, NULL};
    for (int i = 0; i < columns->count; i++) {
        double value = poise_column_value(&columns->items[i], &now);
        fputs(i > 0 ? "," : "", file);
        // a figure without a value leaves an empty cell
        if (isfinite(value)) {
            fprintf(file, "%.10g", value);
        }
    }
    fputc('\n', file);
}
