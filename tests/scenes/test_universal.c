// SPDX-License-Identifier: MIT
// Tests universal joints of a scene: two angles, two ranges, two natural angles.
#include <criterion/criterion.h>
#include <math.h>
#include <ode/ode.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "near.h"
#include "poise/forecast.h"
#include "poise/simulation.h"
#include "program.h"
#include "running.h"

#define BODIES                                                                                     \
    "poise: 1\nworld: {gravity: [0, 0, 0], step: 0.005}\nbodies:\n"                                \
    "  a: {capsule: 0.05, from: [0, 0, 0], to: [0, 0, 1], mass: 2}\n"                              \
    "  b: {capsule: 0.05, from: [0, 0, 1], to: [0, 0.6, 1.8], mass: 1}\n"

// Expects the angles that the scene's springs give a joint without IK.
static void expect_rest(const char* joint, int index, double first, double second) {
    char text[1500];
    snprintf(text, sizeof text,
             BODIES "joints:\n"
                    "  j: {universal: [0, 0, 0], axis: [1, 0, 0], axis2: [0, 0.6, 0.8], between: "
                    "[world, a], ik: off, original: {spring: 500, damper: 60}, %s}\n"
                    "  k: {universal: [0, 0, 1], axis: [0, 1, 0], axis2: [1, 0, 0], between: [a, "
                    "b], ik: off, original: {spring: 500, damper: 60}, %s}\n",
             index == 0 ? joint : "natural: [0, 0]", index == 1 ? joint : "natural: [0, 0]");
    Running running = running_start(text);
    const PoiseSimulation* simulation = running.simulation;
    running_steps(&running, 8.0);
    PoiseJointView view = poise_simulation_joint(simulation, index);
    EXPECT_NEAR(view.q[0], first, 2e-3);
    EXPECT_NEAR(view.q[1], second, 2e-3);
    // the child turns about the second axis, then both turn about the first
    PoiseVec3 axes[2][2] = {{{1.0, 0.0, 0.0}, {0.0, 0.6, 0.8}}, {{0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}}};
    PoiseQuat turn = poise_quat_mul(poise_quat_from_axis_angle(axes[index][0], first),
                                    poise_quat_from_axis_angle(axes[index][1], second));
    PoiseQuat now = poise_simulation_shape(simulation, index).pose_world.q;
    PoiseQuat then = running.loaded.scene->bodies[index].pose.q;
    PoiseVec3 off =
        poise_quat_log(poise_quat_mul(now, poise_quat_conjugate(poise_quat_mul(turn, then))));
    cr_expect(poise_length(off) < 5e-3, "turned by %g rad too much", poise_length(off));
}

Test(universal, its_springs_bring_both_angles_to_rest) {
    expect_rest("natural: [0.5, -0.3]", 0, 0.5, -0.3);
    expect_rest("natural: [-0.7, 0.4]", 1, -0.7, 0.4);
}

Test(universal, its_stops_hold_both_angles) {
    expect_rest("natural: [0.5, -0.3], limits: [[-1, 0.2], [-0.1, 1]]", 0, 0.2, -0.1);
    expect_rest("natural: [-0.7, 0.4], limits: [[-0.3, 1], [-1, 0.2]]", 1, -0.3, 0.2);
}

static const char arm[] =
    BODIES "joints:\n"
           "  j: {universal: [0, 0, 0], axis: [1, 0, 0], axis2: [0, 1, 0], between: [world, a], "
           "limits: [[-0.2, 0.2], [-2, 2]], ik: {spring: 5000, damper: 300}}\n"
           "  k: {universal: [0, 0, 1], axis: [1, 0, 0], axis2: [0, 1, 0], between: [a, b], ik: "
           "{spring: 5000, damper: 300}}\n"
           "control_points: {tip: {body: b, at: [0, 0, 0.5], position: [0.7, 0.6, 1.1]}}\n";

