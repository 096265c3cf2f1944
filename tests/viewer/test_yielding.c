// SPDX-License-Identifier: MIT
// Tests the ellipsoid of a compliance, whose axes are pulled. Oracles: the forecast of the rig, and
// pushes that the scene makes after the pull.
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "panels_fixture.h"
#include "poise/forecast.h"

#define SCENE  POISE_SOURCE_DIR "/scenes/yields.yaml"
#define SPRING "joints.panda/panda_joint2.ik.spring"

/// Runs the scene to `time`, pauses it and shows the compliance of its pen.
static const PoiseYielding* show_pen(PoiseApp* app, const char* time) {
    char lines[160];
    snprintf(lines, sizeof lines, "look -60 15 1.6 0.45 0.1 0.45\nat %s\ndo pause\nkey Q\n", time);
    run(app, lines);
    cr_assert_geq(app->highlight.yielding.point, 0, "%s", app->highlight.yielding.why);
    return &app->highlight.yielding;
}

static const PoiseYielding* open_pen(PoiseApp* app, const char* time) {
    cr_assert(poise__app_open(app, SCENE));
    return show_pen(app, time);
}

/// Returns v^T C v of the pen's forecast, m/N.
static double compliance_along(const PoiseApp* app, PoiseVec3 v) {
    const PoiseSimulation* simulation = app->session.simulation;
    const PoisePointView pen =
        poise_simulation_point(simulation, poise__find(simulation, POISE_OWNER_TARGET, "pen"));
    const PoiseForecastDef def = {.points = &pen.point,
                                  .count = 1,
                                  .step = poise_simulation_step_length(simulation),
                                  .budget = 1e9};
    PoiseForecast at;
    cr_assert_eq(poise_rig_forecast(poise_simulation_rig(simulation), &def, &at), POISE_OK);
    const double* c = at.compliance;
    return poise_dot(v, poise_vec3(c[0] * v.x + c[1] * v.y + c[2] * v.z,
                                   c[3] * v.x + c[4] * v.y + c[5] * v.z,
                                   c[6] * v.x + c[7] * v.y + c[8] * v.z));
}

static double spring_of(const PoiseApp* app) {
    const PoiseSimulation* simulation = app->session.simulation;
    PoiseParameter parameter;
    cr_assert(poise_simulation_parameter(
        simulation, poise_simulation_find_parameter(simulation, SPRING), &parameter));
    return parameter.value;
}

static PoiseVec3 pen_at(PoiseApp* app, double time) {
    cr_assert(poise__app_run_to(app, time));
    const PoiseSimulation* simulation = app->session.simulation;
    return poise_simulation_point(simulation, poise__find(simulation, POISE_OWNER_TARGET, "pen"))
        .pose_world.p;
}

PANELS_TEST(yielding, an_axis_pulled_to_twice_its_length_is_what_a_push_measures) {
    // at 10 s the softer pen still creeps by 0.06 mm
    static const double FORCE = 2.0;
    cr_assert(poise__app_open(app, SCENE));
    run(app, "restart pushes.along.from=20\n");
    const PoiseYielding* yielding = show_pen(app, "1.5");
    const double was = yielding->has.half[0];
    const PoiseVec3 along = poise__yielding_direction(yielding, 0);
    EXPECT_NEAR(fabs(along.z), 1.0, 1e-2); // the tool points downwards
    run(app, "drag compliance:pen axis:1 2\n");
    const double has = compliance_along(app, along);
    EXPECT_NEAR(has / was, 2.0, 0.02);
    cr_expect_not(yielding->asks);
    EXPECT_NEAR(yielding->has.half[0] / was, 2.0, 0.02);
    // the run continues with these springs, is pushed sideways and then along the tool
    const PoiseVec3 before = pen_at(app, 19.99);
    const double down = compliance_along(app, poise_vec3(0.0, 0.0, 1.0));
    const PoiseVec3 moved = poise_sub(pen_at(app, 22.99), before);
    EXPECT_NEAR(-moved.z / FORCE / down, 1.0, 0.01);
}

PANELS_TEST(yielding, a_compliance_that_no_springs_give_is_shown_and_undone) {
    const PoiseYielding* yielding = open_pen(app, "3.5");
    const double was = spring_of(app);
    run(app, "drag compliance:pen axis:3 0.05\ndrag compliance:pen axis:3 0.01\n");
    cr_expect(yielding->asks);
    cr_expect_not_null(strstr(yielding->why, "no springs give"), "%s", yielding->why);
    run(app, "read asked\n");
    cr_expect_neq(spring_of(app), was);
    run(app, "key Ctrl+Z\nkey Ctrl+Z\n");
    cr_expect_eq(spring_of(app), was);
    cr_expect_not(yielding->asks);
}

