// SPDX-License-Identifier: MIT
// Names and the number each stands for, found in constant time.
#ifndef POISE_NAMES_H
#define POISE_NAMES_H

#include "arena.h"

typedef struct NameEntry {
    const char* name; ///< NULL: free
    int value;
} NameEntry;

/// All zero but the arena: empty.
typedef struct NameTable {
    Arena* arena;
    NameEntry* entries;
    int count;
    int capacity; ///< a power of two, or 0
} NameTable;

/// What the name stands for, -1 where it is not known.
int poise__names_find(const NameTable* names, const char* name);
/// Gives a new name its number, >= 0. The name's text must stay. False when memory is short.
bool poise__names_add(NameTable* names, const char* name, int value);

#endif
