// SPDX-License-Identifier: MIT
// Reads the values of one key of a study: a list, a range or a draw, as YAML or in the short form
// of the command line.
#include <math.h>
#include <string.h>

#include "number.h"
#include "study.h"

static const char forms[] = "[values], {from: A, to: B, count: N} or {draw: [A, B]} is due, with "
                            "scale: log where wanted; or "
                            "in short A,B,C, A:B:N, draw:A:B, with :log behind it";

// Largest number of values of a range.
#define MOST_VALUES 1e6
// Bound of a number that has no other bound.
#define MOST_NUMBER 1e300

void poise__study_refuse(StudyReading* reading, const Element* at, const char* text) {
    REFUSE(reading, at->mark, "'%.80s': %s", at->key ? at->key : "the study", text);
    reading->fine = false;
}

double poise__study_number(StudyReading* reading, const Element* element, double lower,
                           double upper) {
    double value = 0.0;
    if (element->kind != ELEMENT_SCALAR ||
        poise_number_read(element->text, &value) != POISE_NUMBER_FINE || value < lower ||
        value > upper) {
        char text[100] = "a number is due";
        if (upper < MOST_NUMBER) {
            snprintf(text, sizeof text, "a number from %g to %g is due", lower, upper);
        }
        poise__study_refuse(reading, element, text);
        return lower;
    }
    return value;
}

const char* poise__study_text(StudyReading* reading, const Element* element) {
    if (element->kind == ELEMENT_SCALAR) {
        return poise__arena_copy(reading->arena, element->text, strlen(element->text));
    }
    const char* text = "[";
    for (int i = 0; element->kind == ELEMENT_LIST && text && i < element->child_count; i++) {
        const Element* child = element->children[i];
        if (child->kind != ELEMENT_SCALAR) {
            poise__study_refuse(reading, child, "a value is a scalar or a list of them");
            return "";
        }
        text = poise__arena_format(reading->arena, "%s%s%s", text, i > 0 ? ", " : "", child->text);
    }
    if (element->kind != ELEMENT_LIST) {
        poise__study_refuse(reading, element, "a value is a scalar or a list of them");
    }
    text = text ? poise__arena_format(reading->arena, "%s]", text) : NULL;
    if (text && strlen(text) >= POISE_STUDY_VALUE) {
        poise__study_refuse(reading, element, "the value is too long");
    }
    return text ? text : "";
}

static void read_list(StudyReading* reading, const Element* element, Vary* vary) {
    vary->kind = VARY_LIST;
    vary->count = element->child_count;
    vary->values =
        poise__arena_allocate(reading->arena, (size_t)element->child_count, sizeof *vary->values);
    for (int i = 0; vary->values && i < element->child_count; i++) {
        vary->values[i] = poise__study_text(reading, element->children[i]);
    }
    if (element->child_count == 0) {
        poise__study_refuse(reading, element, "a list of values is empty");
    }
}

static void set_count(StudyReading* reading, const Element* at, Vary* vary) {
    double count = 0.0;
    vary->count = 1;
    if (at->kind != ELEMENT_SCALAR || poise_number_read(at->text, &count) != POISE_NUMBER_FINE ||
        !(count >= 1.0 && count <= MOST_VALUES) || count != floor(count)) {
        poise__study_refuse(reading, at, "a whole number of values, 1 to 1000000, is due");
    } else {
        vary->count = (int)count;
    }
}

static void set_scale(StudyReading* reading, const Element* at, Vary* vary, bool logarithmic) {
    vary->logarithmic = logarithmic;
    if (logarithmic && !(vary->from > 0.0 && vary->to > 0.0)) {
        poise__study_refuse(reading, at, "on a log scale both ends must be above 0");
    }
}

