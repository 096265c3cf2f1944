// SPDX-License-Identifier: MIT
// Tests the figures of scenes without a fixed base: floating bases, points that support them, and
// pushes from outside.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loaded.h"
#include "near.h"
#include "poise/figures.h"
#include "poise/forecast.h"
#include "poise/simulation.h"
#include "poise/stance.h"
#include "running.h"
#include "works.h"

#define FIGURE                                                                                     \
    "poise: 1\nworld: {step: 0.01, ground: {height: 0}}\ndefaults: {joint: {ik: {spring: 500, "    \
    "damper: 30}}}\nbodies:\n"                                                                     \
    "  top: {box: [0.2, 0.2, 0.2], at: [0, 0, 0.6], mass: 4}\n"                                    \
    "  leg: {capsule: 0.04, from: [0, 0, 0.5], to: [0, 0, 0.1], mass: 1}\n"                        \
    "  foot: {box: [0.3, 0.3, 0.04], at: [0, 0, 0.0201], mass: 1}\n"

#define JOINTS                                                                                     \
    "joints:\n"                                                                                    \
    "  base: {floating: on, between: [world, top]}\n"                                              \
    "  hip: {ball: [0, 0, 0.5], between: [top, leg]}\n"                                            \
    "  ankle: {ball: [0, 0, 0.05], between: [leg, foot]}\n"

#define POINTS                                                                                     \
    "control_points:\n"                                                                            \
    "  sole: {body: foot, at: [0, 0, -0.02], position: [0, 0, 0], orientation: {quaternion: [1, "  \
    "0, 0, 0]}, stance: 2, sole: 0.1}\n"                                                           \
    "  middle: {body: top, com: on, rows: [x, y], position: [0.05, 0, 0.4], balance: on}\n"

static PoiseSimulation* start(Loaded* loaded, const char* text) {
    *loaded = load_text("t.yaml", text);
    PoiseSimulation* simulation = run(*loaded).simulation;
    return simulation;
}

static dBodyID first_body(const PoiseSimulation* simulation) {
    return dGeomGetBody(dSpaceGetGeom(poise_world_space(poise_simulation_world(simulation)), 0));
}

Test(floating, a_base_stands_on_the_points_that_carry_it) {
    Loaded loaded;
    PoiseSimulation* simulation = start(&loaded, FIGURE JOINTS POINTS);
    PoiseRig* rig = poise_simulation_rig(simulation);
    cr_expect_eq(poise_rig_stance_count(rig), 1);
    for (int i = 0; i < 300; i++) {
        cr_assert_eq(poise_simulation_step(simulation), POISE_OK, "%s",
                     poise_simulation_trouble(simulation));
    }
    PoiseVec3 force;
    PoiseVec3 outside;
    PoisePointId sole = poise_tree_point(poise_simulation_tree(simulation), 0);
    cr_assert_eq(poise_rig_read_stance(rig, sole, &force, NULL), POISE_OK);
    EXPECT_NEAR3(force, poise_vec3(0.0, 0.0, 6.0 * 9.81), 1e-4);
    cr_assert_eq(poise_rig_outside_force(rig, &outside, NULL), POISE_OK);
    cr_expect_eq(poise_length(outside), 0.0);
    // the goal is the middle of the supporting points, although the file gives another place
    PoisePointId middle = poise_tree_point(poise_simulation_tree(simulation), 1);
    EXPECT_NEAR(poise_point_goal(poise_simulation_tree(simulation), middle).p.x, 0.0, 1e-3);
}

// The push gives m v = F t, on a free body.
Test(floating, a_push_gives_its_force_times_its_time) {
    static const struct {
        const char* push;
        double seconds;
        double pushed; ///< total time of the pushes, s
    } rows[] = {
        {"{body: a, force: [10, 0, 0], from: 0.2, seconds: 0.1}", 1.0, 0.1},
        {"{body: a, force: [10, 0, 0]}", 1.0, 0.1},
        {"{body: a, force: [10, 0, 0], from: 0.5, seconds: inf}", 1.0, 0.5},
        {"{body: a, force: [10, 0, 0], from: 0.1, seconds: 0.05, every: 0.3}", 1.0, 0.15},
        {"{body: a, force: [10, 0, 0], from: 2}", 1.0, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "poise: 1\nworld: {gravity: [0, 0, 0]}\nbodies: {a: {sphere: 0.1, mass: 2}}\n"
                 "pushes: {p: %s}\n",
                 rows[i].push);
        Loaded loaded;
        PoiseSimulation* simulation = start(&loaded, text);
        while (poise_simulation_time(simulation) < rows[i].seconds - 1e-9) {
            cr_assert_geq(poise_simulation_step(simulation), POISE_OK);
        }
        double speed = dBodyGetLinearVel(first_body(simulation))[0];
        cr_expect(fabs(speed - 5.0 * rows[i].pushed) < 1e-9, "%s: %g m/s", rows[i].push, speed);
    }
}

