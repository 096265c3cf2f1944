// SPDX-License-Identifier: MIT
#include "json.h"

#include <criterion/criterion.h>
#include <math.h>

#include "number.h"
#include "read_text.h"
#include "text.h"

const Element* json_parse(const char* text) {
    const Element* root = read_text("json.yaml", text)->root;
    cr_assert_not_null(root, "%s", text);
    return root;
}

const Element* json_read(const char* path) {
    return json_parse(kept(text_of(path), free));
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
