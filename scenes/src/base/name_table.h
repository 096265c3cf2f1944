// SPDX-License-Identifier: MIT
// A table from names to numbers, with search in constant time.
#ifndef POISE_NAME_TABLE_H
#define POISE_NAME_TABLE_H

#include "arena.h"

typedef struct NameEntry {
    const char* name; ///< name of the entry; NULL: the entry is free
    int value;
} NameEntry;

/// The table. An empty table has only its arena set; all other members are 0.
typedef struct NameTable {
    Arena* arena;
    NameEntry* entries;
    int count;
    int capacity; ///< a power of two, or 0
} NameTable;

/// Returns the number of the name; -1 if the name is unknown.
int poise__names_find(const NameTable* names, const char* name);
/// Adds a name with its number, >= 0. The caller keeps the name's text. Returns false when memory
/// is short.
bool poise__names_add(NameTable* names, const char* name, int value);

#endif
