// SPDX-License-Identifier: MIT
// Prints the format reference from the tables that read the format.
#include <math.h>
#include <string.h>

#include "poise/reading.h"
#include "spec.h"

// Bounds of at least this size protect the physics; the reference omits them.
#define LARGE 1e5

static void print_range(Range range, FILE* out) {
    range = poise__range_of(range);
    // A lower or upper bound of size LARGE is not printed.
    bool lower = isfinite(range.lower) && range.lower > -LARGE;
    bool upper = isfinite(range.upper) && range.upper < LARGE;
    if (lower && upper && !range.above) {
        fprintf(out, ", %g to %g", range.lower, range.upper);
    } else if (lower) {
        fprintf(out, ", %s %g", range.above ? "above" : "from", range.lower);
        if (upper) {
            fprintf(out, " up to %g", range.upper);
        }
    }
    fputs(range.infinite ? " or inf" : "", out);
}

static void print_type(const Field* field, FILE* out) {
    // Rows of the other types have a `form`.
    static const char* const words[] = {
        [FIELD_NUMBER] = "number",
        [FIELD_ANGLE] = "number",
        [FIELD_TURN_SPEED] = "number",
        [FIELD_JOINT_SPEED] = "number",
        [FIELD_INTEGER] = "whole number",
        [FIELD_SWITCH] = "`on`, `off`",
        [FIELD_TEXT] = "text",
        [FIELD_VEC3] = "[x, y, z]",
        [FIELD_AXIS] = "[x, y, z], not zero",
        [FIELD_ROTATION] = "[w, x, y, z], {axis, angle} or {rpy}",
    };
    if (field->form) {
        fputs(field->form, out);
    } else if (field->type == FIELD_CHOICE) {
        for (int i = 0; field->words[i]; i++) {
            fprintf(out, "%s`%s`", i > 0 ? ", " : "", field->words[i]);
        }
    } else if (field->type == FIELD_MAP) {
        fprintf(out, "%s%s", field->schema->name, field->schema->may_be_off ? " or `off`" : "");
    } else {
        fputs(words[field->type], out);
    }
}

static void print_fallback(const Field* field, FILE* out) {
    const char* fallback = field->fallback;
    if (field->required) {
        fputs("**needed**", out);
    } else if (fallback && fallback[0] == '(') {
        fprintf(out, "%.*s", (int)strlen(fallback) - 2, fallback + 1);
    } else if (fallback) {
        fprintf(out, "`%s`", fallback);
    }
}

static void print_table(const Schema* schema, FILE* out) {
    fprintf(out, "### %s\n\n", schema->title);
    if (schema->help) {
        fprintf(out, "%s\n\n", schema->help);
    }
    fputs("| key | value | unit | default | meaning |\n", out);
    fputs("| --- | --- | --- | --- | --- |\n", out);
    for (int i = 0; i < schema->field_count; i++) {
        const Field* field = &schema->fields[i];
        fprintf(out, "| `%s`%s | ", field->key, field->live.on ? " \\*" : "");
        print_type(field, out);
        print_range(field->range, out);
        fprintf(out, " | %s | ", field->unit ? field->unit : "");
        print_fallback(field, out);
        fprintf(out, " | %s |\n", field->help);
    }
    fputc('\n', out);
}

static bool remember(const Schema** tables, int* count, const Schema* schema) {
    for (int i = 0; i < *count; i++) {
        if (tables[i] == schema) {
            return false;
        }
    }
    tables[(*count)++] = schema;
    return true;
}

void poise_format_print(FILE* out) {
    const Schema* tables[MAX_TABLES];
    int count = 0;
    if (!out) {
        return;
    }
    (void)remember(tables, &count, &poise__scene_schema);
    // Each table is printed after the table that refers to it first.
    for (int i = 0; i < count; i++) {
        print_table(tables[i], out);
        for (int j = 0; j < tables[i]->field_count; j++) {
            const Schema* below = tables[i]->fields[j].schema;
            if (below) {
                (void)remember(tables, &count, below);
            }
        }
    }
}
