// SPDX-License-Identifier: MIT
#include "json.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "number.h"

static void begin(Json* json) {
    poise__arena_init(&json->arena, NULL);
    json->diagnostics = poise_diagnostics_create(NULL);
}

static void parse(Json* json, const char* name, const char* text, size_t size) {
    Document document = {.arena = &json->arena, .diagnostics = json->diagnostics, .file = name};
    json->root = poise__yaml_read(&document, text, size);
    cr_assert_not_null(json->root, "%s: %s", name, text);
}

void json_parse(Json* json, const char* text) {
    begin(json);
    parse(json, "json", text, strlen(text));
}

void json_read(Json* json, const char* path) {
    begin(json);
    size_t size = 0;
    const char* text =
        poise__file_read(&json->arena, path, &size, (PoiseMark){path, 1, 1}, json->diagnostics);
    cr_assert_not_null(text, "%s", path);
    parse(json, path, text, size);
}

void json_finish(Json* json) {
    poise_diagnostics_destroy(json->diagnostics);
    poise__arena_finish(&json->arena);
}

const Element* json_member(const Element* map, const char* key) {
    const Element* element = poise__element_find(map, key);
    cr_assert_not_null(element, "no '%s'", key);
    return element;
}

static double number_of(const Element* element) {
    double value = (double)NAN;
    cr_expect(poise_number_read(element->text, &value) == POISE_NUMBER_FINE, "%s", element->text);
    return value;
}

double json_number(const Element* map, const char* key) {
    return number_of(json_member(map, key));
}

double json_number_at(const Element* list, int index) {
    cr_assert(index < list->child_count);
    return number_of(list->children[index]);
}

PoiseVec3 json_vec3(const Element* list) {
    return poise_vec3(json_number_at(list, 0), json_number_at(list, 1), json_number_at(list, 2));
}
