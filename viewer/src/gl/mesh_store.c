// SPDX-License-Identifier: MIT
// Stores meshes and instances in the graphics card's memory.
#include "mesh_store.h"

#include <stdlib.h>
#include <string.h>

/// The two coarser meshes: segments of a quarter turn, and the largest instance that uses the mesh
/// while the scene moves (core plus shell, pixels at 1 pixel per window unit). A circle of 4 n
/// sides is wrong by half a pixel at a radius of 0.5 / (1 - cos(pi / (4 n))) pixels. At rest a
/// third of these sizes applies.
static const struct {
    int detail;
    double size;
} COARSE[POISE_MESH_LEVELS - 1] = {{2, 6.5}, {4, 26.0}};
static const double REST_PART = 1.0 / 3.0;

enum { MAX_STORE_VERTICES = 65535 };
/// Corners of the two triangles of a line. SwiftShader, which renders pages without a graphics
/// card, runs each instance as a separate draw call, and a picture has hundreds of lines. Therefore
/// each line is uploaded once for each corner, and one draw call renders all lines.
enum { LINE_CORNERS = 6 };

typedef struct Builder {
    PoiseMeshVertex* vertices;
    uint16_t* indices;
    int vertex_count;
    int index_count;
} Builder;

static bool append(Builder* builder, const PoiseMesh* mesh, PoiseMeshRange* range) {
    size_t vertices = (size_t)builder->vertex_count + (size_t)mesh->vertex_count;
    size_t indices = (size_t)builder->index_count + (size_t)mesh->index_count;
    if (vertices > MAX_STORE_VERTICES) {
        return false;
    }
    PoiseMeshVertex* more_vertices = realloc(builder->vertices, vertices * sizeof *more_vertices);
    builder->vertices = more_vertices ? more_vertices : builder->vertices;
    uint16_t* more_indices = realloc(builder->indices, indices * sizeof *more_indices);
    builder->indices = more_indices ? more_indices : builder->indices;
    if (!more_vertices || !more_indices) {
        return false;
    }
    memcpy(builder->vertices + builder->vertex_count, mesh->vertices,
           (size_t)mesh->vertex_count * sizeof *mesh->vertices);
    for (int i = 0; i < mesh->index_count; i++) {
        builder->indices[builder->index_count + i] =
            (uint16_t)(mesh->indices[i] + builder->vertex_count);
    }
    range->first_index = builder->index_count;
    range->index_count = mesh->index_count;
    range->closed = true;
    builder->vertex_count += mesh->vertex_count;
    builder->index_count += mesh->index_count;
    return true;
}

static bool build_meshes(PoiseMeshStore* store, int detail, Builder* builder) {
    const int details[POISE_MESH_LEVELS] = {COARSE[0].detail, COARSE[1].detail, detail};
    for (int kind = 0; kind < POISE_MESH_COUNT; kind++) {
        for (int level = 0; level < POISE_MESH_LEVELS; level++) {
            PoiseMesh mesh;
            if (!poise__mesh_init(&mesh, (PoiseMeshKind)kind, details[level])) {
                return false;
            }
            bool added = append(builder, &mesh, &store->ranges[kind][level]);
            poise__mesh_finish(&mesh);
            if (!added) {
                return false;
            }
        }
    }
    return true;
}

/// Sets the attributes of vertices from the bound buffer. point_attributes sets those of instances
/// or lines, for each draw call.
static void set_vertex_attributes(void) {
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(PoiseMeshVertex),
                          (const void*)offsetof(PoiseMeshVertex, core));
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, sizeof(PoiseMeshVertex),
                          (const void*)offsetof(PoiseMeshVertex, normal));
    for (GLuint location = 2; location <= 7; location++) {
        glVertexAttribDivisor(location, 1);
    }
}

static void upload(PoiseMeshStore* store, const Builder* builder) {
    glGenVertexArrays(1, &store->array);
    glGenVertexArrays(1, &store->line_array);
    glGenBuffers(1, &store->vertices);
    glGenBuffers(1, &store->indices);
    glGenBuffers(1, &store->instances);
    glBindVertexArray(store->array);
    glBindBuffer(GL_ARRAY_BUFFER, store->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)builder->vertex_count * (int)sizeof(PoiseMeshVertex),
                 builder->vertices, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, store->indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)builder->index_count * (int)sizeof(uint16_t),
                 builder->indices, GL_STATIC_DRAW);
    set_vertex_attributes();
    glBindVertexArray(0);
}

bool poise__mesh_store_init(PoiseMeshStore* store, int detail, PoiseNote* note) {
    *store = (PoiseMeshStore){.array = 0};
    Builder builder = {.vertices = NULL};
    bool built = build_meshes(store, detail, &builder);
    if (built) {
        upload(store, &builder);
    } else {
        poise__note_fail(note, "out of memory while making the meshes");
    }
    free(builder.vertices);
    free(builder.indices);
    return built;
}

