// SPDX-License-Identifier: MIT
// Simplifies a mesh by collapsing edges, those with the least quadric error first (meshoptimizer).
// Before, vertices at the same position are joined. Afterwards, normals are averaged over
// neighbouring triangles that meet without a sharp edge.
#include "look_triangles.h"

#include <math.h>
#include <meshoptimizer.h>
#include <stdlib.h>
#include <string.h>

/// Two triangles meet at a sharp edge if the cosine between their normals is below this.
static const double EDGE = 0.75;
/// A vertex is smooth if the sum of the normals around it has at least this fraction of the sum of
/// their lengths.
static const double SMOOTH = 0.9;

/// Positions are rounded to this fraction of the mesh's largest coordinate, so that vertices of
/// files that differ by rounding become the same.
static const double ROUNDING = 0x1p-20;

/// A corner of a triangle. Corners with the same position and colour become one vertex.
typedef struct Corner {
    float place[3];
    uint32_t tint;
} Corner;

/// A mesh with joined corners: the first `count` numbers of `indices` are triangles of its
/// vertices.
typedef struct Joined {
    Corner* vertices;
    size_t vertex_count;
    unsigned int* indices;
    size_t count;
    /// By vertex: the first vertex at the same position.
    unsigned int* firsts;
    /// By position: the sum of the normals of the whole mesh's triangles, and the sum of their
    /// lengths.
    PoiseVec3* normals;
    double* lengths;
} Joined;

static void list_corners(Corner* corners, const PoiseLookMesh* mesh) {
    double largest = 1e-9;
    for (int i = 0; i < mesh->point_count; i++) {
        const PoiseVec3 p = mesh->points[i];
        largest = fmax(largest, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
    }
    const double cell = ROUNDING * largest;
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        const PoiseVec3 p = mesh->points[mesh->triangles[i / 3][i % 3]];
        // adds 0, since -0 has other bits than 0
        const Corner corner = {{(float)(cell * round(p.x / cell) + 0.0),
                                (float)(cell * round(p.y / cell) + 0.0),
                                (float)(cell * round(p.z / cell) + 0.0)},
                               mesh->tints ? mesh->tints[i / 3] : 0};
        corners[i] = corner;
    }
}

/// Keeps only the triangles whose three positions differ.
static void drop_degenerate(Joined* joined) {
    size_t kept = 0;
    for (size_t i = 0; i < joined->count; i += 3) {
        const unsigned int* t = &joined->indices[i];
        const unsigned int a = joined->firsts[t[0]];
        const unsigned int b = joined->firsts[t[1]];
        const unsigned int c = joined->firsts[t[2]];
        if (a != b && b != c && c != a) {
            memmove(&joined->indices[kept], t, 3 * sizeof *t);
            kept += 3;
        }
    }
    joined->count = kept;
}

static bool join(Joined* joined, const PoiseLookMesh* mesh) {
    const size_t count = 3 * (size_t)mesh->triangle_count;
    Corner* corners = malloc(count * sizeof *corners);
    unsigned int* remap = malloc(count * sizeof *remap);
    *joined = (Joined){.vertices = malloc(count * sizeof *joined->vertices),
                       .indices = malloc(count * sizeof *joined->indices),
                       .count = count};
    bool good = corners && remap && joined->vertices && joined->indices;
    if (good) {
        list_corners(corners, mesh);
        joined->vertex_count =
            meshopt_generateVertexRemap(remap, NULL, count, corners, count, sizeof *corners);
        meshopt_remapVertexBuffer(joined->vertices, corners, count, sizeof *corners, remap);
        meshopt_remapIndexBuffer(joined->indices, NULL, count, remap);
        // meshoptimizer accepts only whole triangles
        const size_t padded = (joined->vertex_count + 2) / 3 * 3;
        joined->firsts = calloc(padded, sizeof *joined->firsts);
        joined->normals = calloc(joined->vertex_count, sizeof *joined->normals);
        joined->lengths = calloc(joined->vertex_count, sizeof *joined->lengths);
        good = joined->firsts && joined->normals && joined->lengths;
    }
    if (good) {
        for (unsigned int i = 0; i < joined->vertex_count; i++) {
            joined->firsts[i] = i;
        }
        meshopt_generateShadowIndexBuffer(
            joined->firsts, joined->firsts, (joined->vertex_count + 2) / 3 * 3, joined->vertices,
            joined->vertex_count, sizeof(float[3]), sizeof *joined->vertices);
        drop_degenerate(joined);
    }
    free(corners);
    free(remap);
    return good;
}

