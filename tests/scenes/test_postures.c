// SPDX-License-Identifier: MIT
// Tests the joints of a running scene in the directions that their points leave free, and under a
// load: natural postures, the rate at which the joints seek them, and the integral.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "near.h"
#include "running.h"

#define STIFF "defaults: {joint: {ik: {spring: 5000, damper: 300}}}\n"

// Returns the least |angles - natural| of three links of 1 m that hold their tip at (1.5, 0.8) in
// the plane. The first angle is tried in small steps. The natural angles are 0, 1.2 and 0.
static double least_deviation(void) {
    double least = HUGE_VAL;
    for (int i = -15000; i <= 15000; i++) {
        for (int side = -1; side <= 1; side += 2) {
            // the angles are about y: z turns toward x
            double first = 2e-4 * i;
            double x = 1.5 - sin(first);
            double z = 0.8 - cos(first);
            double cosine = 0.5 * (x * x + z * z) - 1.0;
            if (fabs(cosine) <= 1.0) {
                double third = side * acos(cosine);
                double second = atan2(x, z) - 0.5 * third - first;
                least = fmin(least, hypot(hypot(first, second - 1.2), third));
            }
        }
    }
    return least;
}

// Starts three hinges in a plane. The second has the natural angle `natural`, and the point leaves
// one direction free.
static Running three_hinges(const char* rate, const char* natural) {
    char text[1400];
    snprintf(text, sizeof text,
             "poise: 1\nworld: {gravity: [0, 0, 0]}\nik: {posture_rate: %s}\n" STIFF "bodies:\n"
             "  a: {capsule: 0.05, from: [0, 0, 0], to: [0, 0, 1]}\n"
             "  b: {capsule: 0.05, from: [0, 0, 1], to: [0, 0, 2]}\n"
             "  c: {capsule: 0.05, from: [0, 0, 2], to: [0, 0, 3]}\n"
             "joints:\n"
             "  j: {hinge: [0, 0, 0], axis: [0, 1, 0], between: [world, a]}\n"
             "  k: {hinge: [0, 0, 1], axis: [0, 1, 0], between: [a, b], natural: %s}\n"
             "  l: {hinge: [0, 0, 2], axis: [0, 1, 0], between: [b, c]}\n"
             "control_points: {p: {body: c, at: [0, 0, 0.5], position: [1.5, 0, 0.8]}}\n",
             rate, natural);
    return running_start(text);
}

static double deviation_of(const Running* running) {
    return hypot(hypot(joint_named(running, "j").q[0], joint_named(running, "k").q[0] - 1.2),
                 joint_named(running, "l").q[0]);
}

// The rate and the natural angle are of the file, or set while the scene runs.
Test(postures, joints_keep_near_their_natural_posture_where_the_points_leave_them_open) {
    static const struct {
        const char* rate;
        const char* natural;
        const char* key; ///< set after 8 s; NULL: nothing
        double value;
    } rows[] = {{"0.1", "1.2", NULL, 0.0},
                {"0.1", "0", "joints.k.natural", 1.2},
                {"0", "1.2", "ik.posture_rate", 0.1}};
    for (int i = 0; i < 3; i++) {
        Running running = three_hinges(rows[i].rate, rows[i].natural);
        running_steps(&running, 8.0);
        if (rows[i].key) {
            cr_expect_gt(deviation_of(&running), least_deviation() + 0.05, "%s", rows[i].key);
            const int key = poise_simulation_find_parameter(running.simulation, rows[i].key);
            cr_assert_eq(poise_simulation_set_parameter(running.simulation, key, rows[i].value),
                         POISE_OK, "%s", rows[i].key);
            running_steps(&running, 16.0);
        }
        cr_expect(point_named(&running, "p").reading.miss < 1e-3, "row %d", i);
        const double off = deviation_of(&running) - least_deviation();
        cr_expect_leq(fabs(off), 1e-3, "row %d: %g rad off", i, off);
    }
}

Test(postures, the_posture_rate_has_a_range) {
    Running running = three_hinges("0", "1.2");
    const int rate = poise_simulation_find_parameter(running.simulation, "ik.posture_rate");
    PoiseParameter parameter;
    cr_assert(poise_simulation_parameter(running.simulation, rate, &parameter));
    cr_expect(parameter.value == 0.0 && parameter.slider_upper == 1.0);
    cr_expect_lt(poise_simulation_set_parameter(running.simulation, rate, 1.1), 0);
}

