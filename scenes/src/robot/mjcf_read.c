// SPDX-License-Identifier: MIT
// MJCF: reads the robot from the tree of elements.

#include "mjcf.h"

UrdfRobot* poise__mjcf_read(Document* document, Element* root) {
    UrdfRobot* robot = poise__arena_allocate(document->arena, 1, sizeof *robot);
    if (!robot) {
        return NULL;
    }
    PoiseDiagnostics* diagnostics = document->diagnostics;
    int errors = poise_diagnostics_count(diagnostics, POISE_ERROR);
    MjcfReader reader = {.base = {.document = document,
                                  .robot = robot,
                                  .root = root,
                                  .strict = true,
                                  .links = {.arena = document->arena},
                                  .joints = {.arena = document->arena}}};
    const Element* name = poise__element_find(root, "model");
    robot->name = name ? name->text : "";
    robot->mark = root->mark;
    MjcfModel* model = poise__mjcf_open(&reader, document, root, NULL);
    if (model && !poise__element_find(root, "worldbody")) {
        poise__diagnose(diagnostics, POISE_ERROR, root->mark, "a model without <worldbody>");
        return NULL;
    }
    if (!model) {
        return NULL;
    }
    poise__mjcf_read_bodies(&reader);
    reader.prefix = "";
    reader.whole = true;
    poise__mjcf_read_sections(&reader);
    for (int i = 0; i < reader.attached_count; i++) {
        poise__mjcf_enter(&reader, reader.attached[i].model);
        reader.prefix = reader.attached[i].prefix;
        reader.whole = reader.attached[i].whole;
        poise__mjcf_read_sections(&reader);
    }
    reader.base.document = document;
    if (document->arena->failed || poise_diagnostics_count(diagnostics, POISE_ERROR) > errors) {
        return NULL;
    }
    return poise__urdf_sort(&reader.base) ? robot : NULL;
}
