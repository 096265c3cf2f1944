// SPDX-License-Identifier: MIT
// Reads the text of scenes to data: bodies, joints, springs and points.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loaded.h"
#include "near.h"

#define PI 3.14159265358979323846

Test(scene, shapes_have_their_sizes_and_places) {
    Loaded loaded =
        load_text("t.yaml", "poise: 1\n"
                            "bodies:\n"
                            "  a: {box: [1, 2, 3], at: [4, 5, 6], mass: 12}\n"
                            "  b: {capsule: 0.1, from: [0, 0, 1], to: [0, 0, 3]}\n"
                            "  c: {cylinder: 0.1, length: 2, rotation: {axis: [1, 0, 0],"
                            " angle: 1}}\n"
                            "  d: {sphere: 0.5, density: 10, fixed: yes}\n"
                            "  e: {capsule: 0.1, from: [0, 0, 3], to: [0, 0, 1]}\n");
    required(loaded);
    const PoiseSceneBody* bodies = loaded.scene->bodies;
    EXPECT_NEAR(bodies[0].mass, 12.0, 1e-12);
    EXPECT_NEAR(bodies[0].inertia[0], 13.0, 1e-12);
    EXPECT_NEAR3(bodies[1].pose.p, poise_vec3(0.0, 0.0, 2.0), 1e-15);
    EXPECT_NEAR(bodies[1].shapes[0].size.y, 2.0, 1e-15);
    EXPECT_NEAR(bodies[1].mass, 1000.0 * PI * 0.01 * (2.0 + 0.4 / 3.0), 1e-9);
    EXPECT_NEAR_QUAT(bodies[2].pose.q, poise_quat_exp(poise_vec3(1.0, 0.0, 0.0)), 1e-12);
    cr_expect(bodies[3].fixed && !bodies[0].fixed);
    // the frame's z points from `from` to `to`
    EXPECT_NEAR3(poise_quat_rotate(bodies[4].pose.q, poise_vec3(0.0, 0.0, 1.0)),
                 poise_vec3(0.0, 0.0, -1.0), 1e-12);
}

Test(scene, degrees_are_turned_into_radians) {
    Loaded loaded = required(load_text(
        "t.yaml",
        "poise: 1\nangles: degrees\nbodies: {a: {sphere: 1}, b: {sphere: 1}}\n"
        "joints:\n  h: {hinge: [0, 0, 0], axis: [0, 0, 2], between: [world, a], limits: "
        "[-90, 180], natural: 45}\n"
        "  s: {slider: [0, 0, 0], axis: [1, 0, 0], between: [world, b], limits: [-90, 180]}\n"));
    const PoiseSceneJoint* hinge = &loaded.scene->joints[0];
    EXPECT_NEAR(hinge->limits.lower[0], -0.5 * PI, 1e-12);
    EXPECT_NEAR(hinge->limits.upper[0], PI, 1e-12);
    EXPECT_NEAR(hinge->bind.natural[0], 0.25 * PI, 1e-12);
    EXPECT_NEAR3(hinge->axis, poise_vec3(0.0, 0.0, 1.0), 1e-15);
    // a slider's limits are metres with every unit of angles
    EXPECT_NEAR(loaded.scene->joints[1].limits.upper[0], 180.0, 0.0);
}

Test(scene, omitted_keys_have_their_defaults) {
    Loaded loaded = required(load_text(
        "t.yaml", "poise: 1\ndefaults:\n  body: {density: 500}\n  joint: {original: {spring: 30, "
                  "damper: 3}, ik: {spring: 600, damper: 40}, max_torque: 120}\n"
                  "bodies: {a: {box: [1, 1, 1]}, b: {box: [1, 1, 1], mass: 7}, c: {sphere: 1}}\n"
                  "joints:\n  j: {ball: [0, 0, 0], between: [world, a], ik: {spring: 9}}\n"
                  "  k: {ball: [0, 0, 0], between: [world, b], original: off, max_torque: inf}\n"
                  "  l: {ball: [0, 0, 0], between: [world, c], ik: false}\n"));
    EXPECT_NEAR(loaded.scene->bodies[0].mass, 500.0, 1e-9);
    EXPECT_NEAR(loaded.scene->bodies[1].mass, 7.0, 1e-12);
    const PoiseSceneJoint* joints = loaded.scene->joints;
    EXPECT_NEAR(joints[0].bind.ik.stiffness, 9.0, 0.0);
    EXPECT_NEAR(joints[0].bind.ik.damping, 40.0, 0.0);
    EXPECT_NEAR(joints[0].bind.original.stiffness, 30.0, 0.0);
    EXPECT_NEAR(joints[0].bind.torque_limit, 120.0, 0.0);
    EXPECT_NEAR(joints[1].bind.original.stiffness, 0.0, 0.0);
    cr_expect(isinf(joints[1].bind.torque_limit));
    EXPECT_NEAR(joints[2].bind.ik.stiffness, 0.0, 0.0);
    EXPECT_NEAR(joints[2].bind.original.damping, 3.0, 0.0);
}

