// SPDX-License-Identifier: MIT
// Bounds of all meshes of a scene. Robot files that ask for much work: tests/hostile/run.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "loaded.h"
#include "program.h"
#include "robot.h"

// The bounds hold for all meshes of a scene. `before` is the cost of earlier meshes.
SCRATCH_TEST(robot_bounds, bytes_triangles_and_seconds_of_meshes_are_bounded) {
    if (!poise__mesh_is_built()) {
        cr_skip("built without meshes");
        return;
    }
    static const char wedge[] =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    write_scratch("wedge.obj", wedge);
    static const struct {
        MeshCost before;
        const char* says; // NULL: the mesh is read
    } rows[] = {
        {{0, 0, 0.0, false}, NULL},
        {{9999999, 500 * 1024 * 1024, 59.0, false}, NULL},
        {{10000000, 0, 0.0, false},
         "is left out: those before it have 10,000,000 triangles together"},
        {{0, 512 * 1024 * 1024, 0.0, false},
         "is left out: with those before it, it is larger than 512 MB"},
        {{0, 0, 60.0, false}, "is left out: those before it took 60 s of processor time together"},
    };
    static const char robot[] =
        "<robot name='r'><link name='a'><collision><geometry>"
        "<mesh filename='wedge.obj'/></geometry></collision></link></robot>";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Arena* arena = kept_arena();
        MeshCost cost = rows[i].before;
        PoiseDiagnostics* diagnostics = kept_diagnostics();
        Document document = {
            .arena = arena, .diagnostics = diagnostics, .file = "r.urdf", .mesh_cost = &cost};
        cr_assert_not_null(poise__robot_read(&document, robot, strlen(robot)));
        const char* said = poise_diagnostics_size(diagnostics) > 0
                               ? poise_diagnostics_at(diagnostics, 0).text
                               : "nothing";
        cr_expect(rows[i].says ? strstr(said, rows[i].says) != NULL : cost.triangles > 0,
                  "row %zu: %s", i, said);
        const int more = rows[i].says ? 0 : 4;
        cr_expect_eq(cost.triangles, rows[i].before.triangles + more, "row %zu: %d", i,
                     cost.triangles);
        const size_t bytes = rows[i].says ? 0 : strlen(wedge);
        cr_expect_eq(cost.bytes, rows[i].before.bytes + bytes, "row %zu", i);
        cr_expect_eq(cost.seconds > rows[i].before.seconds, rows[i].says == NULL, "row %zu", i);
    }
}

// One file at three scales is read once. A link's mass is proportional to the volume.
SCRATCH_TEST(robot_bounds, a_mesh_at_many_scales_is_read_once) {
    if (!poise__mesh_is_built()) {
        cr_skip("built without meshes");
        return;
    }
    static const char wedge[] =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    static const char robot[] =
        "<robot name='r'>"
        "<link name='a'><collision><geometry><mesh filename='wedge.obj' scale='0.1 0.1 0.1'/>"
        "</geometry></collision></link>"
        "<link name='b'><collision><geometry><mesh filename='wedge.obj' scale='0.2 0.2 0.2'/>"
        "</geometry></collision></link>"
        "<link name='c'><collision><geometry><mesh filename='wedge.obj' scale='0.1 -0.3 0.1'/>"
        "</geometry></collision></link>"
        "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
        "<joint name='k' type='continuous'><parent link='b'/><child link='c'/></joint></robot>";
    static const double volumes[] = {1.0, 8.0, 3.0}; // relative to the first link
    write_scratch("wedge.obj", wedge);
    Arena* arena = kept_arena();
    MeshCost cost = {0};
    PoiseDiagnostics* diagnostics = kept_diagnostics();
    Document document = {
        .arena = arena, .diagnostics = diagnostics, .file = "r.urdf", .mesh_cost = &cost};
    const Robot* read = poise__robot_read(&document, robot, strlen(robot));
    cr_assert_not_null(read);
    cr_expect_eq(cost.triangles, 4, "%d triangles", cost.triangles);
    cr_expect_eq(cost.bytes, strlen(wedge));
    for (int i = 0; i < 3; i++) {
        const double part = read->links[i].solid.mass / read->links[0].solid.mass;
        cr_expect(fabs(part - volumes[i]) < 1e-12, "link %d: %.17g", i, part);
    }
}
