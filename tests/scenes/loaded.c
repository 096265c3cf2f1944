// SPDX-License-Identifier: MIT
#include "loaded.h"
#include "kept.h"
#include "mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void destroy_scene(void* scene) {
    poise_scene_destroy(scene);
}

static void destroy_diagnostics(void* diagnostics) {
    poise_diagnostics_destroy(diagnostics);
}

static void destroy_arena(void* arena) {
    poise__arena_finish(arena);
    free(arena);
}

Arena* kept_arena(void) {
    Arena* arena = kept(malloc(sizeof *arena), destroy_arena);
    poise__arena_init(arena, NULL);
    return arena;
}

PoiseDiagnostics* kept_diagnostics(void) {
    return kept(poise_diagnostics_create(NULL), destroy_diagnostics);
}

Loaded load_source(const PoiseSceneSource* source) {
    Loaded loaded = {kept_diagnostics(), NULL};
    loaded.scene = kept(poise_scene_load_source(source, loaded.diagnostics), destroy_scene);
    return loaded;
}

Loaded required(Loaded loaded) {
    char text[2000];
    cr_assert_not_null(loaded.scene, "not read:\n%s", findings(&loaded, text, sizeof text));
    return loaded;
}

Loaded load_text(const char* path, const char* text) {
    PoiseSceneSource source = {.path = path, .text = text, .text_size = strlen(text)};
    return load_source(&source);
}

Loaded load_file(const char* path) {
    PoiseSceneSource source = {.path = path};
    return load_source(&source);
}

Loaded load_with(const char* text, const char* const* overrides, int count) {
    PoiseSceneSource source = {.path = "test.yaml",
                               .text = text,
                               .text_size = strlen(text),
                               .overrides = overrides,
                               .override_count = count};
    return load_source(&source);
}

bool found(const Loaded* loaded, PoiseSeverity severity, int line, int column,
           const char* fragment) {
    for (int i = 0; i < poise_diagnostics_size(loaded->diagnostics); i++) {
        PoiseDiagnostic finding = poise_diagnostics_at(loaded->diagnostics, i);
        bool there = (line == 0 || finding.mark.line == line) &&
                     (column == 0 || finding.mark.column == column);
        if (finding.severity == severity && there && strstr(finding.text, fragment)) {
            return true;
        }
    }
    return false;
}

const char* findings(const Loaded* loaded, char* text, size_t capacity) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < poise_diagnostics_size(loaded->diagnostics) && used < capacity; i++) {
        PoiseDiagnostic finding = poise_diagnostics_at(loaded->diagnostics, i);
        int written =
            snprintf(text + used, capacity - used, "  %s:%d:%d: %d: %s\n", finding.mark.file,
                     finding.mark.line, finding.mark.column, (int)finding.severity, finding.text);
        used += written > 0 ? (size_t)written : 0;
    }
    return text;
}

const PoiseSceneJoint* loaded_joint(const Loaded* loaded, const char* name) {
    int joint = poise_scene_find_joint(loaded->scene, name);
    cr_assert(joint >= 0, "no joint %s", name);
    return &loaded->scene->joints[joint];
}

const PoiseSceneBody* loaded_body(const Loaded* loaded, const char* name) {
    int frame = poise_scene_find_frame(loaded->scene, name);
    cr_assert(frame >= 0, "no frame %s", name);
    return &loaded->scene->bodies[loaded->scene->frames[frame].body];
}

bool has_meshes(void) {
    if (!poise__mesh_is_built()) {
        cr_skip("built without meshes");
    }
    return poise__mesh_is_built();
}

Loaded load_joint(const char* link, const char* joint) {
    char text[3000];
    snprintf(text, sizeof text,
             "<robot name='r'>\n<link name='base'/>\n%s\n"
             "<joint name='j' type='revolute'><parent link='base'/><child link='a'/>\n%s\n"
             "</joint></robot>",
             link, joint);
    return load_text("r.urdf", text);
}