static const char two_arms[] =
    "poise: 1\n"
    "bodies: {base: {sphere: 1, fixed: true}, a: {sphere: 1}, b: {sphere: 1}, c: {sphere: 1}}\n"
    "joints:\n"
    "  j_b: {ball: [0, 0, 0], between: [a, b]}\n"
    "  j_a: {ball: [0, 0, 0], between: [base, a]}\n"
    "  k_c: {ball: [0, 0, 0], between: [base, c]}\n";

Test(scene, joints_are_sorted_from_the_base_outward) {
    Loaded loaded = required(load_text("t.yaml", two_arms));
    const PoiseScene* scene = loaded.scene;
    cr_assert(scene->driven_count == 3);
    cr_expect(scene->joint_order[0] == 1 && scene->joint_order[1] == 2 &&
              scene->joint_order[2] == 0);
    // Bodies that joints connect have one group.
    cr_expect(scene->bodies[0].group >= 0 && scene->bodies[0].group == scene->bodies[2].group);
}

Test(scene, a_pattern_skips_what_cannot_move_the_point) {
    char text[700];
    strcpy(text, two_arms);
    strcat(text, "control_points: {p: {body: b, uses: ['j_*', '*'], position: [1, 2, 3]}}\n");
    Loaded loaded = required(load_text("t.yaml", text));
    const PoiseScenePoint* point = &loaded.scene->points[0];
    cr_expect(point->joint_count == 2);
    cr_expect(point->joints[0] == 0 && point->joints[1] == 1);
}

Test(scene, a_point_without_uses_has_every_joint_to_the_base) {
    char text[700];
    strcpy(text, two_arms);
    strcat(text, "control_points: {p: {body: c, position: [1, 2, 3]}}\n");
    Loaded loaded = required(load_text("t.yaml", text));
    cr_expect(loaded.scene->points[0].joint_count == 1 && loaded.scene->points[0].joints[0] == 2);
}

Test(scene, a_joint_that_closes_a_loop_is_left_alone) {
    char text[700];
    strcpy(text, two_arms);
    strcat(text, "  loop: {hinge: [0, 0, 0], axis: [1, 0, 0], between: [b, c]}\n");
    Loaded loaded = required(load_text("t.yaml", text));
    cr_expect(!loaded.scene->joints[3].driven && loaded.scene->driven_count == 3);
    cr_expect(found(&loaded, POISE_WARNING, 7, 3, "closes a loop"));
}

