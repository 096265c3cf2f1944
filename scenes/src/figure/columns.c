// SPDX-License-Identifier: MIT
// The table of figures as columns of numbers, and as the printed reference.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "poise/figures.h"

#include "joint_numbers.h"

// Places of a figure's columns: its single number or its norm, then up to three components.
enum { PLACES_OF_A_FIGURE = 4 };

static int figures_of(PoiseFigureOwner owner, int* first) {
    int count = 0;
    const PoiseFigure* figure = NULL;
    for (int i = 0; (figure = poise_figure_at(i)) != NULL; i++) {
        if (figure->owner == owner) {
            *first = count++ == 0 ? i : *first;
        }
    }
    return count;
}

static int owners_of(const PoiseSimulation* simulation, PoiseFigureOwner owner) {
    switch (owner) {
    case POISE_FIGURE_OF_POINT:
        return poise_simulation_point_count(simulation);
    case POISE_FIGURE_OF_JOINT:
        return poise_simulation_joint_count(simulation);
    case POISE_FIGURE_OF_RUN:
        break;
    }
    return 1;
}

int poise_column_places(const PoiseSimulation* simulation) {
    int places = 0;
    for (int owner = 0; owner <= POISE_FIGURE_OF_JOINT; owner++) {
        int first = 0;
        places += owners_of(simulation, (PoiseFigureOwner)owner) *
                  figures_of((PoiseFigureOwner)owner, &first) * PLACES_OF_A_FIGURE;
    }
    return places;
}

// True if a column is at this place of its figure. A single number is at place 0; two or three
// numbers are at places 1, 2 and 3. The viewer also lists the norm of three numbers, at place 0,
// unless their columns have a stem.
static bool has_place(const PoiseColumn* column, PoiseFigureUse use, int place) {
    if (place > 0) {
        return column->count > 1 && place <= column->count;
    }
    const bool length = column->count == 3 && use == POISE_FIGURE_WATCH && !column->figure->stem;
    return column->count == 1 || length;
}

bool poise_column_at(const PoiseSimulation* simulation, PoiseFigureUse use, int place,
                     PoiseColumn* column) {
    for (int kind = 0; kind <= POISE_FIGURE_OF_JOINT && place >= 0; kind++) {
        int first = 0;
        const int each = figures_of((PoiseFigureOwner)kind, &first) * PLACES_OF_A_FIGURE;
        const int all = each * owners_of(simulation, (PoiseFigureOwner)kind);
        if (place >= all) {
            place -= all;
            continue;
        }
        column->owner = place / each;
        column->figure = poise_figure_at(first + place % each / PLACES_OF_A_FIGURE);
        column->count = column->figure->count;
        if (column->count == 0) {
            const PoiseScene* scene = poise_simulation_scene(simulation);
            column->count = poise__joint_numbers(scene->joints[column->owner].kind);
        }
        column->component = place % PLACES_OF_A_FIGURE - 1;
        return (column->figure->uses & (unsigned)use) != 0 && column->count <= 3 &&
               has_place(column, use, place % PLACES_OF_A_FIGURE) &&
               poise_figure_applies(column->figure, simulation, column->owner);
    }
    return false;
}

// Returns the part of the name after the owner's name and a dot; NULL if the name does not begin
// with these.
static const char* after_owner(const char* name, const char* owner) {
    const size_t length = strlen(owner);
    if (length == 0) {
        return name;
    }
    return strncmp(name, owner, length) == 0 && name[length] == '.' ? name + length + 1 : NULL;
}

bool poise_column_find(const PoiseSimulation* simulation, PoiseFigureUse use, const char* name,
                       PoiseColumn* column) {
    const int places = poise_column_places(simulation);
    int place = 0;
    for (int kind = 0; kind <= POISE_FIGURE_OF_JOINT && place < places; kind++) {
        int first = 0;
        const int each = figures_of((PoiseFigureOwner)kind, &first) * PLACES_OF_A_FIGURE;
        const int owners = owners_of(simulation, (PoiseFigureOwner)kind);
        for (int owner = 0; owner < owners; owner++, place += each) {
            const PoiseColumn any = {.figure = poise_figure_at(first), .owner = owner};
            const char* field = after_owner(name, poise_column_owner(simulation, &any));
            for (int i = 0; field && i < each; i++) {
                char text[48];
                if (poise_column_at(simulation, use, place + i, column) &&
                    strcmp(poise_column_field(column, text), field) == 0) {
                    return true;
                }
            }
        }
    }
    return false;
}

const char* poise_column_owner(const PoiseSimulation* simulation, const PoiseColumn* column) {
    switch (column->figure->owner) {
    case POISE_FIGURE_OF_POINT:
        return poise_simulation_point(simulation, column->owner).name;
    case POISE_FIGURE_OF_JOINT:
        return poise_simulation_scene(simulation)->joints[column->owner].name;
    case POISE_FIGURE_OF_RUN:
        break;
    }
    return "";
}

const char* poise_column_field(const PoiseColumn* column, char text[48]) {
    static const char* const letters[] = {"x", "y", "z"};
    const PoiseFigure* figure = column->figure;
    const int i = column->component;
    if (i < 0) {
        snprintf(text, 48, "%s", figure->name);
    } else if (column->count == 2) {
        snprintf(text, 48, "%s%s", figure->name, i == 1 ? "2" : "");
    } else if (figure->stem) {
        snprintf(text, 48, "%s%s", figure->stem, letters[i]);
    } else {
        snprintf(text, 48, "%s.%s", figure->name, letters[i]);
    }
    return text;
}

double poise_column_value(const PoiseColumn* column, const PoiseFigureSource* source) {
    if (column->component < 0) {
        return poise_figure_number(column->figure, source, column->owner);
    }
    const PoiseFigureValue value = poise_figure_read(column->figure, source, column->owner);
    return column->component < value.count ? value.numbers[column->component] : (double)NAN;
}

// -------------------------------------------------------------------------------------- reference

static void print_uses(unsigned uses, FILE* out) {
    static const struct {
        unsigned use;
        const char* word;
    } words[] = {{POISE_FIGURE_EXPECT, "expect"}, {POISE_FIGURE_RECORD, "record"},
                 {POISE_FIGURE_CSV, "csv"},       {POISE_FIGURE_PLOT, "plot"},
                 {POISE_FIGURE_JSON, "json"},     {POISE_FIGURE_SUMMARY, "table"},
                 {POISE_FIGURE_WATCH, "viewer"}};
    const char* separator = "";
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if ((uses & words[i].use) != 0) {
            fprintf(out, "%s%s", separator, words[i].word);
            separator = ", ";
        }
    }
}

void poise_figures_print(FILE* out) {
    static const char* const owners[] = {"", "POINT.", "JOINT."};
    const PoiseFigure* figure = NULL;
    fputs("### Figures\n\n| figure | unit | met in | meaning |\n| --- | --- | --- | --- |\n", out);
    for (int i = 0; (figure = poise_figure_at(i)) != NULL; i++) {
        fprintf(out, "| `%s%s` | %s%s%s | ", owners[figure->owner], figure->name, figure->unit,
                figure->slider_unit ? "; slider " : "",
                figure->slider_unit ? figure->slider_unit : "");
        print_uses(figure->uses, out);
        fprintf(out, " | %s |\n", figure->help);
    }
    fputc('\n', out);
}
