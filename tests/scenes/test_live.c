// SPDX-License-Identifier: MIT
// Changes settings while a scene runs. A setting must keep the range of its row in the schema, and
// must take effect from the next step.
#include <criterion/criterion.h>

#include "near.h"
#include "running.h"
#include "spec.h"

static void expect_sliders(const Schema* schema) {
    LiveNumber number;
    int count = 0;
    for (; poise__live_find(schema, count, &number); count++) {
        const Field* field = number.field;
        const bool slides = field->type != FIELD_SWITCH && field->type != FIELD_CHOICE;
        const Range range = poise__live_range(&number);
        cr_expect(slides == (field->live.upper > field->live.lower), "%s", number.key);
        cr_expect(!slides || poise__live_accepts(&number, field->live.lower) || range.above, "%s",
                  number.key);
        cr_expect(!slides || poise__live_accepts(&number, field->live.upper), "%s", number.key);
        cr_expect(!field->live.logarithmic || field->live.lower > 0.0, "%s", number.key);
    }
    cr_expect_eq(poise__live_count(schema), count);
}

Test(live, sliders_lie_in_the_range_of_their_row) {
    expect_sliders(&poise__ik_schema);
    expect_sliders(&poise__world_schema);
    expect_sliders(&poise__joint_settings_schema);
    expect_sliders(&poise__point_schema);
}

static void set(const Running* running, const char* key, double value) {
    const int index = poise_simulation_find_parameter(running->simulation, key);
    cr_assert(index >= 0, "there is no %s", key);
    cr_assert_eq(poise_simulation_set_parameter(running->simulation, index, value), POISE_OK);
}

static PoiseParameter get(const Running* running, const char* key) {
    PoiseParameter parameter;
    const int index = poise_simulation_find_parameter(running->simulation, key);
    cr_assert(poise_simulation_parameter(running->simulation, index, &parameter), "%s", key);
    return parameter;
}

// An arm of 1 m about y with a point at its end, and a slider, both stiff.
#define ARM                                                                                        \
    "poise: 1\nworld: {gravity: [0, 0, 0]}\n"                                                      \
    "defaults: {joint: {ik: {spring: 5000, damper: 300}}}\n"                                       \
    "bodies: {a: {capsule: 0.05, mass: 1, from: [0, 0, 1], to: [1, 0, 1]},\n"                      \
    "         b: {sphere: 0.05, mass: 1, at: [0, 2, 0]}}\n"                                        \
    "joints: {j: {hinge: [0, 0, 1], axis: [0, 1, 0], between: [world, a]},\n"                      \
    "         s: {slider: [0, 2, 0], axis: [0, 0, 1], between: [world, b]}}\n"                     \
    "control_points: {p: {body: a, at: [0, 0, 0.5], position: [0, 0, 2], max_speed: 0.001},\n"     \
    "                 q: {body: b, position: [0, 2, 1]}}\n"

RUNNING_TEST(live, a_point_s_speed_is_set_while_it_runs, running_start(ARM)) {
    running_steps(running, 1.0);
    cr_expect(fabs(poise_simulation_joint(running->simulation, 0).q[0]) < 0.01);
    set(running, "control_points.p.max_speed", 0.2);
    running_steps(running, 1.0);
    // 0.2 m/s at 1 m from the hinge for 1 s: at most 0.2 rad
    const double angle = fabs(poise_simulation_joint(running->simulation, 0).q[0]);
    cr_expect(angle > 0.1 && angle < 0.2, "%g", angle);
}

RUNNING_TEST(live, a_joint_s_speed_is_set_while_it_runs, running_start(ARM)) {
    set(running, "joints.s.max_speed", 0.1);
    running_steps(running, 2.0);
    const double place = poise_simulation_joint(running->simulation, 1).q[0];
    cr_expect(place > 0.15 && place < 0.21, "%g", place);
    cr_expect_str_eq(get(running, "joints.s.max_speed").unit, "m/s");
    cr_expect_str_eq(get(running, "joints.j.max_speed").unit, "rad/s");
    cr_expect_str_eq(get(running, "joints.s.ik.spring").unit, "N/m");
    cr_expect_str_eq(get(running, "joints.j.ik.spring").unit, "N m/rad");
}

// The goals of the points p and q on one slider are 1 m apart. With equal priority the slider stops
// in the middle. If p has a later priority, q meets its goal.
Test(live, a_priority_is_set_while_it_runs) {
    Running running = running_start(
        "poise: 1\nworld: {gravity: [0, 0, 0]}\n"
        "bodies: {b: {sphere: 0.05, mass: 1}}\n"
        "joints: {s: {slider: [0, 0, 0], axis: [0, 0, 1], between: [world, b],\n"
        "             ik: {spring: 5000, damper: 300}}}\n"
        "control_points: {p: {body: b, position: [0, 0, 0]}, q: {body: b, position: [0, 0, 1]}}\n");
    running_steps(&running, 4.0);
    EXPECT_NEAR(poise_simulation_joint(running.simulation, 0).q[0], 0.5, 1e-3);
    set(&running, "control_points.p.priority", 1.0);
    running_steps(&running, 4.0);
    EXPECT_NEAR(poise_simulation_joint(running.simulation, 0).q[0], 1.0, 1e-2);
}
