// SPDX-License-Identifier: MIT
// Readers of single values: numbers with their ranges, vectors, words, rotations. Numbers stay
// in the unit of the file.
#include <math.h>
#include <string.h>

#include "number.h"
#include "schema.h"

#define DESCRIBED 80

// Largest number (of any unit) and component of a vector (m). Beyond it, rounding errors disturb
// the physics.
#define LARGEST 1e5

const Range poise__range_any = {-LARGEST, LARGEST, false, false};

void poise__refuse(Reader* reader, const Element* element, const char* format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    REFUSE(reader, element->mark, "%s", text);
}

int poise__reader_errors(const Reader* reader) {
    return poise_diagnostics_count(reader->diagnostics, POISE_ERROR);
}

bool poise__is_written(const Element* map, const char* key) {
    return poise__element_find(map, key) != NULL;
}

int poise__written_count(const Element* map, const char* const* keys, int count) {
    int written = 0;
    for (int i = 0; i < count; i++) {
        written += poise__is_written(map, keys[i]) ? 1 : 0;
    }
    return written;
}

PoiseMark poise__value_mark(const Element* map, const char* key) {
    const Element* child = poise__element_find(map, key);
    return child ? child->mark : map->mark;
}

static const char* key_of(const Element* element) {
    return element->key ? element->key : "a list's item";
}

bool poise__refuse_kind(Reader* reader, const Element* element, const char* wanted) {
    char found[DESCRIBED];
    poise__refuse(reader, element, "'%s' must be %s, not %s", key_of(element), wanted,
                  poise__element_describe(element, found, sizeof found));
    return false;
}

Range poise__range_of(Range range) {
    bool unset = range.lower == 0.0 && range.upper == 0.0 && !range.above && !range.infinite;
    return unset ? poise__range_any : range;
}

bool poise__range_holds(Range range, double number) {
    range = poise__range_of(range);
    bool high_enough = range.above ? number > range.lower : number >= range.lower;
    return high_enough && number <= range.upper;
}

static bool check_range(Reader* reader, const Element* element, Range range, double number) {
    range = poise__range_of(range);
    if (range.above ? !(number > range.lower) : !(number >= range.lower)) {
        poise__refuse(reader, element, "'%s' must be %s %g, not %s", key_of(element),
                      range.above ? "above" : "at least", range.lower, element->text);
        return false;
    }
    if (isinf(number) && range.infinite) {
        return true;
    }
    if (!(number <= range.upper)) {
        poise__refuse(reader, element, "'%s' must be at most %g, not %s", key_of(element),
                      range.upper, element->text);
        return false;
    }
    return true;
}

// Writes ", in seconds" for an error at a number, or "" if the row has no unit: 5ms is a frequent
// mistake.
static const char* unit_words(const Reader* reader, const Element* element, char* text,
                              size_t capacity) {
    static const char* const names[][2] = {
        {"s", "seconds"}, {"m", "metres"}, {"kg", "kilograms"}, {"N", "newtons"}};
    const char* unit = reader->unit;
    size_t digits = strspn(element->text, "+-.0123456789");
    bool with_unit = element->kind == ELEMENT_SCALAR && !element->quoted && digits > 0 &&
                     !strpbrk(element->text + digits, "0123456789");
    text[0] = '\0';
    if (!unit || !with_unit || strpbrk(unit, ",(")) {
        return text;
    }
    if (strcmp(unit, "angle") == 0) {
        unit = reader->angle_unit == 1.0 ? "radians" : "degrees";
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unit = strcmp(unit, names[i][0]) == 0 ? names[i][1] : unit;
    }
    snprintf(text, capacity, ", in %s", unit);
    return text;
}

bool poise__read_number(Reader* reader, const Element* element, Range range, double* value) {
    char unit[40], wanted[80];
    double number = 0.0;
    PoiseNumberKind kind = POISE_NUMBER_NONE;
    if (element->kind == ELEMENT_SCALAR && !element->quoted) {
        kind = poise_number_read(element->text, &number);
    }
    switch (kind) {
    case POISE_NUMBER_NONE:
        snprintf(wanted, sizeof wanted, "a decimal number%s",
                 unit_words(reader, element, unit, sizeof unit));
        return poise__refuse_kind(reader, element, wanted);
    case POISE_NUMBER_NAN:
    case POISE_NUMBER_TOO_LARGE:
        return poise__refuse_kind(reader, element, "a finite number");
    case POISE_NUMBER_INFINITE:
        if (!range.infinite) {
            return poise__refuse_kind(reader, element, "a finite number");
        }
        break;
    case POISE_NUMBER_FINE:
        break;
    }
    if (!check_range(reader, element, range, number)) {
        return false;
    }
    *value = number;
    return true;
}

void poise__angle_check(PoiseDiagnostics* diagnostics, bool unit_given, PoiseMark mark,
                        double angle) {
    static const double turn = 2.0 * PI;
    // A rounded whole turn may be slightly above the bound.
    if (!unit_given && isfinite(angle) && fabs(angle) > turn * (1.0 + 1e-3)) {
        poise__diagnose(diagnostics, POISE_WARNING, mark,
                        "%g rad is more than a whole turn: if degrees are meant write "
                        "'angles: degrees' in the scene, else 'angles: radians'",
                        angle);
    }
}

bool poise__read_integer(Reader* reader, const Element* element, Range range, int* value) {
    double number = 0.0;
    if (!poise__read_number(reader, element, range, &number)) {
        return false;
    }
    if (number != floor(number) || fabs(number) > 1e9) {
        return poise__refuse_kind(reader, element, "a whole number");
    }
    *value = (int)number;
    return true;
}