// A base on springs to the world rests where springs and weight balance: m g / p below its goal.
Test(floating, a_base_with_springs_is_carried_by_them) {
    Loaded loaded;
    PoiseSimulation* simulation = start(
        &loaded, "poise: 1\nworld: {step: 0.01}\nik: {gravity: off}\nbodies: {a: {box: [0.2, "
                 "0.2, 0.2], mass: 3, at: [0, 0, 1]}}\njoints: {base: {floating: on, between: "
                 "[world, a], ik: {spring: 50, damper: 5}, ik_linear: {spring: 2000, damper: "
                 "150}}}\ncontrol_points: {p: {body: a, position: [0.1, 0.2, 1.3], "
                 "orientation: {quaternion: [0.980067, 0, 0, 0.198669]}}}\n");
    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(poise_simulation_step(simulation), POISE_OK);
    }
    const PoisePointView point = poise_simulation_point(simulation, 0);
    PoiseForecast forecast;
    const PoiseForecastDef def = {.points = &point.point, .count = 1};
    cr_assert_eq(poise_rig_forecast(poise_simulation_rig(simulation), &def, &forecast), POISE_OK);
    const double sag = 3.0 * 9.81 / 2000.0;
    EXPECT_NEAR3(point.pose_world.p, poise_vec3(0.1, 0.2, 1.3 - sag), 1e-6);
    EXPECT_NEAR(point.reading.angle_miss, 0.0, 1e-6);
    EXPECT_NEAR(forecast.miss, sag, 1e-8);
    EXPECT_NEAR(forecast.compliance[8], 1.0 / 2000.0, 1e-9);
    cr_expect_eq(forecast.end, POISE_FORECAST_SETTLES, "%s", forecast.why);
}

// A trunk is held by springs of its own. No massless bodies hold it.
Test(floating, no_scene_hangs_its_figure_on_a_gantry) {
    static const char* const names[] = {"yoga", "yoga_sag", "full_body"};
    for (int i = 0; i < 3; i++) {
        char path[300];
        snprintf(path, sizeof path, POISE_SOURCE_DIR "/scenes/%s.yaml", names[i]);
        Loaded loaded = required(load_file(path));
        const PoiseScene* scene = loaded.scene;
        int bases = 0;
        for (int j = 0; j < scene->joint_count; j++) {
            const PoiseSceneJoint* joint = &scene->joints[j];
            const bool floats = poise_kind_floats(joint->kind);
            bases += floats && joint->parent.index < 0;
            cr_expect(joint->parent.index >= 0 || floats, "%s: %s", names[i], joint->name);
            cr_expect_neq(joint->kind, POISE_NODE_SLIDER, "%s: %s", names[i], joint->name);
        }
        cr_expect_eq(bases, 1, "%s: %d bases", names[i], bases);
    }
}

Test(floating, a_push_acts_where_it_says) {
    Loaded loaded;
    PoiseSimulation* simulation =
        start(&loaded, "poise: 1\nworld: {gravity: [0, 0, 0]}\nbodies: {a: {box: [0.2, 0.2, 0.2], "
                       "mass: 3}}\npushes: {p: {body: a, at: [0, 0.1, 0], force: [0, 0, 6]}}\n");
    WORKS(poise_simulation_step(simulation));
    dBodyID body = first_body(simulation);
    // I = m (a^2 + a^2) / 12
    EXPECT_NEAR(dBodyGetAngularVel(body)[0], 0.01 * 0.6 / (3.0 * 0.08 / 12.0), 1e-9);
    EXPECT_NEAR(dBodyGetLinearVel(body)[2], 0.01 * 6.0 / 3.0, 1e-12);
}

