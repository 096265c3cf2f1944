// SPDX-License-Identifier: MIT
// A table as text: a head of column names, then rows with the same number of cells, with commas
// between them. Errors become findings with line and column.
#ifndef POISE_CSV_READ_H
#define POISE_CSV_READ_H

#include "poise/diagnostics.h"

/// Largest number of columns of a sheet.
enum { SHEET_COLUMNS = 128 };

/// A part of the text. `column` is its first letter's position in the line, from 1.
typedef struct SheetCell {
    const char* text;
    int length;
    int column;
} SheetCell;

typedef struct Sheet {
    const char* path;
    PoiseDiagnostics* diagnostics;
    const char* text;
    size_t size;
    char* owned;      ///< the text, if it was read from a file
    const char* next; ///< beginning of the line after the row
    int line;         ///< line of the row in the file
    int row;          ///< index of the row; -1 before the first
    SheetCell names[SHEET_COLUMNS];
    int column_count;
    SheetCell cells[SHEET_COLUMNS]; ///< cells of the row
    int errors;                     ///< number of errors found
} Sheet;

/// Reads the head of a text, which ends with a 0 at `size` and must outlive the sheet. Returns
/// false with a finding if it is not text, or has no head.
bool poise__sheet_begin(Sheet* sheet, const char* path, const char* text, size_t size,
                        PoiseDiagnostics* diagnostics);
/// Reads the file and its head. Returns false with a finding if the file cannot be read, is not
/// text, or has no head. The caller closes the sheet in either case.
bool poise__sheet_open(Sheet* sheet, const char* path, PoiseDiagnostics* diagnostics);
void poise__sheet_close(Sheet* sheet);

/// Returns the number of lines after the row: an upper bound of the number of rows that follow.
int poise__sheet_lines_left(const Sheet* sheet);

/// Returns the column of that name; -1 if there is none.
int poise__sheet_column(const Sheet* sheet, const char* name);
/// Like poise__sheet_column, but adds a finding if the column is missing.
int poise__sheet_need_column(Sheet* sheet, const char* name);

/// Moves to the next row. Skips empty lines, and, with a finding, rows with too few or too many
/// cells. Returns false past the end.
bool poise__sheet_next(Sheet* sheet);

/// Returns the number in a cell of the row; 0 with a finding if the cell has none. `infinite`:
/// infinities are allowed.
double poise__sheet_number(Sheet* sheet, int column, bool infinite);
/// True if a cell of the row is this word.
bool poise__sheet_is(const Sheet* sheet, int column, const char* word);

/// Returns the place of a cell of the row; column -1: the beginning of its line.
PoiseMark poise__sheet_mark(const Sheet* sheet, int column);
/// Adds an error with the place poise__sheet_mark.
void poise__sheet_error(Sheet* sheet, int column, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
