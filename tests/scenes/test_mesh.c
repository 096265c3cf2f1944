// SPDX-License-Identifier: MIT
// Tests meshes against closed forms: their mass, and the primitive that encloses them. Also tests
// robots whose links have only meshes.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "mesh.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loaded.h"
#include "near.h"
#include "program.h"
#include "random.h"

#define PI 3.14159265358979323846

enum { MOST_POINTS = 4000 };

static PoiseVec3 points[MOST_POINTS];

static const PoisePose somewhere = {{0.3, -0.2, 0.5}, {0.7, 0.1, -0.5, 0.5}};

static PoisePose pose_of(void) {
    return poise_pose(somewhere.p, poise_quat_normalize(somewhere.q));
}

static void add_point(Mesh* mesh, double x, double y, double z) {
    cr_assert(mesh->point_count < MOST_POINTS);
    mesh->points[mesh->point_count++] = poise_pose_apply(pose_of(), poise_vec3(x, y, z));
}

// Returns a box of 0.4 x 0.2 x 0.1 m, with points inside it.
static Mesh box_of_points(void) {
    Mesh mesh = {.points = points};
    Random random = random_from(3);
    for (int i = 0; i < 8; i++) {
        add_point(&mesh, i & 1 ? 0.2 : -0.2, i & 2 ? 0.1 : -0.1, i & 4 ? 0.05 : -0.05);
    }
    for (int i = 0; i < 1000; i++) {
        const PoiseVec3 p = random_vec3(&random, 1.0);
        add_point(&mesh, 0.199 * p.x, 0.099 * p.y, 0.049 * p.z);
    }
    return mesh;
}

// Adds rings of 48 points along z. `radius` gives the radius at z.
static Mesh rings(double from, double to, double (*radius)(double z)) {
    Mesh mesh = {.points = points};
    for (int i = 0; i <= 40; i++) {
        double z = from + (to - from) * i / 40.0;
        for (int k = 0; k < 48; k++) {
            double r = radius(z);
            add_point(&mesh, r * cos(2.0 * PI * k / 48.0), r * sin(2.0 * PI * k / 48.0), z);
        }
    }
    return mesh;
}

static double of_cylinder(double z) {
    (void)z;
    return 0.1;
}

// Returns the radius at height z of a capsule: half length 0.15 m, radius 0.1 m.
static double of_capsule(double z) {
    double over = fabs(z) - 0.15;
    return over > 0.0 ? sqrt(fmax(0.0, 0.01 - over * over)) : 0.1;
}

static double of_ball(double z) {
    return sqrt(fmax(0.0, 0.01 - z * z));
}

// Returns the distance of a point outside of the shape, m; negative inside.
static double outside(const PoiseSceneShape* shape, PoiseVec3 point) {
    PoiseVec3 p = poise_quat_rotate(poise_quat_conjugate(shape->in_body.q),
                                    poise_sub(point, shape->in_body.p));
    double round = sqrt(p.x * p.x + p.y * p.y);
    switch (shape->kind) {
    case POISE_SHAPE_BOX:
        return fmax(fabs(p.x) - 0.5 * shape->size.x,
                    fmax(fabs(p.y) - 0.5 * shape->size.y, fabs(p.z) - 0.5 * shape->size.z));
    case POISE_SHAPE_SPHERE:
        return poise_length(p) - shape->size.x;
    case POISE_SHAPE_CAPSULE:
        return hypot(round, fmax(0.0, fabs(p.z) - 0.5 * shape->size.y)) - shape->size.x;
    case POISE_SHAPE_CYLINDER:
        return fmax(round - shape->size.x, fabs(p.z) - 0.5 * shape->size.y);
    case POISE_SHAPE_HULL: // test_hull.c
        break;
    }
    return (double)INFINITY;
}

static bool find_solid(Arena* arena, const Mesh* mesh, MeshSolid* solid, const char** why) {
    MeshSummary summary = {.file_triangles = 0};
    *why = poise__mesh_summarize(arena, mesh, &summary);
    return !*why && poise__mesh_solid(arena, &summary, NULL, solid, why);
}