void poise__mesh_store_finish(PoiseMeshStore* store) {
    if (store->array) {
        const GLuint buffers[3] = {store->vertices, store->indices, store->instances};
        glDeleteVertexArrays(1, &store->array);
        glDeleteVertexArrays(1, &store->line_array);
        glDeleteBuffers(3, buffers);
    }
    if (store->look_array) {
        glDeleteVertexArrays(1, &store->look_array);
        glDeleteBuffers(2, store->look_buffers);
    }
    free(store->packed);
    free(store->own);
    *store = (PoiseMeshStore){.array = 0};
}

/// Returns the level of detail for the instance's size in the picture, 0 for the coarsest.
static int level_of(const PoiseInstance* instance, const PoiseMeshView* view) {
    const PoiseVec3 place =
        poise_vec3((double)instance->place.x, (double)instance->place.y, (double)instance->place.z);
    const double unit = poise__camera_unit_at(view->camera, place);
    const float core = fmaxf(instance->core.x, instance->core.y);
    // a ring has twice as many segments around its axis, and half as many around its tube
    const float size = instance->mesh == POISE_MESH_RING
                           ? fmaxf(0.25f * core, 4.0f * instance->shell)
                           : core + instance->shell;
    const double pixels = unit > 0.0 ? (double)size * view->scale / unit : HUGE_VAL;
    int level = 0;
    while (level < POISE_MESH_LEVELS - 1 &&
           pixels >= (view->moves ? 1.0 : REST_PART) * COARSE[level].size) {
        level++;
    }
    return level;
}

static int last_group(PoiseLayer layer) {
    return ((int)layer + 1) * POISE_GROUPS_PER_LAYER - 1;
}

static int group_of(const PoiseInstance* instance, PoiseLayer layer, const PoiseMeshView* view) {
    if (instance->mesh >= POISE_MESH_COUNT) {
        return last_group(layer);
    }
    return (int)layer * POISE_GROUPS_PER_LAYER + (int)instance->mesh * POISE_MESH_LEVELS +
           level_of(instance, view);
}

static PoiseLayer layer_of(const PoiseInstance* instance) {
    if (instance->mesh == POISE_MESH_LINE) {
        return POISE_LAYER_LINES;
    }
    if (instance->colour.w < 1.0f) {
        return POISE_LAYER_CLEAR;
    }
    return (instance->flags & POISE_DRAW_NO_SHADOW) ? POISE_LAYER_PLAIN : POISE_LAYER_CASTERS;
}

static PoisePackedInstance pack(const PoiseInstance* instance) {
    PoisePackedInstance packed = {
        {instance->place.x, instance->place.y, instance->place.z},
        {instance->turn.x, instance->turn.y, instance->turn.z, instance->turn.w},
        {instance->core.x, instance->core.y, instance->core.z, instance->shell},
        {instance->colour.x, instance->colour.y, instance->colour.z, instance->colour.w},
        {instance->glow, instance->gloss, instance->sweep},
        instance->id};
    return packed;
}

/// Counts the instances of each group in `next`. If `store` is not NULL, copies each instance to
/// the slot `next` of its group.
static void distribute(const PoiseDrawList* list, const PoiseMeshView* view, int* next,
                       PoiseMeshStore* store) {
    for (int i = 0; i < list->instance_count; i++) {
        const PoiseInstance* instance = &list->instances[i];
        const bool line = instance->mesh == POISE_MESH_LINE;
        int groups[2] = {group_of(instance, layer_of(instance), view),
                         group_of(instance, POISE_LAYER_X_RAY, view)};
        int copies = line ? LINE_CORNERS : (instance->flags & POISE_DRAW_X_RAY) ? 2 : 1;
        for (int copy = 0; copy < copies; copy++) {
            int slot = next[groups[line ? 0 : copy]]++;
            if (store) {
                store->packed[slot] = pack(instance);
                store->own[slot] = (PoiseMeshRange){instance->first_index, instance->index_count,
                                                    (instance->flags & POISE_DRAW_CLOSED) != 0};
            }
        }
    }
}

/// Uploads the triangles of robots (looks), if they have changed.
static void load_looks(PoiseMeshStore* store, const PoiseDrawList* list) {
    const PoiseTriangles* looks = &list->looks;
    if (looks->index_count == 0 ||
        (store->looks_of == looks->vertices && store->look_revision == looks->revision)) {
        return;
    }
    if (!store->look_array) {
        glGenVertexArrays(1, &store->look_array);
        glGenBuffers(2, store->look_buffers);
    }
    glBindVertexArray(store->look_array);
    glBindBuffer(GL_ARRAY_BUFFER, store->look_buffers[0]);
    set_vertex_attributes();
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)looks->vertex_count * (int)sizeof *looks->vertices,
                 looks->vertices, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, store->look_buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER,
                 (GLsizeiptr)looks->index_count * (int)sizeof *looks->indices, looks->indices,
                 GL_STATIC_DRAW);
    glBindVertexArray(0);
    store->looks_of = looks->vertices;
    store->look_revision = looks->revision;
}

