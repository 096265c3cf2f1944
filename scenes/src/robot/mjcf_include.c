// SPDX-License-Identifier: MIT
// MJCF: replaces each <include> by the content of its file, so that the model is one tree.
#include <string.h>

#include "file_path.h"
#include "input.h"
#include "mjcf.h"

// Largest number of files of a model, and largest size of all files together, bytes.
#define MAX_MODEL_FILES 100
#define MAX_MODEL_BYTES ((size_t)64 * 1024 * 1024)
// Largest depth of nested elements in all files of a model.
#define DEEPEST 200

typedef struct Includer {
    MjcfReader* reader;
    Document* document;
    NameTable files;
} Includer;

const char* poise__mjcf_find_file(const Document* document, const Element* element,
                                  const char* name) {
    const char* const from[] = {element->mark.file, document->file};
    for (int i = 0; i < 2 && name && name[0]; i++) {
        const char* path = poise__path_beside(document->arena, from[i], name);
        if (path && poise__path_is_file(path) &&
            poise__input_is_inside(document->fence, name, path)) {
            return path;
        }
    }
    return name && strchr(name, '\\')
               ? poise__mjcf_find_file(document, element,
                                       poise__path_slashed(document->arena, name))
               : NULL;
}

// Returns the root of the file that the element includes; NULL with an error.
static Element* read_part(Includer* includer, const Element* include) {
    const Document* document = includer->document;
    const char* file = poise__tag_own_text(include, "file");
    const char* name = file ? file : "";
    const char* path = poise__mjcf_find_file(document, include, name);
    size_t size = 0;
    if (!path) {
        poise__robot_refuse(&includer->reader->base, include->mark,
                            "<include>: there is no file '%.200s'%s", name,
                            document->fence ? " below the scene's folder" : "");
        return NULL;
    }
    const char* identity = poise__path_identity(document->arena, path);
    if (identity && poise__names_find(&includer->files, identity) >= 0) {
        poise__robot_refuse(&includer->reader->base, include->mark,
                            "'%.200s' is included already: a model has a file once", name);
        return NULL;
    }
    if (includer->files.count >= MAX_MODEL_FILES) {
        poise__robot_refuse(&includer->reader->base, include->mark,
                            "<include>: '%.200s' is one file more than the 100 of a model", name);
        return NULL;
    }
    const char* text =
        identity && poise__names_add(&includer->files, identity, 1)
            ? poise__file_read(document->arena, path, &size, include->mark, document->diagnostics)
            : NULL;
    includer->reader->bytes += size;
    if (text && includer->reader->bytes > MAX_MODEL_BYTES) {
        poise__robot_refuse(&includer->reader->base, include->mark,
                            "<include>: with '%.200s' the model is larger than 64 MB", name);
        return NULL;
    }
    Document part = *document;
    part.file = path;
    return text ? poise__xml_read(&part, text, size) : NULL;
}

static bool expand(Includer* includer, Element* element, int depth);

// Adds the child, or the children of the file that it includes.
static bool place_child(Includer* includer, Element* parent, Element* child, int depth) {
    if (!poise__tag_is(child, "include")) {
        return expand(includer, child, depth + 1) &&
               poise__element_add(includer->document, parent, child);
    }
    Element* part = read_part(includer, child);
    if (!part) {
        return false;
    }
    for (int i = 0; i < part->child_count; i++) {
        Element* own = part->children[i];
        if (own->kind == ELEMENT_MAP && !place_child(includer, parent, own, depth)) {
            return false;
        }
    }
    return true;
}

static bool expand(Includer* includer, Element* element, int depth) {
    if (depth > DEEPEST) {
        return poise__robot_refuse(&includer->reader->base, element->mark,
                                   "<%.60s> stands more than 200 deep in others", element->key);
    }
    Element** children = element->children;
    int count = element->child_count;
    bool any = false;
    for (int i = 0; i < count; i++) {
        any = any || poise__tag_is(children[i], "include");
    }
    if (any) {
        element->children = NULL;
        element->child_count = 0;
        element->child_capacity = 0;
    }
    bool fine = true;
    for (int i = 0; i < count && fine; i++) {
        fine = any ? place_child(includer, element, children[i], depth)
                   : children[i]->kind != ELEMENT_MAP || expand(includer, children[i], depth + 1);
    }
    return fine;
}

bool poise__mjcf_include(MjcfReader* reader, MjcfModel* model) {
    Document* document = &model->document;
    Includer includer = {
        .reader = reader, .document = document, .files = {.arena = document->arena}};
    const char* identity = poise__path_identity(document->arena, document->file);
    return identity && poise__names_add(&includer.files, identity, 1) &&
           expand(&includer, model->root, 0);
}