static PoiseVec3 place_of(const Joined* joined, unsigned int vertex) {
    const float* p = joined->vertices[vertex].place;
    return poise_vec3((double)p[0], (double)p[1], (double)p[2]);
}

/// Returns the normal of the triangle that begins at this index, with twice the area as its length.
static PoiseVec3 normal_of(const Joined* joined, size_t index) {
    const unsigned int* t = &joined->indices[index];
    const PoiseVec3 a = place_of(joined, t[0]);
    return poise_cross(poise_sub(place_of(joined, t[1]), a), poise_sub(place_of(joined, t[2]), a));
}

static void sum_normals(Joined* joined) {
    for (size_t i = 0; i < joined->count; i++) {
        const PoiseVec3 normal = normal_of(joined, i - i % 3);
        const unsigned int first = joined->firsts[joined->indices[i]];
        joined->normals[first] = poise_add(joined->normals[first], normal);
        joined->lengths[first] += poise_length(normal);
    }
}

static bool simplify(Joined* joined, double tolerance) {
    unsigned int* fewer = malloc((joined->count + 1) * sizeof *fewer);
    if (!fewer) {
        return false;
    }
    const float* places = joined->vertices[0].place;
    const double scale =
        (double)meshopt_simplifyScale(places, joined->vertex_count, sizeof *joined->vertices);
    const float error = (float)fmin(1.0, tolerance / fmax(scale, 1e-12));
    joined->count =
        meshopt_simplify(fewer, joined->indices, joined->count, places, joined->vertex_count,
                         sizeof *joined->vertices, 0, error, 0, NULL);
    free(joined->indices);
    joined->indices = fewer;
    return true;
}

/// Returns a number for the edge from one position to another, which no other edge has.
static uint64_t edge_number(unsigned int from, unsigned int to) {
    uint64_t number = ((uint64_t)from << 32 | to) * 0x9e3779b97f4a7c15u;
    number = (number ^ number >> 31) * 0xbf58476d1ce4e5b9u;
    return number ^ number >> 29;
}

/// True if every edge has a triangle on both sides, and the enclosed volume is positive. Edges of
/// two triangles in opposite directions cancel in the sum of their numbers.
static bool is_closed(const Joined* joined) {
    uint64_t open = 0;
    double volume = 0.0;
    for (size_t i = 0; i < joined->count; i++) {
        const unsigned int* t = &joined->indices[i - i % 3];
        const unsigned int a = joined->firsts[t[i % 3]];
        const unsigned int b = joined->firsts[t[(i + 1) % 3]];
        open += edge_number(a, b) - edge_number(b, a);
        volume += poise_dot(place_of(joined, t[0]), normal_of(joined, i - i % 3));
    }
    return open == 0 && volume > 0.0;
}

// ---------------------------------------------------------------------------------------- normals

/// The triangles around each position: `list` has their first indices, from `start[position]` on.
typedef struct TrianglesAround {
    size_t* start;
    size_t* list;
} TrianglesAround;

static bool list_around(TrianglesAround* around, const Joined* joined) {
    around->start = calloc(joined->vertex_count + 2, sizeof *around->start);
    around->list = malloc((joined->count + 1) * sizeof *around->list);
    if (!around->start || !around->list) {
        return false;
    }
    for (size_t i = 0; i < joined->count; i++) {
        around->start[joined->firsts[joined->indices[i]] + 2]++;
    }
    for (size_t i = 0; i < joined->vertex_count; i++) {
        around->start[i + 2] += around->start[i + 1];
    }
    for (size_t i = 0; i < joined->count; i++) {
        around->list[around->start[joined->firsts[joined->indices[i]] + 1]++] = i - i % 3;
    }
    return true;
}

/// Returns the unit normal of the triangle at `index` at its corner with this position, averaged
/// over triangles that meet there without a sharp edge.
static PoiseVec3 normal_at(const Joined* joined, const TrianglesAround* around, size_t index,
                           unsigned int first) {
    const double smooth = poise_length(joined->normals[first]);
    if (smooth > SMOOTH * joined->lengths[first]) {
        return poise_scale(1.0 / smooth, joined->normals[first]);
    }
    PoiseVec3 sum = poise_vec3(0.0, 0.0, 0.0);
    const PoiseVec3 own = normal_of(joined, index);
    const double length = poise_length(own);
    for (size_t i = around->start[first]; i < around->start[first + 1]; i++) {
        const PoiseVec3 other = normal_of(joined, around->list[i]);
        if (poise_dot(other, own) >= EDGE * length * poise_length(other)) {
            sum = poise_add(sum, other);
        }
    }
    const double total = poise_length(sum);
    return total > 0.0 ? poise_scale(1.0 / total, sum) : poise_vec3(0.0, 0.0, 1.0);
}