static bool is_one_of(const char* text, const char* const* words, int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool says_off(const char* text) {
    static const char* const words[] = {"off", "false", "no", "Off", "False", "OFF", "FALSE"};
    return is_one_of(text, words, (int)(sizeof words / sizeof words[0]));
}

static bool says_on(const char* text) {
    static const char* const words[] = {"on", "true", "yes", "On", "True", "ON", "TRUE"};
    return is_one_of(text, words, (int)(sizeof words / sizeof words[0]));
}

bool poise__element_is_off(const Element* element) {
    return element->kind == ELEMENT_SCALAR && !element->quoted && says_off(element->text);
}

bool poise__read_switch(Reader* reader, const Element* element, bool* value) {
    bool plain = element->kind == ELEMENT_SCALAR && !element->quoted;
    if (plain && (says_on(element->text) || says_off(element->text))) {
        *value = says_on(element->text);
        return true;
    }
    return poise__refuse_kind(reader, element, "on or off");
}

bool poise__read_text(Reader* reader, const Element* element, const char** value) {
    if (element->kind != ELEMENT_SCALAR || poise__element_is_empty(element) || !element->text[0]) {
        return poise__refuse_kind(reader, element, "a text");
    }
    *value = element->text;
    return true;
}

bool poise__read_numbers(Reader* reader, const Element* element, Range range, double* values,
                         int count) {
    if (element->kind != ELEMENT_LIST || element->child_count != count) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, "a list of %d numbers", count);
        return poise__refuse_kind(reader, element, wanted);
    }
    double numbers[8] = {0.0};
    bool fine = true;
    for (int i = 0; i < count; i++) {
        // A message about an item names the key of the list.
        Element item = *element->children[i];
        item.key = element->key;
        fine = poise__read_number(reader, &item, range, &numbers[i]) && fine;
    }
    if (fine) {
        memcpy(values, numbers, (size_t)count * sizeof *values);
    }
    return fine;
}

bool poise__read_vec3(Reader* reader, const Element* element, Range range, PoiseVec3* value) {
    double numbers[3];
    if (!poise__read_numbers(reader, element, range, numbers, 3)) {
        return false;
    }
    *value = poise_vec3(numbers[0], numbers[1], numbers[2]);
    return true;
}

bool poise__read_axis(Reader* reader, const Element* element, PoiseVec3* value) {
    PoiseVec3 axis;
    if (!poise__read_vec3(reader, element, poise__range_any, &axis)) {
        return false;
    }
    // Scaling first keeps the squares of huge and tiny numbers in the range of a double.
    double largest = fmax(fabs(axis.x), fmax(fabs(axis.y), fabs(axis.z)));
    if (!(largest > 0.0)) {
        poise__refuse(reader, element, "'%s' must not be zero: it names a direction",
                      key_of(element));
        return false;
    }
    axis = poise_vec3(axis.x / largest, axis.y / largest, axis.z / largest);
    *value = poise_scale(1.0 / poise_length(axis), axis);
    return true;
}

bool poise__read_choice(Reader* reader, const Element* element, const char* const* words,
                        int* value) {
    if (element->kind != ELEMENT_SCALAR) {
        return poise__refuse_kind(reader, element, "a word");
    }
    Suggestion suggestion = poise__suggestion_for(reader->diagnostics, element->text);
    char list[200] = "";
    for (int i = 0; words[i]; i++) {
        if (strcmp(element->text, words[i]) == 0) {
            *value = i;
            return true;
        }
        poise__suggestion_offer_word(&suggestion, words[i]);
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    char guess[100];
    poise__refuse(reader, element, "'%s' must be one of %s, not '%.60s'%s", key_of(element), list,
                  element->text, poise__suggestion_text(&suggestion, guess, sizeof guess));
    return false;
}

bool poise__read_ref(Reader* reader, const Element* element, PoiseRef* value) {
    const bool read = poise__read_text(reader, element, &value->name);
    value->mark = element->mark;
    value->index = -1;
    return read;
}

bool poise__read_names(Reader* reader, const Element* element, PoiseRefs* value) {
    bool list = element->kind == ELEMENT_LIST;
    if (!list && (element->kind != ELEMENT_SCALAR || !element->text[0])) {
        return poise__refuse_kind(reader, element, "a name or a list of names");
    }
    int count = list ? element->child_count : 1;
    PoiseRef* items = poise__arena_allocate(reader->arena, (size_t)count, sizeof *items);
    if (!items) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const Element* item = list ? element->children[i] : element;
        if (item->kind != ELEMENT_SCALAR || !item->text[0]) {
            return poise__refuse_kind(reader, item, "a name");
        }
        items[i] = (PoiseRef){item->text, item->mark, -1};
    }
    value->items = items;
    value->count = count;
    return true;
}

bool poise__read_quaternion(Reader* reader, const Element* element, PoiseQuat* value) {
    double numbers[4];
    if (!poise__read_numbers(reader, element, poise__range_any, numbers, 4)) {
        return false;
    }
    double largest = 0.0;
    for (int i = 0; i < 4; i++) {
        largest = fmax(largest, fabs(numbers[i]));
    }
    if (!(largest > 0.0)) {
        poise__refuse(reader, element, "'%s' must not be zero: it names a rotation",
                      key_of(element));
        return false;
    }
    double q[4];
    double square = 0.0;
    for (int i = 0; i < 4; i++) {
        q[i] = numbers[i] / largest;
        square += q[i] * q[i];
    }
    double scale = 1.0 / sqrt(square);
    *value = poise_quat(scale * q[0], scale * q[1], scale * q[2], scale * q[3]);
    return true;
}
