// SPDX-License-Identifier: MIT
// Makes one run of a study and formats its row.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

typedef struct Row {
    char* text;
    size_t size;
    size_t capacity;
} Row;

static void put(Row* row, const char* text) {
    const size_t length = strlen(text);
    if (row->size + length < row->capacity) {
        memcpy(row->text + row->size, text, length + 1);
        row->size += length;
    }
}

// Adds a cell, quoted if necessary. Newlines become spaces, so that a row is one line.
static void put_cell(Row* row, const char* text) {
    const bool quoted = strpbrk(text, ",\"\n\r") != NULL;
    put(row, quoted ? "\"" : "");
    for (; *text; text++) {
        const char letter[2] = {*text == '\n' || *text == '\r' ? ' ' : *text, '\0'};
        put(row, *text == '"' ? "\"\"" : letter);
    }
    put(row, quoted ? "\"" : "");
}

static void put_number(Row* row, double value) {
    char text[40] = "";
    if (isfinite(value)) {
        snprintf(text, sizeof text, "%.17g", value);
    }
    put(row, text);
}

void poise__sweep_head(const PoiseStudy* study, FILE* out) {
    fputs("run", out);
    for (int i = 0; i < poise_study_key_count(study); i++) {
        fprintf(out, ",%s", poise_study_key(study, i));
    }
    fputs(",status,reason", out);
    for (int i = 0; i < poise_study_figure_count(study); i++) {
        fprintf(out, ",%s", poise_study_figure(study, i));
    }
    fputs(",state_hash\n", out);
}

static void begin(Row* row, const PoiseStudy* study, int run) {
    char text[POISE_STUDY_VALUE];
    snprintf(text, sizeof text, "%d", run);
    put(row, text);
    for (int i = 0; i < poise_study_key_count(study); i++) {
        put(row, ",");
        put_cell(row, poise_study_value(study, run, i, text, sizeof text));
    }
}

static void end(Row* row, const PoiseStudy* study, const char* status, const char* reason) {
    put(row, ",");
    put(row, status);
    put(row, ",");
    put_cell(row, reason);
    for (int i = 0; i < poise_study_figure_count(study); i++) {
        put(row, ",");
    }
    put(row, ",\n");
}

long poise__sweep_row_of(const PoiseStudy* study, int run, SweepEnd ended, char* row,
                         size_t capacity) {
    Row out = {row, 0, capacity};
    begin(&out, study, run);
    end(&out, study, ended.status, ended.reason);
    return (long)out.size;
}

// Adds the end of a finished run's row: status, reason, figures, hash.
static void put_end(Row* out, const PoiseStudy* study, const PoiseStudyRow* row) {
    put(out, ",");
    put(out, row->status);
    put(out, ",");
    put_cell(out, row->reason);
    for (int i = 0; i < poise_study_figure_count(study); i++) {
        put(out, ",");
        put_number(out, row->figures[i]);
    }
    char text[40] = ",\n";
    if (row->state_hash != 0) {
        snprintf(text, sizeof text, ",%016" PRIx64 "\n", row->state_hash);
    }
    put(out, text);
}

bool poise__sweep_row(const PoiseStudy* study, int run, char* text, size_t capacity) {
    Row out = {text, 0, capacity};
    PoiseStudyRow row = {.figures =
                             calloc((size_t)poise_study_figure_count(study), sizeof *row.figures)};
    const bool made = row.figures && poise_study_run(study, run, &row) == POISE_OK;
    if (made) {
        begin(&out, study, run);
        put_end(&out, study, &row);
    } else {
        put(&out, row.reason[0] ? row.reason : "memory is short");
    }
    free(row.figures);
    return made;
}
