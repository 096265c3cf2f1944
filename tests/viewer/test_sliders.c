// SPDX-License-Identifier: MIT
// Tests the sliders of joints: a drag sets the natural posture by the angle dragged, and the joint
// goes there, unless a control point holds it.
#include <math.h>
#include <string.h>

#include "panels_fixture.h"

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
