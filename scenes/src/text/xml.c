// SPDX-License-Identifier: MIT
// XML into the document tree, by expat, which stops entity bombs itself.
#include <ctype.h>
#include <expat.h>
#include <stdio.h>
#include <string.h>

#include "document.h"

// elements inside one another
#define DEEPEST 200

typedef struct Builder {
    Document* document;
    XML_Parser parser;
    const char* text;
    size_t size;
    Element* open[DEEPEST];
    int depth;
    Element* root;
    bool stopped;
} Builder;

static PoiseMark current_mark(const Builder* builder) {
    PoiseMark mark = {builder->document->file, (int)XML_GetCurrentLineNumber(builder->parser),
                      (int)XML_GetCurrentColumnNumber(builder->parser) + 1};
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

// expat gives the place of the element; its attributes are looked for in the text
static PoiseMark attribute_mark(const Builder* builder, PoiseMark element, const char* name) {
    XML_Index index = XML_GetCurrentByteIndex(builder->parser);
    if (index < 0 || (size_t)index >= builder->size) {
        return element;
    }
    PoiseMark mark = element;
    const char* end = builder->text + builder->size;
    char quote = '\0';
    bool at_word = false;
    for (const char* text = builder->text + index; text < end; text++) {
        if (!quote && *text == '>') {
            break;
        }
        if (!quote && at_word && starts_attribute(text, end, name)) {
            return mark;
        }
        if (*text == '"' || *text == '\'') {
            quote = quote == *text ? '\0' : (quote ? quote : *text);
        }
        at_word = isspace((unsigned char)*text);
        bool continues = ((unsigned char)*text & 0xc0) == 0x80;
        mark.column = *text == '\n' ? 1 : mark.column + (continues ? 0 : 1);
        mark.line += *text == '\n' ? 1 : 0;
    }
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
    if (parent && !poise__element_add(document, parent, child)) {
        return NULL;
    }
    return child;
}

static void XMLCALL start_element(void* user, const XML_Char* name, const XML_Char** attributes) {
    Builder* builder = user;
    if (builder->stopped) {
        return;
    }
    PoiseMark mark = current_mark(builder);
    if (builder->depth >= DEEPEST) {
        poise__diagnose(builder->document->diagnostics, POISE_ERROR, mark,
                        "elements stand more than %d deep in one another", DEEPEST);
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
    }
    builder->open[builder->depth++] = element;
    for (int i = 0; attributes[i]; i += 2) {
        PoiseMark place = attribute_mark(builder, mark, attributes[i]);
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
        // what was added to the element after it joined its parent
        builder->open[builder->depth - 1]->weight += element->weight - 1;
    }
}

Element* poise__xml_read(Document* document, const char* text, size_t size) {
    Builder builder = {.document = document, .text = text, .size = size};
    builder.parser = XML_ParserCreate(NULL);
    if (!builder.parser) {
        document->arena->failed = true;
        return NULL;
    }
    XML_SetUserData(builder.parser, &builder);
    XML_SetElementHandler(builder.parser, start_element, end_element);
    enum XML_Status status = XML_Parse(builder.parser, text, (int)size, XML_TRUE);
    if (status == XML_STATUS_ERROR && !builder.stopped) {
        enum XML_Error error = XML_GetErrorCode(builder.parser);
        if (error == XML_ERROR_NO_MEMORY) {
            document->arena->failed = true;
        } else {
            poise__diagnose(document->diagnostics, POISE_ERROR, current_mark(&builder),
                            "not XML: %s%s", XML_ErrorString(error),
                            builder.depth > 0 ? "; the file may be cut off" : "");
        }
    }
    XML_ParserFree(builder.parser);
    return status == XML_STATUS_OK ? builder.root : NULL;
}
