// SPDX-License-Identifier: MIT
// Reads YAML into the document tree from libyaml's events. Refuses aliases that form a loop, keys
// written twice, and aliases that unfold to too many elements, which libyaml accepts. Implements
// `<<` itself.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "document.h"
#include "name_table.h"
#include "yaml_problem.h"

// Maximal depth of nested maps and lists.
#define DEEPEST 64
// Maximal number of elements of a file after every alias is replaced by its content.
#define MAX_YAML_ELEMENTS ((size_t)200000)

typedef struct Anchor {
    Element* element;
    bool open; ///< true until the end of the anchor's element is read
} Anchor;

typedef struct Walker {
    Document* document;
    const char* text;
    size_t size;
    yaml_parser_t parser;
    yaml_event_t event;
    bool has_event;
    Anchor* anchors;
    int anchor_count;
    int anchor_capacity;
    /// From the name of an anchor to the index of the last anchor of that name.
    NameTable anchor_names;
    int depth;
    size_t weight;
} Walker;

static Element* read_element(Walker* walker);

static PoiseMark mark_of(const Walker* walker, yaml_mark_t mark) {
    return (PoiseMark){walker->document->file, (int)mark.line + 1, (int)mark.column + 1};
}

static Element* refuse(Walker* walker, yaml_mark_t mark, const char* message) {
    REFUSE(walker->document, mark_of(walker, mark), "%s", message);
    return NULL;
}

// Reads the next event into walker->event.
static bool advance(Walker* walker) {
    if (walker->has_event) {
        yaml_event_delete(&walker->event);
        walker->has_event = false;
    }
    if (!yaml_parser_parse(&walker->parser, &walker->event)) {
        poise__yaml_problem_report(walker->document, &walker->parser, walker->text, walker->size);
        return false;
    }
    walker->has_event = true;
    return true;
}

// Registers the anchor `name`. `index` gets the anchor's index; -1 if the element has none. False
// if memory is short.
static bool remember_anchor(Walker* walker, const yaml_char_t* name, Element* element, int* index) {
    *index = -1;
    if (!name) {
        return true;
    }
    Arena* arena = walker->document->arena;
    Anchor* anchors = poise__arena_grow(arena, &walker->anchors, walker->anchor_count,
                                        &walker->anchor_capacity, sizeof *anchors);
    char* copy = poise__arena_copy(arena, (const char*)name, strlen((const char*)name));
    if (!anchors || !copy || !poise__names_add(&walker->anchor_names, copy, walker->anchor_count)) {
        return false;
    }
    *index = walker->anchor_count++;
    anchors[*index] = (Anchor){element, true};
    return true;
}

static void close_anchor(Walker* walker, int index) {
    if (index >= 0) {
        walker->anchors[index].open = false;
    }
}

// Returns false, with an error, if the file has too many elements after every alias is replaced by
// its content.
static bool is_light(Walker* walker, PoiseMark mark) {
    if (walker->weight > MAX_YAML_ELEMENTS) {
        REFUSE(walker->document, mark,
               "the aliases of this file unfold to more than 200000 values");
    }
    return walker->weight <= MAX_YAML_ELEMENTS;
}

static Element* read_alias(Walker* walker) {
    const char* name = (const char*)walker->event.data.alias.anchor;
    yaml_mark_t start = walker->event.start_mark;
    const int index = poise__names_find(&walker->anchor_names, name);
    const Anchor* anchor = index >= 0 ? &walker->anchors[index] : NULL;
    char message[160];
    if (!anchor) {
        snprintf(message, sizeof message, "no anchor '&%.60s' stands before this alias", name);
        return refuse(walker, start, message);
    }
    if (anchor->open) {
        snprintf(message, sizeof message, "the alias '*%.60s' stands inside its own anchor: a loop",
                 name);
        return refuse(walker, start, message);
    }
    // The copy gets the key of the alias, and shares the children of the anchor's element.
    Element* copy = poise__arena_allocate(walker->document->arena, 1, sizeof *copy);
    if (!copy) {
        return NULL;
    }
    *copy = *anchor->element;
    walker->weight += copy->weight;
    return is_light(walker, mark_of(walker, start)) ? copy : NULL;
}

