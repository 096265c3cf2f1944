// SPDX-License-Identifier: MIT
// Tests bookmarks of views and poses, and the keys for axes of links, contacts and a
// following camera.
#include <math.h>
#include <stdlib.h>

#include "panels_fixture.h"

static int count_of(PoiseApp* app, PoiseDrawKind kind) {
    int count = 0;
    poise__screen_draw(app);
    for (int i = 0; i < app->list.instance_count; i++) {
        count += poise__draw_id_kind(app->list.instances[i].id) == kind;
    }
    return count;
}

PANELS_TEST(bookmarks, a_view_comes_back) {
    run(app, "look 10 20 3 0.1 0.2 0.3\nkey Shift+D\nlook 50 60 2 0 0 1\nkey Shift+D\nkey D\n");
    EXPECT_NEAR(app->camera.azimuth, 10.0 / 57.29577951308232, 1e-12);
    EXPECT_NEAR(app->camera.elevation, 20.0 / 57.29577951308232, 1e-12);
    EXPECT_NEAR(app->camera.distance, 3.0, 1e-12);
    EXPECT_NEAR3(app->camera.focus, poise_vec3(0.1, 0.2, 0.3), 1e-12);
    run(app, "click view/2\n");
    EXPECT_NEAR(app->camera.distance, 2.0, 1e-12);
    // a full list loses its oldest view
    for (int i = 0; i < 12; i++) {
        run(app, "key Shift+D\n");
    }
    cr_expect_eq(app->bookmarks.of[POISE_BOOKMARK_VIEW].count, (int)POISE_BOOKMARKS_CAPACITY);
}

PANELS_TEST(bookmarks, a_pose_is_put_back_at_rest_and_that_can_be_undone) {
    const PoiseSimulation* simulation = app->session.simulation;
    const int joint = poise__find(simulation, POISE_OWNER_JOINT, "left_shoulder");
    run(app, "key Ctrl+D\nread no pose is kept\nwait 1\nkey Ctrl+Shift+D\n");
    const double kept_angle = poise_simulation_joint(simulation, joint).q[0];
    run(app, "set joints.left_shoulder.ik.spring 0.1\nset joints.left_shoulder.original.spring 50\n"
             "wait 2\ndo pause\n");
    simulation = app->session.simulation;
    const double other = poise_simulation_joint(simulation, joint).q[0];
    cr_assert_gt(fabs(other - kept_angle), 0.05);
    const uint64_t before = poise_simulation_state_hash(simulation);
    run(app, "key Ctrl+D\n");
    simulation = app->session.simulation;
    EXPECT_NEAR(poise_simulation_joint(simulation, joint).q[0], kept_angle, 1e-9);
    double energy = 1.0;
    poise_simulation_energy(simulation, &energy, NULL);
    EXPECT_NEAR(energy, 0.0, 0.0);
    run(app, "key Ctrl+Z\n");
    cr_expect_eq(poise_simulation_state_hash(app->session.simulation), before);
}

Test(bookmarks, views_and_poses_are_there_in_the_next_run) {
    char folder[] = "/tmp/poise-kept-XXXXXX";
    char command[64];
    cr_assert_not_null(mkdtemp(folder));
    setenv("XDG_STATE_HOME", folder, 1);
    double angle = 0.0;
    for (int time = 0; time < 2; time++) {
        PoiseApp* app = app_with_panels();
        app->keeps_recent = true;
        poise__bookmarks_read(&app->bookmarks, &app->session);
        const int joint = poise__find(app->session.simulation, POISE_OWNER_JOINT, "left_shoulder");
        cr_expect_eq(app->bookmarks.of[POISE_BOOKMARK_VIEW].count, time);
        cr_expect_eq(app->bookmarks.of[POISE_BOOKMARK_POSE].count, time);
        if (time == 0) {
            run(app, "wait 1\nlook 1 2 3 4 5 6\nkey Shift+D\nkey Ctrl+Shift+D\n");
            angle = poise_simulation_joint(app->session.simulation, joint).q[0];
        } else {
            run(app, "key D\ndo pause\nkey Ctrl+D\n");
            EXPECT_NEAR3(app->camera.focus, poise_vec3(4.0, 5.0, 6.0), 0.0);
            EXPECT_NEAR(poise_simulation_joint(app->session.simulation, joint).q[0], angle, 1e-9);
        }
        close_app(app);
    }
    // another scene has no bookmarks
    PoiseApp* app = known_app();
    app->keeps_recent = true;
    cr_assert(poise__app_open(app, POISE_SOURCE_DIR "/scenes/reach.yaml"));
    cr_expect_eq(app->bookmarks.of[POISE_BOOKMARK_VIEW].count +
                     app->bookmarks.of[POISE_BOOKMARK_POSE].count,
                 0);
    known_app_close(app);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_expect_eq(system(command), 0);
}