Test(scene, every_goal_can_be_written) {
    char text[2000];
    strcpy(text, two_arms);
    strcat(
        text,
        "control_points:\n"
        "  a1: {body: a, position: [1, 2, 3]}\n"
        "  a2: {body: a, position: {at: [1, 2, 3], until: 4}}\n"
        "  a3: {body: a, position: {path: [{time: 1, to: [0, 0, 0]}, {time: 2, to: [1, 0, 0]}], "
        "between: smooth, repeat: yes}}\n"
        "  a4: {body: a, position: {polyline: [[0, 0, 0], [1, 0, 0], [1, 1, 0]], speed: 2, closed: "
        "true}}\n"
        "  a5: {body: a, position: {circle: {centre: [0, 0, 1], radius: 2, period: 3}}}\n"
        "  a6: {body: a, orientation: {quaternion: [2, 0, 0, 0]}}\n"
        "  a7: {body: a, orientation: {path: [{time: 0, to: [1, 0, 0, 0]}, {time: 1, to: {axis: "
        "[0, 0, 1], angle: 1}}]}}\n"
        "  a8: {body: a, orientation: {point: [0, 0, 1], along: [1, 0, 0]}, priority: 2}\n"
        "  a9: {body: a, orientation: {point: [0, 0, 1], at: a1}, force: {push: [0, 0, 1], after: "
        "2}}\n");
    Loaded loaded = required(load_text("t.yaml", text));
    static const PoiseGoalKind places[] = {POISE_GOAL_FIXED, POISE_GOAL_FIXED, POISE_GOAL_PATH,
                                           POISE_GOAL_POLYLINE, POISE_GOAL_CIRCLE};
    static const PoiseGoalKind turns[] = {POISE_GOAL_FIXED, POISE_GOAL_PATH, POISE_GOAL_ALONG,
                                          POISE_GOAL_AT};
    const PoiseScenePoint* points = loaded.scene->points;
    for (int i = 0; i < 5; i++) {
        cr_expect(points[i].position.kind == places[i], "%s", points[i].name);
    }
    for (int i = 0; i < 4; i++) {
        cr_expect(points[5 + i].orientation.kind == turns[i], "%s", points[5 + i].name);
    }
    EXPECT_NEAR(points[1].position.until, 4.0, 0.0);
    // the return of a repeated path takes the mean time of its legs
    cr_expect(points[2].position.count == 3);
    EXPECT_NEAR(points[2].position.stations[2], 3.0, 1e-12);
    // a closed polyline returns to its start
    cr_expect(points[3].position.count == 4);
    EXPECT_NEAR(points[5].orientation.rotations[0].w, 1.0, 1e-15);
    cr_expect(points[8].orientation.at.index == 0);
    cr_expect(points[7].def.priority == 2);
    EXPECT_NEAR3(points[7].orientation.axis, poise_vec3(0.0, 0.0, 1.0), 0.0);
    cr_expect(points[8].has_force);
    EXPECT_NEAR3(points[8].force, poise_vec3(0.0, 0.0, 1.0), 0.0);
    cr_expect(points[8].def.yield == POISE_YIELD_ALONG);
}

#define ANGLES                                                                                     \
    "bodies: {a: {sphere: 1}, b: {sphere: 1, at: [3, 0, 0]},\n"                                    \
    "  c: {sphere: 1, at: [6, 0, 0], rotation: {axis: [0, 0, 1], angle: 90}},\n"                   \
    "  d: {sphere: 1, at: [9, 0, 0], rotation: {rpy: [0, 0, 90]}}}\n"                              \
    "joints:\n"                                                                                    \
    "  h: {hinge: [0, 0, 0], axis: [0, 0, 1], between: [world, a], limits: [0, 150]}\n"            \
    "  s: {slider: [0, 0, 0], axis: [0, 0, 1], between: [a, b], limits: [0, 150], natural: 20}\n"  \
    "  u: {universal: [6, 0, 0], axis: [0, 0, 1], axis2: [1, 0, 0], between: [b, c],\n"            \
    "      limits: [[-inf, 6.28], [-90, inf]], natural: [0, -10], max_speed: 90}\n"                \
    "  n: {hinge: [9, 0, 0], axis: [0, 0, 1], between: [c, d], natural: 45, limits: [-6.3, 50]}\n"

Test(scene, an_angle_of_more_than_a_turn_is_a_warning) {
    static const int places[][2] = {{4, 68},  {5, 49},  {7, 71}, {10, 15},
                                    {10, 52}, {11, 68}, {11, 80}};
    Loaded loaded = required(load_text("t.yaml", "poise: 1\n\n" ANGLES));
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        cr_expect(found(&loaded, POISE_WARNING, places[i][0], places[i][1],
                        "rad is more than a whole turn: if degrees are meant"),
                  "%d:%d", places[i][0], places[i][1]);
    }
    cr_expect(poise_diagnostics_count(loaded.diagnostics, POISE_WARNING) == 7);
    cr_expect(found(&loaded, POISE_WARNING, 7, 71, "150 rad is more"));
    cr_expect(found(&loaded, POISE_WARNING, 10, 15, "-90 rad is more"));
}