// Returns the length of a scalar in bytes, without the final newline of a block.
static size_t scalar_length(const yaml_event_t* event) {
    size_t length = event->data.scalar.length;
    yaml_scalar_style_t style = event->data.scalar.style;
    bool block = style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE;
    return length - (block && length > 0 && event->data.scalar.value[length - 1] == '\n' ? 1 : 0);
}

static Element* read_scalar(Walker* walker) {
    const yaml_event_t* event = &walker->event;
    Element* element =
        poise__element_create(walker->document, ELEMENT_SCALAR, mark_of(walker, event->start_mark));
    if (!element ||
        !poise__element_set_text(walker->document, element, (const char*)event->data.scalar.value,
                                 scalar_length(event))) {
        return NULL;
    }
    element->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    element->end = mark_of(walker, event->end_mark);
    int anchor = -1;
    if (!remember_anchor(walker, event->data.scalar.anchor, element, &anchor)) {
        return NULL;
    }
    close_anchor(walker, anchor);
    return element;
}

static int compare_keys(const void* a, const void* b) {
    const Element* const* first = a;
    const Element* const* second = b;
    int order = strcmp((*first)->key, (*second)->key);
    if (order != 0) {
        return order;
    }
    int lines = (*first)->key_mark.line - (*second)->key_mark.line;
    return lines != 0 ? lines : (*first)->key_mark.column - (*second)->key_mark.column;
}

static bool check_duplicates(Walker* walker, const Element* map) {
    Document* document = walker->document;
    size_t count = (size_t)map->child_count;
    if (count < 2) {
        return true;
    }
    Element** sorted = poise__arena_allocate(document->arena, count, sizeof *sorted);
    if (!sorted) {
        return false;
    }
    memcpy(sorted, map->children, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_keys);
    bool fine = true;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0) {
            REFUSE(document, sorted[i]->key_mark,
                   "'%s' stands here a second time, first in line %d", sorted[i]->key,
                   sorted[i - 1]->key_mark.line);
            fine = false;
        }
    }
    return fine;
}

// Implements `<<: *other` or `<<: [*a, *b]`: adds the entries of these maps whose keys `keys` does
// not have.
static bool merge(Walker* walker, Element* map, const Element* merged, NameTable* keys) {
    Document* document = walker->document;
    if (merged->kind == ELEMENT_LIST) {
        for (int i = 0; i < merged->child_count; i++) {
            if (merged->children[i]->kind != ELEMENT_MAP ||
                !merge(walker, map, merged->children[i], keys)) {
                return false;
            }
        }
        return true;
    }
    for (int i = 0; merged->kind == ELEMENT_MAP && i < merged->child_count; i++) {
        Element* child = merged->children[i];
        if (poise__names_find(keys, child->key) >= 0) {
            continue;
        }
        walker->weight += child->weight;
        if (!is_light(walker, merged->mark) || !poise__element_add(document, map, child) ||
            !poise__names_add(keys, child->key, 0)) {
            return false;
        }
    }
    return merged->kind == ELEMENT_MAP;
}

static bool merge_all(Walker* walker, Element* map, const Element* merges) {
    Document* document = walker->document;
    NameTable keys = {.arena = document->arena};
    for (int i = 0; i < map->child_count; i++) {
        if (!poise__names_add(&keys, map->children[i]->key, 0)) {
            return false;
        }
    }
    for (int i = 0; i < merges->child_count; i++) {
        const Element* merged = merges->children[i];
        if (!merge(walker, map, merged, &keys)) {
            if (walker->weight <= MAX_YAML_ELEMENTS) {
                REFUSE(document, merged->key_mark, "'<<' takes a map, or a list of maps, by alias");
            }
            return false;
        }
    }
    return true;
}

// Reads the key at the current event, and its value.
static Element* read_entry(Walker* walker) {
    const yaml_event_t* event = &walker->event;
    if (event->type != YAML_SCALAR_EVENT) {
        return refuse(walker, event->start_mark, "a key must be a word");
    }
    Element* key = read_scalar(walker);
    if (!key || !advance(walker)) {
        return NULL;
    }
    Element* value = read_element(walker);
    if (value) {
        value->key = key->text;
        value->key_mark = key->mark;
        if (poise__element_is_empty(value)) {
            // An empty value has no place: its mark is the key's.
            value->mark = key->mark;
        }
    }
    return value;
}

