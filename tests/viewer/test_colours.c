// SPDX-License-Identifier: MIT
// Tests that links have the colours of their files in a picture without light. The expected colours
// are those of the files' materials. Public robots are tested if POISE_TEST_DATA has them.
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "fixture.h"
#include "renderer.h"

enum { WIDTH = 320, HEIGHT = 240, MOST_COLOURS = 4, LEAST_PIXELS = 20 };

// Largest difference of a mean colour from its file's, of 255.
#define TOLERANCE 3.0

/// A link, and the colours of its materials, sRGB, 0..1.
typedef struct Link {
    const char* body;
    double colours[MOST_COLOURS][3];
    int count;
} Link;

static double difference(const double rgb[3], const double file[3]) {
    double most = 0.0;
    for (int i = 0; i < 3; i++) {
        most = fmax(most, fabs(rgb[i] - 255.0 * file[i]));
    }
    return most;
}

// Sums the pixels of a body by the nearest colour of its materials, and compares the mean colours.
static void compare(const Link* link, uint32_t id, const uint32_t* ids, const uint32_t* colours) {
    double sums[MOST_COLOURS][3] = {{0.0}};
    int pixels[MOST_COLOURS] = {0};
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const double rgb[3] = {colours[i] >> 24, colours[i] >> 16 & 255, colours[i] >> 8 & 255};
        int near = 0;
        for (int k = 1; k < link->count; k++) {
            near =
                difference(rgb, link->colours[k]) < difference(rgb, link->colours[near]) ? k : near;
        }
        for (int k = 0; k < 3 && ids[i] == id; k++) {
            sums[near][k] += rgb[k];
        }
        pixels[near] += ids[i] == id ? 1 : 0;
    }
    int seen = 0;
    for (int k = 0; k < link->count; k++) {
        const double n = pixels[k] > 0 ? pixels[k] : 1.0;
        const double mean[3] = {sums[k][0] / n, sums[k][1] / n, sums[k][2] / n};
        seen += pixels[k];
        cr_expect(pixels[k] == 0 || difference(mean, link->colours[k]) <= TOLERANCE,
                  "%s, colour %d: %g %g %g in the picture, %g %g %g in the file", link->body, k,
                  mean[0], mean[1], mean[2], 255.0 * link->colours[k][0],
                  255.0 * link->colours[k][1], 255.0 * link->colours[k][2]);
    }
    cr_expect(seen >= LEAST_PIXELS, "%s covers %d pixels", link->body, seen);
}

// Draws the robot without light. Returns false if a picture is impossible here.
static bool compare_robot(const char* path, const Link* links, int count) {
    static uint32_t ids[WIDTH * HEIGHT], colours[WIDTH * HEIGHT];
    PoiseNote note = {""};
    PoiseContext* context = poise__context_create(&note);
    if (!context) {
        return false;
    }
    PoiseRenderer* renderer = poise__renderer_create(POISE_QUALITY_FAST, &note);
    cr_assert_not_null(renderer, "%s", note.text);
    PoiseApp* app = known_app();
    cr_assert(poise__app_open(app, path), "%s", path);
    poise__camera_resize(&app->camera, WIDTH, HEIGHT);
    poise__app_do(app, "frame");
    poise__scene_view_read_looks(&app->view, app->session.simulation);
    const bool read = app->view.looks != NULL;
    if (read) {
        poise__looks_wait(app->view.looks);
        app->highlight.parts = 0;
        const PoisePicture picture = {
            poise__screen_draw(app), &app->camera, WIDTH, HEIGHT, 1.0, NULL, false, false};
        cr_assert(poise__renderer_ids(renderer, &picture, ids, &note), "%s", note.text);
        cr_assert(poise__renderer_unlit(renderer, &picture, colours, &note), "%s", note.text);
    }
    for (int i = 0; i < count && read; i++) {
        const int body = poise__find(app->session.simulation, POISE_OWNER_LINK, links[i].body);
        cr_assert_geq(body, 0, "%s", links[i].body);
        compare(&links[i], poise__draw_id(POISE_DRAW_BODY, body), ids, colours);
    }
    known_app_close(app);
    poise__renderer_destroy(renderer);
    poise__context_destroy(context);
    return read;
}

static void write_text(const char* folder, const char* name, const char* text) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

// A tetrahedron in a material whose colours are in mtl.mtl, or nowhere.
#define TETRAHEDRON(materials)                                                                     \
    materials "usemtl steel\nv 0 0 0\nv 0.3 0 0\nv 0 0.3 0\nv 0 0 0.3\n"                           \
              "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

