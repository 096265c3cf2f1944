// SPDX-License-Identifier: MIT
// A table of text: a head of names, then rows of as many cells, with commas between them. What is
// wrong goes to the findings with line and column.
#ifndef POISE_SHEET_H
#define POISE_SHEET_H

#include "poise/diagnostics.h"

/// The most columns of a sheet.
enum { SHEET_COLUMNS = 128 };

/// A part of the text, and the letter of the line it begins at, from 1.
typedef struct SheetCell {
    const char* text;
    int length;
    int column;
} SheetCell;

typedef struct Sheet {
    const char* path;
    PoiseDiagnostics* diagnostics;
    char* text;
    size_t size;
    const char* next; ///< the line after the row
    int line;         ///< of the row
    int row;          ///< from 0; -1 before the first
    SheetCell names[SHEET_COLUMNS];
    int column_count;
    SheetCell cells[SHEET_COLUMNS]; ///< of the row
    int errors;                     ///< found so far
} Sheet;

/// Reads the file and its head. False with a finding when it cannot be read, or is not text, or has
/// no head. Close it in either case.
bool poise__sheet_open(Sheet* sheet, const char* path, PoiseDiagnostics* diagnostics);
void poise__sheet_close(Sheet* sheet);

/// How many lines follow the row, at most so many rows.
int poise__sheet_lines_left(const Sheet* sheet);

/// The column of that name, -1 where there is none.
int poise__sheet_column(const Sheet* sheet, const char* name);
/// The same, with a finding where there is none.
int poise__sheet_need_column(Sheet* sheet, const char* name);

/// Goes to the next row; empty lines are passed over, rows with too few or too many cells too, with
/// a finding. False past the end.
bool poise__sheet_next(Sheet* sheet);

/// The number in a cell of the row; a finding and 0 where there is none. Infinities only where
/// allowed.
double poise__sheet_number(Sheet* sheet, int column, bool infinite);
/// Whether a cell of the row is this word.
bool poise__sheet_is(const Sheet* sheet, int column, const char* word);

/// A finding at a cell of the row; column -1: at the beginning of its line.
void poise__sheet_error(Sheet* sheet, int column, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