static Element* read_map(Walker* walker) {
    Document* document = walker->document;
    Element* map =
        poise__element_create(document, ELEMENT_MAP, mark_of(walker, walker->event.start_mark));
    int anchor = -1;
    if (!map || !remember_anchor(walker, walker->event.data.mapping_start.anchor, map, &anchor)) {
        return NULL;
    }
    Element merges = {.kind = ELEMENT_LIST};
    for (;;) {
        if (!advance(walker)) {
            return NULL;
        }
        if (walker->event.type == YAML_MAPPING_END_EVENT) {
            break;
        }
        Element* value = read_entry(walker);
        if (!value) {
            return NULL;
        }
        Element* target = strcmp(value->key, "<<") == 0 ? &merges : map;
        if (!poise__element_add(document, target, value)) {
            return NULL;
        }
    }
    map->end = mark_of(walker, walker->event.end_mark);
    if (!check_duplicates(walker, map)) {
        return NULL;
    }
    if (merges.child_count > 0 && !merge_all(walker, map, &merges)) {
        return NULL;
    }
    close_anchor(walker, anchor);
    return map;
}

static Element* read_list(Walker* walker) {
    Document* document = walker->document;
    Element* list =
        poise__element_create(document, ELEMENT_LIST, mark_of(walker, walker->event.start_mark));
    int anchor = -1;
    if (!list ||
        !remember_anchor(walker, walker->event.data.sequence_start.anchor, list, &anchor)) {
        return NULL;
    }
    for (;;) {
        if (!advance(walker)) {
            return NULL;
        }
        if (walker->event.type == YAML_SEQUENCE_END_EVENT) {
            break;
        }
        Element* child = read_element(walker);
        if (!child || !poise__element_add(document, list, child)) {
            return NULL;
        }
    }
    list->end = mark_of(walker, walker->event.end_mark);
    close_anchor(walker, anchor);
    return list;
}

// Reads the element that begins at the current event.
static Element* read_element(Walker* walker) {
    yaml_event_type_t type = walker->event.type;
    yaml_mark_t start = walker->event.start_mark;
    if (++walker->weight > MAX_YAML_ELEMENTS) {
        return refuse(walker, start, "this file holds more than 200000 values");
    }
    if (walker->depth >= DEEPEST) {
        return refuse(walker, start, "maps and lists stand more than 64 deep in one another");
    }
    walker->depth++;
    Element* element = NULL;
    switch (type) {
    case YAML_ALIAS_EVENT:
        element = read_alias(walker);
        break;
    case YAML_SCALAR_EVENT:
        element = read_scalar(walker);
        break;
    case YAML_SEQUENCE_START_EVENT:
        element = read_list(walker);
        break;
    case YAML_MAPPING_START_EVENT:
        element = read_map(walker);
        break;
    default:
        refuse(walker, start, "not YAML: something is missing here");
        break;
    }
    walker->depth--;
    return element;
}

static Element* read_stream(Walker* walker) {
    // The first two events are stream start and document start.
    if (!advance(walker) || !advance(walker)) {
        return NULL;
    }
    if (walker->event.type == YAML_STREAM_END_EVENT) {
        return refuse(walker, walker->event.start_mark, "the file is empty");
    }
    if (!advance(walker)) {
        return NULL;
    }
    Element* root = read_element(walker);
    // The next two events are document end and stream end.
    if (!root || !advance(walker) || !advance(walker)) {
        return NULL;
    }
    if (walker->event.type != YAML_STREAM_END_EVENT) {
        return refuse(walker, walker->event.start_mark,
                      "a second document begins here: one scene to a file");
    }
    return root;
}

Element* poise__yaml_read(Document* document, const char* text, size_t size) {
    Walker walker = {.document = document,
                     .text = text,
                     .size = size,
                     .anchor_names = {.arena = document->arena}};
    if (!yaml_parser_initialize(&walker.parser)) {
        document->arena->failed = true;
        return NULL;
    }
    yaml_parser_set_input_string(&walker.parser, (const unsigned char*)text, size);
    Element* root = read_stream(&walker);
    if (walker.has_event) {
        yaml_event_delete(&walker.event);
    }
    yaml_parser_delete(&walker.parser);
    return root;
}