static MeshSolid solid_of(const Mesh* mesh) {
    Arena* arena = kept_arena();
    MeshSolid solid;
    const char* why = NULL;
    cr_assert(find_solid(arena, mesh, &solid, &why), "the mesh %s", why);
    for (int i = 0; i < mesh->point_count; i++) {
        cr_assert(outside(&solid.shape, mesh->points[i]) < 1e-12, "point %d is outside", i);
    }
    return solid;
}

Test(mesh, the_hull_of_a_box_weighs_what_the_box_does) {
    Mesh mesh = box_of_points();
    Arena* arena = kept_arena();
    Mesh hull;
    if (has_meshes()) {
        cr_assert_null(poise__mesh_hull(arena, &mesh, &hull));
        cr_expect(hull.point_count == 8 && hull.triangle_count == 12);
        // the mass of a mesh does not depend on the origin
        MassProperties body =
            poise__mesh_mass(&hull, poise_pose_apply(pose_of(), poise_vec3(0.1, -0.05, 0.02)));
        PoiseSceneShape box = {.kind = POISE_SHAPE_BOX, .size = {0.4, 0.2, 0.1}};
        MassProperties known = poise__mass_moved(poise__mass_of_shape(&box, 1.0), pose_of());
        EXPECT_NEAR(body.mass, known.mass, 1e-15);
        EXPECT_NEAR3(body.com, known.com, 1e-14);
        for (int i = 0; i < 6; i++) {
            EXPECT_NEAR(body.inertia[i], known.inertia[i], 1e-16);
        }
    }
}

// Adds the twelve triangles of a box, seen counter-clockwise from outside, each with its own
// corners.
static void add_box(Mesh* mesh, const PoiseSceneShape* box) {
    static const int faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                     {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                     {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 3; k++) {
            const int c = faces[i][k];
            const PoiseVec3 p =
                poise_vec3(box->size.x * ((c & 1) - 0.5), box->size.y * (((c >> 1) & 1) - 0.5),
                           box->size.z * (((c >> 2) & 1) - 0.5));
            mesh->triangles[mesh->triangle_count][k] = mesh->point_count;
            mesh->points[mesh->point_count++] = poise_pose_apply(box->in_body, p);
        }
        mesh->triangle_count++;
    }
}

static void expect_mass(const MassProperties* is, const MassProperties* due) {
    EXPECT_NEAR(is->mass, due->mass, 1e-15);
    EXPECT_NEAR3(is->com, due->com, 1e-14);
    for (int i = 0; i < 6; i++) {
        EXPECT_NEAR(is->inertia[i], due->inertia[i], 1e-15);
    }
}

