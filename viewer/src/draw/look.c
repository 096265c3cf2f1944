// SPDX-License-Identifier: MIT
// Simplifies a mesh. Points in the same cell of a grid become one cluster; the cells are as small
// as the number of triangles allows. Normals are then averaged over neighbouring triangles that
// meet without a sharp edge.
#include "look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Number of cells along the mesh's longest side: the coarsest grid, and a grid that only joins
/// points at the same position.
enum { COARSEST = 4, FINEST = 1 << 18 };
/// Two triangles meet at a sharp edge if the cosine of the angle between their normals is below
/// this.
static const double EDGE = 0.75;
/// A cluster is smooth if the sum of its normals has at least this part of the sum of their
/// lengths.
static const double SMOOTH = 0.9;

/// A mesh whose points have been joined to clusters.
typedef struct Joined {
    int* cluster_of;   ///< cluster of each point of the mesh
    PoiseVec3* places; ///< position of each cluster
    /// Sum of the normals of the mesh's triangles at each cluster, and the sum of their lengths.
    PoiseVec3* normals;
    double* lengths;
    int cluster_count;
    int* slots; ///< hash table: cluster + 1, 0: free
    uint64_t* keys;
    size_t slot_count;
} Joined;

static void drop_joined(Joined* joined) {
    free(joined->cluster_of);
    free(joined->places);
    free(joined->normals);
    free(joined->lengths);
    free(joined->slots);
    free(joined->keys);
}

static bool make_joined(Joined* joined, const PoiseLookMesh* mesh) {
    size_t slots = 16;
    while (slots < 2 * (size_t)mesh->point_count) {
        slots *= 2;
    }
    *joined = (Joined){.slot_count = slots};
    joined->cluster_of = malloc(((size_t)mesh->point_count + 1) * sizeof *joined->cluster_of);
    joined->places = malloc(((size_t)mesh->point_count + 1) * sizeof *joined->places);
    joined->normals = malloc(((size_t)mesh->point_count + 1) * sizeof *joined->normals);
    joined->lengths = malloc(((size_t)mesh->point_count + 1) * sizeof *joined->lengths);
    joined->slots = malloc(slots * sizeof *joined->slots);
    joined->keys = malloc(slots * sizeof *joined->keys);
    return joined->cluster_of && joined->places && joined->normals && joined->lengths &&
           joined->slots && joined->keys;
}

static uint64_t key_of(PoiseVec3 p, PoiseVec3 lower, double cell) {
    const uint64_t x = (uint64_t)((p.x - lower.x) / cell);
    const uint64_t y = (uint64_t)((p.y - lower.y) / cell);
    return x << 42 | y << 21 | (uint64_t)((p.z - lower.z) / cell);
}

static int cluster_of(Joined* joined, uint64_t key) {
    size_t slot = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (joined->slot_count - 1);
    while (joined->slots[slot] != 0 && joined->keys[slot] != key) {
        slot = (slot + 1) & (joined->slot_count - 1);
    }
    if (joined->slots[slot] == 0) {
        joined->slots[slot] = ++joined->cluster_count;
        joined->keys[slot] = key;
    }
    return joined->slots[slot] - 1;
}

static bool is_degenerate(const Joined* joined, const int corners[3]) {
    const int a = joined->cluster_of[corners[0]];
    const int b = joined->cluster_of[corners[1]];
    const int c = joined->cluster_of[corners[2]];
    return a == b || b == c || c == a;
}