Test(floating, faults_of_floating_bases_are_findings) {
    static const struct {
        const char* says;
        const char* text;
    } rows[] = {
        {"held by both",
         FIGURE "joints: {b: {floating: on, between: [world, top], ik: {spring: 3}}}\n"},
        {"held by both",
         FIGURE "joints: {b: {floating: on, between: [world, top], ik_linear: {spring: 3}}}\n"},
        {"for floating bases", FIGURE "joints: {b: {ball: [0, 0, 0], between: [world, top], "
                                      "ik_linear: {spring: 3}}}\n"},
        {"neither axis, limits nor",
         FIGURE "joints: {b: {floating: on, between: [world, top], limits: [0, 1]}}\n"},
        {"floats does so in the world",
         FIGURE "joints: {b: {floating: on, between: [top, leg]}}\n"},
        {"must say what it is",
         FIGURE "joints: {b: {floating: on, ball: [0, 0, 0], between: [world, top]}}\n"},
        {"hangs on none",
         FIGURE "joints: {b: {ball: [0, 0, 0], between: [world, top]}}\n"
                "control_points: {p: {body: top, position: [0, 0, 0], stance: 1}}\n"},
        {"give it a 'position' that stays",
         FIGURE JOINTS "control_points: {p: {body: foot, orientation: {quaternion: [1, 0, 0, 0]}, "
                       "stance: 1}}\n"},
        {"only a centre of mass",
         FIGURE JOINTS "control_points: {p: {body: foot, position: [0, 0, 0], balance: on}}\n"},
        {"'stance' must be",
         FIGURE JOINTS "control_points: {p: {body: foot, position: [0, 0, 0], stance: -1}}\n"},
        {"come again before it has ended",
         FIGURE "pushes: {p: {body: top, force: [1, 0, 0], seconds: 1, every: 0.5}}\n"},
        {"'force'", FIGURE "pushes: {p: {body: top}}\n"},
        {"tap", FIGURE "pushes: {p: {body: tap, force: [1, 0, 0]}}\n"},
        {"nothing moves it",
         FIGURE "  wall: {box: [1, 1, 1], at: [5, 0, 0], fixed: on}\npushes: {p: {body: wall, "
                "force: [1, 0, 0]}}\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Loaded loaded = load_text("t.yaml", rows[i].text);
        char all[2000];
        cr_expect_null(loaded.scene, "%s", rows[i].text);
        cr_expect(strstr(findings(&loaded, all, sizeof all), rows[i].says) != NULL,
                  "'%s' not in:\n%s", rows[i].says, all);
    }
}

// A base has no single angle. Three numbers give its rotation, as for a ball.
Test(floating, a_base_shows_how_it_is_turned) {
    Running figure = running_open(POISE_SOURCE_DIR "/scenes/full_body.yaml");
    running_steps(&figure, 1.0);
    const int root = poise_scene_find_joint(figure.loaded.scene, "root");
    cr_assert(root >= 0);
    const int child = figure.loaded.scene->joints[root].child.index;
    const PoiseQuat now = poise_simulation_body(figure.simulation, child).pose_world.q;
    const PoiseQuat then = figure.loaded.scene->bodies[child].pose.q;
    const PoiseVec3 turned = poise_quat_log(poise_quat_mul(now, poise_quat_conjugate(then)));
    const PoiseFigureSource source = {figure.simulation, NULL};
    const PoiseFigureValue value = poise_figure_read(
        poise_figure_find(POISE_FIGURE_OF_JOINT, POISE_FIGURE_CSV, "angle"), &source, root);
    cr_assert_eq(value.count, 3);
    cr_expect(poise_length(turned) > 0.01);
    EXPECT_NEAR3(poise_vec3(value.numbers[0], value.numbers[1], value.numbers[2]), turned, 1e-12);
}

// The natural posture of a base is its start, not the world's origin. Directions that points leave
// free do not move.
Test(floating, a_base_is_not_pulled_to_the_origin) {
    Running running = running_start(
        "poise: 1\n"
        "world: {gravity: [0, 0, 0], step: 0.005, contacts: off}\n"
        "ik: {posture_rate: 0.1}\n"
        "bodies:\n"
        "  block: {box: [0.2, 0.2, 0.2], at: [1, 2, 3]}\n"
        "joints:\n"
        "  root: {floating: on, between: [world, block], ik: {spring: 2e4, damper: 800},\n"
        "         ik_linear: {spring: 1e5, damper: 4000}}\n"
        "control_points:\n"
        "  along: {body: block, rows: [x], position: [1.2, 0, 0]}\n");
    running_steps(&running, 3.0);
    EXPECT_NEAR3(body_pose(&running, "block").p, poise_vec3(1.2, 2.0, 3.0), 1e-4);
}
