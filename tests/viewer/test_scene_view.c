// SPDX-License-Identifier: MIT
#include <math.h>

#include "fixture.h"

static int count_ids(const PoiseDrawList* list, uint32_t id) {
    int count = 0;
    for (int i = 0; i < list->instance_count; i++) {
        count += list->instances[i].id == id;
    }
    return count;
}

static const PoiseInstance* find_instance(const PoiseDrawList* list, uint32_t id) {
    for (int i = 0; i < list->instance_count; i++) {
        if (list->instances[i].id == id) {
            return &list->instances[i];
        }
    }
    cr_assert_fail("nothing with the id %x", id);
    return NULL;
}

static const PoiseInstance* find_body(PoiseApp* app, const char* body) {
    return find_instance(&app->list, poise__draw_id(POISE_DRAW_SHAPE, known_shape(app, body)));
}

APP_TEST(scene_view, every_shape_is_drawn_once_where_it_is) {
    const PoiseSimulation* simulation = app->session.simulation;
    const PoiseDrawList* list = poise__screen_draw(app);
    cr_assert_eq(poise_simulation_shape_count(simulation), 5);
    for (int i = 0; i < 5; i++) {
        uint32_t id = poise__draw_id(POISE_DRAW_SHAPE, i);
        cr_expect_eq(count_ids(list, id), 1);
        vec3s place = find_instance(list, id)->place;
        EXPECT_NEAR3(poise_vec3((double)place.x, (double)place.y, (double)place.z),
                     poise_simulation_shape(simulation, i).pose_world.p, 1e-6);
    }
}

APP_TEST(scene_view, drawn_sizes_are_those_of_the_shapes) {
    poise__screen_draw(app);
    const PoiseInstance* post = find_body(app, "post");
    cr_expect_eq(post->mesh, POISE_MESH_BOX);
    EXPECT_NEAR((double)(post->core.x + post->shell), 0.1, 1e-6);
    EXPECT_NEAR((double)(post->core.z + post->shell), 0.5, 1e-6);
    const PoiseInstance* arm = find_body(app, "left_arm");
    cr_expect_eq(arm->mesh, POISE_MESH_CAPSULE);
    EXPECT_NEAR((double)arm->core.z, 0.3, 1e-6);
    EXPECT_NEAR((double)arm->shell, 0.05, 1e-6);
    const PoiseInstance* drum = find_body(app, "drum");
    cr_expect_eq(drum->mesh, POISE_MESH_CYLINDER);
    EXPECT_NEAR((double)(drum->core.x + drum->shell), 0.1, 1e-6);
    EXPECT_NEAR((double)(drum->core.z + drum->shell), 0.2, 1e-6);
    EXPECT_NEAR((double)find_body(app, "globe")->shell, 0.1, 1e-6);
}

APP_TEST(scene_view, bodies_differ_in_colour_and_mirror_images_do_not) {
    poise__screen_draw(app);
    vec4s left = find_body(app, "left_arm")->colour;
    vec4s right = find_body(app, "right_arm")->colour;
    vec4s globe = find_body(app, "globe")->colour;
    vec4s drum = find_body(app, "drum")->colour;
    vec4s post = find_body(app, "post")->colour;
    cr_expect(glms_vec4_eqv_eps(left, right));
    cr_expect_not(glms_vec4_eqv_eps(left, globe));
    cr_expect_not(glms_vec4_eqv_eps(globe, drum));
    cr_expect_not(glms_vec4_eqv_eps(post, drum));
}

/// Counts the lines; `first` gets the first one, unless it is NULL.
static int count_lines(const PoiseDrawList* list, PoiseLine* first) {
    int count = 0;
    for (int i = 0; i < list->instance_count; i++) {
        PoiseLine line;
        const bool found = line_at(list, i, &line);
        if (found && count == 0 && first) {
            *first = line;
        }
        count += found;
    }
    return count;
}