static void read_map(StudyReading* reading, const Element* element, Vary* vary) {
    const Element* draw = poise__element_find(element, "draw");
    const Element* from = poise__element_find(element, "from");
    const Element* to = poise__element_find(element, "to");
    const Element* count = poise__element_find(element, "count");
    const Element* scale = poise__element_find(element, "scale");
    const bool logarithmic = scale && strcmp(scale->text, "log") == 0;
    if (draw && draw->kind == ELEMENT_LIST && draw->child_count == 2 && !from && !to) {
        vary->kind = VARY_DRAW;
        vary->from = poise__study_number(reading, draw->children[0], -MOST_NUMBER, MOST_NUMBER);
        vary->to = poise__study_number(reading, draw->children[1], -MOST_NUMBER, MOST_NUMBER);
    } else if (!draw && from && to && count) {
        vary->kind = VARY_RANGE;
        vary->from = poise__study_number(reading, from, -MOST_NUMBER, MOST_NUMBER);
        vary->to = poise__study_number(reading, to, -MOST_NUMBER, MOST_NUMBER);
        set_count(reading, count, vary);
    } else {
        poise__study_refuse(reading, element, forms);
        return;
    }
    if (scale && !logarithmic && strcmp(scale->text, "linear") != 0) {
        poise__study_refuse(reading, scale, "linear or log is due");
    }
    set_scale(reading, element, vary, logarithmic);
}

bool poise__study_split(StudyReading* reading, const Element* element, char separator,
                        Element* list) {
    Document document = {
        .arena = reading->arena, .diagnostics = reading->diagnostics, .file = element->mark.file};
    *list = *element;
    list->kind = ELEMENT_LIST;
    list->children = NULL;
    list->child_count = 0;
    list->child_capacity = 0;
    for (const char* at = element->text;; at++) {
        const char stop[2] = {separator, '\0'};
        const size_t length = strcspn(at, stop);
        PoiseMark mark = element->mark;
        mark.column += (int)(at - element->text) + (element->quoted ? 1 : 0);
        Element* part = poise__element_create(&document, ELEMENT_SCALAR, mark);
        const char* text = poise__arena_copy(reading->arena, at, length);
        if (!part || !text || !poise__element_add(&document, list, part)) {
            return false;
        }
        part->key = element->key;
        part->text = text;
        at += length;
        if (*at == '\0') {
            return true;
        }
    }
}

// Reads A:B:N or draw:A:B, with or without :log.
static void read_short(StudyReading* reading, const Element* element, Vary* vary) {
    Element list;
    if (!poise__study_split(reading, element, ':', &list)) {
        return;
    }
    int count = list.child_count;
    const bool logarithmic = count > 0 && strcmp(list.children[count - 1]->text, "log") == 0;
    count -= logarithmic ? 1 : 0;
    if (count != 3) {
        poise__study_refuse(reading, element, forms);
        return;
    }
    const bool draw = strcmp(list.children[0]->text, "draw") == 0;
    Element* const* ends = list.children + (draw ? 1 : 0);
    vary->kind = draw ? VARY_DRAW : VARY_RANGE;
    vary->from = poise__study_number(reading, ends[0], -MOST_NUMBER, MOST_NUMBER);
    vary->to = poise__study_number(reading, ends[1], -MOST_NUMBER, MOST_NUMBER);
    if (!draw) {
        set_count(reading, ends[2], vary);
    }
    set_scale(reading, element, vary, logarithmic);
}

void poise__vary_read(StudyReading* reading, const Element* element, Vary* vary) {
    Element list;
    vary->count = 1;
    if (element->kind == ELEMENT_MAP) {
        read_map(reading, element, vary);
    } else if (element->kind == ELEMENT_LIST) {
        read_list(reading, element, vary);
    } else if (poise__element_is_empty(element)) {
        poise__study_refuse(reading, element, forms);
    } else if (strchr(element->text, ':')) {
        read_short(reading, element, vary);
    } else if (poise__study_split(reading, element, ',', &list)) {
        read_list(reading, &list, vary);
    }
}
