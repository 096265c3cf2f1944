// SPDX-License-Identifier: MIT
// Tests meshes that collide as their convex hulls: `collision: hull`.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh.h"
#include "near.h"
#include "poise/look.h"
#include "program.h"
#include "running.h"

enum { MANY = 3000 };

// Fills points on an ellipsoid. All of them are corners of the hull.
static void fill(PoiseVec3* points, int count) {
    for (int i = 0; i < count; i++) {
        const double z = 1.0 - (2.0 * i + 1.0) / count;
        const double round = sqrt(1.0 - z * z);
        points[i] =
            poise_vec3(0.3 * round * cos(2.4 * i) + 1.0, 0.2 * round * sin(2.4 * i), 0.1 * z - 0.5);
    }
}

Test(hull, a_reduced_hull_is_closed_and_within_1_cm_of_all_points) {
    static PoiseVec3 points[MANY];
    Arena* scratch = kept_arena();
    Arena* keep = kept_arena();
    MeshSolid solid;
    const char* why = "";
    if (!has_meshes()) {
        return;
    }
    fill(points, MANY);
    const Mesh mesh = {.points = points, .point_count = MANY};
    memset(&solid, 0, sizeof solid);
    MeshSummary whole = {.file_triangles = 0};
    cr_assert_null(poise__mesh_summarize(scratch, &mesh, &whole));
    cr_assert(poise__mesh_solid(scratch, &whole, keep, &solid, &why), "%s", why);
    const PoiseSceneHull* hull = solid.shape.hull;
    cr_assert(solid.shape.kind == POISE_SHAPE_HULL && hull != NULL);
    cr_expect(hull->point_count <= MESH_MOST_CORNERS && hull->point_count > 100, "%d corners",
              hull->point_count);
    // the hull is closed, by Euler's formula, and its volume is nearly that of the mesh's hull
    cr_expect_eq(hull->triangle_count, 2 * hull->point_count - 4);
    double volume = 0.0;
    for (int i = 0; i < hull->triangle_count; i++) {
        const int* c = hull->triangles[i];
        volume +=
            poise_dot(hull->points[c[0]], poise_cross(hull->points[c[1]], hull->points[c[2]])) /
            6.0;
    }
    cr_expect(volume > 0.95 * solid.mass.mass && volume <= solid.mass.mass, "%g of %g m^3", volume,
              solid.mass.mass);
    // no point of the mesh is more than 1 cm outside of the hull
    double farthest = 0.0;
    for (int i = 0; i < hull->triangle_count; i++) {
        const int* c = hull->triangles[i];
        const PoiseVec3 a = hull->points[c[0]];
        PoiseVec3 normal =
            poise_cross(poise_sub(hull->points[c[1]], a), poise_sub(hull->points[c[2]], a));
        normal = poise_scale(1.0 / poise_length(normal), normal);
        for (int k = 0; k < MANY; k++) {
            const PoiseVec3 p = poise_sub(points[k], solid.shape.in_body.p);
            farthest = fmax(farthest, poise_dot(normal, poise_sub(p, a)));
        }
    }
    cr_expect(farthest < 0.01, "%g m outside", farthest);
    EXPECT_NEAR3(solid.shape.in_body.p, poise_vec3(1.0, 0.0, -0.5), 5e-3);
}

// a right-angled wedge, 0.2 x 0.1 x 0.3 m; its slope runs from the edge at x = 0 to the edge at z =
// 0
#define WEDGE                                                                                      \
    "v 0 0 0\nv 0.2 0 0\nv 0 0.1 0\nv 0.2 0.1 0\nv 0 0 0.3\nv 0 0.1 0.3\n"                         \
    "f 1 3 4\nf 1 4 2\nf 1 2 5\nf 3 6 4\nf 1 5 6\nf 1 6 3\nf 2 4 6\nf 2 6 5\n"

static const char wedge_urdf[] =
    "<robot name='w'><link name='wedge'><inertial><mass value='1'/><inertia ixx='0.01' ixy='0' "
    "ixz='0' iyy='0.01' iyz='0' izz='0.01'/></inertial><collision><geometry><mesh "
    "filename='wedge.obj'/></geometry></collision></link></robot>";
static const char wedge_mjcf[] =
    "<mujoco><asset><mesh name='w' file='wedge.obj'/></asset><worldbody><body name='wedge'>"
    "<geom type='mesh' mesh='w'/></body></worldbody></mujoco>";

