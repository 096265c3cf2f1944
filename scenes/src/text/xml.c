// SPDX-License-Identifier: MIT
// Reads XML into the document tree by expat, which itself refuses nested entities that grow without
// bound.
#include <ctype.h>
#include <expat.h>
#include <string.h>

#include "document.h"
#include "xml_text.h"

// Maximal depth of nested elements.
#define DEEPEST 200
// Maximal number of attributes of an element.
#define MAX_XML_ATTRIBUTES 256
// Maximal number of elements and attributes of a file.
#define MAX_XML_ELEMENTS 500000

typedef struct Builder {
    Document* document;
    XML_Parser parser;
    const char* text;
    size_t size;
    Element* open[DEEPEST];
    int depth;
    int weight;
    Element* root;
    bool stopped;
    int skipped_lines; ///< blank lines before the text that expat gets
    int skipped_columns;
} Builder;

static PoiseMark current_mark(const Builder* builder) {
    int line = (int)XML_GetCurrentLineNumber(builder->parser);
    int column = (int)XML_GetCurrentColumnNumber(builder->parser) + 1;
    PoiseMark mark = {builder->document->file, builder->skipped_lines + line,
                      line == 1 ? builder->skipped_columns + column : column};
    return mark;
}

static void stop(Builder* builder) {
    builder->stopped = true;
    XML_StopParser(builder->parser, XML_FALSE);
}

static bool starts_attribute(const char* text, const char* end, const char* name) {
    size_t length = strlen(name);
    if ((size_t)(end - text) <= length || strncmp(text, name, length) != 0) {
        return false;
    }
    const char* after = text + length;
    while (after < end && isspace((unsigned char)*after)) {
        after++;
    }
    return after < end && *after == '=';
}

// State of a search for the places of an element's attributes. expat gives only the place of the
// element, so the attributes are searched in its text, in order.
typedef struct Scan {
    const char* text; ///< the element's text that is left to search; NULL: the search failed
    PoiseMark mark;
    char quote;
    bool at_word;
} Scan;

static PoiseMark attribute_mark(const Builder* builder, Scan* scan, PoiseMark element,
                                const char* name) {
    const char* end = builder->text + builder->size;
    for (; scan->text && scan->text < end; scan->text++) {
        char letter = *scan->text;
        if (!scan->quote && letter == '>') {
            break;
        }
        if (!scan->quote && scan->at_word && starts_attribute(scan->text, end, name)) {
            return scan->mark;
        }
        if (letter == '"' || letter == '\'') {
            scan->quote = scan->quote == letter ? '\0' : (scan->quote ? scan->quote : letter);
        }
        scan->at_word = isspace((unsigned char)letter);
        bool continues = ((unsigned char)letter & 0xc0) == 0x80;
        scan->mark.column = letter == '\n' ? 1 : scan->mark.column + (continues ? 0 : 1);
        scan->mark.line += letter == '\n' ? 1 : 0;
    }
    scan->text = NULL;
    return element;
}

static Element* add_child(Builder* builder, ElementKind kind, const char* key, PoiseMark mark) {
    Document* document = builder->document;
    Element* child = poise__element_create(document, kind, mark);
    char* name = poise__arena_copy(document->arena, key, strlen(key));
    if (!child || !name) {
        return NULL;
    }
    child->key = name;
    child->key_mark = mark;
    Element* parent = builder->depth > 0 ? builder->open[builder->depth - 1] : NULL;
    return !parent || poise__element_add(document, parent, child) ? child : NULL;
}

// Lets findings quote lines of the file once its root shows that it is a robot. A scene may name
// any file, whose content must not be shown.
static void show_source(const Builder* builder, const char* root) {
    static const char* const known[] = {"robot", "mujoco", "mujocoinclude"};
    const Document* document = builder->document;
    for (int i = 0; i < 3; i++) {
        if (strcmp(root, known[i]) == 0) {
            poise_diagnostics_add_source(document->diagnostics, document->file, builder->text,
                                         builder->size);
        }
    }
}

