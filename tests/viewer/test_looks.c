// SPDX-License-Identifier: MIT
// Tests the looks of robots: fewer triangles, normals, colours, and collision shapes if there is no
// mesh.
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "fixture.h"
#include "look_triangles.h"

enum { RINGS = 80, SECTORS = 160 };

/// Returns a ball of radius 2 about (1, 0, 0) in two colours. Every triangle has points of its own.
static PoiseLookMesh make_ball(void) {
    const int count = 2 * RINGS * SECTORS;
    PoiseVec3* points = malloc(3 * (size_t)count * sizeof *points);
    int(*triangles)[3] = malloc((size_t)count * sizeof *triangles);
    uint32_t* tints = malloc((size_t)count * sizeof *tints);
    cr_assert(points && triangles && tints);
    for (int i = 0; i < count; i++) {
        const int cell = i / 2;
        const int corners[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
        for (int k = 0; k < 3; k++) {
            const double up = M_PI * (cell / SECTORS + corners[i % 2][k][0]) / RINGS;
            const double about = 2.0 * M_PI * (cell % SECTORS + corners[i % 2][k][1]) / SECTORS;
            points[3 * i + k] = poise_vec3(1.0 + 2.0 * sin(up) * cos(about),
                                           2.0 * sin(up) * sin(about), 2.0 * cos(up));
            triangles[i][k] = 3 * i + k;
        }
        tints[i] = cell / SECTORS < RINGS / 2 ? 0xff0000ffu : 0x0000ffffu;
    }
    return (PoiseLookMesh){.points = points,
                           .point_count = 3 * count,
                           .triangles = (const int(*)[3])triangles,
                           .tints = tints,
                           .triangle_count = count};
}

/// True if two vertices are within 0.1 mm of each other.
static bool is_same_place(const PoiseLookModel* model, uint32_t a, uint32_t b) {
    const float* p = model->vertices[a].core;
    const float* q = model->vertices[b].core;
    return fabsf(p[0] - q[0]) + fabsf(p[1] - q[1]) + fabsf(p[2] - q[2]) < 1e-4f;
}

/// Returns the number of edges without a triangle on their other side.
static int open_edges(const PoiseLookModel* model) {
    int open = 0;
    for (int i = 0; i < model->index_count; i++) {
        const uint32_t from = model->indices[i];
        const uint32_t to = model->indices[i - i % 3 + (i + 1) % 3];
        bool closed = false;
        for (int k = 0; k < model->index_count && !closed; k++) {
            closed = is_same_place(model, model->indices[k], to) &&
                     is_same_place(model, model->indices[k - k % 3 + (k + 1) % 3], from);
        }
        open += !closed;
    }
    return open;
}

Test(looks, a_mesh_of_many_triangles_keeps_its_form_with_few) {
    PoiseLookMesh ball = make_ball();
    PoiseLookModel model;
    cr_assert(poise__look_make(&model, &ball, 0.01));
    cr_expect_leq(model.index_count, 3 * 3000, "%d", model.index_count);
    cr_expect_geq(model.index_count, 3 * 400, "%d", model.index_count);
    int odd = 0;
    for (int i = 0; i < model.vertex_count; i++) {
        const PoiseMeshVertex* v = &model.vertices[i];
        const PoiseVec3 out =
            poise_vec3((double)v->core[0] - 1.0, (double)v->core[1], (double)v->core[2]);
        const PoiseVec3 normal =
            poise_vec3((double)v->normal[0], (double)v->normal[1], (double)v->normal[2]);
        EXPECT_NEAR(poise_length(out), 2.0, 1e-5);
        odd += poise_dot(out, normal) < 2.0 * 0.8;
    }
    cr_expect_lt(odd, model.vertex_count / 50, "%d of %d", odd, model.vertex_count);
    cr_expect_eq(model.part_count, 2);
    cr_expect_eq(model.parts[0].count + model.parts[1].count, model.index_count);
    // no gap opens between the colours: each edge belongs to two triangles
    cr_expect_eq(open_edges(&model), 0, "%d", open_edges(&model));
    cr_expect(model.closed);
    poise__look_drop(&model);
    // keep all triangles without a tolerance
    cr_assert(poise__look_make(&model, &ball, 0.0));
    cr_expect_gt(model.index_count, 3 * 2 * (RINGS - 2) * SECTORS - 1);
    poise__look_drop(&model);
    free((void*)(uintptr_t)ball.points);
    free((void*)(uintptr_t)ball.triangles);
    free((void*)(uintptr_t)ball.tints);
}

static const int CUBE[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

static PoiseVec3 cube_corner(int i) {
    const double x[8] = {0, 1, 1, 0, 0, 1, 1, 0};
    return poise_vec3(x[i], (i % 4) >= 2, i >= 4);
}

/// Back faces are hidden for closed meshes only. A cube without a triangle, or inside out, is not
/// closed.
Test(looks, a_closed_mesh_is_known) {
    PoiseVec3 points[8];
    int inside_out[12][3];
    for (int i = 0; i < 12; i++) {
        points[i % 8] = cube_corner(i % 8);
        inside_out[i][0] = CUBE[i][0];
        inside_out[i][1] = CUBE[i][2];
        inside_out[i][2] = CUBE[i][1];
    }
    PoiseLookMesh cube = {
        .points = points, .point_count = 8, .triangles = CUBE, .triangle_count = 12};
    for (int i = 0; i < 3; i++) {
        PoiseLookModel model;
        cube.triangles = i == 2 ? (const int(*)[3])inside_out : CUBE;
        cube.triangle_count = i == 1 ? 11 : 12;
        cr_assert(poise__look_make(&model, &cube, 0.0));
        cr_expect_eq(model.closed, i == 0, "%d", i);
        poise__look_drop(&model);
    }
}

Test(looks, an_edge_stays_an_edge) {
    PoiseVec3 points[8];
    for (int i = 0; i < 8; i++) {
        points[i] = cube_corner(i);
    }
    const PoiseLookMesh cube = {
        .points = points, .point_count = 8, .triangles = CUBE, .triangle_count = 12};
    PoiseLookModel model;
    cr_assert(poise__look_make(&model, &cube, 0.0));
    cr_assert_eq(model.index_count, 36);
    cr_assert_eq(model.vertex_count, 24);
    for (int i = 0; i < 24; i++) {
        const float* n = model.vertices[i].normal;
        EXPECT_NEAR((double)(fabsf(n[0]) + fabsf(n[1]) + fabsf(n[2])), 1.0, 1e-6);
    }
    poise__look_drop(&model);
}

static void write_cube(const char* path) {
    FILE* file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs("solid cube\n", file);
    for (int i = 0; i < 12; i++) {
        fputs("facet normal 0 0 0\nouter loop\n", file);
        for (int k = 0; k < 3; k++) {
            const PoiseVec3 p = cube_corner(CUBE[i][k]);
            fprintf(file, "vertex %g %g %g\n", p.x, p.y, p.z);
        }
        fputs("endloop\nendfacet\n", file);
    }
    fputs("endsolid cube\n", file);
    fclose(file);
}

static void write_robot(const char* path, const char* mesh) {
    FILE* file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file,
            "<robot name=\"r\"><material name=\"warm\"><color rgba=\"1 0.5 0 1\"/></material>\n"
            "<link name=\"base\"/>\n"
            "<link name=\"arm\"><inertial><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" "
            "izz=\"0.1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\n"
            "<visual><origin xyz=\"0.1 0.2 0.3\"/><geometry><mesh filename=\"%s\" scale=\"0.1 0.2 "
            "0.3\"/></geometry><material name=\"warm\"/></visual>\n"
            "<visual><geometry><sphere radius=\"0.05\"/></geometry></visual>\n"
            "<collision><geometry><box size=\"0.1 0.2 0.3\"/></geometry></collision></link>\n"
            "<joint name=\"j\" type=\"revolute\"><parent link=\"base\"/><child link=\"arm\"/><axis "
            "xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"10\" "
            "velocity=\"1\"/></joint></robot>\n",
            mesh);
    fclose(file);
}

/// Returns the number of instances of the body's looks; `own` gets one with its own triangles.
static int draw_looks(PoiseApp* app, int body, PoiseInstance* own) {
    int count = 0;
    poise__screen_draw(app);
    for (int i = 0; i < app->list.instance_count; i++) {
        const PoiseInstance* instance = &app->list.instances[i];
        if (instance->id == poise__draw_id(POISE_DRAW_BODY, body)) {
            count++;
            if (instance->mesh == POISE_MESH_LOOK) {
                *own = *instance;
            }
        }
    }
    return count;
}

Test(looks, a_robot_has_the_looks_of_its_file_or_else_its_shapes) {
    char folder[] = "/tmp/poise-looks-XXXXXX";
    char mesh[64];
    char robot[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(mesh, sizeof mesh, "%s/cube.stl", folder);
    snprintf(robot, sizeof robot, "%s/robot.urdf", folder);
    write_cube(mesh);
    for (int broken = 0; broken < 2; broken++) {
        if (broken) { // the file exists but is no mesh
            FILE* file = fopen(mesh, "w");
            cr_assert_not_null(file);
            fputs("no mesh", file);
            fclose(file);
        }
        write_robot(robot, "cube.stl");
        PoiseApp* app = app_of(robot);
        const PoiseSession session = app->session;
        cr_assert_eq(session.scene->look_count, 2);
        poise__scene_view_read_looks(&app->view, session.simulation);
        if (!app->view.looks) {
            known_app_close(app);
            cr_skip("built without meshes");
        }
        poise__looks_wait(app->view.looks);
        const int body = session.scene->looks[0].body;
        PoiseInstance own = {.index_count = 0};
        const int drawn = draw_looks(app, body, &own);
        if (broken) {
            cr_expect_eq(drawn, 0, "%d", drawn);
            known_app_close(app);
            continue;
        }
        cr_expect_eq(drawn, 2, "%d", drawn);
        cr_expect_eq(own.index_count, 36);
        // the colour of the file, orange
        cr_expect(own.colour.x > 0.9f && own.colour.y < 0.3f && own.colour.z < 0.1f);
        const float* corner =
            app->list.looks.vertices[app->list.looks.indices[own.first_index]].core;
        cr_expect(corner[0] <= 0.1001f && corner[1] <= 0.2001f && corner[2] <= 0.3001f);
        const PoisePose pose = poise_simulation_body(session.simulation, body).pose_world;
        const PoiseVec3 place = poise_pose_apply(pose, poise_vec3(0.1, 0.2, 0.3));
        EXPECT_NEAR((double)own.place.z, place.z, 1e-6);
        // a key shows the collision shapes instead
        poise__app_do(app, "shapes");
        cr_expect_eq(draw_looks(app, body, &own), 0);
        known_app_close(app);
    }
    unlink(mesh);
    unlink(robot);
    rmdir(folder);
}

static void write_mjcf(const char* path) {
    FILE* file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs("<mujoco><asset><mesh name=\"cube\" file=\"cube.stl\"/>\n"
          "<material name=\"warm\" rgba=\"1 0.5 0.25 1\"/></asset>\n"
          "<default><default class=\"seen\"><geom type=\"mesh\" mesh=\"cube\" contype=\"0\" "
          "conaffinity=\"0\" material=\"warm\"/></default></default>\n"
          "<worldbody><body name=\"arm\" pos=\"0 0 1\">\n"
          "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"0.1 0.1 0.1\"/>\n"
          "<joint name=\"j\" axis=\"0 1 0\" range=\"-60 60\"/>\n"
          "<geom type=\"box\" size=\"0.1 0.1 0.1\"/>\n"
          "<geom class=\"seen\"/>\n"
          "<geom class=\"seen\" rgba=\"0.1 0.2 0.3 0.5\"/>\n"
          "<geom type=\"mesh\" mesh=\"cube\" contype=\"0\" conaffinity=\"0\"/>\n"
          "</body></worldbody></mujoco>\n",
          file);
    fclose(file);
}

Test(looks, a_mesh_of_an_mjcf_has_its_own_colour_or_its_materials) {
    // one look has its class's material, one its own colour, one none
    static const double colours[3][4] = {{1.0, 0.5, 0.25, 1.0}, {0.1, 0.2, 0.3, 0.5}, {0.0}};
    char folder[] = "/tmp/poise-looks-XXXXXX";
    char mesh[64];
    char robot[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(mesh, sizeof mesh, "%s/cube.stl", folder);
    snprintf(robot, sizeof robot, "%s/robot.xml", folder);
    write_cube(mesh);
    write_mjcf(robot);
    PoiseSceneSource source = {.path = robot};
    PoiseSession session;
    cr_assert(poise__session_open(&session, &source, stderr));
    // look 0 is the collision box, which is drawn too
    const PoiseSceneLook* looks = session.scene->looks + 1;
    cr_assert_eq(session.scene->look_count, 4, "%d", session.scene->look_count);
    cr_expect(!session.scene->looks[0].mesh);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++) {
            cr_expect_eq(looks[i].colour[k], colours[i][k], "look %d, %d: %g", i, k,
                         looks[i].colour[k]);
        }
    }
    poise__session_close(&session);
    unlink(mesh);
    unlink(robot);
    rmdir(folder);
}
