// SPDX-License-Identifier: MIT
// Tests texts and drawings: units, words at the pointer and labels; coils, trails and the sum that
// the solver minimises.
#include <math.h>
#include <string.h>

#include "drag_words.h"
#include "panels.h"
#include "panels_fixture.h"
#include "units.h"

Test(words, lengths_have_units_and_no_powers_of_ten) {
    char text[POISE_UNIT_TEXT];
    cr_expect_str_eq(poise__length_text(1.55, text), "1.55 m");
    cr_expect_str_eq(poise__length_text(0.4, text), "40.0 cm");
    cr_expect_str_eq(poise__length_text(0.0123, text), "12.3 mm");
    cr_expect_str_eq(poise__length_text(0.000812, text), "812 um");
    cr_expect_str_eq(poise__length_text(-1550.0, text), "-1550 m");
    cr_expect_str_eq(poise__value_text(1550.0, "N m", text), "1550 N m");
    cr_expect_str_eq(poise__value_text(0.00012, "J", text), "0.000120 J");
    cr_expect_str_eq(poise__value_text((double)NAN, "J", text), "-");
    cr_expect_str_eq(poise__angle_text(0.5, text), "28.6 deg");
}

Test(words, a_ball_shows_its_angle_and_a_slider_its_own_units) {
    char text[256];
    PoiseJointView ball = {.name = "ball",
                           .kind = POISE_NODE_BALL,
                           .q = {cos(0.25), 0.6 * sin(0.25), 0.8 * sin(0.25), 0.0},
                           .torque = poise_vec3(0.0, 3.0, 4.0)};
    poise__panel_joint_words(&ball, text);
    cr_expect_not_null(strstr(text, "turned 28.6 deg"), "%s", text);
    cr_expect_not_null(strstr(text, "torque 5 N m"), "%s", text);
    PoiseJointView slider = {.name = "slider",
                             .kind = POISE_NODE_SLIDER,
                             .q = {0.12},
                             .torque = poise_vec3(7.0, 0.0, 0.0)};
    poise__panel_joint_words(&slider, text);
    cr_expect_not_null(strstr(text, "out 12.0 cm"), "%s", text);
    cr_expect_not_null(strstr(text, "force 7 N"), "%s", text);
    PoiseApp* app = app_of_text("poise: 1\nbodies: {post: {sphere: 0.1, at: [0,0,0], fixed: true}, "
                                "cart: {box: [0.1,0.1,0.1], at: [0.3,0,0]}}\n"
                                "joints: {rail: {slider: [0,0,0], axis: [1,0,0], between: [post, "
                                "cart], ik: {spring: 10, damper: 1}}}\n"
                                "control_points: {tip: {body: cart, uses: [rail], position: "
                                "[0.5,0,0]}}\n");
    PoiseParameter spring;
    int index = poise_simulation_find_parameter(app->session.simulation, "joints.rail.ik.spring");
    cr_assert(poise_simulation_parameter(app->session.simulation, index, &spring));
    cr_expect_str_eq(spring.unit, "N/m");
    known_app_close(app);
}

PANELS_TEST(words, the_distance_of_a_drag_is_shown_at_the_pointer) {
    char words[POISE_WORDS_CAPACITY];
    int left = known_point(app, "left_tip");
    double x = 0.0, y = 0.0;
    cr_expect_not(poise__words_of_hand(app, words));
    seen_at(app, poise_simulation_point(app->session.simulation, left).goal_world.p, &x, &y);
    poise__input_push_pointer(&app->input, x, y);
    poise__app_frame(app, 0.0);
    cr_assert(poise__words_of_hand(app, words));
    cr_expect_not_null(strstr(words, "moves the target of left_tip"), "%s", words);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, true, 0);
    poise__app_frame(app, 0.0);
    poise__input_push_pointer(&app->input, x + 40.0, y);
    poise__app_frame(app, 0.0);
    poise__app_frame(app, 0.0);
    cr_assert(poise__words_of_hand(app, words));
    PoisePointView point = poise_simulation_point(app->session.simulation, left);
    char length[POISE_UNIT_TEXT];
    poise__length_text(poise_length(poise_sub(point.goal_world.p, app->hand.gizmo.start.p)),
                       length);
    cr_expect_not_null(strstr(words, length), "'%s' has no %s", words, length);
    cr_expect_not_null(strstr(words, "behind"), "%s", words);
}