// Returns the height at which a ball rests that falls onto the wedge. It slides off the slope of a
// hull, and lies on a fitted box.
static double ball_height(const char* key, const char* file, const char* collision) {
    char scene[900];
    snprintf(scene, sizeof scene,
             "poise: 1\nworld: {ground: {height: -1, friction: 0}}\n"
             "robots: {r: {%s: %s, collision: %s}}\n"
             "bodies: {ball: {sphere: 0.02, mass: 0.1, at: [0.12, 0.05, 0.4]}}\n",
             key, file, collision);
    write_scratch("s.yaml", scene);
    Running running = running_open("s.yaml");
    running_steps(&running, 2.0);
    const int ball = poise_scene_find_frame(running.loaded.scene, "ball");
    const double height =
        poise_simulation_body(running.simulation, running.loaded.scene->frames[ball].body)
            .com_world.z;
    return height;
}

SCRATCH_TEST(hull, a_ball_slides_down_a_wedge_of_either_format) {
    if (!has_meshes()) {
        return;
    }
    write_scratch("wedge.obj", WEDGE);
    write_scratch("w.urdf", wedge_urdf);
    write_scratch("w.xml", wedge_mjcf);
    EXPECT_NEAR(ball_height("urdf", "w.urdf", "hull"), -0.98, 1e-3);
    EXPECT_NEAR(ball_height("mjcf", "w.xml", "hull"), -0.98, 1e-3);
    EXPECT_NEAR(ball_height("urdf", "w.urdf", "fit"), 0.32, 1e-3);
    EXPECT_NEAR(ball_height("mjcf", "w.xml", "fit"), 0.32, 1e-3);
}

// The hull does not pass through the ground, nor a box through the hull.
SCRATCH_TEST(hull, a_hull_lies_on_the_ground_and_carries_a_box) {
    if (!has_meshes()) {
        return;
    }
    write_scratch("wedge.obj", WEDGE);
    write_scratch("w.xml", "<mujoco><asset><mesh name='w' file='wedge.obj'/></asset><worldbody>"
                           "<body name='low' pos='0 0 0.01'><freejoint/>"
                           "<geom type='mesh' mesh='w' density='500' euler='0 180 0'"
                           " pos='0 0 0.3'/></body></worldbody></mujoco>");
    // the wedge is upside down: it first stands on its edge, then falls on its slope
    write_scratch("s.yaml", "poise: 1\nworld: {ground: {height: 0}, step: 0.001}\n"
                            "robots: {r: {mjcf: w.xml, base: free, collision: hull}}\n"
                            "bodies: {box: {box: [0.05, 0.05, 0.05], mass: 0.1, "
                            "at: [-0.05, 0.05, 0.5]}}\n");
    Running running = running_open("s.yaml");
    const PoiseScene* scene = running.loaded.scene;
    const int low = scene->frames[poise_scene_find_frame(scene, "r/low")].body;
    const PoiseSceneShape* shape = &scene->bodies[low].shapes[0];
    cr_assert(shape->kind == POISE_SHAPE_HULL && shape->hull->point_count == 6);
    double kinetic = 0.0;
    for (int i = 0; i < 40; i++) {
        running_steps(&running, 0.1);
        const PoiseBodyView body = poise_simulation_body(running.simulation, low);
        for (int k = 0; k < 6; k++) {
            const PoiseVec3 corner = poise_pose_apply(
                poise_pose_mul(body.pose_world, shape->in_body), shape->hull->points[k]);
            cr_assert(corner.z > -0.005, "a corner is at %g m", corner.z);
        }
        kinetic = 0.0;
        poise_simulation_energy(running.simulation, &kinetic, NULL);
    }
    cr_expect(kinetic < 1e-3, "%g J", kinetic);
}

// Two overlapping hulls stay in place. ODE's contacts between two meshes would throw them apart.
SCRATCH_TEST(hull, hulls_pass_through_each_other) {
    if (!has_meshes()) {
        return;
    }
    write_scratch("wedge.obj", WEDGE);
    write_scratch("w.xml", "<mujoco><asset><mesh name='w' file='wedge.obj'/></asset><worldbody>"
                           "<body name='one'><freejoint/><geom type='mesh' mesh='w'/></body>"
                           "<body name='two' pos='0.02 0.01 0.03'><freejoint/>"
                           "<geom type='mesh' mesh='w'/></body></worldbody></mujoco>");
    write_scratch("s.yaml", "poise: 1\nworld: {gravity: [0, 0, 0], step: 0.001}\n"
                            "robots: {r: {mjcf: w.xml, collision: hull}}\n");
    Running running = running_open("s.yaml");
    running_steps(&running, 0.5);
    double kinetic = 1.0;
    poise_simulation_energy(running.simulation, &kinetic, NULL);
    cr_expect(kinetic < 1e-9, "%g J", kinetic);
}