PROGRAM_TEST(universal, ik_reaches_through_them_and_every_output_has_two_angles) {
    write_scratch("arm.yaml", arm);
    run_program(outcome, "run arm.yaml --seconds 4 --json");
    cr_assert(outcome->code == 0, "%s", outcome->err);
    double angles[2];
    const char* j = strstr(outcome->out, "\"j\": {\"angle\": [");
    cr_assert_not_null(j, "%s", outcome->out);
    cr_assert(sscanf(j, "\"j\": {\"angle\": [%lf, %lf]", &angles[0], &angles[1]) == 2);
    cr_expect(fabs(angles[0]) < 0.2 + 1e-3);
    // clang-format off
    static const CallRow calls[] = {
        {"run arm.yaml --seconds 4 --quiet --expect --set expect.tip.error=1e-5", 0, {NULL}},
        {"run arm.yaml --seconds 0.01 --csv -", 0,
         {",j.angle,j.angle2,j.torque,j.torque2,k.angle,"}},
        {"run arm.yaml --seconds 1", 0, {NULL}},
        {"info arm.yaml", 0, {"universal  -0.2 to 0.2, -2 to 2"}},
        {"solve arm.yaml --point b:0,0,0.5 --target 0.7,0.6,1.1 --json", 0, {"\"j\": ["}},
        {"solve arm.yaml --point b:0,0,0.5 --target 0.7,0.6,1.1", 0, {"j: ("}},
    };
    // clang-format on
    EXPECT_CALLS(outcome, calls);
}

static int messages;

static void count_messages(int number, const char* text, va_list arguments) {
    (void)number, (void)text, (void)arguments;
    messages++;
}

// ODE once complained of a zero vector if the first axis of a joint was the default of its second.
Test(universal, ode_warns_of_no_pair_of_axes) {
    static const char* const axes[] = {
        "axis: [1, 0, 0], axis2: [0, 1, 0]",  "axis: [0, 1, 0], axis2: [1, 0, 0]",
        "axis: [0, 1, 0], axis2: [0, 0, 1]",  "axis: [0, 0, 1], axis2: [0, 1, 0]",
        "axis: [-1, 0, 0], axis2: [0, 0, 1]", "axis: [0, 0, 1], axis2: [-1, 0, 0]"};
    dSetMessageHandler(count_messages);
    for (int i = 0; i < 6; i++) {
        char text[700];
        snprintf(text, sizeof text,
                 BODIES "joints: {j: {universal: [0, 0, 0], %s, between: [world, a]}}\n", axes[i]);
        running_start(text);
        cr_expect_eq(messages, 0, "%s: %d messages", axes[i], messages);
    }
}

// Expects no message of ODE during start, steps, forecasts and end.
static void expect_silence(const char* path) {
    messages = 0;
    Loaded loaded = required(load_file(path));
    PoiseSimulation* simulation = poise_simulation_create(loaded.scene, loaded.diagnostics);
    cr_assert_not_null(simulation);
    for (int i = 0; i < 100; i++) {
        cr_assert_eq(poise_simulation_step(simulation), POISE_OK, "%s", path);
    }
    PoiseTree* tree = poise_simulation_tree(simulation);
    for (int i = 0; i < poise_tree_point_count(tree); i++) {
        PoiseForecast forecast;
        const PoisePointId point = poise_tree_point(tree, i);
        const PoiseForecastDef def = {.points = &point, .count = 1};
        cr_expect_geq((int)poise_rig_forecast(poise_simulation_rig(simulation), &def, &forecast),
                      0);
    }
    poise_simulation_destroy(simulation);
    cr_expect_eq(messages, 0, "%s: %d messages", path, messages);
}

// ODE once wrote "zero length vector in dRFrom2Axes" for the hips of figures.
Test(universal, ode_warns_of_no_shipped_figure) {
    static const char* const names[] = {"quadruped_sway", "full_body",  "stand_and_reach",
                                        "panda_square",   "press_wall", "knocked_ragdoll"};
    dSetMessageHandler(count_messages);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        snprintf(path, sizeof path, POISE_SOURCE_DIR "/scenes/%s.yaml", names[i]);
        expect_silence(path);
    }
}
