// SPDX-License-Identifier: MIT
#include "fixture.h"

static PoiseCamera camera_of(int turn) {
    PoiseCamera camera = poise__camera_default();
    poise__camera_resize(&camera, 640, 360);
    camera.focus = poise_vec3(0.3, -0.2, 0.7);
    camera.azimuth = 0.7 * turn;
    camera.elevation = -1.4 + 0.31 * (turn % 10);
    camera.distance = 0.5 + turn;
    return camera;
}

Test(camera, a_ray_through_a_pixel_is_seen_at_that_pixel) {
    for (int turn = 0; turn < 20; turn++) {
        PoiseCamera camera = camera_of(turn);
        for (double x = 10.0; x < 640.0; x += 123.0) {
            for (double y = 5.0; y < 360.0; y += 77.0) {
                double seen_x = 0.0, seen_y = 0.0;
                PoiseRay ray = poise__camera_ray(&camera, x, y);
                EXPECT_NEAR(poise_length(ray.direction), 1.0, 1e-12);
                cr_assert(
                    poise__camera_project(&camera, poise__ray_at(ray, 2.5), &seen_x, &seen_y));
                EXPECT_NEAR(seen_x, x, 1e-9);
                EXPECT_NEAR(seen_y, y, 1e-9);
            }
        }
    }
}

Test(camera, matrices_agree_with_the_double_precision_projection) {
    uint64_t seed = 1;
    for (int turn = 0; turn < 20; turn++) {
        PoiseCamera camera = camera_of(turn);
        double x = 320.0 + 300.0 * next_random(&seed);
        double y = 180.0 + 170.0 * next_random(&seed);
        PoiseRay ray = poise__camera_ray(&camera, x, y);
        PoiseVec3 place = poise__ray_at(ray, camera.distance);
        cr_assert(poise__camera_project(&camera, place, &x, &y));
        mat4s both = glms_mat4_mul(poise__camera_projection(&camera), poise__camera_view(&camera));
        vec4s clip = glms_mat4_mulv(both, poise__vec4s(place, 1.0));
        EXPECT_NEAR((double)(clip.x / clip.w), x / 320.0 - 1.0, 1e-4);
        EXPECT_NEAR((double)(clip.y / clip.w), 1.0 - y / 180.0, 1e-4);
    }
}

Test(camera, a_place_behind_the_eye_is_not_projected) {
    PoiseCamera camera = camera_of(3);
    double x = 0.0, y = 0.0;
    PoiseVec3 behind =
        poise_add_scaled(poise__camera_eye(&camera), -1.0, poise__camera_forward(&camera));
    cr_expect_not(poise__camera_project(&camera, behind, &x, &y));
}

Test(camera, framed_bounds_are_seen_whole_from_every_side) {
    PoiseBounds bounds = poise__bounds_empty();
    bounds = poise__bounds_add(bounds, poise_vec3(-0.3, 2.0, 0.0), 0.1);
    bounds = poise__bounds_add(bounds, poise_vec3(1.5, 2.5, 0.9), 0.2);
    for (int turn = 0; turn < 20; turn++) {
        PoiseCamera camera = camera_of(turn);
        poise__camera_frame(&camera, bounds);
        for (int corner = 0; corner < 8; corner++) {
            double x = 0.0, y = 0.0;
            PoiseVec3 place = poise_vec3((corner & 1) ? bounds.upper.x : bounds.lower.x,
                                         (corner & 2) ? bounds.upper.y : bounds.lower.y,
                                         (corner & 4) ? bounds.upper.z : bounds.lower.z);
            cr_assert(poise__camera_project(&camera, place, &x, &y));
            cr_expect(x > -1e-6 && x < 640.0 + 1e-6 && y > -1e-6 && y < 360.0 + 1e-6,
                      "corner %d of turn %d is seen at %g, %g", corner, turn, x, y);
        }
    }
}