// A view that cannot be written is kept for this run, and a message says so.
Test(bookmarks, a_bookmark_that_cannot_be_written_gets_a_message) {
    setenv("XDG_STATE_HOME", "/dev/null", 1);
    PoiseApp* app = app_with_panels();
    app->keeps_recent = true;
    run(app, "key Shift+D\nread view 1 is kept until the window closes: \n");
    cr_expect_eq(app->bookmarks.of[POISE_BOOKMARK_VIEW].count, 1);
    close_app(app);
}

PANELS_TEST(bookmarks, e_shows_the_axes_of_each_link) {
    const int without = count_of(app, POISE_DRAW_BODY);
    run(app, "key E\n");
    // each frame has three arrows of two parts
    cr_expect_eq(count_of(app, POISE_DRAW_BODY) - without, 6 * app->session.scene->frame_count);
    cr_expect_gt(app->session.scene->frame_count, 0);
    run(app, "key E\n");
    cr_expect_eq(count_of(app, POISE_DRAW_BODY), without);
}

PANELS_TEST(bookmarks, y_makes_the_camera_follow_a_body) {
    const int body = poise__find(app->session.simulation, POISE_OWNER_LINK, "left_arm");
    const int tip = known_point(app, "left_tip");
    app->highlight.selected = tip;
    const PoiseVec3 from = poise_simulation_body(app->session.simulation, body).com_world;
    const PoiseVec3 focus = app->camera.focus;
    run(app, "key Y\nread follows left_arm\nwait 1\n");
    const PoiseVec3 displacement =
        poise_sub(poise_simulation_body(app->session.simulation, body).com_world, from);
    cr_assert_gt(poise_length(displacement), 0.05);
    EXPECT_NEAR3(poise_sub(app->camera.focus, focus), displacement, 1e-9);
    run(app, "key Y\nread stays\n");
    const PoiseVec3 stands = app->camera.focus;
    run(app, "set joints.left_shoulder.ik.spring 1\nwait 0.5\n");
    EXPECT_NEAR3(app->camera.focus, stands, 0.0);
}

PANELS_TEST(bookmarks, contacts_are_shown_where_bodies_touch_with_their_force) {
    cr_assert(poise__app_open(app, POISE_SOURCE_DIR "/scenes/crate.yaml"));
    run(app, "wait 1\nkey P\n");
    const PoiseWorld* world = poise_simulation_world(app->session.simulation);
    const int contacts = poise_world_contact_count(world);
    cr_assert_gt(contacts, 3);
    // each contact has a disc; those with a force have an arrow of two parts
    int pressing = 0;
    PoiseVec3 up = {0.0, 0.0, 0.0};
    for (int i = 0; i < contacts; i++) {
        PoiseContact contact;
        cr_assert_eq(poise_world_contact(world, i, &contact), POISE_OK);
        pressing += poise_length(contact.force) > 1e-6;
        up = poise_add(up, contact.second ? poise_vec3(0.0, 0.0, 0.0) : contact.force);
    }
    cr_expect_eq(count_of(app, POISE_DRAW_CONTACT), contacts + 2 * pressing);
    cr_expect_gt(up.z, 0.0);
    run(app, "key P\n");
    cr_expect_eq(count_of(app, POISE_DRAW_CONTACT), 0);
}
