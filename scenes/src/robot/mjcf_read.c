// SPDX-License-Identifier: MIT
// MJCF: reads the robot from the tree of elements.

#include "mjcf.h"

UrdfRobot* poise__mjcf_read(Document* document, Element* root) {
    UrdfRobot* robot = poise__arena_allocate(document->arena, 1, sizeof *robot);
    if (!robot || !poise__mjcf_include(document, root)) {
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
    if (!poise__element_find(root, "worldbody")) {
        poise__diagnose(diagnostics, POISE_ERROR, root->mark, "a model without <worldbody>");
        return NULL;
    }
    poise__mjcf_read_settings(&reader);
    poise__mjcf_read_assets(&reader);
    poise__mjcf_read_bodies(&reader);
    poise__mjcf_read_sections(&reader);
    if (document->arena->failed || poise_diagnostics_count(diagnostics, POISE_ERROR) > errors) {
        return NULL;
    }
    return poise__urdf_sort(&reader.base) ? robot : NULL;
}
