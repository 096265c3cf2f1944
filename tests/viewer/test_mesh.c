// SPDX-License-Identifier: MIT
#include "mesh.h"

#include "near.h"

/// Returns a vertex of an instance with this core and shell.
static PoiseVec3 vertex_at(const PoiseMesh* mesh, int corner, PoiseVec3 core, double shell) {
    const PoiseMeshVertex* vertex = &mesh->vertices[mesh->indices[corner]];
    return poise_vec3((double)vertex->core[0] * core.x + (double)vertex->normal[0] * shell,
                      (double)vertex->core[1] * core.y + (double)vertex->normal[1] * shell,
                      (double)vertex->core[2] * core.z + (double)vertex->normal[2] * shell);
}

/// Returns the mesh's volume by the divergence theorem. It is right only if the mesh is closed and
/// its triangles face outwards.
static double volume_of(const PoiseMesh* mesh, PoiseVec3 core, double shell) {
    double volume = 0.0;
    for (int i = 0; i < mesh->index_count; i += 3) {
        PoiseVec3 a = vertex_at(mesh, i, core, shell);
        PoiseVec3 b = vertex_at(mesh, i + 1, core, shell);
        PoiseVec3 c = vertex_at(mesh, i + 2, core, shell);
        volume += poise_dot(a, poise_cross(b, c)) / 6.0;
    }
    return volume;
}

static const double PI = 3.14159265358979323846;

Test(mesh, volumes_are_those_of_the_shapes) {
    const struct {
        PoiseMeshKind kind;
        PoiseVec3 core;
        double shell;
        double volume;
    } rows[] = {
        {POISE_MESH_BOX, {0.5, 1.0, 1.5}, 1e-6, 6.0},
        {POISE_MESH_BALL, {0.0, 0.0, 0.0}, 1.0, 4.0 / 3.0 * PI},
        {POISE_MESH_ELLIPSOID, {0.5, 1.0, 1.5}, 0.0, 4.0 / 3.0 * PI * 0.75},
        {POISE_MESH_CAPSULE, {0.0, 0.0, 1.0}, 0.5, PI * 0.25 * 2.0 + PI / 6.0},
        {POISE_MESH_CYLINDER, {0.5, 0.5, 1.0}, 1e-6, PI * 0.25 * 2.0},
        {POISE_MESH_CONE, {0.5, 0.5, 1.0}, 0.0, PI * 0.25 / 3.0},
        {POISE_MESH_RING, {1.0, 1.0, 0.0}, 0.1, 2.0 * PI * PI * 0.01},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        PoiseMesh mesh;
        cr_assert(poise__mesh_init(&mesh, rows[i].kind, 16));
        double volume = volume_of(&mesh, rows[i].core, rows[i].shell);
        cr_expect(fabs(volume / rows[i].volume - 1.0) < 0.01, "kind %d: %g, expected %g",
                  (int)rows[i].kind, volume, rows[i].volume);
        poise__mesh_finish(&mesh);
    }
}

Test(mesh, normals_have_length_one_and_indices_are_in_range) {
    for (int kind = 0; kind < POISE_MESH_COUNT; kind++) {
        for (int detail = 1; detail <= 24; detail += 5) {
            PoiseMesh mesh;
            cr_assert(poise__mesh_init(&mesh, (PoiseMeshKind)kind, detail));
            for (int i = 0; i < mesh.index_count; i++) {
                cr_assert_lt(mesh.indices[i], mesh.vertex_count);
            }
            for (int i = 0; i < mesh.vertex_count; i++) {
                const float* n = mesh.vertices[i].normal;
                EXPECT_NEAR(sqrt((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])), 1.0, 1e-3);
            }
            poise__mesh_finish(&mesh);
        }
    }
}

Test(mesh, a_rounded_box_keeps_within_its_sides) {
    PoiseMesh mesh;
    cr_assert(poise__mesh_init(&mesh, POISE_MESH_BOX, 12));
    for (int i = 0; i < mesh.index_count; i++) {
        PoiseVec3 p = vertex_at(&mesh, i, poise_vec3(0.4, 0.9, 1.4), 0.1);
        cr_assert(fabs(p.x) <= 0.5 + 1e-6 && fabs(p.y) <= 1.0 + 1e-6 && fabs(p.z) <= 1.5 + 1e-6);
    }
    poise__mesh_finish(&mesh);
}

Test(mesh, detail_out_of_range_is_refused) {
    PoiseMesh mesh = {.vertices = NULL};
    cr_expect_not(poise__mesh_init(&mesh, POISE_MESH_BALL, 0));
    cr_expect_not(poise__mesh_init(&mesh, POISE_MESH_BALL, 1000));
}