APP_TEST(camera, a_scene_is_framed_clear_of_panels_and_as_large_as_the_margin_allows) {
    const PoiseSimulation* simulation = app->session.simulation;
    for (int turn = 0; turn < 20; turn++) {
        PoiseCamera camera = camera_of(turn);
        camera.inset = turn % 2 == 0 ? 0.0 : 200.0;
        camera.inset_below = turn % 3 == 0 ? 0.0 : 60.0;
        poise__camera_frame_simulation(&camera, simulation, 0.0);
        double right = camera.width - camera.inset;
        double bottom = camera.height - camera.inset_below;
        double least = HUGE_VAL;
        for (int i = 0; i < poise_simulation_shape_count(simulation); i++) {
            PoiseShapeView shape = poise_simulation_shape(simulation, i);
            for (int corner = 0; corner < 8; corner++) {
                double x = 0.0, y = 0.0;
                cr_assert(
                    poise__camera_project(&camera, poise__shape_corner(&shape, corner), &x, &y));
                least = fmin(least, fmin(fmin(x, right - x), fmin(y, bottom - y)));
            }
        }
        for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
            double x = 0.0, y = 0.0;
            PoiseVec3 goal = poise_simulation_point(simulation, i).goal_world.p;
            cr_assert(poise__camera_project(&camera, goal, &x, &y));
            least = fmin(least, fmin(fmin(x, right - x), fmin(y, bottom - y)));
        }
        // the margin is 9 % of the shorter side
        double margin = 0.09 * fmin(right, bottom);
        EXPECT_NEAR(least, margin, 1e-6 * margin);
    }
}

APP_TEST(camera, the_arrows_of_every_goal_are_in_the_picture) {
    const PoiseSimulation* simulation = app->session.simulation;
    for (int turn = 0; turn < 20; turn++) {
        PoiseCamera camera = camera_of(turn);
        poise__camera_frame_simulation(&camera, simulation, POISE_ROOM_FOR_HANDS);
        for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
            PoisePointView point = poise_simulation_point(simulation, i);
            for (int part = POISE_GIZMO_ARROW_X; part <= POISE_GIZMO_ARROW_Z; part++) {
                double x = 0.0, y = 0.0;
                PoiseGizmoLine line = poise__gizmo_line(&camera, poise__gizmo_frame(&point, false),
                                                        (PoiseGizmoPart)part);
                cr_assert(poise__camera_project(&camera, line.to, &x, &y));
                cr_expect(x > 0.0 && x < 640.0 && y > 0.0 && y < 360.0,
                          "%s, part %d, turn %d is seen at %g, %g", point.name, part, turn, x, y);
            }
        }
    }
}

// Returns the camera's distance, m, in a scene with a fixed box of `side` m that lies 1 m below a
// swinging arm of 1 m.
static double distance_with_box(double side) {
    char text[400];
    snprintf(text, sizeof text,
             "poise: 1\nbodies:\n"
             "  base: {sphere: 0.05, at: [0, 0, 0], fixed: true}\n"
             "  floor: {box: [%g, %g, 0.1], at: [0, 0, -1], fixed: true}\n"
             "  arm: {box: [1, 0.1, 0.1], at: [0.5, 0, 0]}\n"
             "joints:\n"
             "  swing: {hinge: [0, 0, 0], axis: [0, 1, 0], between: [base, arm]}\n"
             "control_points:\n"
             "  tip: {body: arm, position: [0, 0, 0]}\n",
             side, side);
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    const PoiseSceneSource source = {.path = "room.yaml", .text = text, .text_size = strlen(text)};
    PoiseScene* scene = poise_scene_load_source(&source, diagnostics);
    PoiseSimulation* simulation = poise_simulation_create(scene, diagnostics);
    cr_assert_not_null(simulation);
    PoiseCamera camera = poise__camera_default();
    poise__camera_resize(&camera, 640, 360);
    poise__camera_frame_simulation(&camera, simulation, 0.0);
    poise_simulation_destroy(simulation);
    poise_scene_destroy(scene);
    poise_diagnostics_destroy(diagnostics);
    return camera.distance;
}

