// SPDX-License-Identifier: MIT
// Parses a JSON text to a tree of elements with the YAML reader. JSON is a subset of YAML.
#ifndef POISE_TEST_JSON_H
#define POISE_TEST_JSON_H

#include "document.h"

/// Return the root, which lives until the end of the test's process. The test fails if the text or
/// the file cannot be parsed.
const Element* json_parse(const char* text);
const Element* json_read(const char* path);

const Element* json_member(const Element* map, const char* key);
double json_number(const Element* map, const char* key);
double json_number_at(const Element* list, int index);
PoiseVec3 json_vec3(const Element* list);

#endif