// A URDF may have MuJoCo's extension, which gives the folder of the meshes. Then only the names of
// the files count.
Test(hull, a_urdf_may_say_where_mujoco_finds_its_meshes) {
    if (!has_meshes()) {
        return;
    }
    Loaded loaded = load_file(POISE_SOURCE_DIR "/tests/scenes/models/public/mujoco-extension.urdf");
    char text[2000];
    required(loaded);
    cr_expect_eq(poise_diagnostics_count(loaded.diagnostics, POISE_WARNING), 0, "%s",
                 findings(&loaded, text, sizeof text));
}

// A look is the mesh that a window draws for a link. It is read unchanged, in the look's frame, and
// scaled.
Test(hull, a_look_is_read_as_triangles) {
    PoiseLookMesh mesh;
    PoiseSceneLook look = {.mesh = POISE_SOURCE_DIR "/tests/scenes/models/parts/wedge.obj",
                           .scale = {2.0, 2.0, 2.0}};
    if (!has_meshes()) {
        return;
    }
    cr_assert(poise_look_read(&look, &mesh));
    cr_expect_geq(mesh.point_count, 4);
    cr_expect_geq(mesh.triangle_count, 4);
    double largest = 0.0;
    for (int i = 0; i < mesh.triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            cr_expect(mesh.triangles[i][k] >= 0 && mesh.triangles[i][k] < mesh.point_count);
        }
    }
    for (int i = 0; i < mesh.point_count; i++) {
        largest = fmax(largest, fabs(mesh.points[i].x));
    }
    const PoiseLookMesh twice = mesh;
    look.scale = (PoiseVec3){1.0, 1.0, 1.0};
    cr_assert(poise_look_read(&look, &mesh));
    double once = 0.0;
    for (int i = 0; i < mesh.point_count; i++) {
        once = fmax(once, fabs(mesh.points[i].x));
    }
    cr_expect_float_eq(largest, 2.0 * once, 1e-6);
    poise_look_finish(&mesh);
    poise_look_finish(&(PoiseLookMesh){.memory = twice.memory});
    cr_expect_eq(mesh.point_count, 0);
    // without a mesh, and for a file that does not exist
    look.mesh = NULL;
    cr_expect_not(poise_look_read(&look, &mesh));
    look.mesh = "/nowhere/none.obj";
    cr_expect_not(poise_look_read(&look, &mesh));
    cr_expect(mesh.points == NULL && mesh.triangle_count == 0);
    cr_expect_not(poise_look_read(NULL, &mesh));
    cr_expect_not(poise_look_read(&look, NULL));
    poise_look_finish(NULL);
}

// Materials without a name are dropped when their array grows. The materials after them keep their
// places.
Test(hull, unnamed_materials_shift_no_later_material) {
    enum { MATERIALS = 30 };
    if (!has_meshes()) {
        return;
    }
    char text[8000];
    size_t length = (size_t)snprintf(text, sizeof text,
                                     "<mujoco><asset>"
                                     "<mesh name='w' file='models/parts/wedge.obj'/>");
    for (int i = 0; i < MATERIALS; i++) {
        if (i == 8 || i == 16) {
            length += (size_t)snprintf(text + length, sizeof text - length,
                                       "<material rgba='1 1 1 1'/><material rgba='1 1 1 1'/>");
        }
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "<material name='m%d' rgba='%.2f 0.5 0.25 1'/>", i, 0.01 * i);
    }
    length += (size_t)snprintf(text + length, sizeof text - length,
                               "</asset><worldbody><body name='b'><joint type='hinge'/>");
    for (int i = 0; i < MATERIALS; i++) {
        length +=
            (size_t)snprintf(text + length, sizeof text - length,
                             "<geom type='mesh' mesh='w' pos='%d 0 0' material='m%d'/>", i, i);
    }
    (void)snprintf(text + length, sizeof text - length, "</body></worldbody></mujoco>");
    Loaded loaded = required(load_text(POISE_SOURCE_DIR "/tests/scenes/materials.xml", text));
    const PoiseScene* scene = loaded.scene;
    cr_assert_eq(scene->look_count, MATERIALS, "%d looks", scene->look_count);
    for (int i = 0; i < MATERIALS; i++) {
        cr_expect_float_eq(scene->looks[i].colour[0], 0.01 * i, 1e-9, "look %d", i);
        cr_expect_float_eq(scene->looks[i].colour[2], 0.25, 1e-9, "look %d", i);
    }
}