/// Joins the points of each cell, with `cells` cells along the longest side. Returns the number of
/// triangles that are not degenerate then.
static int join(Joined* joined, const PoiseLookMesh* mesh, int cells) {
    PoiseVec3 lower = mesh->points[0];
    PoiseVec3 upper = lower;
    for (int i = 0; i < mesh->point_count; i++) {
        const PoiseVec3 p = mesh->points[i];
        lower = poise_vec3(fmin(lower.x, p.x), fmin(lower.y, p.y), fmin(lower.z, p.z));
        upper = poise_vec3(fmax(upper.x, p.x), fmax(upper.y, p.y), fmax(upper.z, p.z));
    }
    const PoiseVec3 size = poise_sub(upper, lower);
    const double cell = fmax(fmax(size.x, fmax(size.y, size.z)), 1e-9) * 1.000001 / cells;
    memset(joined->slots, 0, joined->slot_count * sizeof *joined->slots);
    joined->cluster_count = 0;
    for (int i = 0; i < mesh->point_count; i++) {
        const int before = joined->cluster_count;
        const int cluster = cluster_of(joined, key_of(mesh->points[i], lower, cell));
        joined->cluster_of[i] = cluster;
        if (cluster == before) { // the first point of the cell gives its position
            joined->places[cluster] = mesh->points[i];
        }
    }
    int left = 0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        left += !is_degenerate(joined, mesh->triangles[i]);
    }
    return left;
}

/// Joins points on the finest grid that leaves at most `max_triangles` triangles. Returns their
/// number.
static int join_to(Joined* joined, const PoiseLookMesh* mesh, int max_triangles) {
    int left = join(joined, mesh, FINEST);
    int fine = FINEST;
    int coarse = COARSEST;
    if (left <= max_triangles) {
        return left;
    }
    while (fine > coarse + 1 && (double)fine > 1.02 * coarse) {
        const int middle = (int)sqrt((double)fine * coarse);
        const int cells = middle > coarse ? middle : coarse + 1;
        if (join(joined, mesh, cells) > max_triangles) {
            fine = cells;
        } else {
            coarse = cells;
        }
    }
    return join(joined, mesh, coarse);
}

// ---------------------------------------------------------------------------------------- normals

/// A triangle that is not degenerate.
typedef struct Face {
    int corners[3];   ///< clusters
    PoiseVec3 normal; ///< its length is twice the area
    uint32_t tint;
} Face;

/// The faces around each cluster, one list after the other.
typedef struct FacesAround {
    int* start;
    int* faces;
} FacesAround;

static bool list_faces_around(FacesAround* around, const Face* faces, int face_count,
                              int cluster_count) {
    around->start = calloc((size_t)cluster_count + 2, sizeof *around->start);
    around->faces = malloc((3 * (size_t)face_count + 1) * sizeof *around->faces);
    if (!around->start || !around->faces) {
        return false;
    }
    for (int i = 0; i < 3 * face_count; i++) {
        around->start[faces[i / 3].corners[i % 3] + 2]++;
    }
    for (int i = 0; i < cluster_count; i++) {
        around->start[i + 2] += around->start[i + 1];
    }
    for (int i = 0; i < 3 * face_count; i++) {
        around->faces[around->start[faces[i / 3].corners[i % 3] + 1]++] = i / 3;
    }
    return true;
}

/// Sums the normals of the original mesh for each cluster.
static void sum_normals(Joined* joined, const PoiseLookMesh* mesh) {
    for (int i = 0; i < joined->cluster_count; i++) {
        joined->normals[i] = poise_vec3(0.0, 0.0, 0.0);
        joined->lengths[i] = 0.0;
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        const PoiseVec3 a = mesh->points[mesh->triangles[i][0]];
        const PoiseVec3 normal = poise_cross(poise_sub(mesh->points[mesh->triangles[i][1]], a),
                                             poise_sub(mesh->points[mesh->triangles[i][2]], a));
        for (int k = 0; k < 3; k++) {
            const int cluster = joined->cluster_of[mesh->triangles[i][k]];
            joined->normals[cluster] = poise_add(joined->normals[cluster], normal);
            joined->lengths[cluster] += poise_length(normal);
        }
    }
}