Test(camera, a_room_around_a_robot_does_not_make_the_robot_small) {
    cr_expect_gt(distance_with_box(1.5), distance_with_box(0.1), "a table is shown whole");
    cr_expect_lt(distance_with_box(20.0), distance_with_box(1.5), "a room is not");
}

Test(camera, empty_bounds_are_framed_too) {
    PoiseCamera camera = camera_of(1);
    poise__camera_frame(&camera, poise__bounds_empty());
    cr_expect(isfinite(camera.distance) && camera.distance > 0.0);
    EXPECT_NEAR3(camera.focus, poise_vec3(0.0, 0.0, 0.0), 0.0);
}

Test(camera, panning_keeps_the_focus_under_the_pointer) {
    PoiseCamera camera = camera_of(4);
    PoiseVec3 before = camera.focus;
    double x = 0.0, y = 0.0;
    poise__camera_pan(&camera, 37.0, -21.0);
    cr_assert(poise__camera_project(&camera, before, &x, &y));
    EXPECT_NEAR(x, 320.0 + 37.0, 1e-9);
    EXPECT_NEAR(y, 180.0 - 21.0, 1e-9);
}

Test(camera, orbiting_never_passes_the_poles) {
    PoiseCamera camera = camera_of(2);
    PoiseVec3 focus = camera.focus;
    double distance = camera.distance;
    for (int i = 0; i < 100; i++) {
        poise__camera_orbit(&camera, 13.0, 50.0);
    }
    cr_expect_lt(camera.elevation, 1.5708);
    EXPECT_NEAR3(camera.focus, focus, 0.0);
    EXPECT_NEAR(poise_length(poise_sub(poise__camera_eye(&camera), focus)), distance, 1e-9);
}

Test(camera, zooming_in_and_out_restores_the_distance) {
    PoiseCamera camera = camera_of(2);
    double distance = camera.distance;
    poise__camera_zoom(&camera, 3.0);
    cr_expect_lt(camera.distance, distance);
    poise__camera_zoom(&camera, -3.0);
    EXPECT_NEAR(camera.distance, distance, 1e-12);
    poise__camera_zoom(&camera, 1000.0);
    cr_expect_gt(camera.distance, 0.0);
}

Test(camera, a_window_without_size_is_no_division_by_zero) {
    PoiseCamera camera = camera_of(2);
    poise__camera_resize(&camera, 0.0, 0.0);
    PoiseRay ray = poise__camera_ray(&camera, 0.0, 0.0);
    cr_expect(poise_is_finite3(ray.direction));
}

Test(camera, the_camera_moves_back_until_a_place_is_visible) {
    PoiseCamera camera = poise__camera_default();
    camera.inset = 300.0;
    camera.inset_below = 120.0;
    const PoiseVec3 inside = poise_vec3(0.1, 0.1, 0.0);
    const PoiseVec3 outside = poise_vec3(-2.0, 1.0, -2.0);
    double x = 0.0, y = 0.0;
    const double before = camera.distance;
    poise__camera_show(&camera, inside);
    EXPECT_NEAR(camera.distance, before, 0.0);
    poise__camera_show(&camera, outside);
    cr_expect_gt(camera.distance, before);
    cr_assert(poise__camera_project(&camera, outside, &x, &y));
    cr_expect(x > 0.0 && x < camera.width - 300.0 && y > 0.0 && y < camera.height - 120.0, "%g %g",
              x, y);
    // no distance shows a place that is no number: the view stays
    const double far = camera.distance;
    poise__camera_show(&camera, poise_vec3((double)NAN, 0.0, 0.0));
    EXPECT_NEAR(camera.distance, far, 0.0);
}
