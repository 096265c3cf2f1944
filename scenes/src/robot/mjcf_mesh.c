// SPDX-License-Identifier: MIT
// MJCF: reads the meshes and materials among the assets, and finds them by name.
#include <string.h>

#include "mjcf.h"
#include "number.h"

// Most points of a mesh whose points are in the model itself.
#define MOST_POINTS 20000

// Returns the name of a mesh without a name: its file's, without folder and ending.
static const char* name_of_file(Arena* arena, const char* file) {
    const char* slash = strrchr(file, '/');
    const char* stem = slash ? slash + 1 : file;
    const char* dot = strrchr(stem, '.');
    return poise__arena_copy(arena, stem, dot ? (size_t)(dot - stem) : strlen(stem));
}

// Reads the frame of the mesh. MuJoCo subtracts `refpos` from the points, rotates them by the
// inverse of `refquat`, then scales; `frame` is the pose of the scaled points after that.
static bool read_frame(MjcfSource from, MjcfMesh* mesh) {
    double place[3] = {0.0, 0.0, 0.0};
    double turn[4] = {1.0, 0.0, 0.0, 0.0};
    if (!poise__mjcf_numbers(from, "refpos", place, 3) ||
        !poise__mjcf_numbers(from, "refquat", turn, 4)) {
        return false;
    }
    const PoiseQuat q = poise_quat(turn[0], turn[1], turn[2], turn[3]);
    const bool turned = turn[1] != 0.0 || turn[2] != 0.0 || turn[3] != 0.0;
    const PoiseVec3 s = mesh->scale;
    if (turned && (s.x != s.y || s.y != s.z)) {
        poise__mjcf_note(from.reader, POISE_WARNING, from.element,
                         "has a 'refquat' and a 'scale' that differs by axis: scaled, then turned");
    }
    const PoiseVec3 p = poise_vec3(s.x * place[0], s.y * place[1], s.z * place[2]);
    mesh->frame.q = turned ? poise_quat_conjugate(poise_quat_normalize(q)) : poise_quat_identity();
    mesh->frame.p = poise_scale(-1.0, poise_quat_rotate(mesh->frame.q, p));
    return true;
}

static void add_mesh(MjcfReader* reader, const Element* element) {
    Arena* arena = reader->base.document->arena;
    const MjcfSource from = {
        reader, element, poise__mjcf_class(reader, element, "class", reader->model->main_class)};
    const Element* file = poise__element_find(element, "file");
    const Element* name = poise__element_find(element, "name");
    double scale[3] = {1.0, 1.0, 1.0};
    MjcfMesh mesh = {.element = element, .file = file ? file->text : NULL};
    if (!poise__mjcf_numbers(from, "scale", scale, 3)) {
        return;
    }
    mesh.scale = poise_vec3(scale[0], scale[1], scale[2]);
    if (!read_frame(from, &mesh)) {
        return;
    }
    const char* own = name ? name->text : mesh.file ? name_of_file(arena, mesh.file) : NULL;
    MjcfMesh* meshes = poise__arena_grow(arena, &reader->model->meshes, reader->model->mesh_count,
                                         &reader->model->mesh_capacity, sizeof *meshes);
    if (own && poise__names_find(&reader->model->mesh_names, own) >= 0) {
        poise__mjcf_refuse(reader->base.document, element->mark, "a second mesh is named '%.60s'",
                           own);
        return;
    }
    if (own && meshes &&
        poise__names_add(&reader->model->mesh_names, own, reader->model->mesh_count)) {
        meshes[reader->model->mesh_count++] = mesh;
    }
}

static void add_material(MjcfReader* reader, const Element* element) {
    const Element* name = poise__element_find(element, "name");
    const Element** materials = poise__arena_grow(
        reader->base.document->arena, &reader->model->materials, reader->model->material_count,
        &reader->model->material_capacity, sizeof *materials);
    if (name && materials &&
        poise__names_add(&reader->model->material_names, name->text,
                         reader->model->material_count)) {
        materials[reader->model->material_count++] = element;
    }
}

void poise__mjcf_read_assets(MjcfReader* reader) {
    const Element* root = reader->model->root;
    reader->model->mesh_names.arena = reader->base.document->arena;
    reader->model->material_names.arena = reader->base.document->arena;
    for (int i = 0; i < root->child_count; i++) {
        const Element* section = root->children[i];
        for (int k = 0; k < section->child_count && poise__mjcf_is(section, "asset"); k++) {
            if (poise__mjcf_is(section->children[k], "mesh")) {
                add_mesh(reader, section->children[k]);
            } else if (poise__mjcf_is(section->children[k], "material")) {
                add_material(reader, section->children[k]);
            }
        }
    }
}