PANELS_TEST(words, the_pull_of_a_hand_is_always_shown_with_its_newtons) {
    run(app, "show clean\npull link:globe 0 0 0.1 to 0.6 0.9 1\nat 0.05\n");
    poise__screen_draw(app);
    bool found = false;
    for (int i = 0; i < app->list.label_count; i++) {
        found = found || (app->list.labels[i].always && strstr(app->list.labels[i].text, " N"));
    }
    cr_expect(found);
}

PANELS_TEST(words, only_labels_near_the_pointer_are_shown) {
    app->highlight.parts = POISE_SHOW_POINTS | POISE_SHOW_LABELS;
    int all = letters_drawn(app);
    app->has_pointer = true;
    app->pointer_x = app->pointer_y = 2.0;
    cr_expect_lt(letters_drawn(app), all);
}

/// Returns the length of a coil in the picture, m.
static double coil_length(PoiseApp* app, int joint, vec4s* colour) {
    double sum = 0.0;
    poise__screen_draw(app);
    for (int i = 0; i < app->list.instance_count; i++) {
        PoiseLine line;
        if (line_at(&app->list, i, &line) && line.id == poise__draw_id(POISE_DRAW_COIL, joint)) {
            sum += (double)glms_vec3_distance(line.from, line.to);
            *colour = line.colour;
        }
    }
    return sum;
}

APP_TEST(words, springs_lengthen_and_redden_with_their_pull) {
    app->highlight.parts = POISE_VIEW_IK;
    int joint = poise_scene_find_joint(app->session.scene, "left_shoulder");
    vec4s pulled = {{0.0f, 0.0f, 0.0f, 0.0f}};
    vec4s slack = pulled;
    cr_assert(poise__app_run_to(app, 0.02));
    app->highlight.exaggeration = 1.0;
    double plain = coil_length(app, joint, &pulled);
    app->highlight.exaggeration = 6.0;
    double drawn = coil_length(app, joint, &pulled);
    cr_expect_gt(drawn, 1.02 * plain, "%g %g", drawn, plain);
    cr_assert(poise__app_run_to(app, 8.0));
    // a spring of little torque is drawn as a dot, or as a shorter and greener coil
    double still = coil_length(app, joint, &slack);
    cr_expect_gt(drawn, 1.05 * still, "%g %g", drawn, still);
    cr_expect(still <= 0.0 || pulled.x / pulled.y > slack.x / slack.y);
}

/// Returns the number of lines in a point's trails.
static int trail_lines(PoiseApp* app, int point) {
    int count = 0;
    poise__screen_draw(app);
    for (int i = 0; i < app->list.instance_count; i++) {
        count += app->list.instances[i].id == poise__draw_id(POISE_DRAW_TRAIL, point);
    }
    return count;
}

Test(words, moving_goals_have_a_trail_of_the_set_length) {
    PoiseApp* app = app_of(POISE_SOURCE_DIR "/scenes/panda_square.yaml");
    cr_assert(app->highlight.parts & POISE_SHOW_TRAILS);
    cr_assert(poise__app_run_to(app, 4.0));
    app->highlight.trail = 3.0;
    int pen = poise__find(app->session.simulation, POISE_OWNER_TARGET, "pen");
    int three = trail_lines(app, pen);
    app->highlight.trail = 1.0;
    int one = trail_lines(app, pen);
    // a goal's and a tip's trail have 60 lines a second each
    cr_expect(abs(one - 120) < 12, "%d", one);
    cr_expect(abs(three - 360) < 36, "%d", three);
    // after going back the trail is that of the earlier time
    cr_assert(poise__app_go(app, 0.5));
    app->highlight.trail = 3.0;
    cr_expect(abs(trail_lines(app, pen) - 60) < 12, "%d", trail_lines(app, pen));
    known_app_close(app);
    // a goal that stands still has no trail
    PoiseApp* known = known_app();
    cr_assert(poise__app_run_to(known, 2.0));
    cr_expect_eq(trail_lines(known, known_point(known, "left_tip")), 0);
    known_app_close(known);
}

