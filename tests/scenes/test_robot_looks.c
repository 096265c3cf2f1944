// SPDX-License-Identifier: MIT
// Tests the colours and the up axis of the meshes that a robot is drawn with.
#include <criterion/criterion.h>

#include "loaded.h"
#include "near.h"
#include "poise/look.h"

#define PARTS POISE_SOURCE_DIR "/tests/scenes/models/parts/"

// Returns the highest coordinates of the look's points.
static PoiseVec3 highest(const PoiseSceneLook* look) {
    PoiseVec3 high = {-1e9, -1e9, -1e9};
    PoiseLookMesh mesh;
    cr_assert(poise_look_read(look, &mesh));
    for (int i = 0; i < mesh.point_count; i++) {
        const PoiseVec3 p = mesh.points[i];
        high = poise_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    poise_look_finish(&mesh);
    return high;
}

// The file is 1 x 3 x 0.5 m, with y up.
Test(robot_looks, a_gltf_stands_upright) {
    PoiseSceneLook look = {.mesh = PARTS "tall.gltf", .scale = {1.0, 2.0, 1.0}};
    if (!has_meshes()) {
        return;
    }
    EXPECT_NEAR3(highest(&look), poise_vec3(1.0, 0.0, 3.0), 1e-6);
    // Collision shapes with z up have the box of the turned mesh.
    look.low = poise_vec3(-0.1, -1.0, 0.0);
    look.high = poise_vec3(1.0, 0.0, 3.1);
    EXPECT_NEAR3(highest(&look), poise_vec3(1.0, 0.0, 3.0), 1e-6);
    // They have the box of the mesh as its file has it: the author's z is up.
    look.low = poise_vec3(0.0, 0.0, 0.0);
    look.high = poise_vec3(1.1, 6.0, 0.5);
    EXPECT_NEAR3(highest(&look), poise_vec3(1.0, 6.0, 0.5), 1e-6);
}

Test(robot_looks, the_box_of_the_collision_shapes_is_in_the_axes_of_the_look) {
    Loaded loaded = required(load_text(
        PARTS "r.urdf",
        "<robot name='r'><link name='base'>"
        "<visual><origin xyz='0 0 1' rpy='1.5707963267948966 0 0'/><geometry>"
        "<mesh filename='tall.gltf'/></geometry></visual><collision><origin xyz='0 1 1'/><geometry>"
        "<box size='1 2 3'/></geometry></collision></link></robot>"));
    cr_assert_eq(loaded.scene->look_count, 1);
    const PoiseSceneLook* look = &loaded.scene->looks[0];
    // The look's y points along the link's z, its z along the link's -y.
    EXPECT_NEAR3(look->low, poise_vec3(-0.5, -1.5, -2.0), 1e-12);
    EXPECT_NEAR3(look->high, poise_vec3(0.5, 1.5, 0.0), 1e-12);
    cr_expect_not(look->plain);
}

Test(robot_looks, a_material_that_no_file_defines_gives_no_colour) {
    const PoiseSceneLook look = {.mesh = PARTS "unnamed.obj", .scale = {1.0, 1.0, 1.0}};
    PoiseLookMesh mesh;
    if (!has_meshes()) {
        return;
    }
    cr_assert(poise_look_read(&look, &mesh));
    for (int i = 0; i < mesh.triangle_count; i++) {
        cr_expect_eq(mesh.tints[i], 0, "%08x", mesh.tints[i]);
    }
    poise_look_finish(&mesh);
}

Test(robot_looks, a_model_of_mujoco_has_the_colours_of_its_materials) {
    static const struct {
        const char* geom;
        double colour[4];
    } rows[] = {
        {"<geom type='mesh' mesh='m' material='red'/>", {0.9, 0.1, 0.2, 1.0}},
        {"<geom type='mesh' mesh='m' material='red' rgba='0 0 1 0.5'/>", {0.0, 0.0, 1.0, 0.5}},
        {"<geom type='mesh' mesh='m' class='green'/>", {0.0, 0.8, 0.0, 1.0}},
        {"<geom type='mesh' mesh='m' material='papered'/>", {1.0, 1.0, 1.0, 1.0}},
        {"<geom type='box' size='0.1 0.1 0.1' material='red'/>", {0.9, 0.1, 0.2, 1.0}},
        {"<geom type='capsule' size='0.1 0.1' rgba='1 1 0 1'/>", {1.0, 1.0, 0.0, 1.0}},
        {"<geom type='mesh' mesh='m'/>", {0.0, 0.0, 0.0, 0.0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "<mujoco><default><default class='green'><geom rgba='0 0.8 0 1'/></default>"
                 "</default><asset><mesh name='m' file='wedge.obj'/>"
                 "<material name='red' rgba='0.9 0.1 0.2 1'/>"
                 "<material name='papered' texture='t'/></asset>"
                 "<worldbody><body><joint/>%s</body></worldbody></mujoco>",
                 rows[i].geom);
        Loaded loaded = required(load_text(PARTS "m.xml", text));
        cr_assert_eq(loaded.scene->look_count, 1, "%s", rows[i].geom);
        const PoiseSceneLook* look = &loaded.scene->looks[0];
        for (int k = 0; k < 4; k++) {
            cr_expect_eq(look->colour[k], rows[i].colour[k], "%s: %g", rows[i].geom,
                         look->colour[k]);
        }
        PoiseLookMesh mesh;
        cr_expect(look->plain && (!look->mesh || poise_look_read(look, &mesh)));
        if (look->mesh) {
            cr_expect_null(mesh.tints);
            poise_look_finish(&mesh);
        }
    }
}
