// SPDX-License-Identifier: MIT
// Tests going back in time to the same state, bit by bit, and branches, ghosts and undo.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "panels_fixture.h"

static uint64_t hash(const PoiseApp* app) {
    return poise_simulation_state_hash(app->session.simulation);
}

static void change(PoiseApp* app, const char* text) {
    PoiseChange parsed;
    PoiseNote note = {""};
    cr_assert(poise__change_parse(text, app->session.simulation, &parsed, &note), "%s", note.text);
    cr_assert_geq(poise__app_change(app, &parsed), 0, "%s", text);
}

/// Makes all kinds of changes at several times. `hashes` gets the states at three times and at the
/// end, 1.6 s.
static void eventful_run(PoiseApp* app, uint64_t hashes[4]) {
    cr_assert(poise__app_run_to(app, 0.2));
    change(app, "hold target:left_tip 0.4 0.2 1.3");
    change(app, "set joints.left_shoulder.ik.spring 250");
    cr_assert(poise__app_run_to(app, 0.4));
    change(app, "add link:right_arm 0.05 0 0.1");
    change(app, "hold target:added_1 0.5 -0.4 1.1");
    change(app, "pull link:globe 0 0 0.1 to 1 1 1");
    hashes[0] = hash(app);
    cr_assert(poise__app_run_to(app, 0.8));
    change(app, "let_go");
    change(app, "turn target:right_tip 0.9 0.1 0.2 0.1");
    change(app, "set world.gravity.z -3");
    hashes[1] = hash(app);
    cr_assert(poise__app_run_to(app, 1.2));
    change(app, "remove target:added_1");
    change(app, "release target:left_tip");
    change(app, "set ik.solver 1");
    hashes[2] = hash(app);
    cr_assert(poise__app_run_to(app, 1.6));
    hashes[3] = hash(app);
}

Test(timeline, a_restored_and_replayed_run_has_the_same_state_to_the_last_bit) {
    const double times[4] = {0.4, 0.8, 1.2, 1.6};
    PoiseApp* app = known_app();
    uint64_t hashes[4];
    eventful_run(app, hashes);
    for (int i = 3; i >= 0; i--) {
        cr_assert(poise__app_go(app, times[i]));
        cr_expect_eq(hash(app), hashes[i], "back at %g s", times[i]);
    }
    // go forward again through all changes
    for (int i = 0; i < 4; i++) {
        cr_assert(poise__app_go(app, times[i]));
        cr_expect_eq(hash(app), hashes[i], "again at %g s", times[i]);
    }
    // go forward step by step
    cr_assert(poise__app_go(app, 0.3));
    cr_assert(poise__app_run_to(app, 1.6));
    cr_expect_eq(hash(app), hashes[3]);
    known_app_close(app);
}

Test(timeline, snapshots_and_repeating_from_the_start_are_the_same) {
    const double times[4] = {0.4, 0.8, 1.2, 1.6};
    uint64_t hashes[2][4];
    for (int i = 0; i < 2; i++) {
        PoiseApp* app = known_app();
        app->timeline.moment_stride = i == 0 ? 0 : 7; // no snapshots, or many
        eventful_run(app, hashes[i]);
        cr_expect_eq(app->timeline.moment_count > 10, i == 1);
        for (int k = 0; k < 20; k++) {
            int to = (7 * k) % 4;
            cr_assert(poise__app_go(app, times[to]));
            cr_expect_eq(hash(app), hashes[i][to], "way %d, %g s", i, times[to]);
            cr_assert(poise__app_go(app, 0.03 * k));
        }
        known_app_close(app);
    }
    cr_expect_eq(memcmp(hashes[0], hashes[1], sizeof hashes[0]), 0);
}

APP_TEST(timeline, snapshots_grow_farther_apart_as_the_run_grows_long) {
    app->timeline.moment_stride = 1;
    cr_assert(poise__app_run_to(app, 5.0));
    uint64_t end = hash(app);
    cr_expect_lt(app->timeline.moment_count, POISE_TIMELINE_SNAPSHOTS);
    cr_expect_gt(app->timeline.moment_count, POISE_TIMELINE_SNAPSHOTS / 3);
    cr_assert(poise__app_go(app, 2.345));
    cr_assert(poise__app_go(app, 5.0));
    cr_expect_eq(hash(app), end);
}