// Two boxes apart: their hull has more volume than both.
Test(mesh, a_closed_mesh_weighs_what_it_encloses) {
    static PoiseVec3 corners[72];
    static int triangles[24][3];
    Mesh mesh = {.points = corners, .triangles = triangles};
    const PoiseSceneShape boxes[2] = {
        {.kind = POISE_SHAPE_BOX, .size = {0.4, 0.2, 0.1}, .in_body = pose_of()},
        {.kind = POISE_SHAPE_BOX,
         .size = {0.1, 0.3, 0.2},
         .in_body = {.p = {1.0, 0.0, 2.0}, .q = {1.0, 0.0, 0.0, 0.0}}}};
    Arena* arena = kept_arena();
    MeshSummary summary = {.file_triangles = 0};
    if (!has_meshes()) {
        return;
    }
    MassProperties due = {0};
    for (int i = 0; i < 2; i++) {
        add_box(&mesh, &boxes[i]);
        due = poise__mass_sum(
            due, poise__mass_moved(poise__mass_of_shape(&boxes[i], 1.0), boxes[i].in_body));
    }
    cr_assert_null(poise__mesh_summarize(arena, &mesh, &summary));
    expect_mass(&summary.mass, &due);
    // Stretched and mirrored, it is the mesh of the stretched points.
    const PoiseVec3 factor = poise_vec3(2.0, -0.5, 3.0);
    MeshSummary stretched = summary;
    cr_assert(poise__mesh_stretch(arena, &stretched, factor));
    for (int i = 0; i < mesh.point_count; i++) {
        corners[i] = poise_vec3(2.0 * corners[i].x, -0.5 * corners[i].y, 3.0 * corners[i].z);
    }
    cr_assert_null(poise__mesh_summarize(arena, &mesh, &summary));
    EXPECT_NEAR(stretched.mass.mass, 3.0 * due.mass, 1e-15);
    EXPECT_NEAR3(stretched.mass.com, summary.mass.com, 1e-14);
    for (int i = 0; i < 6; i++) {
        EXPECT_NEAR(stretched.mass.inertia[i], summary.mass.inertia[i], 1e-14);
    }
    MeshSolid solids[2];
    const char* why = NULL;
    cr_assert(poise__mesh_solid(arena, &stretched, NULL, &solids[0], &why));
    cr_assert(poise__mesh_solid(arena, &summary, NULL, &solids[1], &why));
    EXPECT_NEAR(solids[0].shape.margin, solids[1].shape.margin, 1e-9);
    cr_expect_gt(solids[0].shape.margin, 0.1);
    // Without one triangle no volume is enclosed: the mass is that of the hull.
    mesh.triangle_count--;
    cr_assert_null(poise__mesh_summarize(arena, &mesh, &summary));
    cr_expect(summary.mass.mass > 3.0 * due.mass * 1.5, "%g", summary.mass.mass);
}

Test(mesh, each_primitive_is_found_again) {
    if (!has_meshes()) {
        return;
    }
    Mesh mesh = box_of_points();
    MeshSolid box = solid_of(&mesh);
    cr_expect(box.shape.kind == POISE_SHAPE_BOX);
    EXPECT_NEAR(box.shape.size.x * box.shape.size.y * box.shape.size.z, 0.008, 1e-12);
    EXPECT_NEAR3(box.shape.in_body.p, somewhere.p, 1e-12);

    mesh = rings(-0.15, 0.15, of_cylinder);
    MeshSolid cylinder = solid_of(&mesh);
    cr_expect(cylinder.shape.kind == POISE_SHAPE_CYLINDER);
    EXPECT_NEAR3(cylinder.shape.size, poise_vec3(0.1, 0.3, 0.0), 1e-9);

    mesh = rings(-0.25, 0.25, of_capsule);
    MeshSolid capsule = solid_of(&mesh);
    cr_expect(capsule.shape.kind == POISE_SHAPE_CAPSULE);
    EXPECT_NEAR3(capsule.shape.size, poise_vec3(0.1, 0.3, 0.0), 1e-6);

    mesh = rings(-0.1, 0.1, of_ball);
    MeshSolid ball = solid_of(&mesh);
    cr_expect(ball.shape.kind == POISE_SHAPE_SPHERE);
    EXPECT_NEAR(ball.shape.size.x, 0.1, 1e-6);
}