Test(words, the_minimised_sum_falls_with_each_sweep_in_every_scene) {
    static const char* const scenes[] = {"reach", "full_body", "panda_square", "blend_sweep",
                                         "stand_and_reach"};
    static PoiseSweeps sweeps;
    bool grew = false;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        char path[256];
        snprintf(path, sizeof path, POISE_SOURCE_DIR "/scenes/%s.yaml", scenes[i]);
        PoiseApp* app = app_of(path);
        cr_assert(poise__app_run_to(app, 0.4));
        int made = poise__panel_sweeps(app->session.simulation, 40, &sweeps);
        cr_assert_eq(made, 40, "%s", scenes[i]);
        for (int k = 2; k <= made; k++) {
            cr_expect_leq(sweeps.objective[k], sweeps.objective[k - 1] * (1.0 + 1e-12),
                          "%s, sweep %d", scenes[i], k);
            for (int p = 0; p < sweeps.point_count; p++) {
                grew = grew || sweeps.points[p][k] > 1.0001f * sweeps.points[p][k - 1];
            }
        }
        cr_expect_lt(sweeps.above[made], 1.0f);
        known_app_close(app);
    }
    cr_expect(grew, "the residual of a single point does grow: what is minimised is to be shown");
}

Test(words, the_box_of_inertia_equals_a_body_that_is_a_box) {
    PoiseApp* app = app_of_text(
        "poise: 1\nworld: {gravity: [0,0,0]}\nbodies: {post: {sphere: 0.1, at: [0,0,-1], "
        "fixed: true}, brick: {box: [0.2, 0.3, 0.6], at: [0.3,0,0], rotation: {rpy: [0.3, "
        "0.5, 0.7]}}}\n"
        "joints: {arm: {ball: [0,0,-1], between: [post, brick], ik: {spring: 10}}}\n"
        "control_points: {tip: {body: brick, uses: [arm], position: [0.5,0,0]}}\n");
    app->highlight.parts = POISE_SHOW_INERTIA;
    poise__screen_draw(app);
    int found = 0;
    for (int i = 0; i < app->list.instance_count; i++) {
        const PoiseInstance* box = &app->list.instances[i];
        if (poise__draw_id_kind(box->id) == POISE_DRAW_BODY) {
            double sides[3] = {2.0 * (double)box->core.x, 2.0 * (double)box->core.y,
                               2.0 * (double)box->core.z};
            double product = sides[0] * sides[1] * sides[2];
            double square = sides[0] * sides[0] + sides[1] * sides[1] + sides[2] * sides[2];
            EXPECT_NEAR(product, 0.2 * 0.3 * 0.6, 1e-6);
            EXPECT_NEAR(square, 0.04 + 0.09 + 0.36, 1e-6);
            found++;
        }
    }
    cr_expect_eq(found, 1);
    known_app_close(app);
}

PANELS_TEST(words, the_speed_is_readable_in_the_bar_after_a_hundred_seconds) {
    const int sizes[][2] = {{1280, 720}, {800, 500}};
    run(app, "do slower\ndo slower\ndo slower\ndo slower\ndo slower\ndo slower\n");
    cr_assert(poise__app_run_to(app, 123.0));
    for (int i = 0; i < 2; i++) {
        PoiseUiItem pace;
        PoiseUiItem bar;
        poise__camera_resize(&app->camera, sizes[i][0], sizes[i][1]);
        for (int k = 0; k < 3; k++) {
            poise__screen_draw(app);
        }
        cr_assert(poise__ui_find(app->ui, "run/pace", &pace));
        cr_assert(poise__ui_find(app->ui, "run/time", &bar));
        EXPECT_NEAR((double)(pace.right - pace.left), poise__ui_text_width(app->ui, "x1/64"), 1.0);
        // the panels leave two thirds of the window
        cr_expect_leq(app->camera.inset, 0.34 * app->camera.width);
    }
}