Test(timeline, every_scene_goes_back_to_the_same_state) {
    PoiseSceneList files = {.count = 0};
    poise__scene_list_add(&files, POISE_SOURCE_DIR "/scenes");
    cr_assert_gt(files.count, 5);
    for (int i = 0; i < files.count; i++) {
        const char* path = files.files[i].path;
        PoiseApp* app = app_of(path);
        cr_assert(poise__app_run_to(app, 0.8), "%s", path);
        uint64_t then = hash(app);
        cr_assert(poise__app_run_to(app, 1.2), "%s", path);
        cr_assert(poise__app_go(app, 0.8), "%s", path);
        cr_expect_eq(hash(app), then, "%s", path);
        known_app_close(app);
    }
}

Test(timeline, a_saved_script_makes_the_same_run_again) {
    char path[] = "/tmp/poise-view-XXXXXX";
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    close(file);
    uint64_t hashes[4];
    PoiseNote note = {""};
    PoiseApp* app = known_app();
    eventful_run(app, hashes);
    cr_assert(poise__script_save(app, path, &note), "%s", note.text);
    known_app_close(app);

    app = known_app();
    run_file(app, path);
    EXPECT_NEAR(poise_simulation_time(app->session.simulation), 1.6, 1e-9);
    cr_expect_eq(hash(app), hashes[3]);
    known_app_close(app);
    unlink(path);
}

APP_TEST(timeline, a_change_in_the_past_cuts_the_future_off_and_leaves_it_as_a_ghost) {
    int arm = poise__find(app->session.simulation, POISE_OWNER_LINK, "left_arm");
    cr_assert(poise__app_run_to(app, 1.0));
    PoisePose then = poise_simulation_body(app->session.simulation, arm).pose_world;
    cr_assert(poise__app_go(app, 0.25));
    cr_expect(app->pacing.paused);
    cr_expect_eq(app->timeline.end_step, 100);
    cr_expect_eq(app->timeline.ghost_end, 0);
    change(app, "hold target:left_tip 0.2 0.2 0.6");
    cr_expect_eq(app->timeline.end_step, 25);
    cr_expect_eq(app->timeline.ghost_end, 100);

    PoisePose ghost;
    cr_assert(poise__timeline_ghost_pose(&app->timeline, 0.98, arm, &ghost));
    cr_expect_lt(poise_length(poise_sub(ghost.p, then.p)), 0.01);
    cr_expect_not(poise__timeline_ghost_pose(&app->timeline, 1.2, arm, &ghost));
    cr_assert(poise__app_run_to(app, 0.9));
    int drawn = 0;
    poise__screen_draw(app);
    for (int i = 0; i < app->list.instance_count; i++) {
        drawn += poise__draw_id_kind(app->list.instances[i].id) == POISE_DRAW_GHOST;
    }
    cr_expect_eq(drawn, 1, "the arm that goes another way now, not the one that does not");
}

APP_TEST(timeline, undo_and_redo_of_drags_parameters_and_points) {
    const PoiseSimulation* simulation = app->session.simulation;
    int left = known_point(app, "left_tip");
    int spring = poise_simulation_find_parameter(simulation, "joints.left_shoulder.ik.spring");
    PoiseVec3 start = poise_simulation_point(simulation, left).goal_world.p;
    PoiseChange hold = {.kind = POISE_CHANGE_HOLD, .index = left, .place = {0.4, 0.1, 1.2}};
    PoiseChange set = {.kind = POISE_CHANGE_SET, .index = spring, .value = 500.0};
    PoiseChange add = {.kind = POISE_CHANGE_ADD,
                       .index = poise__find(simulation, POISE_OWNER_LINK, "left_arm"),
                       .place = {0.0, 0.0, 0.1}};
    PoiseParameter parameter;
    cr_assert_geq(poise__app_edit(app, &hold), 0);
    cr_assert_geq(poise__app_edit(app, &set), 0);
    int added = poise__app_edit(app, &add);
    cr_assert_geq(added, 0);
    cr_expect(poise_simulation_point(simulation, added).added);

    poise__app_do(app, "undo");
    cr_expect(poise_simulation_point(simulation, added).removed);
    poise__app_do(app, "undo");
    cr_assert(poise_simulation_parameter(simulation, spring, &parameter));
    EXPECT_NEAR(parameter.value, 100.0, 0.0);
    poise__app_do(app, "undo");
    EXPECT_NEAR3(poise_simulation_point(simulation, left).goal_world.p, start, 1e-12);
    cr_expect_not(poise_simulation_point(simulation, left).held);
    poise__app_do(app, "undo"); // an undo without an edit shows a message

    for (int i = 0; i < 4; i++) {
        poise__app_do(app, "redo");
    }
    EXPECT_NEAR3(poise_simulation_point(simulation, left).goal_world.p, hold.place, 0.0);
    cr_assert(poise_simulation_parameter(simulation, spring, &parameter));
    EXPECT_NEAR(parameter.value, 500.0, 0.0);
    cr_expect_geq(poise__find(simulation, POISE_OWNER_TARGET, "added_2"), 0);
}