APP_TEST(scene_view, goals_have_markers_and_tethers_and_oriented_ones_axes) {
    const PoiseDrawList* list = poise__screen_draw(app);
    int left = known_point(app, "left_tip");
    int right = known_point(app, "right_tip");
    // a goal has a ball and a ring; an orientation adds three arrows of two parts
    cr_expect_eq(count_ids(list, poise__draw_id(POISE_DRAW_GOAL, left)), 2);
    cr_expect_eq(count_ids(list, poise__draw_id(POISE_DRAW_GOAL, right)), 8);
    cr_expect_eq(count_ids(list, poise__draw_id(POISE_DRAW_POINT, left)), 1);
    cr_expect_eq(count_lines(list, NULL), 2);
    PoisePointView point = poise_simulation_point(app->session.simulation, left);
    PoiseLine first;
    count_lines(list, &first);
    const PoiseLine* tether = &first;
    cr_expect_eq(tether->id, poise__draw_id(POISE_DRAW_TETHER, left));
    EXPECT_NEAR((double)glms_vec3_distance(tether->from, poise__vec3s(point.pose_world.p)), 0.0,
                1e-6);
    EXPECT_NEAR((double)glms_vec3_distance(tether->to, poise__vec3s(point.goal_world.p)), 0.0,
                1e-6);
}

APP_TEST(scene_view, a_goal_that_is_met_has_no_tether) {
    int left = known_point(app, "left_tip");
    PoiseVec3 there = poise_simulation_point(app->session.simulation, left).pose_world.p;
    cr_assert_eq(poise_simulation_hold_goal(app->session.simulation, left, there), POISE_OK);
    cr_expect_eq(count_lines(poise__screen_draw(app), NULL), 1);
}

APP_TEST(scene_view, the_ground_is_the_scenes) {
    const PoiseDrawList* list = poise__screen_draw(app);
    cr_expect(list->ground.visible);
    cr_expect(list->ground.solid);
    EXPECT_NEAR((double)list->ground.height, 0.0, 0.0);
}

APP_TEST(scene_view, drawing_again_gives_the_same_list_in_the_same_memory) {
    int instances = poise__screen_draw(app)->instance_count;
    const PoiseInstance* memory = app->list.instances;
    for (int i = 0; i < 10; i++) {
        cr_assert_eq(poise__screen_draw(app)->instance_count, instances);
        cr_assert_eq(app->list.instances, memory);
    }
}

APP_TEST(scene_view, bounds_hold_every_shape_tightly) {
    PoiseBounds bounds = poise__bounds_of_simulation(app->session.simulation);
    EXPECT_NEAR3(bounds.lower, poise_vec3(-0.6, -0.6, 0.0), 1e-6);
    EXPECT_NEAR3(bounds.upper, poise_vec3(0.75, 0.6, 1.45), 1e-6);
}

APP_TEST(scene_view, motion_is_that_of_bodies_and_of_the_camera_in_the_picture) {
    PoiseSceneView* view = &app->view;
    PoiseSimulation* simulation = app->session.simulation;
    const int arm = poise__find(simulation, POISE_OWNER_LINK, "left_arm");
    double x[2], y[2];
    poise__scene_view_see(view, simulation, &app->camera);
    EXPECT_NEAR(poise__scene_view_motion(view, simulation, &app->camera), 0.0, 1e-3);
    poise__camera_orbit(&app->camera, 10.0, 0.0);
    cr_expect_gt(poise__scene_view_motion(view, simulation, &app->camera), 1.0);
    // the arm moves, and others with it
    const int point = known_point(app, "left_tip");
    const PoiseVec3 goal = poise_simulation_point(simulation, point).goal_world.p;
    seen_at(app, poise_simulation_body(simulation, arm).com_world, &x[0], &y[0]);
    cr_assert_eq(
        poise_simulation_hold_goal(simulation, point, poise_add(goal, poise_vec3(0.0, 0.0, 0.1))),
        POISE_OK);
    cr_assert(poise__app_run_to(app, 0.5));
    seen_at(app, poise_simulation_body(simulation, arm).com_world, &x[1], &y[1]);
    const double displacement = hypot(x[1] - x[0], y[1] - y[0]);
    cr_expect_gt(displacement, 1.0);
    cr_expect_gt(poise__scene_view_motion(view, simulation, &app->camera), displacement - 1e-3);
}