PANELS_TEST(words, a_new_watch_gets_its_history_and_the_run_stays) {
    run(app, "wait 0.6\ndo pause\n");
    const uint64_t state = poise_simulation_state_hash(app->session.simulation);
    run(app, "click watch/open\ntype shoulder torque\nclick watch/left_shoulder.torque\nkey Esc\n");
    cr_assert_eq(app->watch.count, 2);
    cr_assert_gt(app->watch.sample_count, 5);
    for (int i = 1; i < app->watch.sample_count; i++) {
        cr_expect(isfinite(app->watch.values[1].samples[i]), "sample %d", i);
    }
    cr_expect_neq(app->watch.values[1].samples[1],
                  app->watch.values[1].samples[app->watch.sample_count - 1]);
    cr_expect_eq(poise_simulation_state_hash(app->session.simulation), state);
}

PANELS_TEST(words, a_joint_is_posed_by_its_slider_while_paused) {
    run(app,
        "do pause\nclick section/springs\nclick section/joints\nslide angle/left_shoulder 30\n");
    const int joint = poise_scene_find_joint(app->session.scene, "left_shoulder");
    EXPECT_NEAR(poise_simulation_joint(app->session.simulation, joint).q[0], M_PI / 6.0, 1e-6);
    run(app, "key Ctrl+Z\n");
    EXPECT_NEAR(poise_simulation_joint(app->session.simulation, joint).q[0], 0.0, 1e-9);
    // while the run continues, the slider sets the natural angle
    run(app, "do pause\n");
    cr_expect(fails(app, "slide angle/left_shoulder 20\n", "angle/left_shoulder is"));
    run(app, "expect joints.left_shoulder.natural > 0.34\n");
}

PANELS_TEST(words, a_drag_that_other_points_hold_back_names_them) {
    run(app, "wait 2\n");
    const int body = poise__find(app->session.simulation, POISE_OWNER_LINK, "left_arm");
    const PoisePose pose = poise_simulation_body(app->session.simulation, body).pose_world;
    double x = 0.0, y = 0.0;
    seen_at(app, poise_pose_apply(pose, poise_vec3(0.0, 0.0, 0.2)), &x, &y);
    poise__input_push_pointer(&app->input, x, y);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, true, 0);
    poise__input_push_pointer(&app->input, x, y + 60.0);
    run(app, "wait 2\n");
    char words[POISE_WORDS_CAPACITY];
    cr_assert_eq(app->hand.grip, POISE_GRIP_LINK);
    // the hand has ten times the weight of the scene's point
    const int held = app->hand.point;
    const PoisePointView point = poise_simulation_point(app->session.simulation, held);
    const int tip = known_point(app, "left_tip");
    const PoisePointView other = poise_simulation_point(app->session.simulation, tip);
    cr_expect_lt(point.reading.miss, 0.7 * other.reading.miss, "%g, %g", point.reading.miss,
                 other.reading.miss);
    cr_assert(poise__words_of_hand(app, words));
    cr_expect(strstr(words, "outweighed by left_tip"), "%s", words);
}

// -----------------------------------------------------------------------------------------
// captions

APP_TEST(words, a_caption_shows_values_as_they_are_now) {
    char text[POISE_WORDS_CAPACITY];
    char number[POISE_UNIT_TEXT];
    double error = 0.0;
    run(app, "wait 0.1\nsay {left_tip.error} away {energy}, at rest {left_tip.foreseen}\nwait 3\n");
    cr_assert(poise__value_of(app->session.simulation, "left_tip.error", &error));
    poise__words_of_caption(app, text);
    poise__length_text(error, number);
    cr_expect(strncmp(text, number, strlen(number)) == 0, "%s, not %s", text, number);
    cr_expect_not_null(strstr(text, " J, at rest "), "%s", text);
    cr_expect_null(strchr(text, '{'), "%s", text);
    cr_expect(fails(app, "say {nosuch.error}\n", "there is no value 'nosuch.error'"));
    cr_expect(fails(app, "say {nosuch.foreseen}\n", "there is no point 'nosuch'"));
    cr_expect(fails(app, "say {\n", "there is no value ''"));
    run(app, "say\n");
    cr_expect_eq(app->caption[0], '\0');
}

/// The miss that the first step forecasts is the miss at rest.
Test(words, a_caption_foresees_the_rest) {
    PoiseApp* app = app_of(POISE_SOURCE_DIR "/viewer/gallery/foreseen.yaml");
    run(app, "wait 0.05\nsay {pen.foreseen} {pen.error}\nwait 8\n");
    char text[POISE_WORDS_CAPACITY];
    poise__words_of_caption(app, text);
    double foreseen = 0.0, measured = 0.0;
    cr_assert_eq(sscanf(text, "%lf cm %lf cm", &foreseen, &measured), 2, "%s", text);
    cr_expect_gt(foreseen, 5.0, "%s", text);
    cr_expect_float_eq(foreseen, measured, 0.1001, "%s", text);
    known_app_close(app);
}

