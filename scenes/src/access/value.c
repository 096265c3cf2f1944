// SPDX-License-Identifier: MIT
// Reads a parameter or figure of a running scene by its key, and sets parameters.
#include "poise/value.h"

static const char* write_column_key(const PoiseSimulation* simulation, const PoiseColumn* column,
                                    char* text, size_t capacity) {
    char field[48];
    const char* owner = poise_column_owner(simulation, column);
    snprintf(text, capacity, "%s%s%s", owner, owner[0] ? "." : "",
             poise_column_field(column, field));
    return text;
}

int poise_value_count(const PoiseSimulation* simulation) {
    return simulation
               ? poise_simulation_parameter_count(simulation) + poise_column_places(simulation)
               : 0;
}

const char* poise_value_key(const PoiseSimulation* simulation, int index, char* text,
                            size_t capacity) {
    if (!text || capacity == 0) {
        return "";
    }
    text[0] = '\0';
    const int parameters = simulation ? poise_simulation_parameter_count(simulation) : 0;
    PoiseParameter parameter;
    PoiseColumn column;
    if (!simulation || index < 0) {
        return text;
    }
    if (index < parameters) {
        if (poise_simulation_parameter(simulation, index, &parameter)) {
            snprintf(text, capacity, "%s", parameter.key);
        }
    } else if (poise_column_at(simulation, POISE_FIGURE_WATCH, index - parameters, &column)) {
        write_column_key(simulation, &column, text, capacity);
    }
    return text;
}

// Finds the figure of this key among those that the viewer lists, then among the columns of the
// CSV.
static bool find_column(const PoiseSimulation* simulation, const char* key, PoiseColumn* column) {
    return poise_column_find(simulation, POISE_FIGURE_WATCH, key, column) ||
           poise_column_find(simulation, POISE_FIGURE_CSV, key, column);
}

bool poise_value_about(const PoiseSimulation* simulation, const char* key, bool* settable,
                       char* unit, size_t capacity) {
    const int index = simulation && key ? poise_simulation_find_parameter(simulation, key) : -1;
    PoiseParameter parameter;
    PoiseColumn column;
    const char* word = NULL;
    if (index >= 0 && poise_simulation_parameter(simulation, index, &parameter)) {
        word = parameter.unit;
    } else if (simulation && key && find_column(simulation, key, &column)) {
        word = poise_figure_unit(column.figure, simulation, column.owner);
    }
    if (settable) {
        *settable = index >= 0;
    }
    if (unit && capacity > 0) {
        snprintf(unit, capacity, "%s", word ? word : "");
    }
    return word != NULL;
}

PoiseStatus poise_value_read(const PoiseSimulation* simulation, const char* key, double* value) {
    if (!simulation || !key || !value) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const int index = poise_simulation_find_parameter(simulation, key);
    PoiseParameter parameter;
    PoiseColumn column;
    if (index >= 0 && poise_simulation_parameter(simulation, index, &parameter)) {
        *value = parameter.value;
    } else if (find_column(simulation, key, &column)) {
        const PoiseFigureSource source = {simulation, NULL};
        *value = poise_column_value(&column, &source);
    } else {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    return POISE_OK;
}

PoiseStatus poise_value_set(PoiseSimulation* simulation, const char* key, double value) {
    if (!simulation || !key) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const int index = poise_simulation_find_parameter(simulation, key);
    PoiseColumn column;
    if (index < 0) {
        return find_column(simulation, key, &column) ? POISE_ERROR_WRONG_KIND
                                                     : POISE_ERROR_INVALID_ARGUMENT;
    }
    return poise_simulation_set_parameter(simulation, index, value);
}