Test(colours, links_have_the_colours_of_their_files_materials) {
    static const Link mjcf[] = {{"primitive", {{0.8, 0.2, 0.1}}, 1},
                                {"by_class", {{1.0, 0.5, 0.25}}, 1},
                                {"not_the_mesh_files", {{0.1, 0.6, 0.3}}, 1},
                                {"without", {{0.2, 0.4, 0.9}, {0.9, 0.9, 0.1}}, 2}};
    static const Link urdf[] = {{"named", {{0.25, 0.5, 0.75}}, 1},
                                {"of_the_mesh_file", {{0.7, 0.1, 0.3}}, 1},
                                {"lost_mtl", {{0.1, 0.3, 0.1}}, 1}};
#define BODY(name, at, geoms)                                                                      \
    "<body name='" name "' pos='" at "'><joint axis='0 0 1'/><inertial pos='0 0 0' mass='1' "      \
    "diaginertia='.1 .1 .1'/>" geoms "</body>"
    static const char model[] =
        "<mujoco><asset><mesh name='m' file='mtl.obj'/><material name='warm' rgba='1 .5 .25 1'/>"
        "</asset><default><default class='c'><geom type='mesh' mesh='m' material='warm' "
        "contype='0' conaffinity='0'/></default></default><worldbody>" //
        BODY("primitive", "0 0 0", "<geom type='box' size='.2 .2 .2' rgba='.8 .2 .1 1'/>") BODY(
            "by_class", "0 1 0", "<geom class='c'/>") BODY("not_the_mesh_files", "0 2 0",
                                                           "<geom class='c' rgba='.1 .6 .3 1'/>")
            BODY("without", "0 3 0",
                 "<geom type='sphere' size='.2' rgba='.2 .4 .9 1'/>"
                 "<geom type='sphere' size='.2' pos='0 .5 0' rgba='.9 .9 .1 1'/>") "</worldbody></"
                                                                                   "mujoco>";
#define LINK(name, at, shape)                                                                      \
    "<link name='" name "'><inertial><mass value='1'/><inertia ixx='.1' iyy='.1' izz='.1'/>"       \
    "</inertial><visual><geometry>" shape "</visual></link><joint name='" name                     \
    "_j' type='continuous'><parent link='base'/><child link='" name "'/><origin xyz='" at          \
    "'/></joint>"
    static const char robot[] =
        "<robot name='r'><material name='sky'><color rgba='.25 .5 .75 1'/></material>"
        "<link name='base'/>" LINK("named", "0 0 0",
                                   "<sphere radius='.2'/></geometry><material name='sky'/>")
            LINK("of_the_mesh_file", "0 1 0", "<mesh filename='mtl.obj'/></geometry>")
                LINK("lost_mtl", "0 2 0",
                     "<mesh filename='bare.obj'/></geometry><material name='own'><color rgba='.1 "
                     ".3 .1 1'/></material>") "</robot>";
    char folder[] = "/tmp/poise-colours-XXXXXX";
    char path[200];
    cr_assert_not_null(mkdtemp(folder));
    write_text(folder, "mtl.obj", TETRAHEDRON("mtllib mtl.mtl\n"));
    write_text(folder, "mtl.mtl", "newmtl steel\nKd 0.7 0.1 0.3\n");
    write_text(folder, "bare.obj", TETRAHEDRON("mtllib missing.mtl\n"));
    write_text(folder, "model.xml", model);
    write_text(folder, "robot.urdf", robot);
    snprintf(path, sizeof path, "%s/model.xml", folder);
    const bool drawn = compare_robot(path, mjcf, 4);
    snprintf(path, sizeof path, "%s/robot.urdf", folder);
    if (drawn) {
        compare_robot(path, urdf, 3);
    }
    static const char* const files[] = {"mtl.obj", "mtl.mtl", "bare.obj", "model.xml",
                                        "robot.urdf"};
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
    if (!drawn) {
        cr_skip("EGL gives no context here, or this build reads no meshes");
    }
}

Test(colours, public_robots_have_the_colours_of_their_makers) {
#define OFF_WHITE                                                                                  \
    { 0.901961, 0.921569, 0.929412 }
#define DARK                                                                                       \
    { 0.25, 0.25, 0.25 }
    static const Link hand[] = {{"world", {OFF_WHITE, DARK, {1.0, 1.0, 1.0}}, 3},
                                {"left_finger", {OFF_WHITE, DARK}, 2},
                                {"right_finger", {OFF_WHITE, DARK}, 2}};
#define GRAY                                                                                       \
    { 0.4627, 0.4627, 0.4627 }
#define BLACK                                                                                      \
    { 0.149, 0.149, 0.149 }
    static const Link gripper[] = {{"right_driver", {GRAY}, 1},
                                   {"left_driver", {GRAY}, 1},
                                   {"right_coupler", {BLACK}, 1},
                                   {"left_coupler", {BLACK}, 1}};
    static const struct {
        const char* file;
        const Link* links;
        int count;
    } robots[] = {{"panda_hand_mjcf/hand.xml", hand, 3}, {"robotiq_2f85/2f85.xml", gripper, 4}};
    int drawn = 0;
    for (int i = 0; i < 2; i++) {
        char path[400];
        struct stat about;
        snprintf(path, sizeof path, "%s/robots/real/%s", POISE_TEST_DATA, robots[i].file);
        if (stat(path, &about) == 0) {
            drawn += compare_robot(path, robots[i].links, robots[i].count) ? 1 : 0;
        }
    }
    if (drawn == 0) {
        cr_skip("POISE_TEST_DATA has no robots, EGL gives no context, or meshes are not read");
    }
}