// Margins in closed form, around an octahedron and a box.
Test(mesh, the_margin_is_how_far_a_shape_stands_off) {
    Arena* arena = kept_arena();
    Mesh octahedron = {.points = points}, box = {.points = points + 6};
    for (int i = 0; i < 6; i++) {
        const double side = i % 2 == 0 ? 1.0 : -1.0;
        add_point(&octahedron, i / 2 == 0 ? side : 0.0, i / 2 == 1 ? side : 0.0,
                  i / 2 == 2 ? side : 0.0);
    }
    for (int i = 0; i < 8; i++) {
        add_point(&box, i & 1 ? 0.3 : -0.3, i & 2 ? 0.3 : -0.3, i & 4 ? 0.5 : -0.5);
    }
    const double round = 0.3 * sqrt(2.0);
    const struct {
        const Mesh* mesh;
        PoiseSceneShape shape;
        double due, within;
    } rows[] = {
        {&octahedron, {.kind = POISE_SHAPE_BOX, .size = {2, 2, 2}}, 2.0 / sqrt(3.0), 1e-9},
        {&octahedron, {.kind = POISE_SHAPE_SPHERE, .size = {1, 0, 0}}, 1 - 1 / sqrt(3.0), 0.01},
        {&box, {.kind = POISE_SHAPE_BOX, .size = {0.6, 0.6, 1.0}}, 0.0, 1e-9},
        {&box, {.kind = POISE_SHAPE_BOX, .size = {0.6, 0.6, 1.2}}, 0.1, 1e-9},
        {&box, {.kind = POISE_SHAPE_CAPSULE, .size = {round, 1.0, 0}}, round, 0.01},
        {&box, {.kind = POISE_SHAPE_CYLINDER, .size = {round, 1.0, 0}}, round - 0.3, 0.01}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        PoiseSceneShape shape = rows[i].shape;
        shape.in_body = pose_of();
        const double margin = poise__mesh_margin(arena, rows[i].mesh, &shape);
        cr_expect(margin <= rows[i].due + 1e-9 &&
                      margin >= rows[i].due * (1.0 - rows[i].within) - 1e-9,
                  "row %zu: %.9g, not %.9g", i, margin, rows[i].due);
    }
}

Test(mesh, flat_meshes_have_no_volume) {
    if (!has_meshes()) {
        return;
    }
    Arena* arena = kept_arena();
    MeshSolid solid;
    const char* why = NULL;
    Mesh mesh = {.points = points};
    for (int i = 0; i < 100; i++) {
        add_point(&mesh, i % 10, i / 10, 0.0);
    }
    for (int count = 0; count <= mesh.point_count; count += 25) {
        Mesh some = {.points = points, .point_count = count};
        cr_expect(!find_solid(arena, &some, &solid, &why));
        cr_expect_str_eq(why, "has no volume");
    }
}

// Returns the `number`-th point of a cloud that is degenerate in one of eight kinds.
static PoiseVec3 odd_point(int kind, int number, Random* random) {
    const PoiseVec3 p = random_vec3(random, 1.0);
    switch (kind) {
    case 1: // in a plane
        return poise_vec3(p.x, p.y, 0.0);
    case 2: // on a line
        return poise_vec3(p.x, 0.0, 0.0);
    case 3: // in a plane except for rounding
        return poise_vec3(p.x, p.y, p.x + p.y + 1e-13 * p.z);
    case 4: // many points in one place
        return poise_vec3(floor(1.5 * p.x), floor(1.5 * p.y), floor(1.5 * p.z));
    case 5: // four corners, repeated
        return number > 3 ? points[number % 4] : p;
    case 6: // a sheet
        return poise_vec3(p.x, p.y, 1e-9 * p.z);
    case 7: // a needle
        return poise_vec3(1e-7 * p.x, 1e-7 * p.y, p.z);
    default:
        return p;
    }
}

Test(mesh, points_of_any_kind_make_a_finite_solid_or_none) {
    Random random = random_from(11);
    int solids = 0;
    for (int i = 0; i < 2000 && has_meshes(); i++) {
        Mesh mesh = {.points = points, .point_count = i % 150};
        double scale = pow(10.0, -8.0 + 12.0 * ((i / 8) % 13) / 12.0);
        Arena arena;
        MeshSolid solid;
        const char* why = NULL;
        for (int k = 0; k < mesh.point_count; k++) {
            points[k] = odd_point(i % 8, k, &random);
        }
        for (int k = 0; k < mesh.point_count; k++) {
            points[k] = poise_scale(scale, points[k]);
        }
        poise__arena_init(&arena, NULL);
        if (find_solid(&arena, &mesh, &solid, &why)) {
            bool finite = solid.mass.mass > 0.0 && isfinite(solid.shape.size.x) &&
                          solid.shape.margin >= 0.0 && isfinite(solid.shape.margin);
            for (int k = 0; k < 6; k++) {
                finite = finite && isfinite(solid.mass.inertia[k]);
            }
            cr_expect(finite && solid.shape.kind != 0, "cloud %d", i);
            solids++;
        }
        poise__arena_finish(&arena);
    }
    cr_expect(!poise__mesh_is_built() || (solids > 500 && solids < 2000), "%d solids", solids);
}