// The natural posture of a universal is two angles. Both are pulled within the null space of the
// point.
Test(postures, a_universal_keeps_near_its_natural_posture_too) {
    Running running = running_start(
        "poise: 1\nworld: {gravity: [0, 0, 0]}\nik: {posture_rate: 0.1}\n" STIFF "bodies:\n"
        "  a: {capsule: 0.05, from: [0, 0, 0], to: [0, 0, 1]}\n"
        "joints:\n"
        "  u: {universal: [0, 0, 0], axis: [1, 0, 0], axis2: [0, 1, 0], between: [world, a],\n"
        "      natural: [0.3, 0.4]}\n"
        "control_points: {p: {body: a, at: [0, 0, 0.5], rows: [x], position: [0.2, 0, 1]}}\n");
    running_steps(&running, 8.0);
    const PoiseJointView joint = joint_named(&running, "u");
    cr_expect(point_named(&running, "p").reading.miss < 1e-3);
    EXPECT_NEAR(joint.q[0], 0.3, 1e-3);
    cr_expect(poise_tree_status(poise_simulation_tree(running.simulation)) >= 0, "%s",
              poise_tree_message(poise_simulation_tree(running.simulation)));
}

// An arm of 1 kg, its centre 0.5 m off its hinge, held level by 200 N m/rad while its weight is not
// fed forward. The angle is off by about g / 400 until the integral adds the missing torque.
Test(postures, the_integral_removes_the_miss_by_an_unknown_load) {
    Running running =
        running_start("poise: 1\nik: {gravity: off}\n"
                      "bodies: {a: {capsule: 0.05, mass: 1, from: [0, 0, 1], to: [1, 0, 1]}}\n"
                      "joints: {j: {hinge: [0, 0, 1], axis: [0, 1, 0], between: [world, a],\n"
                      "             ik: {spring: 200, damper: 30}}}\n"
                      "control_points: {p: {body: a, at: [0, 0, 0.5], position: [1, 0, 1]}}\n");
    running_steps(&running, 6.0);
    EXPECT_NEAR(joint_named(&running, "j").q[0], 0.5 * 9.81 / 200.0, 1e-4);
    const int integral = poise_simulation_find_parameter(running.simulation, "ik.integral");
    cr_assert_eq(poise_simulation_set_parameter(running.simulation, integral, 2.0), POISE_OK);
    running_steps(&running, 12.0);
    EXPECT_NEAR(joint_named(&running, "j").q[0], 0.0, 1e-4);
    // the integral is bounded: to 1 % of the torque that the spring exerts at 1 rad
    const int most = poise_simulation_find_parameter(running.simulation, "ik.integral_most");
    cr_assert_eq(poise_simulation_set_parameter(running.simulation, most, 0.01), POISE_OK);
    running_steps(&running, 6.0);
    EXPECT_NEAR(joint_named(&running, "j").q[0], (0.5 * 9.81 - 2.0) / 200.0, 1e-4);
    cr_expect_lt(poise_simulation_set_parameter(running.simulation, most, 0.0), 0);
}

// Starts an arm of 1 m. The goal of its point lies 3 mm beyond its reach, or is turned 3 mrad about
// an axis across its hinge's.
static Running arm_off_its_goal(const char* kind, double tolerance) {
    char text[500];
    snprintf(text, sizeof text,
             "poise: 1\nworld: {gravity: [0, 0, 0]}\nik: {%s_tolerance: %g}\n"
             "bodies: {a: {capsule: 0.05, mass: 1, from: [0, 0, 1], to: [1, 0, 1]}}\n"
             "joints: {j: {hinge: [0, 0, 1], axis: [0, 1, 0], between: [world, a]}}\n"
             "control_points: {p: {body: a, at: [0, 0, 0.5], %s}}\n",
             kind, tolerance,
             kind[0] == 'p' ? "position: [1.003, 0, 1]"
                            : "orientation: {quaternion: {axis: [1, 0, 0], angle: 0.003}}");
    return running_start(text);
}

Test(postures, the_tolerance_of_a_point_is_a_key_and_a_slider) {
    static const char* const kinds[] = {"position", "angle"};
    for (int i = 0; i < 4; i++) {
        const bool wide = i % 2 == 1;
        char key[40];
        Running running = arm_off_its_goal(kinds[i / 2], wide ? 0.01 : 0.001);
        running_steps(&running, 1.0);
        const PoiseTree* tree = poise_simulation_tree(running.simulation);
        const PoisePointId point = poise_simulation_point(running.simulation, 0).point;
        cr_expect_eq(poise_point_state(tree, point) == POISE_POINT_MET, wide, "%s", kinds[i / 2]);
        snprintf(key, sizeof key, "ik.%s_tolerance", kinds[i / 2]);
        const int index = poise_simulation_find_parameter(running.simulation, key);
        cr_assert_eq(poise_simulation_set_parameter(running.simulation, index, wide ? 0.001 : 0.01),
                     POISE_OK);
        running_steps(&running, 0.1);
        cr_expect_eq(poise_point_state(tree, point) == POISE_POINT_MET, !wide, "%s", key);
        cr_expect_lt(poise_simulation_set_parameter(running.simulation, index, 0.0), 0);
    }
}