Test(scene, large_angles_with_a_unit_are_no_warning) {
    static const char* const units[] = {"poise: 1\nangles: radians\n" ANGLES,
                                        "poise: 1\nangles: degrees\n" ANGLES};
    for (int i = 0; i < 2; i++) {
        Loaded loaded = required(load_text("t.yaml", units[i]));
        cr_expect(poise_diagnostics_count(loaded.diagnostics, POISE_WARNING) == 0);
    }
}

Test(scene, many_errors_are_reported_at_once) {
    Loaded loaded = load_text("t.yaml", "poise: 1\nworld: {step: -1, gravty: [0, 0, 0]}\n"
                                        "bodies: {a: {box: [1, 2]}, b: {sphere: x}}\n"
                                        "joints: {j: {ball: [0, 0, 0], between: [a, d]}}\n"
                                        "control_points: {p: {body: q, position: 3}}\n");
    cr_expect_null(loaded.scene);
    cr_expect(found(&loaded, POISE_ERROR, 2, 15, "above 0"));
    cr_expect(found(&loaded, POISE_ERROR, 2, 19, "did you mean 'gravity'?"));
    cr_expect(found(&loaded, POISE_ERROR, 3, 19, "a list of 3 numbers"));
    cr_expect(found(&loaded, POISE_ERROR, 3, 40, "a decimal number"));
    cr_expect(found(&loaded, POISE_ERROR, 4, 44, "there is no body 'd'"));
    cr_expect(found(&loaded, POISE_ERROR, 5, 28, "there is no body 'q'"));
    cr_expect(found(&loaded, POISE_ERROR, 5, 41, "'position' must be"));
}

Test(scene, the_worked_examples_are_read) {
    FILE* file = fopen(POISE_TEST_DATA "/scenes/reach.yaml", "r");
    if (!file) {
        cr_skip("POISE_TEST_DATA has no scenes/reach.yaml");
    }
    fclose(file);
    Loaded loaded = required(load_file(POISE_TEST_DATA "/scenes/reach.yaml"));
    cr_expect(poise_diagnostics_count(loaded.diagnostics, POISE_WARNING) == 0);
    cr_expect(loaded.scene->body_count == 10 && loaded.scene->joint_count == 8);
    int gaze = poise_scene_find_point(loaded.scene, "gaze");
    cr_expect(loaded.scene->points[gaze].orientation.kind == POISE_GOAL_AT);
    int waist = poise_scene_find_joint(loaded.scene, "waist");
    EXPECT_NEAR(loaded.scene->joints[waist].limits.upper[0], 40.0 * 3.14159265358979323846 / 180.0,
                1e-15);
    EXPECT_NEAR(loaded.scene->joints[waist].limits.upper[2], 35.0 * 3.14159265358979323846 / 180.0,
                1e-15);
}

// Each count is above its limit. A mirror makes half of the bodies and joints.
Test(scene, scenes_with_too_many_parts_are_refused) {
    static const struct {
        int bodies;
        int joints;
        const char* finds;
    } rows[] = {{1001, 0, "a scene has at most 2000 bodies, those of robots included"},
                {501, 501, "a scene has at most 1000 joints that move, those of robots included"},
                {2001, 0, "'bodies' holds 2001 items: a scene has at most 2000"},
                {1, 1001, "'joints' holds 1001 items: a scene has at most 1000"}};
    const size_t capacity = 400000;
    char* text = malloc(capacity);
    cr_assert_not_null(text);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t used =
            (size_t)snprintf(text, capacity, "poise: 1\nmirror: {from: l_, to: r_}\nbodies:\n");
        for (int k = 0; k < rows[i].bodies; k++) {
            used += (size_t)snprintf(text + used, capacity - used,
                                     "  l_b%d: {sphere: 0.1, at: [%d, 1, 0]}\n", k, k);
        }
        used += (size_t)snprintf(text + used, capacity - used, "joints:%s\n",
                                 rows[i].joints == 0 ? " {}" : "");
        for (int k = 0; k < rows[i].joints; k++) {
            used +=
                (size_t)snprintf(text + used, capacity - used,
                                 "  l_j%d: {ball: [%d, 1, 0], between: [world, l_b%d]}\n", k, k, k);
        }
        Loaded loaded = load_text("many.yaml", text);
        cr_expect(found(&loaded, POISE_ERROR, 0, 0, rows[i].finds), "%s", rows[i].finds);
        cr_expect_null(loaded.scene, "%s", rows[i].finds);
    }
    free(text);
}