bool poise__mesh_store_load(PoiseMeshStore* store, const PoiseDrawList* list,
                            const PoiseMeshView* view) {
    enum { GROUPS = POISE_LAYER_COUNT * POISE_GROUPS_PER_LAYER };
    int next[GROUPS] = {0};
    distribute(list, view, next, NULL);
    store->group_start[0] = 0;
    for (int group = 0; group < GROUPS; group++) {
        store->group_start[group + 1] = store->group_start[group] + next[group];
        next[group] = store->group_start[group];
    }
    int total = store->group_start[GROUPS];
    if (total > store->packed_capacity) {
        PoisePackedInstance* larger =
            realloc(store->packed, 2 * (size_t)total * sizeof *store->packed);
        store->packed = larger ? larger : store->packed;
        PoiseMeshRange* own = realloc(store->own, 2 * (size_t)total * sizeof *store->own);
        store->own = own ? own : store->own;
        if (!larger || !own) {
            memset(store->group_start, 0, sizeof store->group_start);
            return false;
        }
        store->packed_capacity = 2 * total;
    }
    distribute(list, view, next, store);
    load_looks(store, list);
    glBindBuffer(GL_ARRAY_BUFFER, store->instances);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)total * (int)sizeof *store->packed, store->packed,
                 GL_STREAM_DRAW);
    return true;
}

static void point_attribute(GLuint location, GLint size, int first, size_t member) {
    size_t offset = (size_t)first * sizeof(PoisePackedInstance) + member;
    glEnableVertexAttribArray(location);
    glVertexAttribPointer(location, size, GL_FLOAT, GL_FALSE, sizeof(PoisePackedInstance),
                          (const void*)offset);
}

static void point_attributes(int first) {
    point_attribute(2, 3, first, offsetof(PoisePackedInstance, place));
    point_attribute(3, 4, first, offsetof(PoisePackedInstance, turn));
    point_attribute(4, 4, first, offsetof(PoisePackedInstance, size));
    point_attribute(5, 4, first, offsetof(PoisePackedInstance, colour));
    point_attribute(6, 3, first, offsetof(PoisePackedInstance, look));
    size_t offset = (size_t)first * sizeof(PoisePackedInstance) + offsetof(PoisePackedInstance, id);
    glEnableVertexAttribArray(7);
    glVertexAttribIPointer(7, 1, GL_UNSIGNED_INT, sizeof(PoisePackedInstance), (const void*)offset);
}

/// Draws the robots' own meshes. Both sides of the triangles are visible if a mesh is not closed or
/// not opaque.
static void draw_own(const PoiseMeshStore* store, PoiseLayer layer) {
    const int group = last_group(layer);
    const int end = store->group_start[group + 1];
    if (store->group_start[group] == end || !store->look_array) {
        return;
    }
    const bool opaque = layer == POISE_LAYER_CASTERS || layer == POISE_LAYER_PLAIN;
    glBindVertexArray(store->look_array);
    glBindBuffer(GL_ARRAY_BUFFER, store->instances);
    for (int i = store->group_start[group]; i < end; i++) {
        if (opaque && store->own[i].closed) {
            glEnable(GL_CULL_FACE);
        } else {
            glDisable(GL_CULL_FACE);
        }
        point_attributes(i);
        glDrawElementsInstanced(GL_TRIANGLES, store->own[i].index_count, GL_UNSIGNED_INT,
                                (const void*)((size_t)store->own[i].first_index * sizeof(uint32_t)),
                                1);
    }
    glEnable(GL_CULL_FACE);
}

void poise__mesh_store_draw_lines(const PoiseMeshStore* store) {
    const int group = last_group(POISE_LAYER_LINES);
    const int first = store->group_start[group];
    glBindVertexArray(store->line_array);
    glBindBuffer(GL_ARRAY_BUFFER, store->instances);
    point_attributes(first);
    glDrawArrays(GL_TRIANGLES, 0, store->group_start[group + 1] - first);
    glBindVertexArray(0);
}

void poise__mesh_store_draw(const PoiseMeshStore* store, PoiseLayer layer) {
    glBindVertexArray(store->array);
    glBindBuffer(GL_ARRAY_BUFFER, store->instances);
    for (int i = 0; i < POISE_GROUPS_PER_LAYER - 1; i++) {
        int group = (int)layer * POISE_GROUPS_PER_LAYER + i;
        int first = store->group_start[group];
        int count = store->group_start[group + 1] - first;
        if (count == 0) {
            continue;
        }
        const PoiseMeshRange* range = &store->ranges[i / POISE_MESH_LEVELS][i % POISE_MESH_LEVELS];
        point_attributes(first);
        glDrawElementsInstanced(GL_TRIANGLES, range->index_count, GL_UNSIGNED_SHORT,
                                (const void*)((size_t)range->first_index * sizeof(uint16_t)),
                                count);
    }
    draw_own(store, layer);
    glBindVertexArray(0);
}