// ----------------------------------------------------------------------------------------- robots

static const char wedge[] = "v 0 0 0\nv 100 0 0\nv 0 60 0\nv 0 0 40\nv 100 0 40\nv 0 60 40\n"
                            "f 1 3 2\nf 4 5 6\nf 1 2 5\nf 1 5 4\nf 2 3 6\nf 2 6 5\nf 3 1 4\n"
                            "f 3 4 6\n";

static Loaded load_link(const char* folder, const char* mesh, const char* more) {
    char name[300];
    char text[2000];
    scratch_folder();
    snprintf(text, sizeof text,
             "<robot name='r'><link name='base'/><link name='a'>%s<collision><origin xyz='1 0 0'/>"
             "<geometry><mesh filename='%s' scale='0.001 0.001 -0.001'/></geometry></collision>"
             "</link><joint name='j' type='continuous'><parent link='base'/><child link='a'/>"
             "</joint></robot>",
             more, mesh);
    snprintf(name, sizeof name, "%sr.urdf", folder);
    return load_text(name, text);
}

SCRATCH_TEST(mesh, a_link_weighs_and_touches_as_its_mesh) {
    if (!has_meshes()) {
        return;
    }
    mkdir("pack", 0700);
    mkdir("pack/urdf", 0700);
    write_scratch("pack/wedge.obj", wedge);
    static const char* const uris[] = {"../wedge.obj", "package://pack/wedge.obj",
                                       "package://elsewhere/pack/wedge.obj"};
    for (size_t i = 0; i < sizeof uris / sizeof uris[0]; i++) {
        Loaded loaded = required(load_link("pack/urdf/", uris[i], ""));
        const PoiseSceneBody* body = &loaded.scene->bodies[1];
        // half a box; the minus sign mirrors it below z = 0
        EXPECT_NEAR(body->mass, 0.5 * 1000.0 * 0.1 * 0.06 * 0.04, 1e-9);
        EXPECT_NEAR3(body->com, poise_vec3(1.0 + 0.1 / 3.0, 0.02, -0.02), 1e-8);
        cr_expect(body->shape_count == 1 && body->shapes[0].kind == POISE_SHAPE_BOX);
        EXPECT_NEAR3(body->shapes[0].size, poise_vec3(0.1, 0.06, 0.04), 1e-8);
        cr_expect(found(&loaded, POISE_WARNING, 1, 0, "0.12 kg assumed from the shapes"));
    }
    Loaded loaded =
        required(load_link("pack/urdf/", "../wedge.obj",
                           "<inertial><mass value='3'/><inertia ixx='1' iyy='1' izz='1'/>"
                           "</inertial>"));
    EXPECT_NEAR(loaded.scene->bodies[1].mass, 3.0, 0.0);
}

// A package is found in a folder of packages, by its folder's name or the name in its package.xml.
// The place of the robot does not matter. Other packages are not searched.
SCRATCH_TEST(mesh, packages_are_found_by_their_folder_or_name) {
    if (!has_meshes()) {
        return;
    }
    char shelf[300];
    snprintf(shelf, sizeof shelf, "/nowhere:%s/shelf", scratch_folder());
    static const char* const folders[] = {"away", "shelf", "shelf/pack", "shelf/renamed"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        mkdir(folders[i], 0700);
    }
    write_scratch("shelf/pack/wedge.obj", wedge);
    write_scratch("shelf/renamed/other.obj", wedge);
    write_scratch("shelf/renamed/package.xml", "<package format='2'>\n <name> arm_meshes </name>");
    static const struct {
        const char* uri;
        bool there;
    } rows[] = {{"package://pack/wedge.obj", true},
                {"package://arm_meshes/other.obj", true},
                {"package://arm/other.obj", false},
                {"package://arm_meshes/../pack/wedge.obj", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int trust = POISE_TRUST_ALL; trust <= POISE_TRUST_FOLDER; trust++) {
            char text[700];
            snprintf(text, sizeof text,
                     "<robot name='r'><link name='a'><collision><geometry><mesh filename='%s'/>"
                     "</geometry></collision></link></robot>",
                     rows[i].uri);
            PoiseDiagnostics* diagnostics = kept_diagnostics();
            const PoiseSceneSource source = {.path = "away/r.urdf",
                                             .text = text,
                                             .text_size = strlen(text),
                                             .trust = (PoiseTrust)trust,
                                             .packages = shelf};
            PoiseScene* scene = poise_scene_load_source(&source, diagnostics);
            cr_assert_not_null(scene);
            cr_expect((poise_diagnostics_count(diagnostics, POISE_WARNING) == 0) == rows[i].there,
                      "%s, trust %d", rows[i].uri, trust);
            poise_scene_destroy(scene);
        }
    }
}