/// A triangle's first index and its colour, by which triangles are sorted.
typedef struct Tinted {
    uint32_t tint;
    size_t index;
} Tinted;

static int by_tint(const void* a, const void* b) {
    const Tinted* x = a;
    const Tinted* y = b;
    return x->tint != y->tint ? (x->tint > y->tint) - (x->tint < y->tint)
                              : (x->index > y->index) - (x->index < y->index);
}

/// Fills `corners` with a vertex for each index, sorted by colour, and the model with the parts.
static void list_vertices(PoiseLookModel* model, const Joined* joined,
                          const TrianglesAround* around, const Tinted* order,
                          PoiseMeshVertex* corners) {
    int count = 0;
    for (size_t i = 0; i < joined->count / 3; i++) {
        PoiseLookPart* part = model->part_count > 0 ? &model->parts[model->part_count - 1] : NULL;
        if (!part || (part->tint != order[i].tint && model->part_count < POISE_LOOK_PARTS)) {
            part = &model->parts[model->part_count++];
            *part = (PoiseLookPart){order[i].tint, count, 0};
        }
        for (int k = 0; k < 3; k++) {
            const unsigned int vertex = joined->indices[order[i].index + (size_t)k];
            const float* p = joined->vertices[vertex].place;
            const PoiseVec3 n = normal_at(joined, around, order[i].index, joined->firsts[vertex]);
            const PoiseMeshVertex corner = {{p[0], p[1], p[2]},
                                            {(float)n.x, (float)n.y, (float)n.z}};
            corners[count++] = corner;
        }
        part->count += 3;
    }
}

/// Joins equal corners to vertices. Sorts the triangles of each part so that neighbours are
/// adjacent, for the cache of transformed vertices.
static bool index_vertices(PoiseLookModel* model, const PoiseMeshVertex* corners, size_t count) {
    unsigned int* remap = malloc(count * sizeof *remap);
    if (!remap) {
        return false;
    }
    const size_t unique =
        meshopt_generateVertexRemap(remap, NULL, count, corners, count, sizeof *corners);
    model->vertices = malloc(unique * sizeof *model->vertices);
    model->indices = malloc(count * sizeof *model->indices);
    if (model->vertices && model->indices) {
        model->vertex_count = (int)unique;
        model->index_count = (int)count;
        meshopt_remapVertexBuffer(model->vertices, corners, count, sizeof *corners, remap);
        for (int i = 0; i < model->vertex_count; i++) {
            const float* p = model->vertices[i].core;
            model->reach = fmaxf(model->reach, sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
        }
        meshopt_remapIndexBuffer(model->indices, NULL, count, remap);
        for (int i = 0; i < model->part_count; i++) {
            uint32_t* first = model->indices + model->parts[i].first;
            meshopt_optimizeVertexCache(first, first, (size_t)model->parts[i].count, unique);
        }
    }
    free(remap);
    return model->vertices && model->indices;
}

static void make_parts(PoiseLookModel* model, const Joined* joined) {
    TrianglesAround around = {NULL, NULL};
    Tinted* order = malloc((joined->count / 3 + 1) * sizeof *order);
    PoiseMeshVertex* corners = malloc((joined->count + 1) * sizeof *corners);
    if (list_around(&around, joined) && order && corners) {
        for (size_t i = 0; i < joined->count / 3; i++) {
            order[i] = (Tinted){joined->vertices[joined->indices[3 * i]].tint, 3 * i};
        }
        qsort(order, joined->count / 3, sizeof *order, by_tint);
        list_vertices(model, joined, &around, order, corners);
        if (!index_vertices(model, corners, joined->count)) {
            poise__look_drop(model);
        }
    }
    free(around.start);
    free(around.list);
    free(order);
    free(corners);
}

bool poise__look_make(PoiseLookModel* model, const PoiseLookMesh* mesh, double tolerance) {
    Joined joined = {.vertices = NULL};
    *model = (PoiseLookModel){.vertices = NULL};
    if (mesh->triangle_count > 0 && join(&joined, mesh) && joined.count > 0) {
        sum_normals(&joined);
        if ((tolerance <= 0.0 || simplify(&joined, tolerance)) && joined.count > 0) {
            make_parts(model, &joined);
            model->closed = is_closed(&joined);
        }
    }
    free(joined.vertices);
    free(joined.indices);
    free(joined.firsts);
    free(joined.normals);
    free(joined.lengths);
    return model->index_count > 0;
}

void poise__look_drop(PoiseLookModel* model) {
    free(model->vertices);
    free(model->indices);
    *model = (PoiseLookModel){.vertices = NULL};
}