/// Returns the number of force arrows that belong to no point, and the greatest length, m.
static int push_arrows(PoiseApp* app) {
    int count = 0;
    poise__screen_draw(app);
    for (int i = 0; i < app->list.instance_count; i++) {
        const uint32_t id = app->list.instances[i].id;
        count += poise__draw_id_kind(id) == POISE_DRAW_FORCE &&
                 poise__draw_id_index(id) >= poise_simulation_point_count(app->session.simulation);
    }
    return count;
}

Test(words, a_push_of_the_scene_is_an_arrow_while_it_acts) {
    PoiseApp* app = app_of_text("poise: 1\nbodies: {ball: {sphere: 0.1, at: [0,0,1]}}\n"
                                "world: {gravity: [0, 0, 0]}\n"
                                "pushes: {one: {body: ball, force: [1, 0, 0], from: 0.2, seconds: "
                                "0.3, every: 1}}\n");
    app->highlight.parts = POISE_VIEW_FORCES;
    static const double times[] = {0.1, 0.4, 0.7, 1.3};
    for (int i = 0; i < 4; i++) {
        cr_assert(poise__app_run_to(app, times[i]));
        cr_expect_eq(push_arrows(app) > 0, i % 2 == 1, "%g s", times[i]);
    }
    known_app_close(app);
}

/// A ball rests on an arm: both are highlighted while contacts are shown, and the other arm is not.
/// A ball on a fixed shelf is, and one on the ground is not.
Test(words, bodies_that_touch_others_or_a_wall_are_highlighted) {
    PoiseApp* app =
        app_of_text("poise: 1\nbodies: {post: {sphere: 0.05, at: [0,0,1], fixed: true}, "
                    "arm: {box: [0.6,0.3,0.05], at: [0.3,0,1], mass: 1}, "
                    "shelf: {box: [0.4,0.4,0.1], at: [0,2,0.5], fixed: true}, "
                    "egg: {sphere: 0.1, at: [0,2,0.65]}, seed: {sphere: 0.1, at: [1,2,0.1]}, "
                    "far: {box: [0.6,0.3,0.05], at: [-0.4,0,1], mass: 1}, "
                    "ball: {sphere: 0.1, at: [0.3,0,1.13]}}\n"
                    "joints: {near: {slider: [0,0,1], axis: [0,0,1], between: [post, arm], "
                    "original: {spring: 1e5, damper: 1e3}}, other: {slider: [0,0,1], axis: "
                    "[0,0,1], between: [post, far], original: {spring: 1e5, damper: 1e3}}}\n"
                    "world: {ground: {height: 0}}\n");
    const int egg = poise__find(app->session.simulation, POISE_OWNER_LINK, "egg");
    const int seed = poise__find(app->session.simulation, POISE_OWNER_LINK, "seed");
    const int arm = poise__find(app->session.simulation, POISE_OWNER_LINK, "arm");
    const int far = poise__find(app->session.simulation, POISE_OWNER_LINK, "far");
    const PoiseOverlay overlay = {app->session.simulation, &app->camera, &app->highlight,
                                  &app->list};
    vec4s colour;
    cr_assert(poise__app_run_to(app, 0.3));
    app->highlight.parts = POISE_SHOW_CONTACTS;
    cr_expect(poise__overlay_highlights(&overlay, arm, &colour));
    cr_expect_not(poise__overlay_highlights(&overlay, far, &colour));
    cr_expect(poise__overlay_highlights(&overlay, egg, &colour), "on a fixed shelf");
    cr_expect_not(poise__overlay_highlights(&overlay, seed, &colour), "on the ground");
    app->highlight.parts = 0;
    cr_expect_not(poise__overlay_highlights(&overlay, arm, &colour));
    app->highlight.body = far;
    cr_expect(poise__overlay_highlights(&overlay, far, &colour));
    known_app_close(app);
}
