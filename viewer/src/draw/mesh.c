// SPDX-License-Identifier: MIT
// Builds the meshes of mesh.h: profiles rotated about z, a box whose faces bend into their
// neighbours, and an arc.
#include "mesh.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;
enum { MAX_PROFILE = 260 };

/// A point of a profile: distance from the z axis, height along z, and outward normal (z last).
typedef struct Rim {
    double core_r;
    double core_z;
    double normal_r;
    double normal_z;
} Rim;

static bool allocate(PoiseMesh* mesh, int vertices, int indices) {
    mesh->vertices = calloc((size_t)vertices, sizeof *mesh->vertices);
    mesh->indices = calloc((size_t)indices, sizeof *mesh->indices);
    mesh->vertex_count = 0;
    mesh->index_count = 0;
    if (!mesh->vertices || !mesh->indices || vertices > UINT16_MAX) {
        poise__mesh_finish(mesh);
        return false;
    }
    return true;
}

static void add_vertex(PoiseMesh* mesh, const double core[3], const double normal[3]) {
    PoiseMeshVertex* vertex = &mesh->vertices[mesh->vertex_count++];
    for (int i = 0; i < 3; i++) {
        vertex->core[i] = (float)core[i];
        vertex->normal[i] = (float)normal[i];
    }
}

static void add_triangle(PoiseMesh* mesh, int a, int b, int c) {
    mesh->indices[mesh->index_count++] = (uint16_t)a;
    mesh->indices[mesh->index_count++] = (uint16_t)b;
    mesh->indices[mesh->index_count++] = (uint16_t)c;
}

/// Adds the triangles of a grid of vertices, `rows` x `columns`, whose first vertex is `base`.
static void add_grid(PoiseMesh* mesh, int base, int rows, int columns) {
    for (int row = 0; row + 1 < rows; row++) {
        for (int column = 0; column + 1 < columns; column++) {
            int corner = base + row * columns + column;
            add_triangle(mesh, corner, corner + columns, corner + columns + 1);
            add_triangle(mesh, corner, corner + columns + 1, corner + 1);
        }
    }
}

/// An arc of a profile about (core_r, core_z), whose angles are measured from the z axis towards
/// the rim.
typedef struct RimArc {
    double core_r;
    double core_z;
    double from;
    double to;
    int segments;
} RimArc;

static int add_arc(Rim* profile, int count, RimArc arc) {
    for (int i = 0; i <= arc.segments; i++) {
        double angle = arc.from + (arc.to - arc.from) * i / arc.segments;
        Rim rim = {arc.core_r, arc.core_z, sin(angle), cos(angle)};
        profile[count++] = rim;
    }
    return count;
}

/// Makes the profile of a rotated mesh from top to bottom. Returns the number of its points.
static int make_profile(PoiseMeshKind kind, int detail, Rim profile[MAX_PROFILE]) {
    int count = 0;
    switch (kind) {
    case POISE_MESH_BALL:
        return add_arc(profile, 0, (RimArc){0.0, 0.0, 0.0, PI, 2 * detail});
    case POISE_MESH_ELLIPSOID:
        count = add_arc(profile, 0, (RimArc){0.0, 0.0, 0.0, PI, 2 * detail});
        for (int i = 0; i < count; i++) {
            profile[i].core_r = profile[i].normal_r;
            profile[i].core_z = profile[i].normal_z;
        }
        return count;
    case POISE_MESH_CAPSULE:
        count = add_arc(profile, 0, (RimArc){0.0, 1.0, 0.0, 0.5 * PI, detail});
        return add_arc(profile, count, (RimArc){0.0, -1.0, 0.5 * PI, PI, detail});
    case POISE_MESH_CYLINDER:
        count = add_arc(profile, 0, (RimArc){0.0, 1.0, 0.0, 0.0, 1});
        count = add_arc(profile, count, (RimArc){1.0, 1.0, 0.0, 0.5 * PI, (detail + 2) / 3});
        count = add_arc(profile, count, (RimArc){1.0, -1.0, 0.5 * PI, PI, (detail + 2) / 3});
        return add_arc(profile, count, (RimArc){0.0, -1.0, PI, PI, 1});
    case POISE_MESH_CONE: {
        // the normal of a cone 2.5 times as high as its radius
        Rim tip = {0.0, 1.0, 0.928, 0.371};
        Rim edge = {1.0, 0.0, 0.928, 0.371};
        Rim under = {1.0, 0.0, 0.0, -1.0};
        Rim middle = {0.0, 0.0, 0.0, -1.0};
        profile[0] = tip;
        profile[1] = edge;
        profile[2] = under;
        profile[3] = middle;
        return 4;
    }
    case POISE_MESH_RING:
        return add_arc(profile, 0, (RimArc){1.0, 0.0, -PI, PI, 2 * detail});
    case POISE_MESH_ARC:
    case POISE_MESH_BOX:
    case POISE_MESH_COUNT:
    case POISE_MESH_LINE:
        break;
    }
    return 0;
}