APP_TEST(timeline, undo_goes_back_to_the_moment_before_a_change_made_while_running) {
    PoiseSimulation* simulation = app->session.simulation;
    int left = known_point(app, "left_tip");
    PoiseChange first = {.kind = POISE_CHANGE_HOLD, .index = left, .place = {0.4, 0.1, 1.2}};
    PoiseChange second = {.kind = POISE_CHANGE_HOLD, .index = left, .place = {0.3, 0.3, 1.0}};
    PoiseChange pull = {.kind = POISE_CHANGE_PULL,
                        .index = poise__find(simulation, POISE_OWNER_LINK, "left_arm"),
                        .to = {0.0, 0.0, 2.0}};
    cr_assert(poise__app_run_to(app, 0.7));
    cr_assert_geq(poise__app_edit(app, &first), 0);
    cr_assert(poise__app_run_to(app, 1.3));
    uint64_t before_second = poise_simulation_state_hash(simulation);
    cr_assert_geq(poise__app_edit(app, &second), 0);
    // a change without an edit is undone with the edit before
    cr_assert_geq(poise__app_change(app, &pull), 0);
    cr_assert(poise__app_run_to(app, 2.4));

    poise__app_do(app, "undo");
    simulation = app->session.simulation;
    EXPECT_NEAR(poise_simulation_time(simulation), 1.3, 1e-9);
    cr_expect_eq(poise_simulation_state_hash(simulation), before_second);
    EXPECT_NEAR3(poise_simulation_point(simulation, left).goal_world.p, first.place, 0.0);
    cr_expect_not(app->pacing.paused, "a run goes on");
    cr_expect_gt(app->timeline.ghost_end, 0, "the run that was left is the ghost");
    cr_expect_eq(app->timeline.log_count, 1);

    // redo at that moment, then continue and undo again
    poise__app_do(app, "redo");
    EXPECT_NEAR3(poise_simulation_point(simulation, left).goal_world.p, second.place, 0.0);
    cr_assert(poise__app_run_to(app, 2.0));
    poise__app_do(app, "undo");
    cr_expect_eq(poise_simulation_state_hash(app->session.simulation), before_second);
    poise__app_do(app, "undo");
    EXPECT_NEAR(poise_simulation_time(app->session.simulation), 0.7, 1e-9);
    cr_expect_not(poise_simulation_point(app->session.simulation, left).held);
}

/// An edit is all changes between its begin and its end, at any number of steps.
APP_TEST(timeline, an_edit_of_many_changes_is_undone_and_redone_whole) {
    const PoiseSimulation* simulation = app->session.simulation;
    const int left = known_point(app, "left_tip");
    const int right = known_point(app, "right_tip");
    change(app, "hold target:right_tip 0.1 -0.2 1.1"); // belongs to no edit
    poise__timeline_edit_begin(&app->timeline);
    cr_expect_not(poise__timeline_edit_end(&app->timeline, true), "nothing has changed");
    poise__timeline_edit_begin(&app->timeline);
    for (int i = 0; i < 4; i++) {
        cr_assert(poise__app_run_to(app, 0.1 * (i + 1)));
        change(app, "hold target:right_tip 0.2 -0.2 1.2");
        change(app,
               i < 3 ? "hold target:left_tip 0.3 0.1 1.1" : "hold target:left_tip 0.3 0.2 1.1");
    }
    cr_expect(poise__timeline_edit_end(&app->timeline, true));
    poise__app_do(app, "undo");
    EXPECT_NEAR(poise_simulation_time(simulation), 0.1, 1e-9);
    EXPECT_NEAR(poise_simulation_point(simulation, right).goal_world.p.x, 0.1, 0.0);
    cr_expect_not(poise_simulation_point(simulation, left).held);
    poise__app_do(app, "redo");
    EXPECT_NEAR(poise_simulation_point(simulation, right).goal_world.p.x, 0.2, 0.0);
    EXPECT_NEAR(poise_simulation_point(simulation, left).goal_world.p.y, 0.2, 0.0);
    // the run passes the edit again, and it can be undone as before
    cr_assert(poise__app_run_to(app, 0.3));
    cr_assert(poise__app_go(app, 0.0));
    cr_assert(poise__app_run_to(app, 0.2));
    poise__app_do(app, "undo");
    EXPECT_NEAR(poise_simulation_time(simulation), 0.1, 1e-9);
    cr_expect_not(poise_simulation_point(simulation, left).held);
    poise__app_do(app, "undo"); // no other edit is left
    EXPECT_NEAR(poise_simulation_point(simulation, right).goal_world.p.x, 0.1, 0.0);
}

