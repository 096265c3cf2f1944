// SPDX-License-Identifier: MIT
// Tables for the examples: numbers of a document, our numbers, and their differences.
#ifndef POISE_EXAMPLE_TABLE_H
#define POISE_EXAMPLE_TABLE_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/// Counts the numbers that differ.
typedef struct Table {
    int off;
} Table;

/// Prints a line: name, the document's number, ours, and their difference; DIFFER above
/// `tolerance`.
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

/// Returns the exit status: 0 if all agree.
static inline int table_end(const Table* table) {
    if (table->off > 0) {
        printf("\n%d figures differ\n", table->off);
    }
    return table->off > 0 ? 1 : 0;
}

#endif