static bool make_turned(PoiseMesh* mesh, PoiseMeshKind kind, int detail) {
    Rim profile[MAX_PROFILE];
    int rows = make_profile(kind, detail, profile);
    int columns = 4 * detail * (kind == POISE_MESH_RING ? 2 : 1) + 1;
    if (!allocate(mesh, rows * columns, 6 * (rows - 1) * (columns - 1))) {
        return false;
    }
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            double turn = 2.0 * PI * column / (columns - 1);
            const Rim* rim = &profile[row];
            double core[3] = {rim->core_r * cos(turn), rim->core_r * sin(turn), rim->core_z};
            double normal[3] = {rim->normal_r * cos(turn), rim->normal_r * sin(turn),
                                rim->normal_z};
            add_vertex(mesh, core, normal);
        }
    }
    add_grid(mesh, 0, rows, columns);
    return true;
}

/// Adds a face of the box. The first half of its rows and columns bends towards one neighbour, the
/// second half towards the opposite one.
static void add_face(PoiseMesh* mesh, int axis, double side, int detail) {
    int half = detail + 1;
    int base = mesh->vertex_count;
    int u_axis = (axis + 1) % 3;
    int v_axis = (axis + 2) % 3;
    for (int row = 0; row < 2 * half; row++) {
        for (int column = 0; column < 2 * half; column++) {
            // angles are equally spaced from -45 to 0 degrees, and from 0 to 45
            int u_step = row < half ? row - detail : row - half;
            int v_step = column < half ? column - detail : column - half;
            double u = tan(0.25 * PI * u_step / detail);
            double v = tan(0.25 * PI * v_step / detail) * side;
            double length = sqrt(1.0 + u * u + v * v);
            double core[3];
            double normal[3];
            core[axis] = side;
            core[u_axis] = row < half ? -1.0 : 1.0;
            core[v_axis] = (column < half ? -1.0 : 1.0) * side;
            normal[axis] = side / length;
            normal[u_axis] = u / length;
            normal[v_axis] = v / length;
            add_vertex(mesh, core, normal);
        }
    }
    add_grid(mesh, base, 2 * half, 2 * half);
}

static bool make_box(PoiseMesh* mesh, int detail) {
    int side = 2 * (detail + 1);
    if (!allocate(mesh, 6 * side * side, 36 * (side - 1) * (side - 1))) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        add_face(mesh, axis, 1.0, detail);
        add_face(mesh, axis, -1.0, detail);
    }
    return true;
}

/// Makes a tube with a round cross-section. Its ends are open, since balls or cones cover them.
static bool make_arc(PoiseMesh* mesh, int detail) {
    int rows = 8 * detail + 1;
    int columns = 2 * detail + 3;
    if (!allocate(mesh, rows * columns, 6 * (rows - 1) * (columns - 1))) {
        return false;
    }
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            double turn = 2.0 * PI * column / (columns - 1);
            const double core[3] = {(double)row / (rows - 1), 0.0, 0.0};
            const double normal[3] = {cos(turn), 0.0, sin(turn)};
            add_vertex(mesh, core, normal);
        }
    }
    add_grid(mesh, 0, rows, columns);
    return true;
}

bool poise__mesh_init(PoiseMesh* mesh, PoiseMeshKind kind, int detail) {
    enum { MAX_DETAIL = 24 };
    if (detail < 1 || detail > MAX_DETAIL) {
        return false;
    }
    return kind == POISE_MESH_ARC   ? make_arc(mesh, detail)
           : kind == POISE_MESH_BOX ? make_box(mesh, (detail + 2) / 3)
                                    : make_turned(mesh, kind, detail);
}

void poise__mesh_finish(PoiseMesh* mesh) {
    free(mesh->vertices);
    free(mesh->indices);
    mesh->vertices = NULL;
    mesh->indices = NULL;
    mesh->vertex_count = 0;
    mesh->index_count = 0;
}
