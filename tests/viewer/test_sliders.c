// SPDX-License-Identifier: MIT
// Tests the sliders of joints: a drag sets the natural posture by the angle dragged, and the joint
// goes there, unless a control point holds it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "panels.h"
#include "panels_fixture.h"
#include "poise/forecast.h"

/// Angle of a window unit on a slider without limits, rad: see drag_speed in ui_widgets.cpp.
#define UNIT (2.0 * M_PI / 600.0)
/// Length of a drag, whole window units, and its angle, about 0.2 rad.
enum { DRAG_UNITS = 19 };
#define DRAG (DRAG_UNITS * UNIT)

static void frame(PoiseApp* app) {
    app->makes_all_steps = true;
    poise__app_frame(app, 1.0 / 60.0);
    poise__screen_draw(app);
}

/// Drags a number by DRAG to the right, in ten frames: the first is longer than the least drag of
/// ImGui.
static void drag(PoiseApp* app, const char* name) {
    PoiseUiItem item;
    cr_assert(poise__ui_find(app->ui, name, &item), "%s", name);
    double x = floor((double)item.left) + 10.0;
    const double y = 0.5 * (double)(item.top + item.bottom);
    poise__input_push_pointer(&app->input, x, y);
    frame(app);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, true, 0);
    frame(app);
    for (int i = 0; i < 10; i++) {
        x += i == 0 ? 4.0 : i < 9 ? 2.0 : DRAG_UNITS - 20.0;
        poise__input_push_pointer(&app->input, x, y);
        frame(app);
    }
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, false, 0);
    frame(app);
}

static PoiseVec3 natural_of(const PoiseApp* app, int joint) {
    const PoiseSimulation* simulation = app->session.simulation;
    const PoiseJointSprings springs = poise_simulation_joint_springs(simulation, joint);
    return poise_joint_vector(poise_simulation_joint(simulation, joint).kind, springs.q_natural);
}

static PoiseVec3 angle_of(const PoiseApp* app, int joint) {
    const PoiseJointView view = poise_simulation_joint(app->session.simulation, joint);
    return poise_joint_vector(view.kind, view.q);
}

static const struct {
    const char* joint;
    const char* slider;
    PoiseVec3 set;
} SLIDERS[] = {{"left_shoulder", "angle/left_shoulder", {DRAG, 0.0, 0.0}},
               {"right_shoulder", "angle/right_shoulder.y", {0.0, DRAG, 0.0}}};

PANELS_TEST(sliders, a_drag_sets_the_natural_posture_and_a_free_joint_goes_there) {
    run(app, "key F\nclick section/springs\nclick section/joints\n");
    for (int paused = 0; paused < 2; paused++) {
        if (paused) {
            run(app, "key Ctrl+Z\nkey Ctrl+Z\nwait 3\ndo pause\n");
        }
        for (int i = 0; i < 2; i++) {
            const int joint = poise_scene_find_joint(app->session.scene, SLIDERS[i].joint);
            const PoiseVec3 wanted = poise_add(angle_of(app, joint), SLIDERS[i].set);
            drag(app, SLIDERS[i].slider);
            EXPECT_NEAR3(natural_of(app, joint), wanted, 1e-3);
            if (paused) {
                EXPECT_NEAR3(angle_of(app, joint), wanted, 1e-3);
            }
        }
        if (paused) {
            run(app, "do pause\n");
        }
        run(app, "wait 2\n");
        for (int i = 0; i < 2; i++) {
            const int joint = poise_scene_find_joint(app->session.scene, SLIDERS[i].joint);
            EXPECT_NEAR3(angle_of(app, joint), natural_of(app, joint), 1e-3);
        }
    }
}

PANELS_TEST(sliders, a_joint_that_a_point_needs_says_what_holds_it) {
    run(app, "wait 3\nclick section/springs\nclick section/joints\n");
    const int joint = poise_scene_find_joint(app->session.scene, "left_shoulder");
    const double before = angle_of(app, joint).x;
    drag(app, "angle/left_shoulder");
    run(app, "wait 2\n");
    EXPECT_NEAR(angle_of(app, joint).x, before, 0.02);
    run(app, "read held by left_tip\n");
    // undo restores the natural posture and the posture rate
    run(app, "key Ctrl+Z\nexpect ik.posture_rate < 0.001\n");
    EXPECT_NEAR(natural_of(app, joint).x, 0.0, 1e-12);
}

/// Returns the distance of a control point to its goal, m.
static double miss_of(const PoiseApp* app, const char* name) {
    const PoiseSimulation* simulation = app->session.simulation;
    return poise_simulation_point(simulation, poise__find(simulation, POISE_OWNER_TARGET, name))
        .reading.miss;
}