// Other computers write paths in these forms.
SCRATCH_TEST(mesh, paths_of_other_computers_are_found_by_their_last_folders) {
    if (!has_meshes()) {
        return;
    }
    static const char* const uris[] = {
        "package://assets\\wedge.obj",
        "assets\\wedge.obj",
        "/assets/wedge.obj",
        "package:///assets/wedge.obj",
        "file:////home/nobody/ws/install/arm/share/arm/assets/wedge.obj",
        "C:\\robots\\arm\\assets\\wedge.obj"};
    mkdir("assets", 0700);
    write_scratch("assets/wedge.obj", wedge);
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
        Loaded loaded = load_link("", uris[i], "");
        char all[1000];
        required(loaded);
        cr_expect(!found(&loaded, POISE_WARNING, 0, 0, "is not found"), "%s: %s", uris[i],
                  findings(&loaded, all, sizeof all));
    }
    Loaded loaded = load_link("", "/etc/passwd/wedge.stl", "");
    cr_expect(found(&loaded, POISE_WARNING, 0, 0, "is not found"));
}

// Writes four faces of a tetrahedron, with `count` as their number in the header.
static void write_stl(const char* path, uint32_t count) {
    static const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    unsigned char bytes[84 + 4 * 50] = {0};
    memcpy(bytes + 80, &count, sizeof count);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            memcpy(bytes + 84 + 50 * i + 12 + 12 * k, corners[(i + k) % 4], 12);
        }
    }
    FILE* file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert(fwrite(bytes, sizeof bytes, 1, file) == 1);
    fclose(file);
}

SCRATCH_TEST(mesh, a_file_that_lies_about_its_size_ends_its_reader_alone) {
    if (!has_meshes()) {
        return;
    }
    static const char path[] = "liar.stl";
    const MeshFile file = {.path = path, .scale = {1.0, 1.0, 1.0}};
    // A face has 50 bytes. In 32 bits 50 * 0x51eb8520 is 64: a reader whose size overflows would
    // accept the file as long enough.
    static const uint32_t counts[] = {4, 5, 0x51eb8520, 0x7fffffff, 0xffffffff};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        Arena* arena = kept_arena();
        Mesh mesh;
        const char* why = "";
        write_stl(path, counts[i]);
        bool read = poise__mesh_read(arena, &file, &mesh, &why);
        cr_expect(read == (counts[i] == 4), "%u: %s", counts[i], why);
        cr_expect(mesh.triangle_count == (read ? 4 : 0) && (read || strncmp(why, "cannot", 6) == 0),
                  "%u: %s", counts[i], why);
    }
}

// ------------------------------------------------------------------------- the process that reads

#define OBJ_FACES "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

