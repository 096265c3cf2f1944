// SPDX-License-Identifier: MIT
// --set: a value that is set is checked like one that is written in the file.
#include <criterion/criterion.h>

#include "loaded.h"
#include "near.h"

static const char scene[] = "poise: 1\nworld: {step: 0.01, ground: off}\n"
                            "bodies: {a: {sphere: 1}}\n"
                            "joints: {j: {ball: [0, 0, 0], between: [world, a], ik: off}}\n"
                            "control_points: {p: {body: a, position: [0, 0, 1]}}\n"
                            "expect: {p.rms_error: 1}\n";

Test(override, values_are_replaced_and_added) {
    static const char* const sets[] = {"world.step=0.002",
                                       "ik.solver=gauss_seidel",
                                       "joints.j.ik.spring=77",
                                       "world.ground.height=0.5",
                                       "control_points.p.position=[1, 2, 3]",
                                       "expect.p.rms_error=0.25",
                                       "expect.p.max_error=2",
                                       "joints.j.ik={spring: 5, damper: 6}"};
    Loaded loaded = required(load_with(scene, sets, 8));
    EXPECT_NEAR(loaded.scene->world.step, 0.002, 0.0);
    cr_expect(loaded.scene->ik.rig.settings.solve.solver == POISE_SOLVER_GAUSS_SEIDEL);
    EXPECT_NEAR(loaded.scene->joints[0].bind.ik.stiffness, 5.0, 0.0);
    EXPECT_NEAR(loaded.scene->joints[0].bind.ik.damping, 6.0, 0.0);
    cr_expect(loaded.scene->world.ground);
    EXPECT_NEAR(loaded.scene->world.ground_height, 0.5, 0.0);
    EXPECT_NEAR3(loaded.scene->points[0].position.places[0], poise_vec3(1.0, 2.0, 3.0), 0.0);
    cr_expect(loaded.scene->bound_count == 2);
    EXPECT_NEAR(loaded.scene->bounds[0].upper, 0.25, 0.0);
}

// Each matching joint gets its own copy: a later change of one joint leaves the others.
Test(override, a_pattern_sets_each_that_fits) {
    static const char text[] =
        "poise: 1\nbodies: {a: {sphere: 1}, b: {sphere: 1, at: [0, 3, 0]}, c: {sphere: 1, at: [3, "
        "0, 0]}}\n"
        "joints: {left_a: {ball: [0, 0, 0], between: [world, a], ik: off},\n"
        "         left_b: {ball: [0, 3, 0], between: [world, b]},\n"
        "         right: {ball: [3, 0, 0], between: [world, c], ik: {spring: 9, damper: 1}}}\n";
    static const char* const sets[] = {"joints.left_*.ik={spring: 5, damper: 6}",
                                       "joints.left_b.ik.spring=7", "joints.*.bias=2",
                                       "bodies.?.mass=3"};
    Loaded loaded = required(load_with(text, sets, 4));
    const double springs[] = {5.0, 7.0, 9.0};
    for (int i = 0; i < 3; i++) {
        EXPECT_NEAR(loaded.scene->joints[i].bind.ik.stiffness, springs[i], 0.0);
        EXPECT_NEAR(loaded.scene->joints[i].bias, 2.0, 0.0);
        EXPECT_NEAR(loaded.scene->bodies[i].mass, 3.0, 0.0);
    }
    EXPECT_NEAR(loaded.scene->joints[1].bind.ik.damping, 6.0, 0.0);
}

Test(override, findings_of_an_override_have_its_column) {
    static const struct {
        const char* set;
        int column;
        const char* fragment;
    } rows[] = {
        {"world.stp=1", 7, "unknown key 'stp' in the world; did you mean 'step'?"},
        {"wold.step=1", 1, "unknown key 'wold' in a scene; did you mean 'world'?"},
        {"world.step=-1", 12, "above 0"},
        {"world.step=abc", 12, "a decimal number"},
        {"world.step=", 1, "nothing"},
        {"bodies.b.mass=1", 8, "there is no 'b' in 'bodies'"},
        {"joints.jj.bias=1", 8, "did you mean 'j'?"},
        {"joints.q*.bias=1", 8, "there is no 'q*' in 'joints'"},
        {"joints.*.bais=1", 10, "did you mean 'bias'?"},
        {"control_points.p.position.0=1", 27, "is a list"},
        {"world={step: [", 0, "not YAML"},
        {"ik.solver=newton", 11, "must be one of"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Loaded loaded = load_with(scene, &rows[i].set, 1);
        char text[1000];
        cr_expect_null(loaded.scene, "%s", rows[i].set);
        cr_expect(
            found(&loaded, POISE_ERROR, rows[i].column ? 1 : 0, rows[i].column, rows[i].fragment),
            "%s:\n%s", rows[i].set, findings(&loaded, text, sizeof text));
    }
}

static const char two_joints[] =
    "poise: 1\n"
    "bodies: {a: {sphere: 1}, b: {sphere: 1}, f: {sphere: 1, fixed: yes}}\n"
    "joints: {j: {ball: [0, 0, 0], between: [f, a]}, k: {ball: [1, 0, 0], between: [f, b]}}\n";

Test(override, overrides_set_parts_of_a_scene) {
    static const struct {
        const char* set;
        const char* finds;
    } rows[] = {
        {"seconds", "an override is key=value"},
        {"=5", "an override is key=value"},
        {"joints.*.bias=2", NULL},
        {"joints.?.ik.spring=7", NULL},
        {"joints.x*.bias=2", "x*"},
        {"joints.*.bais=2", "unknown key 'bais'"},
        {"joints.q.bias=2", "q"},
        {"joints.j=", "joint"},
        {"world.gravity.z=1", "'gravity' must be a list of 3 numbers, not a map"},
        {"bodies.a.sphere.x=1", "'sphere'"},
        {"joints.j.between.x=1", "'between' is a list: set it as a whole"},
        {"world.gravity=[0, 0, -1]", NULL},
        {"world.step.h=1", "'step'"},
        {"joints.*.limits={swing: 1, twist: [1]}", "'twist'"},
        {"joints.*.limits={swing: 1, twist: 0.5}", NULL},
        {"bodies.c.sphere=1", "there is no 'c' in 'bodies'"},
        {"expect.p.rms_error=1", "p"},
        {"record=[j.angle]", NULL},
        {"world={step: 0.005", "not YAML"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Loaded loaded = load_with(two_joints, &rows[i].set, 1);
        char all[2000];
        cr_expect(rows[i].finds ? found(&loaded, POISE_ERROR, 0, 0, rows[i].finds)
                                : loaded.scene != NULL,
                  "%s: %s", rows[i].set, findings(&loaded, all, sizeof all));
    }
}
