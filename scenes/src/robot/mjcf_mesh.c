// SPDX-License-Identifier: MIT
// MJCF: the meshes among the assets, by name.
#include <string.h>

#include "mjcf.h"

// a mesh without a name has that of its file, without folders and ending
static const char* name_of_file(Arena* arena, const char* file) {
    const char* slash = strrchr(file, '/');
    const char* stem = slash ? slash + 1 : file;
    const char* dot = strrchr(stem, '.');
    return poise__arena_copy(arena, stem, dot ? (size_t)(dot - stem) : strlen(stem));
}

static void add_mesh(MjcfReader* reader, const Element* element) {
    Arena* arena = reader->base.document->arena;
    int class_index = poise__mjcf_class(reader, element, "class", 0);
    const Element* file = poise__element_find(element, "file");
    const Element* name = poise__element_find(element, "name");
    double scale[3] = {1.0, 1.0, 1.0};
    if (!poise__mjcf_numbers((MjcfSource){reader, element, class_index}, "scale", scale, 3)) {
        return;
    }
    MjcfMesh mesh = {element, file ? file->text : NULL, {scale[0], scale[1], scale[2]}};
    const char* own = name ? name->text : mesh.file ? name_of_file(arena, mesh.file) : NULL;
    MjcfMesh* meshes = poise__arena_grow(arena, reader->meshes, reader->mesh_count,
                                         &reader->mesh_capacity, sizeof *meshes);
    if (own && meshes && poise__names_add(&reader->mesh_names, own, reader->mesh_count)) {
        reader->meshes = meshes;
        meshes[reader->mesh_count++] = mesh;
    }
}

void poise__mjcf_read_assets(MjcfReader* reader) {
    const Element* root = reader->base.root;
    reader->mesh_names.arena = reader->base.document->arena;
    for (int i = 0; i < root->child_count; i++) {
        const Element* section = root->children[i];
        for (int k = 0; k < section->child_count && poise__mjcf_is(section, "asset"); k++) {
            if (poise__mjcf_is(section->children[k], "mesh")) {
                add_mesh(reader, section->children[k]);
            }
        }
    }
}

// the path in the file with what the compiler says of folders
static const char* path_of(const MjcfReader* reader, const char* file) {
    const char* slash = reader->strip_path ? strrchr(file, '/') : NULL;
    const char* path = slash ? slash + 1 : file;
    const char* folder = reader->mesh_folder;
    if (!folder || !folder[0] || path[0] == '/') {
        return path;
    }
    return poise__arena_format(reader->base.document->arena, "%s/%s", folder, path);
}

const char* poise__mjcf_mesh_file(MjcfReader* reader, const char* name, PoiseVec3* scale) {
    const int index = poise__names_find(&reader->mesh_names, name);
    if (index < 0 || !reader->meshes[index].file) {
        return NULL;
    }
    *scale = reader->meshes[index].scale;
    return path_of(reader, reader->meshes[index].file);
}

const MeshSolid* poise__mjcf_mesh(MjcfReader* reader, const Element* geom, const char* name) {
    int index = poise__names_find(&reader->mesh_names, name);
    if (index < 0) {
        Suggestion suggestion = poise__suggestion_for(reader->base.document->diagnostics, name);
        for (int i = 0; i < reader->mesh_names.capacity; i++) {
            if (poise__urdf_may_guess(&reader->base) && reader->mesh_names.entries[i].name) {
                poise__suggestion_offer(&suggestion, reader->mesh_names.entries[i].name);
            }
        }
        char guess[120];
        poise__mjcf_refuse(reader->base.document, geom->mark, "there is no mesh '%.60s'%s", name,
                           poise__suggestion_text(&suggestion, guess, sizeof guess));
        return NULL;
    }
    const MjcfMesh* mesh = &reader->meshes[index];
    if (!mesh->file) {
        poise__mjcf_note(reader, POISE_WARNING, mesh->element,
                         "without a file is not read: its geoms are left out");
        return NULL;
    }
    const char* path = path_of(reader, mesh->file);
    return path ? poise__robot_mesh(&reader->base, mesh->element, path, mesh->scale) : NULL;
}
