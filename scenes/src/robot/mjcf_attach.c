// SPDX-License-Identifier: MIT
// MJCF: opens a model and the models that it names by <model>, and finds what <attach> adds: a body
// of such a model, or all of its world. The names of what is added get a prefix; its compiler, its
// default classes and its assets stay its own.
#include <string.h>

#include "input.h"
#include "mjcf.h"

// Most models of a robot.
#define MOST_MODELS 100

static bool refuse(const MjcfReader* reader, const Element* element, const char* name,
                   const char* why) {
    return poise__mjcf_refuse(reader->base.document, element->mark, "<%.20s> '%.200s' %s",
                              element->key, name, why);
}

// Returns the root of the file that a <model> names, and writes the file's document; NULL with an
// error.
static Element* read_file(MjcfReader* reader, const Element* element, Document* document) {
    const Element* file = poise__element_find(element, "file");
    const char* name = file ? file->text : "";
    const char* path = poise__mjcf_find_file(document, element, document->file, name);
    bool fine = path || refuse(reader, element, name, "is not found");
    for (const MjcfModel* model = reader->model; model && fine; model = model->around) {
        fine = strcmp(model->document.file, path) != 0 ||
               refuse(reader, element, name, "attaches itself");
    }
    fine = fine && (++reader->model_count < MOST_MODELS ||
                    refuse(reader, element, name, "is one model more than the 100 of a robot"));
    size_t size = 0;
    const char* text =
        fine ? poise__file_read(document->arena, path, &size, element->mark, document->diagnostics)
             : NULL;
    reader->bytes += size;
    document->file = path;
    Element* root = text ? poise__xml_read(document, text, size) : NULL;
    if (root && strcmp(root->key, "mujoco") != 0) {
        (void)refuse(reader, element, name, "is no model of MuJoCo's");
        root = NULL;
    }
    return root;
}

static void read_model(MjcfReader* reader, const Element* element) {
    MjcfModel* around = reader->model;
    Document document = around->document;
    Element* root = read_file(reader, element, &document);
    MjcfModel* model = root ? poise__mjcf_open(reader, &document, root, around) : NULL;
    const Element* name = poise__element_find(element, "name");
    name = name || !root ? name : poise__element_find(root, "model");
    if (model) {
        model->name = name ? name->text : "";
        model->next = around->models;
        around->models = model;
    }
    poise__mjcf_enter(reader, around);
}

MjcfModel* poise__mjcf_open(MjcfReader* reader, const Document* document, Element* root,
                            MjcfModel* around) {
    MjcfModel* model = poise__arena_allocate(document->arena, 1, sizeof *model);
    if (!model) {
        return NULL;
    }
    model->document = *document;
    model->root = root;
    model->around = around;
    if (!poise__mjcf_include(&model->document, root, &reader->bytes)) {
        return NULL;
    }
    poise__mjcf_enter(reader, model);
    poise__mjcf_read_settings(reader);
    poise__mjcf_read_assets(reader);
    for (int i = 0; i < root->child_count; i++) {
        const Element* section = root->children[i];
        for (int k = 0; k < section->child_count && poise__mjcf_is(section, "asset"); k++) {
            if (poise__mjcf_is(section->children[k], "model")) {
                read_model(reader, section->children[k]);
            }
        }
    }
    return model;
}

void poise__mjcf_collect_names(MjcfReader* reader, const Element* element, const char* prefix) {
    for (int i = 0; i < element->child_count; i++) {
        const Element* child = element->children[i];
        const Element* name =
            poise__mjcf_is(child, "body") ? poise__element_find(child, "name") : NULL;
        const char* whole =
            name ? poise__arena_format(reader->base.document->arena, "%s%s", prefix, name->text)
                 : NULL;
        if (whole) {
            poise__names_add(&reader->body_names, whole, 1);
        }
        poise__mjcf_collect_names(reader, child, prefix);
    }
}

Element* poise__mjcf_world(MjcfReader* reader) {
    Document* document = reader->base.document;
    const Element* root = reader->model->root;
    Element* world = poise__element_create(document, ELEMENT_MAP, root->mark);
    if (!world) {
        return NULL;
    }
    world->key = "worldbody";
    for (int i = 0; i < root->child_count; i++) {
        const Element* section = root->children[i];
        for (int k = 0; k < section->child_count && poise__mjcf_is(section, "worldbody"); k++) {
            if (!poise__element_add(document, world, section->children[k])) {
                return NULL;
            }
        }
    }
    return world;
}

// Finds the body below the element; `class_index` gets the class that holds there.
static const Element* find_body(MjcfReader* reader, const Element* element, const char* name,
                                int* class_index) {
    for (int i = 0; i < element->child_count; i++) {
        const Element* child = element->children[i];
        const Element* own =
            poise__mjcf_is(child, "body") ? poise__element_find(child, "name") : NULL;
        if (own && strcmp(own->text, name) == 0) {
            return child;
        }
        int inner = poise__mjcf_class(reader, child, "childclass", *class_index);
        const Element* found = find_body(reader, child, name, &inner);
        if (found) {
            *class_index = inner;
            return found;
        }
    }
    return NULL;
}

static MjcfModel* find_model(const MjcfReader* reader, const char* name) {
    MjcfModel* model = reader->model->models;
    while (model && strcmp(model->name, name) != 0) {
        model = model->next;
    }
    return model;
}

MjcfPart poise__mjcf_attach(MjcfReader* reader, const MjcfPart* part) {
    const Element* named = poise__element_find(part->element, "model");
    const Element* body = poise__element_find(part->element, "body");
    const Element* prefix = poise__element_find(part->element, "prefix");
    const char* name = named ? named->text : "";
    Arena* arena = reader->base.document->arena;
    MjcfPart added = *part;
    added.element = NULL;
    added.model = find_model(reader, name);
    if (!added.model) {
        (void)refuse(reader, part->element, name, "names no <model> of the assets");
        return added;
    }
    added.prefix = poise__arena_format(arena, "%s%.100s", part->prefix, prefix ? prefix->text : "");
    MjcfAttached* attached = poise__arena_grow(arena, &reader->attached, reader->attached_count,
                                               &reader->attached_capacity, sizeof *attached);
    poise__mjcf_enter(reader, added.model);
    added.class_index = added.model->main_class;
    const Element* world = poise__mjcf_world(reader);
    if (!world || !attached || !added.prefix) {
        return added;
    }
    attached[reader->attached_count++] = (MjcfAttached){added.model, added.prefix, !body};
    added.element = body ? find_body(reader, world, body->text, &added.class_index) : world;
    if (!added.element) {
        (void)refuse(reader, part->element, name, "has no such body");
    } else {
        poise__mjcf_collect_names(reader, world, added.prefix);
    }
    return added;
}