Test(sliders, a_redundant_arm_moves_without_its_hand) {
    PoiseApp* app = app_of(POISE_SOURCE_DIR "/scenes/panda_square.yaml");
    app->ui = poise__ui_create(1.0, NULL);
    app->highlight.parts = POISE_VIEW_CLEAN | POISE_SHOW_PANELS;
    poise__camera_resize(&app->camera, 1280, 1100);
    poise__screen_draw(app);
    run(app, "wait 0.1\nclick pin/pen\nclick choose/pen\nwait 2\n");
    const int joint = poise_scene_find_joint(app->session.scene, "panda/panda_joint1");
    cr_assert_geq(joint, 0);
    cr_expect_lt(miss_of(app, "pen"), 1e-3);
    PoiseVec3 before[7];
    PoiseVec3 natural[7];
    for (int i = 0; i < 7; i++) {
        natural[i] = natural_of(app, joint + i);
        before[i] = angle_of(app, joint + i);
    }
    const uint64_t state = poise_simulation_state_hash(app->session.simulation);
    cr_expect_gt(poise__panel_softness(app->session.simulation, 0), 0.0);
    cr_expect_eq(poise_simulation_state_hash(app->session.simulation), state);
    double most = 0.0;
    for (int i = 0; i < 3; i++) {
        drag(app, "goal/free");
        run(app, "wait 1\n"); // two presses at once are a double click
    }
    cr_expect_lt(miss_of(app, "pen"), 2e-3);
    run(app, "wait 2\n");
    for (int i = 0; i < 7; i++) {
        most = fmax(most, fabs(angle_of(app, joint + i).x - before[i].x));
    }
    cr_expect_gt(most, 2.0 * DRAG, "%g", most);
    cr_expect_lt(most, 3.3 * DRAG, "%g", most);
    cr_expect_lt(miss_of(app, "pen"), 1e-3);
    EXPECT_NEAR(app->panels.free.turned, 3.0 * DRAG, 1e-6);
    // undo takes the drags back, and the posture rate that they needed
    run(app, "key Ctrl+Z\nkey Ctrl+Z\nkey Ctrl+Z\nexpect ik.posture_rate < 0.003\n");
    for (int i = 0; i < 7; i++) {
        EXPECT_NEAR3(natural_of(app, joint + i), natural[i], 0.0);
    }
    close_app(app);
}

PANELS_TEST(sliders, the_softness_shown_is_that_of_the_springs) {
    run(app, "wait 2\n");
    PoiseSimulation* simulation = app->session.simulation;
    const int point = known_point(app, "left_tip");
    const double softness = poise__panel_softness(simulation, point);
    cr_assert_gt(softness, 0.0);
    // the forecast finds the same by its own equations, from a copy that it steps until still
    PoiseForecast forecast;
    const PoisePointId id = poise_simulation_point(simulation, point).point;
    const PoiseForecastDef def = {.points = &id, .count = 1};
    cr_assert_geq(poise_rig_forecast(poise_simulation_rig(simulation), &def, &forecast), 0);
    const double* c = forecast.compliance;
    EXPECT_NEAR(softness / (c[0] + c[4] + c[8]), 1.0, 0.02); // one hinge: C has rank 1
    // halving all springs doubles the softness
    PoiseParameter parameter;
    for (int i = 0; poise_simulation_parameter(simulation, i, &parameter); i++) {
        if (strncmp(parameter.key, "joints.", 7) == 0 && strstr(parameter.key, ".spring")) {
            cr_assert_geq(poise_simulation_set_parameter(simulation, i, 0.5 * parameter.value), 0);
        }
    }
    run(app, "wait 1\n");
    const double halved = poise__panel_softness(simulation, point);
    EXPECT_NEAR(halved / softness, 2.0, 0.02);
}

PANELS_TEST(sliders, a_script_repeats_natural_postures_to_the_last_bit) {
    static const char script[] = "natural joint:right_shoulder 0.99 0 0.1 0\n"
                                 "natural joint:left_shoulder 0.25\nset ik.posture_rate 0.05\n";
    run(app, script);
    run(app, "go 1\n");
    const int joint = poise_scene_find_joint(app->session.scene, "left_shoulder");
    EXPECT_NEAR(natural_of(app, joint).x, 0.25, 0.0);
    const uint64_t state = poise_simulation_state_hash(app->session.simulation);
    run(app, "go 0.2\ngo 1\n");
    cr_expect_eq(poise_simulation_state_hash(app->session.simulation), state);
}
