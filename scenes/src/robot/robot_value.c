// SPDX-License-Identifier: MIT
// Reads attributes of elements and reports wrong values. mjcf_defaults.c finds attributes that
// an element of MJCF inherits.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "robot.h"

// Largest number. Beyond it, its squares and cubes could overflow a double in the physics.
#define LARGEST 1e18
// Largest number of values of an attribute.
#define MAX_ATTRIBUTE_NUMBERS 10
// Largest number of names that are compared to guess what wrong names mean.
#define MAX_COMPARED_NAMES 20000

bool poise__robot_refuse(RobotReader* reader, PoiseMark mark, const char* format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    REFUSE(reader, mark, "%s", text);
    return false;
}

void poise__robot_note(RobotReader* reader, PoiseSeverity severity, const Element* element,
                       const char* why) {
    char kind[160];
    snprintf(kind, sizeof kind, "%.60s %s", element->key, why);
    poise__diagnose_kind(reader->diagnostics, (FindingKind){severity, kind}, element->mark,
                         "<%.60s> %s", element->key, why);
}

const char* poise__robot_guess(RobotReader* reader, const char* written, const NameTable* names,
                               char* text, size_t capacity) {
    Suggestion suggestion = poise__suggestion_for(reader->diagnostics, written);
    for (int i = 0; i < names->capacity && reader->compared < MAX_COMPARED_NAMES; i++) {
        if (names->entries[i].name) {
            reader->compared++;
            poise__suggestion_offer(&suggestion, names->entries[i].name);
        }
    }
    return poise__suggestion_text(&suggestion, text, capacity);
}

int poise__robot_find(RobotReader* reader, const NameTable* names, PoiseMark mark, const char* what,
                      const char* name) {
    const int found = poise__names_find(names, name);
    if (found < 0) {
        char guess[160];
        poise__robot_refuse(reader, mark, "there is no %s '%.60s'%s", what, name,
                            poise__robot_guess(reader, name, names, guess, sizeof guess));
    }
    return found;
}

int poise__tag_word(RobotReader* reader, PoiseMark mark, const char* word, const char* const* words,
                    const char* owner) {
    Suggestion suggestion = poise__suggestion_for(reader->diagnostics, word);
    char guess[80], list[200] = "";
    for (int i = 0; words[i]; i++) {
        if (strcmp(word, words[i]) == 0) {
            return i;
        }
        poise__suggestion_offer_word(&suggestion, words[i]);
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "; types are " : ", ", words[i]);
    }
    const bool guessed = poise__suggestion_text(&suggestion, guess, sizeof guess)[0];
    poise__robot_refuse(reader, mark, "'%.60s' is no type of %s%s", word, owner,
                        guessed ? guess : list);
    return -1;
}

// ---------------------------------------------------------------------------------------- elements

bool poise__tag_is(const Element* element, const char* tag) {
    return element->kind == ELEMENT_MAP && strcmp(element->key, tag) == 0;
}

const Element* poise__tag_next(const Element* parent, const char* tag, int* at) {
    while (parent && *at < parent->child_count) {
        const Element* child = parent->children[(*at)++];
        if (child->kind == ELEMENT_MAP && (!tag || strcmp(child->key, tag) == 0)) {
            return child;
        }
    }
    return NULL;
}

// ------------------------------------------------------------------------------------------- texts

const char* poise__tag_own_text(const Element* element, const char* key) {
    const Element* attribute = poise__element_find(element, key);
    return attribute ? attribute->text : NULL;
}

const char* poise__tag_text(Source from, const char* key) {
    return poise__tag_own_text(poise__tag_holder(from, key), key);
}

const char* poise__tag_needed_text(RobotReader* reader, const Element* element, const char* key) {
    const Element* attribute = poise__element_find(element, key);
    if (attribute && attribute->text[0]) {
        return attribute->text;
    }
    poise__robot_refuse(reader, (attribute ? attribute : element)->mark, "<%.60s> lacks '%s'",
                        element->key, key);
    return NULL;
}

// ----------------------------------------------------------------------------------------- numbers

// Reads numbers as other URDF tools do: ignores letters after a number, such as a second point, and
// numbers beyond `count`. Returns the number of values; -1 if one is wrong.
static int read_tolerantly(const char* text, double* values, int count) {
    int found = 0;
    while (found < count) {
        text += strspn(text, ", \t\r\n");
        const size_t length = strcspn(text, ", \t\r\n");
        size_t kept = length;
        while (kept > 1 && strchr(".;f", text[kept - 1])) {
            kept--;
        }
        char word[64];
        if (length == 0 || kept >= sizeof word) {
            return length == 0 ? found : -1;
        }
        memcpy(word, text, kept);
        word[kept] = '\0';
        if (poise_number_read(word, &values[found]) != POISE_NUMBER_FINE) {
            return -1;
        }
        found++;
        text += length;
    }
    return found;
}

