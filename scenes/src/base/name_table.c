// SPDX-License-Identifier: MIT
// A hash table with open addressing, at most half full.
#include "name_table.h"

#include <string.h>

// Returns the FNV-1a hash of the name.
static unsigned hash_of(const char* name) {
    unsigned hash = 2166136261u;
    for (; *name; name++) {
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    }
    return hash;
}

// Returns the entry of the name, or the free entry where the name belongs.
static NameEntry* entry_of(NameEntry* entries, int capacity, const char* name) {
    unsigned mask = (unsigned)capacity - 1;
    unsigned index = hash_of(name) & mask;
    while (entries[index].name && strcmp(entries[index].name, name) != 0) {
        index = (index + 1) & mask;
    }
    return &entries[index];
}

int poise__names_find(const NameTable* names, const char* name) {
    if (names->capacity == 0) {
        return -1;
    }
    const NameEntry* entry = entry_of(names->entries, names->capacity, name);
    return entry->name ? entry->value : -1;
}

static bool grow(NameTable* names) {
    int capacity = names->capacity > 0 ? 2 * names->capacity : 32;
    NameEntry* entries = poise__arena_allocate(names->arena, (size_t)capacity, sizeof *entries);
    if (!entries) {
        return false;
    }
    for (int i = 0; i < names->capacity; i++) {
        if (names->entries[i].name) {
            *entry_of(entries, capacity, names->entries[i].name) = names->entries[i];
        }
    }
    names->entries = entries;
    names->capacity = capacity;
    return true;
}

bool poise__names_add(NameTable* names, const char* name, int value) {
    if (2 * (names->count + 1) > names->capacity && !grow(names)) {
        return false;
    }
    NameEntry* entry = entry_of(names->entries, names->capacity, name);
    names->count += entry->name ? 0 : 1;
    entry->name = name;
    entry->value = value;
    return true;
}