void poise__mjcf_colour(MjcfSource geom, double colour[4]) {
    MjcfReader* reader = geom.reader;
    const char* name = poise__mjcf_text(geom, "material");
    const int index = name ? poise__names_find(&reader->model->material_names, name) : -1;
    if (index >= 0 && !poise__mjcf_holder(geom, "rgba")) {
        const Element* material = reader->model->materials[index];
        geom.element = material;
        geom.class_index = poise__mjcf_class(reader, material, "class", reader->model->main_class);
        for (int i = 0; i < 4; i++) {
            colour[i] = 1.0;
        }
    }
    poise__mjcf_numbers(geom, "rgba", colour, 4);
}

// Returns the file's path with the compiler's folder settings applied.
const char* poise__mjcf_mesh_path(const MjcfReader* reader, const MjcfMesh* mesh) {
    const char* slash = reader->model->strip_path ? strrchr(mesh->file, '/') : NULL;
    const char* path = slash ? slash + 1 : mesh->file;
    const char* folder = reader->model->mesh_folder;
    if (!folder || !folder[0] || path[0] == '/') {
        return path;
    }
    return poise__arena_format(reader->base.document->arena, "%s/%s", folder, path);
}

const MjcfMesh* poise__mjcf_find_mesh(const MjcfReader* reader, const char* name) {
    const int index = poise__names_find(&reader->model->mesh_names, name);
    return index >= 0 ? &reader->model->meshes[index] : NULL;
}

// Returns the convex hull of the points in `vertex`, as MuJoCo does; NULL with a warning.
static const MeshSolid* solid_of_points(MjcfReader* reader, const MjcfMesh* mesh) {
    Arena* arena = reader->base.document->arena;
    const Element* vertex = poise__element_find(mesh->element, "vertex");
    Arena scratch;
    poise__arena_init(&scratch, &arena->host);
    MeshSolid* solid = poise__arena_allocate(arena, 1, sizeof *solid);
    double* numbers = poise__arena_allocate(&scratch, 3 * MOST_POINTS, sizeof *numbers);
    PoiseNumberKind kind = POISE_NUMBER_FINE;
    const int count =
        vertex && numbers ? poise_numbers_read(vertex->text, numbers, 3 * MOST_POINTS, &kind) : 0;
    Mesh points = {.point_count = count / 3};
    points.points = poise__arena_allocate(&scratch, (size_t)points.point_count, sizeof(PoiseVec3));
    const char* why = "is wrong";
    bool fine = solid && points.points && count > 0 && count % 3 == 0 && count <= 3 * MOST_POINTS &&
                kind == POISE_NUMBER_FINE;
    for (int i = 0; fine && i < points.point_count; i++) {
        const double* n = &numbers[3 * i];
        points.points[i] =
            poise_vec3(mesh->scale.x * n[0], mesh->scale.y * n[1], mesh->scale.z * n[2]);
    }
    Arena* keep = reader->base.document->hulls ? arena : NULL;
    MeshSummary summary = {.file_triangles = 0};
    fine = fine && !poise__mesh_summarize(&scratch, &points, &summary) &&
           poise__mesh_solid(&scratch, &summary, keep, solid, &why);
    arena->failed = arena->failed || scratch.failed;
    poise__arena_finish(&scratch);
    if (!fine && !arena->failed) {
        poise__mjcf_note(reader, POISE_WARNING, mesh->element,
                         vertex ? "has points that no solid can be made of: its geoms are left out"
                                : "without a file is not read: its geoms are left out");
    }
    return fine ? solid : NULL;
}

static void refuse_name(MjcfReader* reader, const Element* geom, const char* name) {
    Suggestion suggestion = poise__suggestion_for(reader->base.document->diagnostics, name);
    for (int i = 0; i < reader->model->mesh_names.capacity; i++) {
        if (poise__urdf_may_guess(&reader->base) && reader->model->mesh_names.entries[i].name) {
            poise__suggestion_offer(&suggestion, reader->model->mesh_names.entries[i].name);
        }
    }
    char guess[120];
    poise__mjcf_refuse(reader->base.document, geom->mark, "there is no mesh '%.60s'%s", name,
                       poise__suggestion_text(&suggestion, guess, sizeof guess));
}

const MeshSolid* poise__mjcf_mesh(MjcfReader* reader, const Element* geom, const char* name,
                                  PoisePose* frame) {
    const int index = poise__names_find(&reader->model->mesh_names, name);
    if (index < 0) {
        refuse_name(reader, geom, name);
        return NULL;
    }
    MjcfMesh* mesh = &reader->model->meshes[index];
    *frame = mesh->frame;
    if (!mesh->file && !mesh->read) {
        mesh->solid = solid_of_points(reader, mesh);
        mesh->read = true;
    }
    const char* path = mesh->file ? poise__mjcf_mesh_path(reader, mesh) : NULL;
    return path ? poise__robot_mesh(&reader->base, mesh->element, path, mesh->scale) : mesh->solid;
}