// Reads numbers with faults that other tools tolerate. Returns true, with a note, on success.
static bool read_odd(const RobotReader* reader, const Element* attribute, double* numbers,
                     int count) {
    if (reader->strict || read_tolerantly(attribute->text, numbers, count) != count) {
        return false;
    }
    char read[20 * MAX_ATTRIBUTE_NUMBERS] = "";
    for (int i = 0; i < count && i < MAX_ATTRIBUTE_NUMBERS; i++) {
        char number[20];
        snprintf(number, sizeof number, "%s%g", i > 0 ? " " : "", numbers[i]);
        memcpy(read + strlen(read), number, strlen(number) + 1);
    }
    NOTE_KIND(reader, "odd numbers", attribute->mark, "'%.60s' is taken as '%s'", attribute->text,
              read);
    return true;
}

bool poise__tag_needed_numbers(RobotReader* reader, const Element* element, const char* key,
                               double* values, int count) {
    const Element* attribute = poise__element_find(element, key);
    if (!attribute) {
        return poise__robot_refuse(reader, element->mark, "<%.60s> lacks '%s'", element->key, key);
    }
    double numbers[MAX_ATTRIBUTE_NUMBERS] = {0.0};
    PoiseNumberKind kind = POISE_NUMBER_FINE;
    const int found = poise_numbers_read(attribute->text, numbers, count, &kind);
    bool fine = (found == count && kind == POISE_NUMBER_FINE) ||
                read_odd(reader, attribute, numbers, count);
    for (int i = 0; i < count; i++) {
        fine = fine && fabs(numbers[i]) <= LARGEST;
    }
    if (!fine) {
        return poise__robot_refuse(
            reader, attribute->mark, "'%s' must be %d finite number%s, not '%.60s'%s", key, count,
            count == 1 ? "" : "s", attribute->text,
            strstr(attribute->text, "${") ? "; expand the file with xacro first" : "");
    }
    memcpy(values, numbers, (size_t)count * sizeof *values);
    return true;
}

bool poise__tag_numbers(Source from, const char* key, double* values, int count) {
    const Element* holder = poise__tag_holder(from, key);
    return !holder || poise__tag_needed_numbers(from.reader, holder, key, values, count);
}

int poise__tag_some_numbers(Source from, const char* key, double* values, int most) {
    const Element* holder = poise__tag_holder(from, key);
    double scratch[MAX_ATTRIBUTE_NUMBERS];
    PoiseNumberKind kind = POISE_NUMBER_FINE;
    if (!holder) {
        return 0;
    }
    // poise__tag_needed_numbers would refuse the numbers beyond `most`.
    const int given =
        poise_numbers_read(poise__tag_own_text(holder, key), scratch, MAX_ATTRIBUTE_NUMBERS, &kind);
    const int found = given > most ? most : given;
    const int read = found > 0 ? found : 1;
    return poise__tag_needed_numbers(from.reader, holder, key, values, read) ? found : -1;
}

static bool fill(Source from, const Attribute* field, void* place) {
    const Element* holder = poise__tag_holder(from, field->key);
    if (!holder) {
        return true;
    }
    const Element* attribute = poise__element_find(holder, field->key);
    double bound = 0.0;
    if (field->kind == ATTRIBUTE_BOUND &&
        poise_number_read(attribute->text, &bound) == POISE_NUMBER_INFINITE) {
        *(double*)place = bound;
        return true;
    }
    if (field->kind == ATTRIBUTE_NUMBERS || field->kind == ATTRIBUTE_BOUND) {
        return poise__tag_needed_numbers(from.reader, holder, field->key, place, field->count);
    }
    if (field->kind == ATTRIBUTE_AT_LEAST_0) {
        double value = 0.0;
        if (!poise__tag_needed_numbers(from.reader, holder, field->key, &value, 1)) {
            return false;
        }
        if (value < 0.0) {
            const bool drives = poise__tag_is_actuator(from.element->key);
            return poise__robot_refuse(from.reader, attribute->mark,
                                       "'%s'%s%.60s must be at least 0, not %g", field->key,
                                       !from.class ? ""
                                       : drives    ? " of an "
                                                   : " of a ",
                                       !from.class ? ""
                                       : drives    ? "actuator"
                                                   : from.element->key,
                                       value);
        }
        *(double*)place = value;
    } else if (field->kind == ATTRIBUTE_TEXT) {
        *(const char**)place = attribute->text;
    } else {
        *(bool*)place = field->kind == ATTRIBUTE_IF_TRUE ? strcmp(attribute->text, "true") == 0
                                                         : strcmp(attribute->text, "false") != 0;
    }
    return true;
}

bool poise__tag_fill(Source from, const Attribute* fields, void* values) {
    bool fine = true;
    for (const Attribute* field = fields; field->key; field++) {
        fine = fill(from, field, (char*)values + field->offset) && fine;
    }
    return fine;
}
