// SPDX-License-Identifier: MIT
// Reads a text as a document tree.
#ifndef POISE_TEST_READ_TEXT_H
#define POISE_TEST_READ_TEXT_H

#include <string.h>

#include "document.h"

typedef struct Read {
    Arena arena;
    Document document;
    Element* root;
} Read;

/// Reads the text as YAML if the file's name contains .yaml, else as XML.
static inline void read_text(Read* read, const char* file, const char* text) {
    poise__arena_init(&read->arena, NULL);
    read->document.arena = &read->arena;
    read->document.diagnostics = poise_diagnostics_create(NULL);
    read->document.file = file;
    read->root = (strstr(file, ".yaml") ? poise__yaml_read : poise__xml_read)(&read->document, text,
                                                                              strlen(text));
}

static inline void read_finish(Read* read) {
    poise_diagnostics_destroy(read->document.diagnostics);
    poise__arena_finish(&read->arena);
}

#endif
