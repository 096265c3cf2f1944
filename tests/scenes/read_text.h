// SPDX-License-Identifier: MIT
// Reads a text as a document tree.
#ifndef POISE_TEST_READ_TEXT_H
#define POISE_TEST_READ_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "kept.h"

typedef struct Read {
    Arena arena;
    Document document;
    Element* root;
} Read;

static inline void read_destroy(void* object) {
    Read* read = (Read*)object;
    poise_diagnostics_destroy(read->document.diagnostics);
    poise__arena_finish(&read->arena);
    free(read);
}

/// Reads the text as YAML if the file's name contains .yaml, else as XML. The result lives until
/// the end of the test's process.
static inline Read* read_text(const char* file, const char* text) {
    Read* read = (Read*)kept(calloc(1, sizeof *read), read_destroy);
    poise__arena_init(&read->arena, NULL);
    read->document.arena = &read->arena;
    read->document.diagnostics = poise_diagnostics_create(NULL);
    read->document.file = file;
    read->root = (strstr(file, ".yaml") ? poise__yaml_read : poise__xml_read)(&read->document, text,
                                                                              strlen(text));
    return read;
}

#endif
