// SPDX-License-Identifier: MIT
// Makes the tree of elements that files are read into.
#include "document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "input.h"

static char* read_all(Arena* arena, FILE* file, size_t* size, const char** reason) {
    size_t capacity = 16384;
    size_t used = 0;
    char* text = poise__arena_allocate(arena, capacity, 1);
    while (text) {
        used += fread(text + used, 1, capacity - 1 - used, file);
        if (used < capacity - 1) {
            break;
        }
        if (capacity > poise__input_most(INPUT_DOCUMENT, reason)) {
            return NULL;
        }
        *reason = NULL;
        char* grown = poise__arena_allocate(arena, 2 * capacity, 1);
        if (grown) {
            memcpy(grown, text, used);
        }
        text = grown;
        capacity *= 2;
    }
    if (!text) {
        *reason = "memory is short";
        return NULL;
    }
    if (ferror(file)) {
        *reason = strerror(errno);
        return NULL;
    }
    text[used] = '\0';
    *size = used;
    return text;
}

char* poise__file_read(Arena* arena, const char* path, size_t* size, PoiseMark mark,
                       PoiseDiagnostics* diagnostics) {
    // A mark without a line says that the user named this file, so that messages begin with its
    // name.
    const bool itself = mark.line == 0;
    const char* reason = NULL;
    char* text = NULL;
    FILE* file = poise__input_open(path, INPUT_DOCUMENT, itself, diagnostics, &reason);
    int trouble = errno;
    if (file) {
        text = read_all(arena, file, size, &reason);
        fclose(file);
    }
    if (!text) {
        char guess[1200] = "";
        if (!file && trouble == ENOENT) {
            (void)(itself ? poise__scene_file_guess(arena, path, guess, sizeof guess)
                          : poise__file_guess(arena, path, guess, sizeof guess));
        }
        poise__diagnose(diagnostics, POISE_ERROR, mark, "%s%scannot be read: %s%s",
                        itself ? "" : path, itself ? "" : " ", reason, guess);
    }
    return text;
}

Element* poise__element_create(Document* document, ElementKind kind, PoiseMark mark) {
    Element* element = poise__arena_allocate(document->arena, 1, sizeof *element);
    if (element) {
        element->kind = kind;
        element->mark = mark;
        element->end = mark;
        element->text = "";
        element->weight = 1;
    }
    return element;
}

bool poise__element_add(Document* document, Element* parent, Element* child) {
    Element** children = poise__arena_grow(document->arena, &parent->children, parent->child_count,
                                           &parent->child_capacity, sizeof *children);
    if (!children) {
        return false;
    }
    parent->children[parent->child_count++] = child;
    parent->weight += child->weight;
    return true;
}

bool poise__element_set_text(Document* document, Element* element, const char* text, size_t size) {
    char* copy = poise__arena_copy(document->arena, text, size);
    if (!copy) {
        return false;
    }
    element->text = copy;
    const unsigned found = poise__hide_control_characters(copy, size);
    if (found != UINT32_MAX) {
        REFUSE(document, element->mark,
               "the control character U+%04X in a text: a text is one line of letters", found);
    }
    return true;
}

Element* poise__element_find(const Element* parent, const char* key) {
    for (int i = 0; parent && i < parent->child_count; i++) {
        Element* child = parent->children[i];
        if (child->key && strcmp(child->key, key) == 0) {
            return child;
        }
    }
    return NULL;
}

bool poise__element_is_empty(const Element* element) {
    return element->kind == ELEMENT_SCALAR && !element->quoted &&
           (element->text[0] == '\0' || strcmp(element->text, "~") == 0 ||
            strcmp(element->text, "null") == 0);
}

const char* poise__element_describe(const Element* element, char* text, size_t capacity) {
    if (element->kind == ELEMENT_LIST) {
        snprintf(text, capacity, "a list of %d", element->child_count);
    } else if (element->kind == ELEMENT_MAP) {
        snprintf(text, capacity, "a map");
    } else if (poise__element_is_empty(element)) {
        snprintf(text, capacity, "nothing");
    } else {
        snprintf(text, capacity, "'%.60s'", element->text);
    }
    return text;
}