static void XMLCALL start_element(void* user, const XML_Char* name, const XML_Char** attributes) {
    Builder* builder = user;
    if (builder->stopped) {
        return;
    }
    PoiseMark mark = current_mark(builder);
    if (++builder->weight > MAX_XML_ELEMENTS) {
        REFUSE(builder->document, mark, "this file holds more than %d elements and attributes",
               MAX_XML_ELEMENTS);
        stop(builder);
        return;
    }
    if (builder->depth >= DEEPEST) {
        REFUSE(builder->document, mark, "elements stand more than %d deep in one another", DEEPEST);
        stop(builder);
        return;
    }
    Element* element = add_child(builder, ELEMENT_MAP, name, mark);
    if (!element) {
        stop(builder);
        return;
    }
    if (builder->depth == 0) {
        builder->root = element;
        show_source(builder, name);
    }
    builder->open[builder->depth++] = element;
    const XML_Index index = XML_GetCurrentByteIndex(builder->parser);
    Scan scan = {.mark = mark};
    scan.text = (index >= 0 && (size_t)index < builder->size) ? builder->text + index : NULL;
    for (int i = 0; attributes[i]; i += 2) {
        builder->weight++;
        if (i / 2 == MAX_XML_ATTRIBUTES) {
            REFUSE(builder->document, mark, "<%.60s> has more than %d attributes", name,
                   MAX_XML_ATTRIBUTES);
            stop(builder);
            return;
        }
        PoiseMark place = attribute_mark(builder, &scan, mark, attributes[i]);
        Element* attribute = add_child(builder, ELEMENT_SCALAR, attributes[i], place);
        if (!attribute || !poise__element_set_text(builder->document, attribute, attributes[i + 1],
                                                   strlen(attributes[i + 1]))) {
            stop(builder);
            return;
        }
        attribute->quoted = true;
    }
}

static void XMLCALL end_element(void* user, const XML_Char* name) {
    Builder* builder = user;
    (void)name;
    if (builder->stopped) {
        return;
    }
    Element* element = builder->open[--builder->depth];
    element->end = current_mark(builder);
    if (builder->depth > 0) {
        // Adds the weight of the element's children. The element was added to its parent before
        // they were.
        builder->open[builder->depth - 1]->weight += element->weight - 1;
    }
}

// True if the parser stopped at a closing tag after the end of the root element, at the tag's
// second letter. Other parsers ignore such a tag.
static bool ends_twice(const Builder* builder) {
    const XML_Index index = XML_GetCurrentByteIndex(builder->parser);
    return builder->root && builder->depth == 0 && index > 0 && (size_t)index < builder->size &&
           memcmp(builder->text + index - 1, "</", 2) == 0;
}

// Reports why the parser stopped. Returns true if the root element is whole nevertheless.
static bool diagnose_stop(const Builder* builder) {
    PoiseDiagnostics* diagnostics = builder->document->diagnostics;
    const enum XML_Error error = XML_GetErrorCode(builder->parser);
    if (error == XML_ERROR_NO_MEMORY) {
        builder->document->arena->failed = true;
    } else if (ends_twice(builder)) {
        poise__diagnose(diagnostics, POISE_NOTE, current_mark(builder),
                        "a second end of <%.60s>: what follows is not read", builder->root->key);
        return true;
    } else {
        poise__diagnose(diagnostics, POISE_ERROR, current_mark(builder), "not XML: %s%s",
                        XML_ErrorString(error),
                        builder->depth > 0 ? "; the file may be cut off" : "");
    }
    return false;
}

Element* poise__xml_read(Document* document, const char* text, size_t size) {
    const XmlText readable = poise__xml_text(document->arena, text, size);
    Builder builder = {.document = document,
                       .text = readable.text,
                       .size = readable.size,
                       .skipped_lines = readable.skipped_lines,
                       .skipped_columns = readable.skipped_columns};
    builder.parser = document->arena->failed ? NULL : XML_ParserCreate(readable.encoding);
    if (!builder.parser) {
        document->arena->failed = true;
        return NULL;
    }
    XML_SetUserData(builder.parser, &builder);
    XML_SetElementHandler(builder.parser, start_element, end_element);
    bool whole =
        XML_Parse(builder.parser, builder.text, (int)builder.size, XML_TRUE) == XML_STATUS_OK;
    if (!whole && !builder.stopped) {
        whole = diagnose_stop(&builder);
    }
    if (whole && readable.odd_line > 0) {
        const PoiseMark mark = {document->file, builder.skipped_lines + readable.odd_line, 1};
        NOTE(document, mark, "'<!' that begins no comment: not read up to the next '>'");
    }
    XML_ParserFree(builder.parser);
    return whole ? builder.root : NULL;
}
