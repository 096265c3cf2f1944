// SPDX-License-Identifier: MIT
// Tables that compare the numbers of a document with those of Poise, for the examples.
#ifndef POISE_EXAMPLE_TABLE_H
#define POISE_EXAMPLE_TABLE_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/// A table, with the number of lines that differ.
typedef struct Table {
    int off;
} Table;

/// Prints a line with the name, the document's number, Poise's number and their difference. Marks
/// it DIFFER if the difference exceeds `tolerance`.
static inline void table_compare(Table* table, const char* what, double document, double ours,
                                 double tolerance) {
    const double apart = fabs(ours - document);
    const bool agree = apart <= tolerance;
    table->off += !agree;
    printf("  %-34s %14.9g %14.9g  ", what, document, ours);
    if (apart > 0.0) {
        printf("%.1e apart%s\n", apart, agree ? "" : ": DIFFER");
    } else {
        printf("%s\n", agree ? "equal" : "DIFFER");
    }
}

/// Prints a condition that must hold.
static inline void table_claim(Table* table, const char* what, bool holds) {
    table->off += !holds;
    printf("  %s: %s\n", what, holds ? "yes" : "NO");
}

/// Prints the head of a table.
static inline void table_head(const char* title, const char* document) {
    printf("\n%s\n  %-34s %14s %14s\n", title, "", document, "ours");
}

/// Returns the exit status of the example: 0 if all lines agree.
static inline int table_end(const Table* table) {
    if (table->off > 0) {
        printf("\n%d figures differ\n", table->off);
    }
    return table->off > 0 ? 1 : 0;
}

#endif
