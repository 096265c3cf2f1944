// SPDX-License-Identifier: MIT
// Tests how installed code reaches a scene: numbers by key, arrays, many steps in a call, tips
// without physics, and the report as text.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "poise/report.h"
#include "poise/tip.h"
#include "poise/value.h"
#include "running.h"

// two hinges of 1 m about z, and a slider next to them
#define ARM                                                                                        \
    "poise: 1\nseconds: 1\nworld: {gravity: [0, 0, 0]}\n"                                          \
    "defaults: {joint: {ik: {spring: 5000, damper: 300}}}\n"                                       \
    "bodies: {a: {capsule: 0.05, mass: 1, from: [0, 0, 0], to: [1, 0, 0]},\n"                      \
    "         b: {capsule: 0.05, mass: 1, from: [1, 0, 0], to: [2, 0, 0]},\n"                      \
    "         c: {sphere: 0.05, mass: 1, at: [0, 5, 0]}}\n"                                        \
    "joints: {j: {hinge: [0, 0, 0], axis: [0, 0, 1], between: [world, a]},\n"                      \
    "         k: {hinge: [1, 0, 0], axis: [0, 0, 1], between: [a, b]},\n"                          \
    "         s: {slider: [0, 5, 0], axis: [0, 0, 1], between: [world, c]}}\n"                     \
    "control_points: {p: {body: b, at: [0, 0, 0.5], position: [1, 1, 0]},\n"                       \
    "                 q: {body: c, position: [0, 5, 0.3]}}\n"

static double read(const Running* running, const char* key) {
    double value = (double)NAN;
    cr_assert_eq(poise_value_read(running->simulation, key, &value), POISE_OK, "no %s", key);
    return value;
}

