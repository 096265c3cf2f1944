// SPDX-License-Identifier: MIT
// Parses a JSON text to a tree of elements with the YAML reader. JSON is a subset of YAML.
#ifndef POISE_TEST_JSON_H
#define POISE_TEST_JSON_H

#include "document.h"

typedef struct Json {
    Arena arena;
    PoiseDiagnostics* diagnostics;
    Element* root;
} Json;

/// The test fails if the text or the file cannot be parsed.
void json_parse(Json* json, const char* text);
void json_read(Json* json, const char* path);
void json_finish(Json* json);

const Element* json_member(const Element* map, const char* key);
double json_number(const Element* map, const char* key);
double json_number_at(const Element* list, int index);
PoiseVec3 json_vec3(const Element* list);

#endif