static PoiseVec3 normal_at(const Joined* joined, const FacesAround* around, const Face* faces,
                           const Face* face, int cluster) {
    const double smooth = poise_length(joined->normals[cluster]);
    if (smooth > SMOOTH * joined->lengths[cluster]) {
        return poise_scale(1.0 / smooth, joined->normals[cluster]);
    }
    PoiseVec3 sum = poise_vec3(0.0, 0.0, 0.0);
    const double length = poise_length(face->normal);
    for (int i = around->start[cluster]; i < around->start[cluster + 1]; i++) {
        const PoiseVec3 other = faces[around->faces[i]].normal;
        if (poise_dot(other, face->normal) >= EDGE * length * poise_length(other)) {
            sum = poise_add(sum, other);
        }
    }
    const double total = poise_length(sum);
    return total > 0.0 ? poise_scale(1.0 / total, sum) : poise_vec3(0.0, 0.0, 1.0);
}

static int by_tint(const void* a, const void* b) {
    const uint32_t x = ((const Face*)a)->tint;
    const uint32_t y = ((const Face*)b)->tint;
    return (x > y) - (x < y);
}

static int list_faces(Face* faces, const Joined* joined, const PoiseLookMesh* mesh) {
    int count = 0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        if (is_degenerate(joined, mesh->triangles[i])) {
            continue;
        }
        Face* face = &faces[count++];
        for (int k = 0; k < 3; k++) {
            face->corners[k] = joined->cluster_of[mesh->triangles[i][k]];
        }
        const PoiseVec3 a = joined->places[face->corners[0]];
        face->normal = poise_cross(poise_sub(joined->places[face->corners[1]], a),
                                   poise_sub(joined->places[face->corners[2]], a));
        face->tint = mesh->tints ? mesh->tints[i] : 0;
    }
    qsort(faces, (size_t)count, sizeof *faces, by_tint);
    return count;
}

static void add_face(PoiseLookModel* model, const Joined* joined, const Face* faces,
                     const Face* face, const FacesAround* around) {
    PoiseLookPart* part = model->part_count > 0 ? &model->parts[model->part_count - 1] : NULL;
    if (!part || (part->tint != face->tint && model->part_count < POISE_LOOK_PARTS)) {
        part = &model->parts[model->part_count++];
        *part = (PoiseLookPart){face->tint, model->vertex_count, 0};
    }
    for (int k = 0; k < 3; k++) {
        const PoiseVec3 place = joined->places[face->corners[k]];
        const PoiseVec3 normal = normal_at(joined, around, faces, face, face->corners[k]);
        const PoiseMeshVertex vertex = {{(float)place.x, (float)place.y, (float)place.z},
                                        {(float)normal.x, (float)normal.y, (float)normal.z}};
        model->vertices[model->vertex_count++] = vertex;
    }
    part->count += 3;
}

bool poise__look_make(PoiseLookModel* model, const PoiseLookMesh* mesh, int max_triangles) {
    Joined joined;
    FacesAround around = {NULL, NULL};
    *model = (PoiseLookModel){.vertices = NULL};
    int count = 0;
    if (mesh->triangle_count > 0 && make_joined(&joined, mesh)) {
        count = join_to(&joined, mesh, max_triangles);
    }
    Face* faces = malloc(((size_t)count + 1) * sizeof *faces);
    model->vertices = malloc((3 * (size_t)count + 1) * sizeof *model->vertices);
    if (count > 0 && faces && model->vertices) {
        sum_normals(&joined, mesh);
        count = list_faces(faces, &joined, mesh);
        if (list_faces_around(&around, faces, count, joined.cluster_count)) {
            for (int i = 0; i < count; i++) {
                add_face(model, &joined, faces, &faces[i], &around);
            }
        }
    }
    if (mesh->triangle_count > 0) {
        drop_joined(&joined);
    }
    free(faces);
    free(around.start);
    free(around.faces);
    if (model->vertex_count == 0) {
        poise__look_drop(model);
    }
    return model->vertex_count > 0;
}

void poise__look_drop(PoiseLookModel* model) {
    free(model->vertices);
    *model = (PoiseLookModel){.vertices = NULL};
}