RUNNING_TEST(access, each_key_is_read_and_only_parameters_are_set, running_start(ARM)) {
    PoiseSimulation* simulation = running->simulation;
    int listed = 0;
    for (int i = 0; i < poise_value_count(simulation); i++) {
        char key[200];
        if (!poise_value_key(simulation, i, key, sizeof key)[0]) {
            continue;
        }
        double value;
        bool settable;
        char unit[24];
        listed++;
        cr_expect_eq(poise_value_read(simulation, key, &value), POISE_OK, "%s", key);
        cr_expect(poise_value_about(simulation, key, &settable, unit, sizeof unit), "%s", key);
        const PoiseStatus status = poise_value_set(simulation, key, value);
        cr_expect_eq(status, settable ? POISE_OK : POISE_ERROR_WRONG_KIND, "%s", key);
    }
    cr_expect_gt(listed, 30);
    cr_expect_eq(poise_value_set(simulation, "joints.j.ik.spring", 1234.0), POISE_OK);
    cr_expect_eq(read(running, "joints.j.ik.spring"), 1234.0);
    cr_expect_eq(poise_value_set(simulation, "joints.j.ik.spring", -1.0),
                 POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(read(running, "joints.j.ik.spring"), 1234.0);
    double unused;
    cr_expect_eq(poise_value_read(simulation, "joints.jj.ik.spring", &unused),
                 POISE_ERROR_INVALID_ARGUMENT);
}

RUNNING_TEST(access, arrays_are_what_the_views_say, running_start(ARM)) {
    running_steps(running, 0.3);
    double angles[9];
    double places[6];
    double goals[6];
    cr_assert_eq(poise_array_read(running->simulation, POISE_ARRAY_JOINT_ANGLE, angles, 9),
                 POISE_OK);
    cr_assert_eq(poise_array_read(running->simulation, POISE_ARRAY_POINT_PLACE, places, 6),
                 POISE_OK);
    cr_assert_eq(poise_array_read(running->simulation, POISE_ARRAY_POINT_GOAL, goals, 6), POISE_OK);
    // forward kinematics of the two hinges, written in the test
    const double x = cos(angles[0]) + cos(angles[0] + angles[3]);
    const double y = sin(angles[0]) + sin(angles[0] + angles[3]);
    cr_expect_float_eq(places[0], x, 1e-3, "%g and %g", places[0], x);
    cr_expect_float_eq(places[1], y, 1e-3, "%g and %g", places[1], y);
    cr_expect_float_eq(places[5], angles[6], 1e-9);
    cr_expect_eq(goals[1], 1.0);
    cr_expect_eq(goals[5], 0.3);
    cr_expect_eq(read(running, "j.angle"), angles[0]);
    cr_expect_eq(poise_array_read(running->simulation, POISE_ARRAY_JOINT_ANGLE, angles, 8),
                 POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_array_read(running->simulation, (PoiseArray)99, angles, 9),
                 POISE_ERROR_INVALID_ARGUMENT);
}

// a ball that its goal turns, a box that rests on the ground, a hinge that presses
#define THREE                                                                                      \
    "poise: 1\nseconds: 1\nworld: {gravity: [0, 0, -10], ground: {height: 0}}\n"                   \
    "defaults: {joint: {ik: {spring: 5000, damper: 300}}}\n"                                       \
    "bodies: {a: {capsule: 0.05, mass: 1, from: [0, 0, 3], to: [1, 0, 3]},\n"                      \
    "         b: {capsule: 0.05, mass: 1, from: [0, 5, 3], to: [1, 5, 3]},\n"                      \
    "         c: {box: [0.2, 0.2, 0.2], mass: 2, at: [0, -5, 0.1]}}\n"                             \
    "joints: {j: {ball: [0, 0, 3], between: [world, a]},\n"                                        \
    "         k: {hinge: [0, 5, 3], axis: [0, 1, 0], between: [world, b]}}\n"                      \
    "control_points: {p: {body: a, orientation: {quaternion: [0.8, 0.6, 0, 0]}},\n"                \
    "                 q: {body: b, at: [0, 0, 0.5], position: [1, 5, 3], force: {push: [0, 0, "    \
    "4]}}}\n"

RUNNING_TEST(access, turns_forces_and_bodies_are_arrays_too, running_start(THREE)) {
    running_steps(running, 0.5);
    PoiseSimulation* simulation = running->simulation;
    double n[12][16];
    for (int what = 0; what < 12; what++) {
        const size_t size = (size_t)(poise_array_rows(simulation, (PoiseArray)what) *
                                     poise_array_width((PoiseArray)what));
        cr_assert(size > 0 && size <= 16, "array %d", what);
        cr_assert_eq(poise_array_read(simulation, (PoiseArray)what, n[what], size), POISE_OK);
        cr_expect_eq(poise_array_read(simulation, (PoiseArray)what, n[what], size - 1),
                     POISE_ERROR_INVALID_ARGUMENT);
    }
    // the first point has no position goal, the second no rotation goal; only the second presses
    cr_expect(isnan(n[POISE_ARRAY_POINT_GOAL][0]) && n[POISE_ARRAY_POINT_GOAL][4] == 5.0);
    cr_expect_eq(n[POISE_ARRAY_POINT_GOAL_TURN][1], 0.6);
    cr_expect(isnan(n[POISE_ARRAY_POINT_GOAL_TURN][4]));
    cr_expect(isnan(n[POISE_ARRAY_POINT_ERROR][0]) && n[POISE_ARRAY_POINT_ERROR][1] < 0.1);
    cr_expect(n[POISE_ARRAY_POINT_ERROR][2] < 0.1 && isnan(n[POISE_ARRAY_POINT_ERROR][3]));
    cr_expect(isnan(n[POISE_ARRAY_POINT_FORCE][0]));
    const PoisePointView presses = poise_simulation_point(simulation, 1);
    cr_expect_eq(n[POISE_ARRAY_POINT_FORCE][5], presses.force_measured.z);
    // the goal is turned by 73.74 degrees about x
    const double about_x = 2.0 * atan2(n[POISE_ARRAY_POINT_TURN][1], n[POISE_ARRAY_POINT_TURN][0]);
    cr_expect_float_eq(about_x, 2.0 * acos(0.8), 0.1);
    double turned = 0.0, wanted = 0.0;
    for (int i = 0; i < 3; i++) {
        turned += n[POISE_ARRAY_JOINT_ANGLE][i] * n[POISE_ARRAY_JOINT_ANGLE][i];
        wanted += n[POISE_ARRAY_JOINT_TARGET][i] * n[POISE_ARRAY_JOINT_TARGET][i];
    }
    cr_expect_float_eq(sqrt(turned), sqrt(wanted), 0.1);
    cr_expect_gt(turned, 0.1);
    cr_expect_eq(n[POISE_ARRAY_JOINT_TORQUE][3], poise_simulation_joint(simulation, 1).torque.x);
    // the box rests on the ground with its whole weight
    cr_expect_float_eq(n[POISE_ARRAY_BODY_PLACE][8], 0.1, 1e-3);
    cr_expect_float_eq(n[POISE_ARRAY_BODY_TURN][8], 1.0, 1e-6);
    cr_expect_float_eq(n[POISE_ARRAY_BODY_CONTACT_FORCE][8], 20.0, 0.1);
}

Test(access, a_run_in_one_call_is_the_run_step_by_step) {
    Running one = running_start(ARM);
    Running many = running_start(ARM);
    PoiseColumn columns[2];
    cr_assert(poise_column_find(many.simulation, POISE_FIGURE_CSV, "p.error", &columns[0]));
    cr_assert(poise_column_find(many.simulation, POISE_FIGURE_CSV, "s.angle", &columns[1]));
    double rows[50 * 2];
    PoisePointStatistics* points = poise_statistics_create(many.simulation);
    const PoiseRunDef def = {
        .steps = 50, .statistics = points, .columns = columns, .column_count = 2, .rows = rows};
    long made = 0;
    cr_assert_eq(poise_simulation_run(many.simulation, &def, &made), POISE_OK);
    cr_expect_eq(made, 50);
    for (int i = 0; i < 50; i++) {
        cr_assert_eq(poise_simulation_step(one.simulation), POISE_OK);
        cr_expect_eq(rows[2 * i], read(&one, "p.error"));
        cr_expect_eq(rows[2 * i + 1], read(&one, "s.angle"));
    }
    cr_expect_eq(poise_simulation_state_hash(one.simulation),
                 poise_simulation_state_hash(many.simulation));
    poise_statistics_finish(points, many.simulation, true);
    // the last tenth of 50 steps is five steps
    const double tail = (rows[90] + rows[92] + rows[94] + rows[96] + rows[98]) / 5.0;
    cr_expect_float_eq(points[0].settled_error, tail, 1e-15);
    const PoiseRunDef bad = {.steps = 1, .column_count = 1};
    cr_expect_eq(poise_simulation_run(many.simulation, &bad, NULL), POISE_ERROR_INVALID_ARGUMENT);
    poise_statistics_destroy(points);
}

RUNNING_TEST(access, the_report_says_what_was_set_and_is_one_line_if_asked, running_start(ARM)) {
    running_steps(running, 0.1);
    const char* const set[] = {"world.step=0.01", "joints.j.ik={spring: 1, damper: 2}"};
    PoiseReport report = {
        .simulation = running->simulation, .set = set, .set_count = 2, .units = true, .line = true};
    static char text[20000];
    const size_t size = poise_report_text(&report, text, sizeof text);
    cr_assert(size > 0 && size < sizeof text);
    cr_expect_eq(strlen(text), size);
    cr_expect_eq(strchr(text, '\n'), text + size - 1);
    cr_expect_not_null(strstr(text, "\"version\": 2, \"poise\": \""), "%s", text);
    cr_expect_not_null(strstr(text, "\"set\": {\"world.step\": \"0.01\", "
                                    "\"joints.j.ik\": \"{spring: 1, damper: 2}\"}"));
    cr_expect_not_null(strstr(text, "\"units\": {\"seconds\": \"s\""));
    cr_expect_not_null(strstr(text, "\"slider.torque\": \"N\""));
    char little[8];
    cr_expect_eq(poise_report_text(&report, little, sizeof little), size);
    cr_expect_str_eq(little, "{ \"vers");
}

RUNNING_TEST(access, tips_meet_targets_of_their_own_and_leave_the_simulation_alone,
             running_start(ARM)) {
    PoiseSimulation* simulation = running->simulation;
    PoiseTip tips[2];
    char text[400];
    cr_assert_null(poise_tip_find(simulation, "b", &tips[0], text, 400));
    tips[0] = poise_tip_at(tips[0], poise_vec3(0, 0, 0.5));
    cr_assert_null(poise_tip_find(simulation, "c", &tips[1], text, 400));
    cr_assert_eq(poise_simulation_posture_size(simulation), 3);
    int part = 7;
    cr_expect_eq(poise_simulation_posture_joint(simulation, 2, &part), 2);
    cr_expect_eq(part, 0);
    cr_expect_eq(poise_simulation_posture_joint(simulation, 3, &part), -1);
    const PoiseQuat none = poise_quat_identity();
    const PoisePose targets[4] = {{poise_vec3(1.0, 1.0, 0.0), none},
                                  {poise_vec3(0.0, 5.0, 0.25), none},
                                  {poise_vec3(3.0, 0.0, 0.0), none},
                                  {poise_vec3(0.0, 5.0, -0.5), none}};
    double postures[6] = {0.1, 0.2, 0.0, 0.1, 0.2, 0.0};
    double errors[4];
    PoiseReachReport reports[2];
    const PoiseTipBatch batch = {.tips = tips,
                                 .tip_count = 2,
                                 .count = 2,
                                 .targets = targets,
                                 .postures = postures,
                                 .errors = errors,
                                 .reports = reports};
    const uint64_t before = poise_simulation_state_hash(simulation);
    cr_expect_eq(poise_tips_reach(simulation, NULL, &batch), POISE_NOT_CONVERGED);
    cr_expect_eq(poise_simulation_state_hash(simulation), before);
    cr_expect_float_eq(cos(postures[0]) + cos(postures[0] + postures[1]), 1.0, 1e-5);
    cr_expect_float_eq(sin(postures[0]) + sin(postures[0] + postures[1]), 1.0, 1e-5);
    cr_expect_float_eq(postures[2], 0.25, 1e-5);
    cr_expect_eq(reports[0].reason, POISE_REACH_MET);
    // the arm is 2 m long, the target is 3 m away
    cr_expect_neq(reports[1].reason, POISE_REACH_MET);
    cr_expect_float_eq(errors[2], 1.0, 1e-5);
    cr_expect_float_eq(postures[5], -0.5, 1e-5);
    cr_expect_not_null(
        strstr(poise_tip_find(simulation, "bb", tips, text, 400), "there is no link 'bb'"));
    const PoiseTipBatch empty = {.tips = tips, .tip_count = 0};
    cr_expect_eq(poise_tips_reach(simulation, NULL, &empty), POISE_ERROR_INVALID_ARGUMENT);
}

RUNNING_TEST(access, a_target_that_is_followed_never_jumps, running_start(ARM)) {
    PoiseTip tip;
    char text[400];
    cr_assert_null(poise_tip_find(running->simulation, "b", &tip, text, 400));
    tip = poise_tip_at(tip, poise_vec3(0, 0, 0.5));
    const PoiseBodyTip own = {.link = tip.node, .in_link = tip.in_link};
    PoiseBodyDef def = poise_default_body_def();
    def.tips = &own;
    def.tip_count = 1;
    PoiseBody* body = poise_body_compile(poise_simulation_tree(running->simulation), &def);
    cr_assert_not_null(body);
    cr_expect_str_eq(poise_tip_column(running->simulation, body, 1, text, sizeof text), "k");
    enum { COUNT = 200 };
    PoiseBodyTarget targets[COUNT];
    double postures[2 * COUNT] = {0.0, 1.5707963267948966};
    PoiseBodyReport reports[COUNT];
    // a full circle of 0.5 m radius about (1, 0.5)
    for (int i = 0; i < COUNT; i++) {
        const double turn = 6.283185307179586 * (i + 1) / COUNT;
        const PoiseVec3 place = poise_vec3(1.0 + 0.5 * sin(turn), 0.5 + 0.5 * cos(turn), 0.0);
        targets[i] = poise_default_body_target(poise_pose(place, poise_quat_identity()));
        targets[i].goal = POISE_BODY_POSITION;
    }
    const PoiseBodyBatch batch = {COUNT, targets, postures, reports};
    cr_expect_eq(poise_body_follow_batch(body, NULL, &batch), POISE_OK);
    double largest = 0.0;
    for (int i = 1; i < COUNT; i++) {
        cr_expect_eq(reports[i].reason, POISE_REACH_MET);
        largest = fmax(largest, fabs(postures[2 * i] - postures[2 * i - 2]));
        largest = fmax(largest, fabs(postures[2 * i + 1] - postures[2 * i - 1]));
    }
    // the targets are 16 mm apart and at most 1.6 m from the base
    cr_expect(largest < 0.05, "%g rad", largest);
    poise_body_destroy(body);
}