APP_TEST(timeline, two_edits_of_one_moment_are_undone_one_by_one) {
    int left = known_point(app, "left_tip");
    PoiseChange first = {.kind = POISE_CHANGE_HOLD, .index = left, .place = {0.4, 0.1, 1.2}};
    PoiseChange second = {.kind = POISE_CHANGE_HOLD, .index = left, .place = {0.3, 0.3, 1.0}};
    cr_assert(poise__app_run_to(app, 0.5));
    cr_assert_geq(poise__app_edit(app, &first), 0);
    cr_assert_geq(poise__app_edit(app, &second), 0);
    cr_assert(poise__app_run_to(app, 1.0));
    poise__app_do(app, "undo");
    EXPECT_NEAR3(poise_simulation_point(app->session.simulation, left).goal_world.p, first.place,
                 0.0);
    poise__app_do(app, "undo");
    cr_expect_not(poise_simulation_point(app->session.simulation, left).held);
}

APP_TEST(timeline, a_change_taken_back_leaves_the_time_as_it_is) {
    int left = known_point(app, "left_tip");
    PoiseChange hold = {.kind = POISE_CHANGE_HOLD, .index = left, .place = {0.4, 0.1, 1.2}};
    cr_assert_geq(poise__app_edit(app, &hold), 0);
    cr_assert(poise__app_run_to(app, 1.0));
    poise__app_do(app, "take_back");
    EXPECT_NEAR(poise_simulation_time(app->session.simulation), 1.0, 1e-9);
    cr_expect_not(poise_simulation_point(app->session.simulation, left).held);
}

APP_TEST(timeline, edits_before_the_moment_one_went_back_to_can_still_be_undone) {
    int left = known_point(app, "left_tip");
    PoiseChange first = {.kind = POISE_CHANGE_HOLD, .index = left, .place = {0.4, 0.1, 1.2}};
    PoiseChange second = {.kind = POISE_CHANGE_HOLD, .index = left, .place = {0.3, 0.3, 1.0}};
    cr_assert(poise__app_run_to(app, 0.3));
    cr_assert_geq(poise__app_edit(app, &first), 0);
    cr_assert(poise__app_run_to(app, 0.8));
    cr_assert_geq(poise__app_edit(app, &second), 0);
    cr_assert(poise__app_run_to(app, 1.2));
    cr_assert(poise__app_go(app, 0.5));
    EXPECT_NEAR3(poise_simulation_point(app->session.simulation, left).goal_world.p, first.place,
                 0.0);
    poise__app_do(app, "undo");
    EXPECT_NEAR(poise_simulation_time(app->session.simulation), 0.3, 1e-9);
    cr_expect_not(poise_simulation_point(app->session.simulation, left).held);
}

APP_TEST(timeline, what_is_written_is_read_back_to_the_last_bit) {
    const PoiseSimulation* simulation = app->session.simulation;
    uint64_t state = 3;
    for (int i = 0; i < 200; i++) {
        const PoiseVec3 a = next_random_vec3(&state), b = next_random_vec3(&state);
        const PoiseVec3 c = next_random_vec3(&state);
        PoiseChange changes[] = {
            {.kind = POISE_CHANGE_HOLD, .place = {a.x, 1e-9 * a.y, 1e6 * a.z}},
            {.kind = POISE_CHANGE_TURN, .index = 1, .turn = {b.x, b.y, b.z, 1.0 / 3.0}},
            {.kind = POISE_CHANGE_SET, .index = i % 14, .value = c.x},
            {.kind = POISE_CHANGE_PULL,
             .index = 2,
             .place = {c.y, 0.0, 0.0},
             .to = {0.0, c.z, -0.0}},
        };
        for (int k = 0; k < 4; k++) {
            char text[512];
            PoiseChange back;
            PoiseNote note = {""};
            poise__change_print(&changes[k], simulation, text);
            cr_assert(poise__change_parse(text, simulation, &back, &note), "%s", note.text);
            cr_expect_eq(back.kind, changes[k].kind);
            cr_expect_eq(back.index, changes[k].index);
            cr_expect_eq(memcmp(&back.place, &changes[k].place, sizeof back.place), 0, "%s", text);
            cr_expect_eq(memcmp(&back.to, &changes[k].to, sizeof back.to), 0, "%s", text);
            EXPECT_NEAR(back.value, changes[k].value, 0.0);
            EXPECT_NEAR(k == 1 ? back.turn.w : 0.0, k == 1 ? changes[k].turn.w : 0.0, 0.0);
        }
    }
}