PANELS_TEST(yielding, wrong_names_and_factors_are_refused) {
    open_pen(app, "0.1");
    fails(app, "drag compliance:pen axis:4 2\n", "is no axis of an ellipsoid");
    fails(app, "drag compliance:pn axis:1 2\n", "did you mean 'pen'");
    fails(app, "drag compliance:pen axis:1 -2\n", "FACTOR, above 0");
    fails(app, "drag compliance:pen by 0 0 1\n", "is no axis of an ellipsoid");
}

/// Takes the longest axis and pulls it to twice its length, with the button held.
static const PoiseYielding* pull_pen(PoiseApp* app, double* stiffness) {
    const PoiseYielding* yielding = open_pen(app, "1.5");
    *stiffness = spring_of(app);
    double x = 0.0, y = 0.0, to_x = 0.0, to_y = 0.0;
    const PoiseVec3 grip = poise__yielding_grip(&app->camera, yielding, 0);
    seen_at(app, grip, &x, &y);
    seen_at(app, poise_add(grip, poise_sub(grip, yielding->place)), &to_x, &to_y);
    cr_assert_eq(poise__app_yielding_end(app, x, y), 0);
    cr_assert(poise__app_take_yielding(app, 0, x, y));
    poise__app_move_hand(app, to_x, to_y);
    return yielding;
}

PANELS_TEST(yielding, escape_returns_to_the_springs_before_the_pull) {
    double was;
    pull_pen(app, &was);
    cr_expect_eq(app->hand.grip, POISE_GRIP_YIELDING);
    cr_expect_neq(spring_of(app), was);
    poise__app_do(app, "cancel");
    cr_expect_eq(app->hand.grip, POISE_GRIP_NONE);
    cr_expect_eq(spring_of(app), was);
}

PANELS_TEST(yielding, a_frame_with_a_design_leaves_the_forecast_to_the_next) {
    double stiffness;
    const PoiseYielding* yielding = pull_pen(app, &stiffness);
    const double was = yielding->has.half[0];
    poise__app_frame(app, 0.0);
    cr_expect_eq(yielding->has.half[0], was);
    poise__app_frame(app, 0.0);
    EXPECT_NEAR(yielding->has.half[0] / was, 2.0, 0.05);
}

// -------------------------------------------------------------------------------------------
// window

enum { WIDTH = 900, HEIGHT = 780, NO_DISPLAY = 77 };

/// Finds where the window shows the handle of the longest axis, and a place at twice its distance.
static void plan_pull(double at[4]) {
    PoiseApp* app = app_with_panels();
    poise__app_open(app, SCENE);
    poise__camera_resize(&app->camera, WIDTH, HEIGHT);
    app->highlight.parts = POISE_SHOW_POINTS | POISE_SHOW_YIELDING;
    poise__screen_inset(app);
    poise__app_do(app, "frame");
    run(app, "look -60 15 1.6 0.45 0.1 0.45\nat 2\n");
    const PoiseYielding* yielding = &app->highlight.yielding;
    poise__app_refresh_yielding(app);
    cr_assert_geq(yielding->point, 0, "%s", yielding->why);
    const int end = poise__yielding_direction(yielding, 0).z < 0.0 ? 0 : 1;
    const PoiseVec3 grip = poise__yielding_grip(&app->camera, yielding, end);
    seen_at(app, grip, &at[0], &at[1]);
    seen_at(app, poise_add(grip, poise_sub(grip, yielding->place)), &at[2], &at[3]);
    close_app(app);
}

Test(yielding, an_axis_is_pulled_with_the_mouse) {
    char directory[] = "/tmp/poise-view-XXXXXX";
    char command[1200];
    char output[4096];
    double at[4];
    if (system("command -v Xvfb >/dev/null 2>&1 && command -v xdotool >/dev/null 2>&1") != 0) {
        cr_skip("Xvfb or xdotool is not installed: apt install xvfb xdotool");
    }
    cr_assert_not_null(mkdtemp(directory));
    plan_pull(at);
    snprintf(command, sizeof command,
             "cd %s && '" POISE_SOURCE_DIR "/tests/viewer/window_yielding.sh' '" POISE_VIEW
             "' '" SCENE "' %.0f %.0f %.0f %.0f 2>&1",
             directory, at[0], at[1], at[2], at[3]);
    FILE* pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
    const int status = pclose(pipe);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    cr_expect_eq(system(command), 0);
    if (code == NO_DISPLAY) {
        cr_skip("%s", output);
    }
    cr_assert_eq(code, 0, "exit %d: %s", code, output);
    // the second joint alone moves the pen along the tool: half its stiffness
    const char* set = strstr(output, "set " SPRING " ");
    cr_assert_not_null(set, "%s", output);
    const double stiffness = strtod(set + strlen("set " SPRING " "), NULL);
    cr_expect(stiffness > 100.0 && stiffness < 200.0, "%g: %s", stiffness, output);
}