SCRATCH_TEST(mesh, a_format_is_told_by_the_content_whatever_the_name) {
    if (!has_meshes()) {
        return;
    }
    static const struct {
        const char* name;
        const char* text;
        int triangles;
    } rows[] = {
        {"a.stl", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n" OBJ_FACES, 4},
        {"a.dat", "# a comment\n\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n" OBJ_FACES, 4},
        {"a",
         "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
         "property float z\nelement face 1\nproperty list uchar int vertex_indices\n"
         "end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
         1},
        {"b.obj",
         "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
         "vertex 0 1 0\nendloop\nendfacet\nendsolid s\n",
         1},
        {"c.obj", "# nothing but a comment\n", 0},
        {"d.stl", "12 apples\n", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        write_scratch(rows[i].name, rows[i].text);
        const MeshFile file = {.path = rows[i].name, .scale = {1.0, 1.0, 1.0}};
        Arena* arena = kept_arena();
        Mesh mesh;
        const char* why = "";
        poise__mesh_read(arena, &file, &mesh, &why);
        cr_expect_eq(mesh.triangle_count, rows[i].triangles, "%s: %d, %s", rows[i].name,
                     mesh.triangle_count, why);
    }
}

SCRATCH_TEST(mesh, a_file_that_a_mesh_names_is_read_through_the_program_and_known_to_it) {
    if (!has_meshes()) {
        return;
    }
    static const struct {
        const char* library;
        bool given; // True if the program opens the file for the reader
    } rows[] = {{"seen.mtl", true},
                {"./seen.mtl", true},
                {"../outside.mtl", false},
                {"/etc/passwd", false}};
    write_scratch("seen.mtl", "newmtl red\nKd 1 0 0\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "mtllib %s\nusemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n" OBJ_FACES,
                 rows[i].library);
        write_scratch("named.obj", text);
        PoiseDiagnostics* read = kept_diagnostics();
        const MeshFile file = {.path = "named.obj", .scale = {1.0, 1.0, 1.0}, .read = read};
        Arena* arena = kept_arena();
        Mesh mesh;
        const char* why = "";
        cr_assert(poise__mesh_read(arena, &file, &mesh, &why), "%s: %s", rows[i].library, why);
        cr_expect_eq(mesh.tints[0], rows[i].given ? 0xff0000ff : 0, "%s: %08x", rows[i].library,
                     mesh.tints[0]);
        int known = 0;
        while (poise__diagnostics_read(read, known)) {
            known++;
        }
        cr_expect_eq(known, rows[i].given ? 2 : 1, "%s: %d files", rows[i].library, known);
    }
}

// Tries each forbidden call in a process without rights. Returns 0 if all were refused, else a bit
// for each call that was allowed. Returns 100 if the process was not isolated, 101 if memory or its
// own socket is missing.
static int try_rights(int socket_end, int other_end, const char* path) {
    if (poise__mesh_shut_in(socket_end) != SHUT_IN) {
        return 100;
    }
    char byte = 'x';
    int wrong = 0;
    wrong |= open(path, O_RDONLY) >= 0 ? 1 : 0;
    wrong |= open(path, O_WRONLY | O_CREAT, 0600) >= 0 ? 2 : 0;
    wrong |= socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 4 : 0;
    wrong |= write(other_end, &byte, 1) > 0 || send(other_end, &byte, 1, 0) > 0 ? 8 : 0;
    wrong |= unlink(path) == 0 ? 16 : 0;
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    wrong |= child > 0 ? 32 : 0;
    wrong |=
        mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED
            ? 64
            : 0;
    // memory and the process's own socket must still work
    void* memory = malloc((size_t)16 << 20);
    return memory && send(socket_end, &byte, 1, 0) == 1 ? wrong : 101;
}

SCRATCH_TEST(mesh, the_process_that_reads_has_no_file_no_network_and_no_child) {
#if defined __SANITIZE_ADDRESS__ || defined POISE_TEST_UNFILTERED
    cr_skip("sanitizers and gcov write files at the end: the filter is not loaded");
#endif
    if (!has_meshes()) {
        return;
    }
    int ends[2], others[2];
    write_scratch("kept", "kept");
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, others), 0);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        _exit(try_rights(ends[1], others[1], "kept"));
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 100) {
        cr_skip("this system has no seccomp");
    }
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "rights left: %d",
              WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}
